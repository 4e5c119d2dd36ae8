// Creates a new database in a process of its own. initdb and the first migrations take memory that WebAssembly never gives
// back: so it ends with that process, and the first start needs as little as every later one.

import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DataDirError } from "./dataDir.js";

/** TypeScript where this file is, JavaScript where it was built. */
const SCRIPT = fileURLToPath(new URL(`./creator${extname(import.meta.url)}`, import.meta.url));
/** V8 compiles WebAssembly quickly and leaves it so: optimising takes half of the time of a process that soon ends. */
const QUICK = "--liftoff-only";
const ENDING: NodeJS.Signals[] = ["SIGTERM", "SIGINT"];

/** Whether `dataDir` holds no database yet. */
export const isWithoutDatabase = (dataDir: string) => !existsSync(join(dataDir, "postgres", "PG_VERSION"));

/**
 * Creates and migrates the database of `dataDir`; that process holds its lock meanwhile. SIGTERM and SIGINT end both processes:
 * the next start begins anew.
 * @throws DataDirError when the database could not be created.
 */
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
