// The end of invitations and links that nobody used in time (contract section 2, Invite link).

import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { type Acting, changeAsSystem } from "../api/change.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { byWorkspace } from "../db/records.js";
import { invite, member } from "../db/schema/index.js";
import { type Sweep, untilFewerThan } from "../db/sweeps.js";
import { leave } from "../user/leaving.js";

/** Fewer than of plain rows: each pending member leaves the boards that waited for it, and is logged. */
const ENDED_AT_ONCE = 100;

/**
 * Ends those of some invitations that have expired. A pending member goes with its invitation, which is logged as its removal; a
 * link goes without an event, since nobody was shown it any longer. Gives how many ended.
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

/** Sweep: ends expired invitations with their pending members, and expired links. */
export const endExpiredInvitations: Sweep = (db) =>
  untilFewerThan(ENDED_AT_ONCE, async (limit) => {
    const expired = await db.rows<{ workspaceId: number; id: number }>(
      acrossWorkspaces(
        "what is over",
        sql`select workspace_id as "workspaceId", id from invite
          where expires_at <= now() order by expires_at limit ${limit}::int`,
      ),
    );
    let ended = 0;
    for (const [workspaceId, invites] of byWorkspace(expired)) {
      const ids = invites.map(({ id }) => id);
      ended += await changeAsSystem(db, workspaceId, (tx) => endExpired(tx, ids));
    }
    return ended;
  });
