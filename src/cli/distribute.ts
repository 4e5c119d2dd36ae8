// `work-board distribute`: puts an existing database on Citus.

import { readConfig } from "../config.js";
import { type Distributed, DistributionError, distribute as distributeTables } from "../db/distribution.js";
import { openForWholeDatabase } from "../db/postgres.js";
import { type Command, mustBeLast } from "./command.js";
import { printing } from "./operating.js";

const lineOf = ({ table, form, isNew }: Distributed) =>
  `${table}: ${form === "reference" ? "a reference table" : "distributed by workspace"}${isNew ? "" : " already"}`;

async function* run(): AsyncGenerator<string> {
  const { databaseUrl, databaseDirectUrl } = readConfig();
  if (databaseUrl === undefined)
    throw new DistributionError("DATABASE_URL is not set: an embedded database cannot be distributed");
  const driver = openForWholeDatabase(databaseDirectUrl ?? databaseUrl);
  try {
    let tables: Distributed[] = [];
    await driver.migrate(async (execute) => {
      tables = await distributeTables(execute);
    });
    yield* tables.map(lineOf);
  } finally {
    await driver.close();
  }
  yield "Done. Start the service with DATABASE_DISTRIBUTED=true.";
}

export const distribute: Command = {
  name: "distribute",
  summary: "put the tables of DATABASE_URL on Citus, by workspace",
  run: async ([unknown]) => {
    mustBeLast(unknown);
    await printing(run());
  },
};
