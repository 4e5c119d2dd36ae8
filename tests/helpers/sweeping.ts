// Sweeps, run to their end.

import { and, eq, lte } from "drizzle-orm";
import type { Database } from "../../src/db/client.js";
import { workspaceOf } from "../../src/db/ids.js";
import { event } from "../../src/db/schema/index.js";
import type { RetentionDays, Sweep } from "../../src/db/sweeps.js";
import { forgetOldEvents } from "../../src/webhook/oldEvents.js";

/** Runs a sweep; how much went with each of its batches. */
export async function swept(
  sweep: Sweep,
  db: Database,
  retention: RetentionDays = { audit: 400, events: null },
): Promise<number[]> {
  const batches: number[] = [];
  for await (const removed of sweep(db, retention)) batches.push(removed);
  return batches;
}

/** Forgets the events of a workspace up to a number, as if they were older than `EVENT_DAYS`. */
export async function forgetEvents(db: Database, workspace: { publicId: string }, upTo: number): Promise<void> {
  const isOld = and(eq(event.workspaceId, workspaceOf(workspace.publicId) ?? 0), lte(event.seq, upTo));
  await db
    .update(event)
    .set({ createdAt: new Date(0).toISOString() })
    .where(isOld);
  await swept(forgetOldEvents, db, { audit: 400, events: 30 });
}
