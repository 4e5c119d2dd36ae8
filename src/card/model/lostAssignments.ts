// Takes people off cards that they may not see any longer. Each lost assignment is logged, so that the assignees of a card follow
// from the log.

import { and, eq, type SQL, sql } from "drizzle-orm";
import { memberPlaceOn, seesAllBoards, seesBoard, seesBoardSql } from "../../access/boardVisibility.js";
import type { BoardAccess } from "../../access/guards.js";
import type { Role } from "../../access/permissions.js";
import type { Acting } from "../../api/acting.js";
import type { Tx } from "../../api/change.js";
import { oneOf } from "../../db/client.js";
import { board, boardMember, card, cardMember, member } from "../../db/schema/index.js";
import { cardEvent } from "../../events/log.js";
import { removeMembers } from "./cardWrites.js";

/** A member of the workspace. */
interface Assignee {
  memberId: number;
  memberPublicId: string;
}

/** A member on a card. */
interface Assignment extends Assignee {
  cardId: number;
  cardPublicId: string;
  boardPublicId: string;
}

/** Removes assignments: each of the members from each of the cards. */
function dropAssignments(tx: Acting, assignments: readonly Assignment[]): void {
  if (assignments.length === 0) return;
  const revisions = new Map<number, number>();
  for (const { cardId, memberPublicId, ...on } of assignments)
    revisions.set(cardId, tx.log(cardEvent(on, "card.member.removed", { memberPublicId })));
  const pairs = assignments.map(({ cardId, memberId }) => ({ cardId, otherId: memberId }));
  removeMembers(tx, pairs);
  const rows = [...revisions].map(([id, revision]) => ({ id, revision, updatedAt: tx.now }));
  tx.setEach(card, rows);
}

/** The assignees of a board's cards who cannot see the board. */
async function unseeingAssignees(tx: Tx, { boardId, visibility }: BoardAccess): Promise<Map<number, string>> {
  const people = await tx.db
    .selectDistinct({ id: member.id, publicId: member.publicId, role: member.role, onBoard: boardMember.memberId })
    .from(card)
    .innerJoin(cardMember, and(eq(cardMember.workspaceId, tx.workspaceId), eq(cardMember.cardId, card.id)))
    .innerJoin(member, and(eq(member.workspaceId, tx.workspaceId), eq(member.id, cardMember.memberId)))
    .leftJoin(boardMember, memberPlaceOn(tx.workspaceId, boardId))
    .where(and(eq(card.workspaceId, tx.workspaceId), eq(card.boardId, boardId)));
  const unseeing = people.filter(({ role, onBoard }) => !seesBoard(role, visibility, onBoard !== null));
  return new Map(unseeing.map(({ id, publicId }) => [id, publicId]));
}

/** Removes assignees who cannot see a board from its cards, including archived ones. */
export async function dropUnseeingAssignees(tx: Tx, access: BoardAccess): Promise<void> {
  const people = await unseeingAssignees(tx, access);
  if (people.size === 0) return;
  const { boardId, boardPublicId } = access;
  const rows = await tx.db
    .select({ cardId: card.id, cardPublicId: card.publicId, memberId: cardMember.memberId })
    .from(cardMember)
    .innerJoin(card, and(eq(card.workspaceId, tx.workspaceId), eq(card.id, cardMember.cardId)))
    .where(
      and(
        eq(cardMember.workspaceId, tx.workspaceId),
        oneOf(cardMember.memberId, [...people.keys()]),
        eq(card.boardId, boardId),
      ),
    )
    .orderBy(card.id, cardMember.memberId);
  const memberOf = (memberId: number) => people.get(memberId) ?? "";
  const assignments = rows.map((one) => ({ ...one, boardPublicId, memberPublicId: memberOf(one.memberId) }));
  dropAssignments(tx, assignments);
}

/** Removes a member from the cards of the boards for which a condition holds; without a condition, from all cards. */
export async function dropAssignmentsOf(
  tx: Acting,
  { memberId, memberPublicId }: Assignee,
  onBoards?: SQL,
): Promise<void> {
  const cards = await tx.db
    .select({ cardId: card.id, cardPublicId: card.publicId, boardPublicId: board.publicId })
    .from(cardMember)
    .innerJoin(card, and(eq(card.workspaceId, tx.workspaceId), eq(card.id, cardMember.cardId)))
    .innerJoin(board, and(eq(board.workspaceId, tx.workspaceId), eq(board.id, card.boardId)))
    .where(and(eq(cardMember.workspaceId, tx.workspaceId), eq(cardMember.memberId, memberId), onBoards))
    .orderBy(card.id);
  const assignments = cards.map((one) => ({ ...one, memberId, memberPublicId }));
  dropAssignments(tx, assignments);
}

/** Removes a member from the cards of boards that a new role does not let it see. */
export async function dropUnseenAssignments(tx: Acting, assignee: Assignee, role: Role): Promise<void> {
  if (seesAllBoards(role)) return;
  const isOnBoard = sql`exists (
    select from ${boardMember} where ${boardMember.workspaceId} = ${tx.workspaceId}::bigint
      and ${boardMember.boardId} = ${board.id} and ${boardMember.memberId} = ${assignee.memberId}::bigint)`;
  const isUnseen = sql`not ${seesBoardSql(sql`${role}::text`, sql`${board.visibility}`, isOnBoard)}`;
  await dropAssignmentsOf(tx, assignee, isUnseen);
}
