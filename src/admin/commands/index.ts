// The commands of the operator, in the order in which `--help` lists them.

import type { OperatorCommand } from "./command.js";
import { backup, move } from "./copyCommands.js";
import { userCommands } from "./userCommands.js";

export const OPERATOR_COMMANDS: readonly OperatorCommand[] = [...userCommands, backup, move];
