// Every row of the access matrix.

import type { Rows } from "../rows.js";
import { accountRows } from "./accounts.js";
import { adminRows } from "./admin.js";
import { boardRows } from "./boards.js";
import { cardRows } from "./cards.js";
import { workspaceRows } from "./workspaces.js";

export const allRows: Rows = { ...accountRows, ...adminRows, ...workspaceRows, ...boardRows, ...cardRows };
