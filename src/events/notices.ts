// What a change tells people, written with it (contract section 2, Notifications). Nobody is told of what it did itself. What an
// account is told is numbered under a lock, as events are: its stream resumes from such a number and misses nothing.

import { type SQL, sql } from "drizzle-orm";
import { bigints, json, type Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";

/** One person to be told of one thing. */
export interface Notice {
  type: "mention" | "comment.reply" | "workspace.member.added" | "workspace.member.removed" | "workspace.role.changed";
  /** The account that is told. */
  accountId: number;
}

/** Where something was done, and the account that did it. */
interface Deed {
  workspaceId: number;
  actorId: number;
}

/** `about` selects the key of the card that the notices are about, or null, in one row. An account is told one thing at most. */
function told(db: Transaction, { workspaceId, actorId }: Deed, notices: readonly Notice[], about: SQL): SQL[] {
  const rows = notices
    .filter(({ accountId }) => accountId !== actorId)
    .map((notice) => ({ ...notice, publicId: newPublicId() }));
  if (rows.length === 0) return [];
  for (const { accountId } of rows) db.touched.accounts.add(accountId);
  return [
    // In the order of accounts, so that two who tell the same people wait for each other instead of deadlocking.
    sql`numbered as (
      insert into notification_counter as k (account_id, seq)
      select n.id, 1 from (${about}) about, unnest(${bigints(rows.map(({ accountId }) => accountId))}) as n(id) order by n.id
      on conflict (account_id) do update set seq = k.seq + 1
      returning k.account_id, k.seq)`,
    sql`told as (
      insert into notification (workspace_id, public_id, account_id, seq, type, actor_id, card_id)
      select ${workspaceId}::bigint, n."publicId", k.account_id, k.seq, n.type, ${actorId}::bigint, about.id
      from (${about}) about, jsonb_to_recordset(${json(rows)}) as n("publicId" text, "accountId" bigint, type text)
      join numbered k on k.account_id = n."accountId")`,
  ];
}

/** CTEs for `record` that tell a person of a change to the workspace; none where there is nobody to tell. */
export const telling = (
  db: Transaction,
  { type, accountId, ...deed }: Deed & Omit<Notice, "accountId"> & { accountId: number | null },
): SQL[] => told(db, deed, accountId === null ? [] : [{ type, accountId }], sql`select null::bigint as id from next`);

/** CTEs for `record` that tell people of a change to the one card that it writes; none where there is nobody to tell. */
export const tellingOnCard = (db: Transaction, deed: Deed, notices: readonly Notice[]): SQL[] =>
  told(db, deed, notices, sql`select id from changed`);
