// Sweeps, run to their end.

import type { Database } from "../../src/db/client.js";
import type { RetentionDays, Sweep } from "../../src/db/sweeps.js";

/** Runs a sweep; how much went with each of its batches. */
export async function swept(
  sweep: Sweep,
  db: Database,
  kept: RetentionDays = { audit: 400, events: null },
): Promise<number[]> {
  const batches: number[] = [];
  for await (const removed of sweep(db, kept)) batches.push(removed);
  return batches;
}
