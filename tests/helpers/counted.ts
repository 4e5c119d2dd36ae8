// A database of PostgreSQL that says what a call read of it, by PostgreSQL's own statistics.

import { sql } from "drizzle-orm";
import { afterAll } from "vitest";
import type { Database } from "../../src/db/client.js";
import { openPostgres } from "../../src/db/postgres.js";
import { openBound, openTestDatabase } from "./databases.js";

/** From so many rows on, a table counts as one that grows. */
const GROWN_ROWS = 1000;

interface Counts {
  table: string;
  scans: number;
  read: number;
}

/** What a call read of the tables that grow. */
export interface Spent<T> {
  answer: T;
  /** The tables that it scanned. */
  scanned: string[];
  /** The rows that it read. */
  read: number;
}

/** Opens a database of one session, to be closed when the file ends; `spentOn` says what a call read of it. */
export async function openCounted() {
  const { url, close } = await openTestDatabase();
  const db = openBound(openPostgres({ url: url ?? "", poolSize: 1, prepare: true, statementTimeoutMs: 0 }));
  afterAll(async () => {
    await db.close();
    await close();
  });
  const counts = () => countsOf(db);

  async function spentOn<T>(call: () => Promise<T>): Promise<Spent<T>> {
    const before = new Map((await counts()).map((count) => [count.table, count]));
    const answer = await call();
    const spent = (await counts()).map(({ table, scans, read }) => ({
      table,
      scans: scans - (before.get(table)?.scans ?? 0),
      read: read - (before.get(table)?.read ?? 0),
    }));
    const scanned = spent.filter(({ scans }) => scans > 0).map(({ table }) => table);
    return { answer, scanned, read: spent.reduce((sum, { read }) => sum + read, 0) };
  }
  return { db, counts, spentOn };
}

/** What each table that grows has counted. */
async function countsOf(db: Database): Promise<Counts[]> {
  await db.rows(sql`select pg_stat_force_next_flush()::text`);
  return db.rows<Counts>(sql`
    select relname as table, seq_scan as scans, seq_tup_read + idx_tup_fetch as read
    from pg_stat_user_tables where schemaname = 'public' and n_live_tup >= ${GROWN_ROWS}::int order by relname`);
}
