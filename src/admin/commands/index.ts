// The commands of the operator, in the order in which `--help` lists them.

import { doctorInService } from "../doctor.js";
import type { OperatorCommand } from "./command.js";
import { backup, move } from "./copyCommands.js";
import { mailTest } from "./mailCommand.js";
import { userCommands } from "./userCommands.js";
import { workspaceCommands } from "./workspaceCommands.js";

export const OPERATOR_COMMANDS: readonly OperatorCommand[] = [
  ...userCommands,
  ...workspaceCommands,
  mailTest,
  backup,
  move,
];

/** The commands that a service runs which has the embedded database open. */
export const SERVICE_COMMANDS: readonly OperatorCommand[] = [...OPERATOR_COMMANDS, doctorInService];
