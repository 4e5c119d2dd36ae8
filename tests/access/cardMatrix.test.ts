// The access matrix of cards and what is on them.

import { cross } from "./crossing.js";
import { cardRows } from "./rows/cards.js";

await cross(cardRows);
