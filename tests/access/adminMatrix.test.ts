// The access matrix of instance admins.

import { cross } from "./crossing.js";
import { adminRows } from "./rows/admin.js";

await cross(adminRows);
