// The access matrix of accounts, tokens and notifications.

import { cross } from "./crossing.js";
import { accountRows } from "./rows/accounts.js";

await cross(accountRows);
