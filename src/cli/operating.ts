// Runs a command of the operator where the database is: in the service that has the embedded database open, else here.

import { type CommandContext, CommandError, type OperatorCommand } from "../admin/commands/command.js";
import { runInService } from "../admin/commands/commandSocket.js";
import { errorLinesOf } from "../admin/commands/errorLines.js";
import { attachWriters } from "../attachedWriters.js";
import { type Config, readConfig } from "../config.js";
import { openDatabase } from "../db/client.js";
import type { Driver } from "../db/driver.js";
import { isWithoutDatabase } from "../db/embedded/creation.js";
import { openEmbedded } from "../db/embedded.js";
import { migrationCounts } from "../db/migrate.js";
import { openPostgres } from "../db/postgres.js";
import type { Command } from "./command.js";

const POOL_SIZE = 2;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Opens the database that a command works on. @throws CommandError where an embedded one was never created. */
export function openExisting(config: Config): Driver | Promise<Driver> {
  const { databaseUrl: url, databaseDirectUrl: directUrl, dataDir } = config;
  if (url === undefined) {
    if (isWithoutDatabase(dataDir))
      throw new CommandError(`There is no database in DATA_DIR ${dataDir}: start the service once to create it`);
    return openEmbedded({ dataDir });
  }
  return openPostgres({
    url,
    ...(directUrl !== undefined && { directUrl }),
    poolSize: POOL_SIZE,
    prepare: config.databasePrepare,
    isDistributed: config.databaseDistributed,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
}

/** Opens the database for a command, and closes it behind it. */
async function* runHere(config: Config, command: OperatorCommand, input: unknown): AsyncGenerator<string> {
  const driver = await openExisting(config);
  const db = openDatabase(driver);
  try {
    const { missing } = await migrationCounts(db);
    if (missing > 0)
      throw new CommandError(`The database needs ${missing} migrations: start the service once to run them`);
    attachWriters(db);
    // A signal that ends this process ends the command with it.
    const context: CommandContext = { db, driver, config, ending: new AbortController().signal };
    yield* command.run(context, input);
  } finally {
    await db.close();
  }
}

async function* run(command: OperatorCommand, args: readonly string[]): AsyncGenerator<string> {
  const input = command.read(args);
  const config = readConfig();
  const inService = config.databaseUrl === undefined ? await runInService(config.dataDir, command, input) : null;
  const text = inService ?? runHere(config, command, input);
  yield* command.receive?.(text, input, { config, isInService: inService !== null }) ?? text;
}

/** Prints the lines of a command as they come. Where it fails, prints why, in one line or a line per wrong setting, and ends with exit code 1. */
export async function printing(lines: AsyncIterable<string>): Promise<void> {
  try {
    for await (const line of lines) process.stdout.write(`${line}\n`);
  } catch (error) {
    const lines = errorLinesOf(error);
    if (lines === null) throw error;
    for (const line of lines) process.stderr.write(`work-board: ${line}\n`);
    process.exitCode = 1;
  }
}

/** A command of the operator as the command line runs it. */
export const operating = (command: OperatorCommand): Command => ({
  name: command.name,
  usage: command.usage,
  summary: command.summary,
  run: (args) => printing(run(command, args)),
});
