// `work-board distribute`: puts a database that is there on Citus.

import { ConfigError, readConfig } from "../config.js";
import { DistributionError, distribute as distributeTables } from "../db/distribution.js";
import { codes, isConnectionError, reasonOf } from "../db/failures.js";
import { openPostgres } from "../db/postgres.js";
import { type Command, UsageError } from "./command.js";

async function run(): Promise<void> {
  const { databaseUrl, databaseDirectUrl } = readConfig();
  if (databaseUrl === undefined)
    throw new DistributionError("DATABASE_URL is not set: an embedded database cannot be distributed");
  const url = databaseDirectUrl ?? databaseUrl;
  const driver = openPostgres({ url, poolSize: 1, prepare: false, statementTimeoutMs: 0 });
  try {
    await driver.migrate(async (execute) => {
      for (const { table, form, isNew } of await distributeTables(execute)) {
        process.stdout.write(
          `${table}: ${form === "reference" ? "a reference table" : "distributed by workspace"}${isNew ? "" : " already"}\n`,
        );
      }
    });
  } finally {
    await driver.close();
  }
  process.stdout.write("Done. Start the service with DATABASE_DISTRIBUTED=true.\n");
}

/** What went wrong, in one line. */
function complaint(error: Error): string | null {
  if (error instanceof ConfigError || error instanceof DistributionError) return error.message;
  return isConnectionError(error) || codes(error).length > 0 ? reasonOf(error) : null;
}

export const distribute: Command = {
  name: "distribute",
  summary: "put the tables of DATABASE_URL on Citus, by workspace",
  run: async ([unknown]) => {
    if (unknown !== undefined) throw new UsageError(`Unknown argument ${JSON.stringify(unknown)}`);
    try {
      await run();
    } catch (error) {
      const problem = error instanceof Error ? complaint(error) : null;
      if (problem === null) throw error;
      process.stderr.write(`work-board: ${problem.replaceAll("\n", " ")}\n`);
      process.exitCode = 1;
    }
  },
};
