// Deletes invitations and links that were not used in time (contract section 2, Invite link).

import { and, eq, inArray, lte, sql } from "drizzle-orm";
import type { Acting } from "../api/acting.js";
import { changeAsSystem } from "../api/systemChange.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { invite, member } from "../db/schema/index.js";
import type { Sweep } from "../db/sweeps.js";
import { sweptByWorkspace } from "../db/sweptWorkspaces.js";
import { leave } from "../user/leaving.js";

/** Fewer than for simple rows, because each pending member leaves its boards and is logged. */
const ENDED_AT_ONCE = 100;

/**
 * Deletes the expired ones of some invitations. A pending member is removed with its invitation, which is logged; a link is deleted
 * without an event, because nobody could see it any longer. Returns how many were deleted.
 */
async function endExpired(tx: Acting, inviteIds: readonly number[]): Promise<number> {
  const expired = await tx.db
    .select({ id: invite.id, memberId: member.id, memberPublicId: member.publicId })
    .from(invite)
    .leftJoin(member, and(eq(member.workspaceId, tx.workspaceId), eq(member.id, invite.memberId)))
    .where(
      and(
        eq(invite.workspaceId, tx.workspaceId),
        inArray(invite.id, [...inviteIds]),
        lte(invite.expiresAt, sql`clock_timestamp()`),
      ),
    )
    .orderBy(invite.id);
  for (const { id, memberId, memberPublicId } of expired) {
    if (memberId !== null && memberPublicId !== null) await leave(tx, { memberId, memberPublicId, accountId: null });
    else tx.remove(invite, { id });
  }
  return expired.length;
}

/** Sweep: deletes expired invitations with their pending members, and expired links. */
export const endExpiredInvitations: Sweep = (db) =>
  sweptByWorkspace(db, {
    limit: ENDED_AT_ONCE,
    find: (isAsked) =>
      db
        .select({ workspaceId: invite.workspaceId, id: invite.id })
        .from(invite)
        .where(acrossWorkspaces("expired rows", sql`${invite.expiresAt} <= now() and ${isAsked(invite.workspaceId)}`))
        .orderBy(invite.expiresAt)
        .limit(ENDED_AT_ONCE),
    handle: (workspaceId, invites) => {
      const ids = invites.map(({ id }) => id);
      return changeAsSystem(db, workspaceId, (tx) => endExpired(tx, ids));
    },
  });
