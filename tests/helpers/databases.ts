// A database for one test file: a copy of the migrated template, embedded or on the server of TEST_DATABASE_URL.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { inject } from "vitest";
import { type Database, openDatabase } from "../../src/db/client.js";
import type { Driver, TransactionConnection } from "../../src/db/driver.js";
import { openEmbedded } from "../../src/db/embedded.js";
import { openPostgres } from "../../src/db/postgres.js";
import { bound, mustHaveRefusedNothing } from "./bound/driver.js";
import { borrowDatabase } from "./emptied.js";
import { explained } from "./explained.js";
import { createDatabase, dropDatabase, urlOf } from "./servers.js";

/** A database whose statements on workspaces are refused unless each is bound to one. */
export const openBound = (driver: Driver): Database => openDatabase(bound(driver));

/** A database of its own; `close` also drops it, and fails where a statement was refused for being bound to no workspace. */
export interface TestDatabase {
  db: Database;
  /** Where it is, for a client or a driver of its own; null where it is embedded. */
  url: string | null;
  close(): Promise<void>;
}

/** Opens a new, empty, migrated database; `through` may put something between it and its driver. */
export async function openTestDatabase(through = (driver: Driver) => driver): Promise<TestDatabase> {
  const template = inject("template");
  if (template.kind === "embedded") {
    const load = async () => {
      const loadFrom = new Blob([await readFile(template.file)], { type: template.type });
      return openEmbedded({ dataDir: null, loadFrom });
    };
    const db = openBound(through(await borrowDatabase(load)));
    const close = async () => {
      await db.close();
      mustHaveRefusedNothing();
    };
    return { db, url: null, close };
  }

  const name = `${template.name}_${randomBytes(4).toString("hex")}`;
  await createDatabase(template, name, template.name);
  const url = urlOf(template.url, name);
  const isDistributed = isOnCitus();
  const driver = openPostgres({ url, poolSize: 8, prepare: true, statementTimeoutMs: 30_000, isDistributed });
  const db = openBound(through(process.env.EXPLAIN_STATEMENTS === undefined ? driver : explained(driver, url)));
  return {
    db,
    url,
    close: async () => {
      await db.close();
      await dropDatabase(template, name);
      mustHaveRefusedNothing();
    },
  };
}

/** Whether the tables are distributed over the servers of TEST_CITUS_WORKERS. */
export function isOnCitus(): boolean {
  const template = inject("template");
  return template.kind === "postgres" && template.workers.length > 0;
}

export interface Cost {
  statements: number;
  trips: number;
}

/**
 * Counts the statements that go through a driver, those of transactions too but for COMMIT, and their round trips: what is sent before
 * anything of a trip was answered travels with it. COMMIT and ROLLBACK have a trip of their own, unless COMMIT goes with `last`.
 */
export function countingStatements() {
  const total: Cost = { statements: 0, trips: 0 };
  let isInTransit = false;
  const arrive = () => {
    isInTransit = false;
  };
  /** What is written behind the answers costs no call anything. */
  const isBehind = (text: string) => /^update "access_token" set .*"last_used_at" = now\(\)/.test(text);
  function sent<T>(answer: Promise<T>): Promise<T> {
    total.statements += 1;
    if (!isInTransit) total.trips += 1;
    isInTransit = true;
    answer.then(arrive, arrive);
    return answer;
  }
  async function inside<T>(connection: TransactionConnection, run: (connection: TransactionConnection) => Promise<T>) {
    let isLast = false;
    try {
      return await run({
        query: (...args) => sent(connection.query(...args)),
        last: (...args) => {
          isLast = true;
          return sent(connection.last(...args));
        },
      });
    } finally {
      if (!isLast) total.trips += 1;
      arrive();
    }
  }
  const through = (driver: Driver): Driver => ({
    isDistributed: driver.isDistributed,
    query: (text, ...rest) => (isBehind(text) ? driver.query(text, ...rest) : sent(driver.query(text, ...rest))),
    transaction: (run) => driver.transaction((connection) => inside(connection, run)),
    migrate: (run) => driver.migrate(run),
    snapshot: (tables, run) => driver.snapshot(tables, run),
    ...(driver.refuseWrites !== undefined && { refuseWrites: driver.refuseWrites.bind(driver) }),
    ...(driver.freeBytes !== undefined && { freeBytes: driver.freeBytes.bind(driver) }),
    ...(driver.openChannel !== undefined && { openChannel: driver.openChannel.bind(driver) }),
    ping: () => driver.ping(),
    asOnlyProcess: (name, run) => driver.asOnlyProcess(name, run),
    waitingMs: () => driver.waitingMs(),
    close: () => driver.close(),
  });
  const costOf = async (run: () => Promise<unknown>): Promise<Cost> => {
    const before = { ...total };
    await run();
    return { statements: total.statements - before.statements, trips: total.trips - before.trips };
  };
  const during = async (run: () => Promise<unknown>) => (await costOf(run)).statements;
  return { through, during, costOf };
}

/** How many rows each table has and how far each event log has come: alike before and after where nothing was changed. */
export async function contentsOf(db: Database): Promise<Record<string, unknown>> {
  const tables = await db.rows<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  );
  const counts = tables.map(
    ({ name }) => sql`select ${name}::text as name, count(*)::int as rows from ${sql.identifier(name)}`,
  );
  const rows = await db.rows<{ name: string; rows: number }>(sql.join(counts, sql` union all `));
  const counters = await db.rows(
    sql`select workspace_id, event_seq, card_number from workspace_counter order by workspace_id`,
  );
  return { ...Object.fromEntries(rows.map(({ name, rows: count }) => [name, count])), counters };
}

/** The deadlocks that PostgreSQL has counted in a database, its sessions told to report; none where it is embedded. */
export async function deadlocksIn(db: Database): Promise<number> {
  if (inject("template").kind === "embedded") return 0;
  await Promise.all(
    Array.from({ length: 16 }, () => db.rows(sql`select pg_stat_force_next_flush()::text, pg_sleep(0.05)::text`)),
  );
  const [row] = await db.rows<{ deadlocks: number }>(
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  return row?.deadlocks ?? 0;
}
