// What happens to a person happens in each of its workspaces: one event in every log, all in one transaction.

import { type SQL, sql } from "drizzle-orm";
import { json } from "../db/client.js";
import type { Acting, EventType } from "../events/log.js";

/**
 * Writes an event about the caller's membership into the log of each of its workspaces, counters locked by key. `data` joins the
 * member's identifier.
 */
async function recordInEach(tx: Acting, type: EventType, data: SQL): Promise<void> {
  const { accountId } = tx.user;
  const workspaces = await tx.db.rows<{ id: number }>(sql`
    select k.workspace_id as id from workspace_counter k
    where k.workspace_id in (select workspace_id from member where account_id = ${accountId}::bigint)
    order by k.workspace_id for no key update`);
  for (const { id } of workspaces) tx.db.touched.workspaces.add(id);
  await tx.db.rows(sql`
    with next as (
      update workspace_counter k set event_seq = k.event_seq + 1 from member m
      where m.account_id = ${accountId}::bigint and k.workspace_id = m.workspace_id
      returning k.workspace_id, k.event_seq, m.public_id
    )
    insert into event (workspace_id, seq, type, created_at, actor_id, data)
    select workspace_id, event_seq, ${type}::text, clock_timestamp(), ${accountId}::bigint,
      jsonb_build_object('memberPublicId', public_id) || ${data}
    from next`);
}

/** Records that the caller's name or image changed. */
export const recordPerson = (tx: Acting, changes: object) => recordInEach(tx, "member.updated", json({ changes }));

/** Records that the caller leaves every workspace it is still in. */
export const recordLeaving = (tx: Acting) => recordInEach(tx, "member.removed", json({}));
