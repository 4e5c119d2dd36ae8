// The form of a command of the command line.

import { UsageError } from "../admin/commands/command.js";

/** One command, found by its name. */
export interface Command {
  /** One word or two. */
  name: string;
  /** Its arguments as `--help` shows them. */
  usage?: string;
  /** One line for `--help`. */
  summary: string;
  /** Runs it with the arguments after its name; throws UsageError for one that it does not know. */
  run(args: readonly string[]): Promise<void>;
}

/** @throws UsageError for an argument where there should be none. */
export function mustBeLast(unknown: string | undefined): void {
  if (unknown !== undefined) throw new UsageError(`Unknown argument ${JSON.stringify(unknown)}`);
}

export { UsageError };
