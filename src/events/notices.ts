// What a change tells people, written with it (contract section 2, Notifications). Nobody is told of what it did itself.

import { type SQL, sql } from "drizzle-orm";
import { json } from "../db/client.js";
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

/** `about` selects the key of the card that the notices are about, or null, in one row. */
function told({ workspaceId, actorId }: Deed, notices: readonly Notice[], about: SQL): SQL[] {
  const rows = notices
    .filter(({ accountId }) => accountId !== actorId)
    .map((notice) => ({ ...notice, publicId: newPublicId() }));
  if (rows.length === 0) return [];
  return [
    sql`told as (
      insert into notification (workspace_id, public_id, account_id, type, actor_id, card_id)
      select ${workspaceId}::bigint, n."publicId", n."accountId", n.type, ${actorId}::bigint, about.id
      from (${about}) about, jsonb_to_recordset(${json(rows)}) as n("publicId" text, "accountId" bigint, type text))`,
  ];
}

/** A CTE for `record` that tells a person of a change to the workspace; none where there is nobody to tell. */
export const telling = ({
  type,
  accountId,
  ...deed
}: Deed & Omit<Notice, "accountId"> & { accountId: number | null }): SQL[] =>
  told(deed, accountId === null ? [] : [{ type, accountId }], sql`select null::bigint as id from next`);

/** A CTE for `record` that tells people of a change to the one card that it writes; none where there is nobody to tell. */
export const tellingOnCard = (deed: Deed, notices: readonly Notice[]): SQL[] =>
  told(deed, notices, sql`select id from changed`);
