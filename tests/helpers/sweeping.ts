// Sweeps, run to their end.

import type { Database } from "../../src/db/client.js";
import type { Sweep } from "../../src/db/sweeps.js";

/** Runs a sweep; how much went with each of its batches. */
export async function swept(sweep: Sweep, db: Database): Promise<number[]> {
  const batches: number[] = [];
  for await (const removed of sweep(db)) batches.push(removed);
  return batches;
}
