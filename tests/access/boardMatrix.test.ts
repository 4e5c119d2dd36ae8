// The access matrix of boards, lists and labels.

import { cross } from "./crossing.js";
import { boardRows } from "./rows/boards.js";

await cross(boardRows);
