// The access matrix of workspaces and what belongs to them.

import { cross } from "./crossing.js";
import { workspaceRows } from "./rows/workspaces.js";

await cross(workspaceRows);
