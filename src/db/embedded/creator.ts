// The process that creation.ts starts: creates and migrates the database of argv[2]. It takes the lock itself, so that a start
// after its parent was killed neither waits nor interferes. It ends with its parent.

import { openEmbedded } from "../embedded.js";
import { migrate } from "../migrate.js";
import { DataDirError } from "./dataDir.js";

async function create(dataDir: string): Promise<void> {
  const driver = await openEmbedded({ dataDir });
  try {
    await migrate(driver);
  } finally {
    await driver.close();
  }
}

process.once("disconnect", () => process.exit(1));
const [, , dataDir = ""] = process.argv;
try {
  await create(dataDir);
  process.exit(0);
} catch (error) {
  if (!(error instanceof DataDirError)) throw error;
  process.send?.(error.message, () => process.exit(1));
}
