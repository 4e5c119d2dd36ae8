// The databases of services in a drill, and the PostgreSQL servers that drills start and kill.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import postgres from "postgres";
import { type Database, openDatabase } from "../src/db/client.js";
import { openEmbedded } from "../src/db/embedded.js";
import { openForWholeDatabase } from "../src/db/postgres.js";
import type { Environment } from "../tests/helpers/spawned.js";

/** A database that outlives the processes on it. */
export interface Store {
  name: "embedded" | "PostgreSQL" | "PgBouncer";
  env: Environment;
  /** Opens it from here; where it is embedded, no process may have it open. */
  open(): Promise<Database>;
}

/** A data directory. */
export const embeddedStore = (dataDir: string): Store => ({
  name: "embedded",
  env: { DATA_DIR: dataDir },
  open: async () => openDatabase(await openEmbedded({ dataDir })),
});

/** A new database on a server. */
export async function postgresStore(server: string): Promise<Store> {
  const name = `work_board_drill_${randomBytes(4).toString("hex")}`;
  await asAdmin(server, (admin) => admin`create database ${admin(name)}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    name: "PostgreSQL",
    env: { DATABASE_URL: url.href },
    open: async () => openDatabase(openForWholeDatabase(url.href)),
  };
}

/** Drops a database that `postgresStore` made. */
export function dropStore(server: string, { env }: Store): Promise<unknown> {
  const name = new URL(env.DATABASE_URL ?? server).pathname.slice(1);
  return asAdmin(server, (admin) => admin`drop database if exists ${admin(name)} with (force)`);
}

/** Runs statements on a connection of their own. */
export async function asAdmin<T>(url: string, run: (admin: postgres.Sql) => Promise<T>): Promise<T> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await run(admin);
  } finally {
    await admin.end();
  }
}

const SLOTS_LIMIT_MS = 10_000;
const CHECK_MS = 50;

/** Reads that a session of the service takes before the first is answered. */
const READS_A_SESSION = 4;

/**
 /** The number of a pool's slots that work, of so many: every call needs the members, and while those are locked, as
 * many sessions wait as the pool can use.
 */
export function usableSlots(admin: postgres.Sql, poolSize: number, ask: () => Promise<unknown>): Promise<number> {
  return admin.begin(async (holder) => {
    await holder`lock table member in access exclusive mode`;
    for (let asked = 0; asked < READS_A_SESSION * poolSize; asked += 1) void ask();
    const deadline = performance.now() + SLOTS_LIMIT_MS;
    for (;;) {
      const [row] = await holder<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and application_name = 'work-board' and wait_event_type = 'Lock'`;
      await holder`select pg_stat_clear_snapshot()`;
      if (row?.waiting === poolSize || performance.now() > deadline) return row?.waiting ?? 0;
      await sleep(CHECK_MS);
    }
  });
}

const SCRIPT = fileURLToPath(new URL("../.ci/postgres", import.meta.url));

async function script(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(SCRIPT, args);
  return stdout.trim().split("\n").at(-1) ?? "";
}

/** A PostgreSQL server. */
export interface Server {
  url: string;
  /** Ends every process of it with SIGKILL; resolves when its postmaster is gone. */
  kill(): Promise<void>;
  /** Starts it again where it was, on the same port. */
  start(): Promise<void>;
  stop(): Promise<unknown>;
  log(): Promise<string>;
}

/** Starts a server in a folder; one that follows another is its streaming replica. */
export async function startServer(folder: string, following?: Server): Promise<Server> {
  const url = await (following ? script("follow", folder, following.url) : script("start", folder));
  const inFolder = (name: string) => readFile(join(folder, "postgres", name), "utf8");
  return {
    url,
    kill: async () => {
      const [postmaster = ""] = (await inFolder("data/postmaster.pid")).split("\n");
      for (const pid of [postmaster, ...(await childrenOf(postmaster))]) process.kill(Number(pid), "SIGKILL");
      // A container's first process may bury the dead late: until then a new postmaster takes this one to be running.
      while (existsSync(`/proc/${postmaster}`)) await sleep(50);
    },
    start: async () => void (await script("start", folder, new URL(url).port)),
    stop: () => script("stop", folder),
    log: () => inFolder("log"),
  };
}

async function childrenOf(pid: string): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter((child) => child !== "");
}
