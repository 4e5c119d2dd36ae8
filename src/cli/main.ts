// The command line of `work-board`: finds the command that the arguments name and runs it. Each command is a file beside this one.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Command, UsageError } from "./command.js";
import { distribute } from "./distribute.js";
import { start } from "./start.js";

const COMMANDS: readonly Command[] = [start, distribute];
/** What runs when no command is named. */
const DEFAULT = start;
/** As capabilities.md, section 4, wants it of an unknown argument. */
const USAGE_EXIT_CODE = 2;

const help = () => `work-board: the back end of a work board, over tRPC, REST and OpenAPI

usage: work-board [command]

commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(11)}${summary}\n`).join("")}
options:
  --help     print this text
  --version  print the version

Settings are read from the environment. The most used:
  PORT, HOST     where to listen; 3000 and 127.0.0.1 when unset
  DATABASE_URL   a PostgreSQL server; unset: an embedded database
  DATA_DIR       where the embedded database is kept; ./data when unset
docs/operations.md lists all of them.
`;

function version(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return `${version}\n`;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { help: { type: "boolean" }, version: { type: "boolean" } },
      allowPositionals: true,
    });
  } catch (error) {
    // Node's first sentence says what is wrong; the next ones give advice that does not fit here.
    const [problem = ""] = error instanceof Error ? error.message.split(". ") : [];
    throw new UsageError(problem);
  }
}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  const [name = DEFAULT.name, ...rest] = positionals;
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) throw new UsageError(`Unknown command ${JSON.stringify(name)}`);
  if (values.help) process.stdout.write(help());
  else if (values.version) process.stdout.write(version());
  else await command.run(rest);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  const problem = error.message.replaceAll("\n", " ");
  process.stderr.write(`work-board: ${problem}; 'work-board --help' lists what there is\n`);
  process.exitCode = USAGE_EXIT_CODE;
}
