// The command line of `work-board`: finds the command that the arguments name and runs it. Each command is a file beside this one.

import { OPERATOR_COMMANDS } from "../admin/commands/index.js";
import { VERSION } from "../version.js";
import { type Command, UsageError } from "./command.js";
import { distribute } from "./distribute.js";
import { doctor } from "./doctor.js";
import { operating } from "./operating.js";
import { restore } from "./restore.js";
import { start } from "./start.js";

const COMMANDS: readonly Command[] = [start, ...OPERATOR_COMMANDS.map(operating), doctor, restore, distribute];
/** The command that runs if none is named. */
const DEFAULT = start;
/** As capabilities.md, section 4, wants it of an unknown argument. */
const USAGE_EXIT_CODE = 2;

const synopsis = ({ name, usage }: Command) => [name, usage].filter(Boolean).join(" ");
const SUMMARY_COLUMN = 2 + Math.max(...COMMANDS.map((command) => synopsis(command).length));

const help = () => `work-board: the back end of a work board, over tRPC, REST and OpenAPI

usage: work-board [command]

commands:
${COMMANDS.map((command) => `  ${synopsis(command).padEnd(SUMMARY_COLUMN)}${command.summary}\n`).join("")}
options:
  -h, --help     print this text, as help does
  -v, --version  print the version

Settings are read from the environment. The most used:
  PORT, HOST     where to listen; 3000 and 127.0.0.1 when unset
  DATABASE_URL   a PostgreSQL server; unset: an embedded database
  DATA_DIR       where the embedded database is kept; ./data when unset
docs/settings.md lists all of them, docs/operators.md explains the commands.
`;

const isOption = (arg: string | undefined) => arg?.startsWith("-") === true;

/** Whether a word begins the names of several commands, such as `user`. */
const isGroup = (word: string | undefined) => COMMANDS.some(({ name }) => name.startsWith(`${word} `));

/** The command that the first arguments name, and those behind its name. */
function commandOf(args: readonly string[]): { command: Command; rest: readonly string[] } {
  if (args.length === 0 || isOption(args[0])) return { command: DEFAULT, rest: args };
  for (const words of [2, 1]) {
    const command = COMMANDS.find(({ name }) => name === args.slice(0, words).join(" "));
    if (command !== undefined) return { command, rest: args.slice(words) };
  }
  const named = isGroup(args[0]) && !isOption(args[1]) ? args.slice(0, 2).join(" ") : args[0];
  throw new UsageError(`Unknown command ${JSON.stringify(named)}`);
}

const asksFor = (args: readonly string[], short: string, long: string) => args.includes(short) || args.includes(long);

async function run(args: readonly string[]): Promise<void> {
  // `help` alone, or before a command that `--help` could stand behind.
  if (args[0] === "help") return run([...args.slice(1), "--help"]);
  const isWholeGroup = isGroup(args[0]) && asksFor(args.slice(1, 2), "-h", "--help");
  const { command, rest } = isWholeGroup ? { command: DEFAULT, rest: args } : commandOf(args);
  if (asksFor(rest, "-h", "--help")) process.stdout.write(help());
  else if (asksFor(rest, "-v", "--version")) process.stdout.write(`${VERSION}\n`);
  else await command.run(rest);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  const problem = error.message.replaceAll("\n", " ");
  process.stderr.write(`work-board: ${problem}; 'work-board --help' shows the usage\n`);
  process.exitCode = USAGE_EXIT_CODE;
}
