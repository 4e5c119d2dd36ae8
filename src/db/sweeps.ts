// Sweeps delete rows that are kept only for a time. Each feature has its own; `sweeper.ts` runs them.

import { and, asc, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Database } from "./client.js";

/** Deletes expired rows batch by batch, found by an index, and reports their numbers. The caller may stop after any. */
export type Sweep = (db: Database, retention: RetentionDays) => AsyncIterable<number>;

/** The days after which rows are deleted, as the operator sets them; null: never. */
export interface RetentionDays {
  audit: number;
  events: number | null;
}

/** The maximum number of rows in a batch. */
export const SWEPT_AT_ONCE = 1000;

/** Repeats a step that deletes at most `limit` rows until it deletes fewer; the rest is left for the next sweep. */
async function* untilFewerThan(limit: number, removeSome: (limit: number) => Promise<number>): AsyncGenerator<number> {
  for (;;) {
    const removed = await removeSome(limit);
    if (removed > 0) yield removed;
    if (removed < limit) return;
  }
}

/** A table whose rows have keys of their own. */
type Keyed = PgTable & { id: PgColumn };

/** A sweep that deletes the rows for which a condition holds, in an order that an index has. */
export const forgetting =
  (table: Keyed, order: PgColumn, isOver: (retention: RetentionDays) => SQL | undefined): Sweep =>
  (db, retention) =>
    untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
      const some = db.select({ id: table.id }).from(table).where(isOver(retention)).orderBy(asc(order)).limit(limit);
      // An array is found row by row through the key; for a list PostgreSQL scans the table to join it.
      const isOneOfThem = sql`${table.id} = any(array${some})`;
      const removed = await db
        .delete(table)
        .where(and(isOver(retention), isOneOfThem))
        .returning({ id: table.id });
      return removed.length;
    });
