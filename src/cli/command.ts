// What a command of the command line is.

/** One command, found by its name. */
export interface Command {
  name: string;
  /** One line for `--help`. */
  summary: string;
  /** Runs it with the arguments after its name; throws UsageError for one that it does not know. */
  run(args: readonly string[]): Promise<void>;
}

/** The arguments are wrong. The message is one line without a full stop. */
export class UsageError extends Error {}
