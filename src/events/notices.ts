// What a change tells people, written with it (contract section 2, Notifications). Nobody is told of what it did itself.

import { type SQL, sql } from "drizzle-orm";
import { newPublicId } from "../db/ids.js";

/** One person to be told of one thing. */
export interface Notice {
  type: "mention" | "comment.reply" | "workspace.member.added" | "workspace.member.removed" | "workspace.role.changed";
  workspaceId: number;
  /** The account that is told. */
  accountId: number;
  /** The account that did it. */
  actorId: number;
}

/** A CTE for `record` that writes a notice; none where there is nobody to tell. */
export function telling({
  type,
  workspaceId,
  accountId,
  actorId,
}: Omit<Notice, "accountId"> & { accountId: number | null }): SQL[] {
  if (accountId === null || accountId === actorId) return [];
  return [
    sql`told as (
      insert into notification (workspace_id, public_id, account_id, type, actor_id)
      select ${workspaceId}::bigint, ${newPublicId()}::text, ${accountId}::bigint, ${type}::text, ${actorId}::bigint from next)`,
  ];
}
