// Adds a person to a workspace: by the workspace's link, or by an invitation sent to an address (contract section 2, 4.10;
// capabilities section 0, Access).

import { and, eq, gt, sql } from "drizzle-orm";
import type { Role } from "../access/permissions.js";
import type { Acting } from "../api/acting.js";
import { badRequest } from "../api/errors.js";
import type { Queries } from "../db/client.js";
import { workspaceOfCode } from "../db/ids.js";
import { board, boardMember, formerMember, invite, member, workspace } from "../db/schema/index.js";
import { boardsOfMember, sharedEvent } from "../events/boards.js";
import { boardEvent, loggedMember, workspaceEvent } from "../events/log.js";
import { notify } from "../events/newNotifications.js";
import { logMemberAct } from "./auditLog.js";

/** The account that joins. It is open, and stays so until the change is committed. */
interface Joiner {
  accountId: number;
  isGuest: boolean;
}

/** The error of a token that is not valid, reads only, or is bound to another workspace. */
export const notToJoinWith = () =>
  badRequest("The token cannot be used to join: it is invalid, read-only or bound to another workspace");

const noInvitation = () => badRequest("The invitation code is unknown, expired, used or revoked", "inviteCode");

/** The key of the workspace that a code names, which need not exist. @throws BAD_REQUEST, naming `inviteCode`, for no code. */
export function workspaceInvitedTo(code: string): number {
  const workspaceId = workspaceOfCode(code);
  if (workspaceId === null) throw noInvitation();
  return workspaceId;
}

/** A live invitation and the workspace that it opens. */
interface Invitation {
  workspaceId: number;
  workspacePublicId: string;
  workspaceSlug: string;
  /** The pending member an invitation is for; null for a link. */
  memberId: number | null;
  createdBy: number | null;
}

/** The live invitation of a code. @throws BAD_REQUEST, naming `inviteCode`, if it is unknown, expired, used or revoked. */
export async function invitationOf(db: Queries, code: string): Promise<Invitation> {
  const workspaceId = workspaceInvitedTo(code);
  const [row] = await db
    .select({
      workspaceId: workspace.id,
      workspacePublicId: workspace.publicId,
      workspaceSlug: workspace.slug,
      memberId: invite.memberId,
      createdBy: invite.createdBy,
    })
    .from(invite)
    .innerJoin(workspace, eq(workspace.id, workspaceId))
    .where(
      and(eq(invite.workspaceId, workspaceId), eq(invite.code, code), gt(invite.expiresAt, sql`clock_timestamp()`)),
    );
  if (row === undefined) throw noInvitation();
  return row;
}

interface Membership {
  id: number;
  publicId: string;
  role: Role;
}

const membershipColumns = { id: member.id, publicId: member.publicId, role: member.role };

/** The answer to joining (specification 4.10). */
export interface Joined {
  workspacePublicId: string;
  workspaceSlug: string;
}

/** Lets a person in by a live invitation. For a member, a link changes nothing; an invitation gives the higher role. */
export async function joinBy(tx: Acting, joiner: Joiner, invitation: Invitation): Promise<Joined> {
  const { memberId, workspacePublicId, workspaceSlug } = invitation;
  const [present] = await tx.db
    .select(membershipColumns)
    .from(member)
    .where(and(eq(member.workspaceId, tx.workspaceId), eq(member.accountId, joiner.accountId)));

  if (memberId === null) {
    if (present === undefined) await joinByLink(tx, joiner, invitation);
  } else {
    const [pending] = await tx.db
      .select(membershipColumns)
      .from(member)
      .where(and(eq(member.workspaceId, tx.workspaceId), eq(member.id, memberId)));
    if (pending === undefined) throw noInvitation();
    if (present === undefined) await activate(tx, joiner, invitation, pending);
    else await merge(tx, joiner, pending, present);
  }
  return { workspacePublicId, workspaceSlug };
}

/** Notifies the person who made the link or invitation that somebody came by it. */
function notifyInviter(tx: Acting, { accountId }: Joiner, { createdBy }: Invitation): void {
  if (createdBy === null) return;
  notify(tx, { actorId: accountId, cardId: null }, [{ type: "workspace.member.added", accountId: createdBy }]);
}

async function isFormer({ db, workspaceId }: Acting, accountId: number): Promise<boolean> {
  const isIt = and(eq(formerMember.workspaceId, workspaceId), eq(formerMember.accountId, accountId));
  return (await db.$count(formerMember, isIt)) > 0;
}

/** Adds an account to the workspace that is being changed. */
export async function addMember(tx: Acting, accountId: number, role: Role): Promise<void> {
  const publicId = tx.newPublicId();
  const id = tx.newRowId();
  tx.add(member, { id, publicId, accountId, role });
  const logged = loggedMember({ publicId, role, isActive: true });
  tx.log(workspaceEvent("member.added", { memberPublicId: publicId, role, member: logged }));
  await logMemberAct(tx, "member.joined", id);
}

async function joinByLink(tx: Acting, joiner: Joiner, invitation: Invitation): Promise<void> {
  const { accountId, isGuest } = joiner;
  await addMember(tx, accountId, isGuest || (await isFormer(tx, accountId)) ? "guest" : "member");
  notifyInviter(tx, joiner, invitation);
}

/** Remembers that somebody was removed or made a guest. */
export async function remember(tx: Acting, accountId: number): Promise<void> {
  if (!(await isFormer(tx, accountId))) tx.add(formerMember, { accountId });
}

/** Forgets that somebody was removed or made a guest, because an admin has given them a role again. */
export function forgive(tx: Acting, accountId: number, role: Role): void {
  if (role !== "guest") tx.remove(formerMember, { accountId });
}

/** The pending member becomes active under its identifier, and the invitation is used up. */
async function activate(tx: Acting, joiner: Joiner, invitation: Invitation, pending: Membership): Promise<void> {
  const { accountId, isGuest } = joiner;
  const role: Role = isGuest ? "guest" : pending.role;
  tx.remove(invite, { memberId: pending.id });
  tx.set(member, { id: pending.id }, { accountId, invitedEmail: null, role });
  forgive(tx, accountId, role);
  const boards = (await boardsOf(tx, pending)).map(({ boardPublicId }) => boardPublicId);
  const logged = loggedMember({ ...pending, role, isActive: true });
  tx.log(sharedEvent("member.added", { memberPublicId: pending.publicId, role, member: logged }, boards));
  await logMemberAct(tx, "member.joined", pending.id);
  notifyInviter(tx, joiner, invitation);
}

const RANK: Record<Role, number> = { guest: 0, member: 1, admin: 2 };

const boardsOf = (tx: Acting, { id }: Membership) =>
  tx.db
    .select({ boardId: board.id, boardPublicId: board.publicId })
    .from(boardMember)
    .innerJoin(board, and(eq(board.workspaceId, boardMember.workspaceId), eq(board.id, boardMember.boardId)))
    .where(and(eq(boardMember.workspaceId, tx.workspaceId), eq(boardMember.memberId, id)))
    .orderBy(board.id);

/** A member who accepts an invitation takes over its boards, and its role where that is higher. */
async function merge(tx: Acting, joiner: Joiner, pending: Membership, present: Membership): Promise<void> {
  const memberPublicId = present.publicId;
  const has = new Set((await boardsOf(tx, present)).map(({ boardId }) => boardId));
  const waiting = await boardsOf(tx, pending);
  const gained = waiting.filter(({ boardId }) => !has.has(boardId));

  tx.remove(member, { id: pending.id });
  const left = waiting.map(({ boardPublicId }) => boardPublicId);
  tx.log(sharedEvent("member.removed", { memberPublicId: pending.publicId, mergedInto: memberPublicId }, left));
  const isRaised = !joiner.isGuest && RANK[pending.role] > RANK[present.role];
  const role = isRaised ? pending.role : present.role;
  if (isRaised) {
    tx.set(member, { id: present.id }, { role: pending.role });
    forgive(tx, joiner.accountId, pending.role);
    const boards = await boardsOfMember(tx, present.id);
    const data = { memberPublicId, from: present.role, to: pending.role };
    tx.log(sharedEvent("member.role.changed", data, boards));
    await logMemberAct(tx, "member.roleChanged", present.id);
  }
  tx.add(boardMember, ...gained.map(({ boardId }) => ({ boardId, memberId: present.id })));
  const data = { memberPublicId, member: loggedMember({ publicId: memberPublicId, role, isActive: true }) };
  for (const on of gained) tx.log(boardEvent(on, "board.member.added", data));
}
