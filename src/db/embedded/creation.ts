// Creates a new database in a separate process. initdb and the first migrations take memory that WebAssembly never releases, so it
// ends with that process, and the first start needs as little memory as later ones.

import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DataDirError } from "./dataDir.js";

/** The extension of this file: TypeScript in the source, JavaScript in the build. */
const SCRIPT = fileURLToPath(new URL(`./creator${extname(import.meta.url)}`, import.meta.url));
/** Makes V8 compile WebAssembly quickly without optimizing it, which would take half of the time of this short process. */
const QUICK = "--liftoff-only";
const ENDING: NodeJS.Signals[] = ["SIGTERM", "SIGINT"];

/** Whether `dataDir` holds no database yet. */
export const isWithoutDatabase = (dataDir: string) => !existsSync(join(dataDir, "postgres", "PG_VERSION"));

/** Creates and migrates the database of `dataDir`. SIGTERM and SIGINT end both processes. @throws DataDirError */
export async function createDatabase(dataDir: string): Promise<void> {
  const child = fork(SCRIPT, [dataDir], { execArgv: [...process.execArgv, QUICK] });
  const end = () => {
    child.kill("SIGKILL");
    process.exit(0);
  };
  for (const signal of ENDING) process.once(signal, end);
  let reason: string | undefined;
  child.once("message", (message) => {
    reason = String(message);
  });
  const [code, signal]: (number | string | null)[] = await once(child, "exit");
  for (const name of ENDING) process.off(name, end);
  if (code === 0) return;
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  throw new DataDirError(reason ?? `The database in DATA_DIR ${dataDir} was not created: the process ended ${how}`);
}
