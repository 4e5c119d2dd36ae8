// The first and last event of a workspace's log, whose beginning is forgotten after `EVENT_DAYS`.

import { sql } from "drizzle-orm";
import type { Reads } from "../db/replicas.js";
import { workspaceCounter } from "../db/schema/index.js";
import { selection } from "../db/selections.js";
import type { Value } from "../db/statements.js";

const bounds = selection({ forgotten: workspaceCounter.forgottenSeq, end: workspaceCounter.eventSeq });

/** The number up to which the events of a workspace are gone, and that of the last one; null when the workspace is gone. */
export async function boundsOf(db: Reads, workspaceId: number) {
  const [counter] = await db.read(
    bounds,
    sql`select ${bounds} from ${workspaceCounter} where ${workspaceCounter.workspaceId} = ${workspaceId}::bigint`,
  );
  return counter ?? null;
}

/** The number up to which the events of a workspace are gone; 0 if all are there. */
export const forgottenUpTo = async (db: Reads, workspaceId: number) =>
  (await boundsOf(db, workspaceId))?.forgotten ?? 0;

/**
 * The number of the last event of a workspace, in the statement that reads something of the workspace: what it reads holds every event
 * up to it and none after it, because each change writes its events and this number in one transaction.
 */
export const lastEventIn = (workspaceId: Value<number>) => sql<number>`(
  select ${workspaceCounter.eventSeq} from ${workspaceCounter}
  where ${workspaceCounter.workspaceId} = ${workspaceId}::bigint)`;
