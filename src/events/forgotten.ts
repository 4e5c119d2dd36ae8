// Up to where the log of a workspace is not kept any more (`EVENT_DAYS`).

import { sql } from "drizzle-orm";
import type { Reads } from "../db/replicas.js";
import { workspaceCounter } from "../db/schema/index.js";
import { selection } from "../db/selections.js";

const forgotten = selection({ forgotten: workspaceCounter.forgottenSeq });

/** The number up to which the events of a workspace are gone; 0 where all are there. */
export async function forgottenUpTo(db: Reads, workspaceId: number): Promise<number> {
  const [counter] = await db.read(
    forgotten,
    sql`select ${forgotten} from ${workspaceCounter} where ${workspaceCounter.workspaceId} = ${workspaceId}::bigint`,
  );
  return counter?.forgotten ?? 0;
}
