// The form of a command of the operator: it reads its arguments in the process of the command line, and runs there or in the
// service that has the database open (capabilities section 4).

import { type ParseArgsConfig, parseArgs } from "node:util";
import { z } from "zod";
import type { Config } from "../../config.js";
import type { Database } from "../../db/client.js";
import type { Driver } from "../../db/driver.js";

/** The arguments are wrong. The message is one line without a full stop. */
export class UsageError extends Error {}

/** A command could not do what it was asked to. The message is one line without a full stop. */
export class CommandError extends Error {}

/** The database, settings and mail that a command acts on. */
export interface CommandContext {
  db: Database;
  /** The driver of `db`. */
  driver: Driver;
  config: Config;
  /** Aborted once the sender of the command is gone. */
  ending: AbortSignal;
}

/** The process of the command line, in which a command runs. */
interface CommandCall {
  config: Config;
  /** Whether the service runs it. */
  isInService: boolean;
}

/** A command as the command line and the service run it. */
export interface OperatorCommand {
  /** One or two words, such as `user create`. */
  name: string;
  /** Its arguments as `--help` shows them; empty where it takes none. */
  usage: string;
  /** One line for `--help`. */
  summary: string;
  /** Reads the arguments after the name. The result is sent as JSON where the service runs the command. @throws UsageError */
  read(args: readonly string[]): unknown;
  /** Gives the lines to print as they come. @throws CommandError, or the failure of an operation, whose first issue is printed. */
  run(context: CommandContext, input: unknown): AsyncIterable<string>;
  /** Turns what `run` gives into the lines to print, in the process of the command line; by default they are the same. */
  receive?(text: AsyncIterable<string>, input: unknown, call: CommandCall): AsyncIterable<string>;
}

/** A command with an input of its own shape. */
interface Definition<Input extends z.ZodType> extends Omit<OperatorCommand, "read" | "run" | "receive"> {
  /** The positional arguments in their order and the options by their names. */
  input: Input;
  /** The names in `input` of the positional arguments, all of which are required. */
  positionals?: readonly (keyof z.output<Input> & string)[];
  options?: ParseArgsConfig["options"];
  run(context: CommandContext, input: z.output<Input>): AsyncIterable<string>;
  receive?(text: AsyncIterable<string>, input: z.output<Input>, call: CommandCall): AsyncIterable<string>;
}

/** The message of Node about arguments, without the advice after its first sentence. */
const problemOf = (error: unknown) => (error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error));

function parsed(args: readonly string[], options: ParseArgsConfig["options"] = {}) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(problemOf(error));
  }
}

/** Makes a command whose arguments are checked by the shape of its input. */
export function operatorCommand<Input extends z.ZodType>(definition: Definition<Input>): OperatorCommand {
  const { input: shape, positionals: names = [], options, run, receive, ...command } = definition;
  return {
    ...command,
    read: (args) => {
      const { values, positionals } = parsed(args, options);
      const [unknown] = positionals.slice(names.length);
      if (unknown !== undefined) throw new UsageError(`Unknown argument ${JSON.stringify(unknown)}`);
      const missing = names[positionals.length];
      if (missing !== undefined) throw new UsageError(`Usage: work-board ${definition.name} ${definition.usage}`);
      const required = Object.fromEntries(names.map((name, at) => [name, positionals[at]]));
      const input = shape.safeParse({ ...values, ...required });
      if (input.success) return input.data;
      const [issue] = input.error.issues;
      throw new UsageError(`${String(issue?.path[0] ?? "argument")}: ${issue?.message}`);
    },
    run: (context, input) => run(context, shape.parse(input)),
    ...(receive && { receive: (text, input, call) => receive(text, shape.parse(input), call) }),
  };
}

/** The shape of a command without arguments. */
export const NoInput = z.strictObject({});
