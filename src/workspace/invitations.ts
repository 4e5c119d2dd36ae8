// Invitations sent to an address: a pending member and a code of its own, which is used once (contract section 2, Invite link).

import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Role } from "../access/permissions.js";
import type { Acting } from "../api/acting.js";
import type { Tx } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { newInviteCodeIn } from "../db/ids.js";
import { account, invite as inviteTable, member } from "../db/schema/index.js";
import { boardsOfMember, sharedEvent } from "../events/boards.js";
import { loggedMember, workspaceEvent } from "../events/log.js";
import { LINK_LIFETIMES } from "../mail/linkLifetimes.js";
import { inviteLinkTo } from "../mail/links.js";
import { logActIn, logMemberAct } from "../user/auditLog.js";

/** The instant at which an invitation or link that is issued at another one expires. */
export const inviteEnd = (now: string) => new Date(Date.parse(now) + LINK_LIFETIMES.invitation.ms).toISOString();

/** The URL of an invitation, for a person to open. */
export const inviteLinkOf = ({ config }: Pick<Signed, "config">, code: string) => inviteLinkTo(config, code);

/** A member of the workspace by address: an active member with it, or a pending member who was invited by it. */
export interface Addressed {
  memberId: number;
  publicId: string;
  role: Role;
  isActive: boolean;
  /** The code of a live invitation. */
  code: string | null;
}

/** The active member whose account has an address, if any. */
async function activeAt({ db }: Signed, workspaceId: number, email: string): Promise<Addressed | null> {
  const [owner] = await db.select({ id: account.id }).from(account).where(eq(account.email, email));
  if (owner === undefined) return null;
  const [active] = await db
    .select({ memberId: member.id, publicId: member.publicId, role: member.role })
    .from(member)
    .where(and(eq(member.workspaceId, workspaceId), eq(member.accountId, owner.id)));
  return active === undefined ? null : { ...active, isActive: true, code: null };
}

/** The member that an address belongs to, if any. */
export async function memberAt(
  ctx: Signed & { now?: string },
  { workspaceId }: { workspaceId: number },
  email: string,
): Promise<Addressed | null> {
  const active = await activeAt(ctx, workspaceId, email);
  if (active !== null) return active;
  const now = ctx.now ?? sql`now()`;
  const [pending] = await ctx.db
    .select({ memberId: member.id, publicId: member.publicId, role: member.role, code: inviteTable.code })
    .from(member)
    .leftJoin(
      inviteTable,
      and(
        eq(inviteTable.workspaceId, workspaceId),
        eq(inviteTable.memberId, member.id),
        gt(inviteTable.expiresAt, now),
      ),
    )
    .where(and(eq(member.workspaceId, workspaceId), eq(member.invitedEmail, email)));
  return pending === undefined ? null : { ...pending, isActive: false };
}

/** Issues an invitation to an address, again if the last one has expired. */
export async function invite(
  tx: Tx,
  { workspaceId }: WorkspaceAccess,
  email: string,
  role: Role,
): Promise<Addressed & { code: string }> {
  const code = newInviteCodeIn(workspaceId);
  const pending = await memberAt(tx, { workspaceId }, email);
  const memberId = pending?.memberId ?? tx.newRowId();
  const publicId = pending?.publicId ?? tx.newPublicId();
  if (pending === null) {
    tx.add(member, { id: memberId, publicId, invitedEmail: email, role });
  } else {
    if (pending.role !== role) {
      const data = { memberPublicId: publicId, from: pending.role, to: role };
      tx.log(sharedEvent("member.role.changed", data, await boardsOfMember(tx, memberId)));
      await logMemberAct(tx, "member.roleChanged", memberId);
    }
    tx.set(member, { id: memberId }, { role });
    tx.remove(inviteTable, { memberId });
  }
  tx.add(inviteTable, {
    id: tx.newRowId(),
    publicId: tx.newPublicId(),
    code,
    memberId,
    createdBy: tx.user.accountId,
    expiresAt: inviteEnd(tx.now),
  });
  return { memberId, publicId, role, isActive: false, code };
}

/** Logs that a pending member was invited. */
export async function logInvited(tx: Acting, { memberId, publicId, role, isActive }: Addressed): Promise<void> {
  const logged = loggedMember({ publicId, role, isActive });
  tx.log(workspaceEvent("member.invited", { memberPublicId: publicId, role, member: logged }));
  await logMemberAct(tx, "member.invited", memberId);
}

/** Deletes the workspace's link, if it has one. Nothing is logged if the link has expired. */
export async function revokeLink(tx: Acting): Promise<void> {
  const [link] = await tx.db
    .select({ expiresAt: inviteTable.expiresAt })
    .from(inviteTable)
    .where(and(eq(inviteTable.workspaceId, tx.workspaceId), isNull(inviteTable.memberId)));
  if (link === undefined) return;
  tx.remove(inviteTable, { memberId: null });
  if (Date.parse(link.expiresAt) <= Date.parse(tx.now)) return;
  tx.log(workspaceEvent("invite.revoked", {}));
  await logActIn(tx, "invite.revoked");
}
