// Sweeps remove what is kept for a time only. Each feature has its own, `sweeper.ts` runs them.

import type { Database } from "./client.js";

/**
 * Removes what is over, batch by batch: each step reads and removes a bounded number of rows, which it finds by an index, and tells
 * how many things went. Whoever runs it may stop after any step.
 */
export type Sweep = (db: Database) => AsyncIterable<number>;

/** How many rows a batch has at the most. */
export const SWEPT_AT_ONCE = 1000;

/** Repeats a step that removes at most `limit` rows and tells how many, until it removes fewer: what stays is for the next sweep. */
export async function* untilFewerThan(
  limit: number,
  removeSome: (limit: number) => Promise<number>,
): AsyncGenerator<number> {
  for (;;) {
    const removed = await removeSome(limit);
    if (removed > 0) yield removed;
    if (removed < limit) return;
  }
}
