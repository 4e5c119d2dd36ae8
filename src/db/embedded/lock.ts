// Locks a data directory for one process. Each process creates a file of its own in `lock/` and only then looks for those of
// others, so of any two at least one sees the other. Files are never taken over, so removing that of a dead process is always safe.

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codes } from "../failures.js";
import { DataDirError, makeDirectory } from "./dataDir.js";

/** A live process, possibly this one, uses the directory. */
export class DataDirInUseError extends DataDirError {
  override readonly name = "DataDirInUseError";

  constructor(
    readonly dataDir: string,
    readonly pid: number,
  ) {
    super(`DATA_DIR ${dataDir} is in use by process ${pid}`);
  }
}

/** Processes that met each other have all backed off: they try again, at different times. */
const ATTEMPTS = 6;
const MAX_PAUSE_MS = 60;

/**
 * Locks `dataDir` for this process and creates it if needed; resolves to the function that unlocks it. Throws DataDirInUseError.
 * Processes that cannot see each other, as in two containers on one volume, are not kept apart.
 */
export async function lockDirectory(dataDir: string): Promise<() => Promise<void>> {
  const directory = join(dataDir, "lock");
  await makeDirectory(directory);
  const own = (await claimOf(process.pid)) ?? String(process.pid);
  const file = join(directory, own);
  for (let attempt = 1; ; attempt += 1) {
    await create(file, dataDir);
    const holder = await otherHolder(directory, own);
    if (holder === undefined) return () => rm(file, { force: true });
    await rm(file, { force: true });
    if (attempt === ATTEMPTS) throw new DataDirInUseError(dataDir, holder);
    await sleep(Math.random() * MAX_PAUSE_MS);
  }
}

async function create(file: string, dataDir: string): Promise<void> {
  try {
    await writeFile(file, "", { flag: "wx" });
  } catch (error) {
    if (!codes(error).includes("EEXIST")) throw error;
    throw new DataDirInUseError(dataDir, process.pid);
  }
}

async function otherHolder(directory: string, own: string): Promise<number | undefined> {
  for (const claim of await readdir(directory)) {
    if (claim === own) continue;
    const pid = Number.parseInt(claim, 10);
    if (await isHeld(claim, pid)) return pid;
    await rm(join(directory, claim), { force: true });
  }
  return undefined;
}

async function isHeld(claim: string, pid: number): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const current = await claimOf(pid);
  return current === undefined || current === claim;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codes(error).includes("EPERM");
  }
}

/**
 * `pid-boot-start`, so that a later process of the same number is told apart; the pid alone where there is no /proc.
 * Undefined when /proc does not show the process; empty when it has ended and only its parent does not know yet.
 */
async function claimOf(pid: number): Promise<string | undefined> {
  const boot = await contents("/proc/sys/kernel/random/boot_id");
  if (boot === undefined) return String(pid);
  const stat = await contents(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name, in parentheses, may hold spaces and parentheses. State is field 3, the start time field 22.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? "" : `${pid}-${boot.trim()}-${fields[18]}`;
}

async function contents(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codes(error).some((code) => code === "ENOENT" || code === "ESRCH")) return undefined;
    throw error;
  }
}
