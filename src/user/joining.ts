// How a person gets into a workspace: by the workspace's link, or by an invitation sent to an address (contract section 2, 4.10).

import { sql } from "drizzle-orm";
import type { Role } from "../access/permissions.js";
import { badRequest } from "../api/errors.js";
import type { Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { boardEvent, record, workspaceEvent } from "../events/log.js";
import { telling } from "../events/notices.js";
import { staysOpen } from "./closing.js";

/** Who joins. */
interface Joiner {
  accountId: number;
  isGuest: boolean;
}

interface Invitation {
  workspaceId: number;
  workspacePublicId: string;
  workspaceSlug: string;
  /** The pending member an invitation is for; null for a link. */
  memberId: number | null;
  createdBy: number | null;
}

/** The live invitation of a code; null for one that is unknown, expired, used or revoked. */
async function invitationOf(db: Transaction, code: string): Promise<Invitation | null> {
  const [found] = await db.rows<Invitation>(sql`
    select w.id as "workspaceId", w.public_id as "workspacePublicId", w.slug as "workspaceSlug", i.member_id as "memberId",
      i.created_by as "createdBy"
    from invite i join workspace w on w.id = i.workspace_id
    where i.code = ${code}::text and i.expires_at > now()`);
  return found ?? null;
}

/** Tells of a token that is not valid, reads only, or is bound to another workspace. */
export const notToJoinWith = () => badRequest("The token is not one to join with");

/** Locks the workspace that a code opens, if it opens any. */
export const lockInvited = (db: Transaction, code: string) =>
  db.rows(sql`
    select id from workspace where id = (
      select workspace_id from invite where code = ${code}::text and expires_at > now()
    ) for no key update`);

interface Membership {
  id: number;
  publicId: string;
  role: Role;
}

/** What joining answers (specification 4.10). */
export interface Joined {
  workspacePublicId: string;
  workspaceSlug: string;
}

/**
 * Lets a person in by a code and ends the transaction; with a token that is bound to a workspace, into that one alone. A member
 * already: by link nothing changes; by invitation the two become one, with the higher role.
 * @throws BAD_REQUEST, naming `inviteCode`, where the code opens nothing.
 */
export async function joinByCode(
  db: Transaction,
  joiner: Joiner,
  code: string,
  boundWorkspaceId: number | null = null,
): Promise<Joined> {
  if (!(await staysOpen(db, joiner))) throw notToJoinWith();
  await lockInvited(db, code);
  const invitation = await invitationOf(db, code);
  if (invitation === null) throw badRequest("No live invitation has this code", "inviteCode");
  const { workspaceId, memberId, workspacePublicId, workspaceSlug } = invitation;
  if (boundWorkspaceId !== null && boundWorkspaceId !== workspaceId) throw notToJoinWith();
  const [member] = await db.rows<Membership>(sql`
    select id, public_id as "publicId", role from member
    where workspace_id = ${workspaceId}::bigint and account_id = ${joiner.accountId}::bigint`);

  if (memberId === null) {
    if (member === undefined) await joinByLink(db, joiner, invitation);
  } else {
    const [pending] = await db.rows<Membership>(sql`
      select id, public_id as "publicId", role from member
      where workspace_id = ${workspaceId}::bigint and id = ${memberId}::bigint for update`);
    if (pending === undefined) throw badRequest("No live invitation has this code", "inviteCode");
    if (member === undefined) await activate(db, joiner, invitation, pending);
    else await merge(db, joiner, invitation, pending, member);
  }
  return { workspacePublicId, workspaceSlug };
}

const toldOf = (db: Transaction, { accountId }: Joiner, { workspaceId, createdBy }: Invitation) =>
  telling(db, { type: "workspace.member.added", workspaceId, accountId: createdBy, actorId: accountId });

async function joinByLink(db: Transaction, joiner: Joiner, invitation: Invitation): Promise<void> {
  const { workspaceId } = invitation;
  const role: Role = joiner.isGuest ? "guest" : "member";
  const publicId = newPublicId();
  await record({ db, user: joiner }, invitation, {
    events: [workspaceEvent("member.added", { memberPublicId: publicId, role })],
    write: () => sql`
      insert into member (workspace_id, public_id, account_id, role)
      select ${workspaceId}::bigint, ${publicId}::text, ${joiner.accountId}::bigint, ${role}::text from next returning id`,
    also: toldOf(db, joiner, invitation),
  });
}

/** The pending member becomes active under its identifier, and the invitation is used up. */
async function activate(db: Transaction, joiner: Joiner, invitation: Invitation, pending: Membership): Promise<void> {
  const { workspaceId } = invitation;
  const role: Role = joiner.isGuest ? "guest" : pending.role;
  await db.rows(
    sql`delete from invite where workspace_id = ${workspaceId}::bigint and member_id = ${pending.id}::bigint`,
  );
  await record({ db, user: joiner }, invitation, {
    events: [workspaceEvent("member.added", { memberPublicId: pending.publicId, role })],
    write: () => sql`
      update member set account_id = ${joiner.accountId}::bigint, invited_email = null, role = ${role}::text
      from next where workspace_id = ${workspaceId}::bigint and id = ${pending.id}::bigint returning id`,
    also: toldOf(db, joiner, invitation),
  });
}

const RANK: Record<Role, number> = { guest: 0, member: 1, admin: 2 };

/** A member who accepts an invitation takes over its boards, and its role where that is higher. */
async function merge(
  db: Transaction,
  joiner: Joiner,
  invitation: Invitation,
  pending: Membership,
  member: Membership,
): Promise<void> {
  const { workspaceId } = invitation;
  const role = !joiner.isGuest && RANK[pending.role] > RANK[member.role] ? pending.role : member.role;
  const boards = await db.rows<{ boardPublicId: string }>(sql`
    with gained as (
      insert into board_member (workspace_id, board_id, member_id)
      select workspace_id, board_id, ${member.id}::bigint from board_member
      where workspace_id = ${workspaceId}::bigint and member_id = ${pending.id}::bigint
      on conflict do nothing returning workspace_id, board_id
    )
    select b.public_id as "boardPublicId" from gained g join board b on b.workspace_id = g.workspace_id and b.id = g.board_id
    order by b.id`);
  await db.rows(sql`delete from member where workspace_id = ${workspaceId}::bigint and id = ${pending.id}::bigint`);
  const memberPublicId = member.publicId;
  await record({ db, user: joiner }, invitation, {
    events: [
      workspaceEvent("member.removed", { memberPublicId: pending.publicId, mergedInto: memberPublicId }),
      ...(role === member.role
        ? []
        : [workspaceEvent("member.role.changed", { memberPublicId, from: member.role, to: role })]),
      ...boards.map((board) => boardEvent(board, "board.member.added", { memberPublicId })),
    ],
    write: () => sql`
      update member set role = ${role}::text from next
      where workspace_id = ${workspaceId}::bigint and id = ${member.id}::bigint returning id`,
  });
}
