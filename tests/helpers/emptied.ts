// The embedded database of a worker: what one file leaves is emptied for the next, at a sixth of what loading another one takes.

import type { Driver } from "../../src/db/driver.js";
import { connectionError } from "../../src/db/failures.js";

/** A database of the migrated template, and what it was like before anybody used it. */
interface Kept {
  driver: Driver;
  schema: string;
  /** The tables that were empty. */
  tables: string[];
}

let kept: Kept | null = null;

/** What a file may not leave behind: other tables, columns, functions or triggers. */
const SCHEMA = `select
  (select string_agg(oid || relname, ',' order by oid) from pg_class where relnamespace = 'public'::regnamespace),
  (select string_agg(a.attrelid || a.attname || a.atthasdef, ',' order by a.attrelid, a.attnum)
    from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = 'public'::regnamespace),
  (select string_agg(oid || conname, ',' order by oid) from pg_constraint where connamespace = 'public'::regnamespace),
  (select string_agg(oid || tgname, ',' order by oid) from pg_trigger),
  (select string_agg(oid || prosrc, ',' order by oid) from pg_proc where pronamespace = 'public'::regnamespace)`;

const schemaOf = async (driver: Driver) => JSON.stringify(await driver.query(SCHEMA, [], "array"));

async function emptyTablesOf(driver: Driver): Promise<string[]> {
  const tables = await driver.query(
    "select quote_ident(tablename) from pg_tables where schemaname = 'public'",
    [],
    "array",
  );
  const empty: string[] = [];
  for (const [table] of tables as string[][]) {
    if ((await driver.query(`select 1 from ${table} limit 1`, [], "array")).length === 0) empty.push(String(table));
  }
  return empty;
}

/** Empties a database; false where it is not what it was. */
async function empty({ driver, schema, tables }: Kept): Promise<boolean> {
  if ((await schemaOf(driver)) !== schema) return false;
  await driver.query("reset all", [], "array");
  await driver.query(`truncate ${tables.join(", ")}`, [], "array");
  await driver.query(
    "select setval(format('%I', sequencename), start_value, false) from pg_sequences where schemaname = 'public'",
    [],
    "array",
  );
  await driver.query("delete from pg_statistic", [], "array");
  // Else the log of all files stays in memory.
  await driver.query("checkpoint", [], "array");
  return true;
}

async function loaded(load: () => Promise<Driver>): Promise<Kept> {
  const driver = await load();
  return { driver, schema: await schemaOf(driver), tables: await emptyTablesOf(driver) };
}

/** The worker's database, or one that `load` opens where it is in use. To close it is to give it back. */
export async function borrowDatabase(load: () => Promise<Driver>): Promise<Driver> {
  const own = kept ?? (await loaded(load));
  kept = null;
  const { driver } = own;
  let isOver = false;
  const mustBeOpen = () => {
    if (isOver) throw connectionError("CONNECTION_ENDED", "The database is closed");
  };
  return {
    isDistributed: driver.isDistributed,
    query: async (...args) => {
      mustBeOpen();
      return driver.query(...args);
    },
    transaction: async (run) => {
      mustBeOpen();
      return driver.transaction(run);
    },
    migrate: (run) => driver.migrate(run),
    snapshot: (tables, run) => driver.snapshot(tables, run),
    ...(driver.refuseWrites !== undefined && { refuseWrites: driver.refuseWrites.bind(driver) }),
    ...(driver.freeBytes !== undefined && { freeBytes: driver.freeBytes.bind(driver) }),
    ping: async () => {
      mustBeOpen();
      return driver.ping();
    },
    asOnlyProcess: (name, run) => driver.asOnlyProcess(name, run),
    waitingMs: () => driver.waitingMs(),
    close: async () => {
      if (isOver) return;
      isOver = true;
      if (kept === null && (await empty(own))) kept ??= own;
      if (kept !== own) await driver.close();
    },
  };
}
