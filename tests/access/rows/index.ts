// Every row of the access matrix.

import type { Rows } from "../rows.js";
import { accountRows } from "./accounts.js";
import { boardRows } from "./boards.js";
import { cardRows } from "./cards.js";
import { workspaceRows } from "./workspaces.js";

export const allRows: Rows = { ...accountRows, ...workspaceRows, ...boardRows, ...cardRows };
