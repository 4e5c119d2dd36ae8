// `work-board restore`: fills an empty database with a backup. The service is stopped, so that the command opens the database itself.

import { verifyBackup } from "../admin/backupFile.js";
import { restoreBackup } from "../admin/backups.js";
import { described } from "../admin/commands/copyCommands.js";
import { type Config, readConfig } from "../config.js";
import type { Driver } from "../db/driver.js";
import { openEmbedded } from "../db/embedded.js";
import { openForWholeDatabase } from "../db/postgres.js";
import { type Command, mustBeLast, UsageError } from "./command.js";
import { printing } from "./operating.js";

/** Opens the database to fill. */
function openTarget({ databaseUrl, databaseDirectUrl, dataDir }: Config): Driver | Promise<Driver> {
  if (databaseUrl === undefined) return openEmbedded({ dataDir });
  return openForWholeDatabase(databaseDirectUrl ?? databaseUrl);
}

async function* run(file: string): AsyncGenerator<string> {
  const config = readConfig();
  const header = await verifyBackup(file);
  const driver = await openTarget(config);
  try {
    await driver.ping();
    const written = await restoreBackup(driver, file, header);
    yield `Restored ${described(written)} from ${file}, made at ${header.madeAt}`;
  } finally {
    await driver.close();
  }
}

export const restore: Command = {
  name: "restore",
  usage: "FILE",
  summary: "fill an empty database with a backup; the service is stopped",
  run: async ([file, unknown]) => {
    if (file === undefined) throw new UsageError("Usage: work-board restore FILE");
    mustBeLast(file.startsWith("-") ? file : unknown);
    await printing(run(file));
  },
};
