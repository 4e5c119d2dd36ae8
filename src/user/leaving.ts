// How a person leaves a workspace, or the cards of boards that it does not see any longer (contract section 2, 4.13). Every
// assignment that is lost is logged, so that the assignees of a card follow from the log.

import { and, eq, type SQL, sql } from "drizzle-orm";
import { seesAllBoards, seesBoardSql } from "../access/boardVisibility.js";
import type { Role } from "../access/permissions.js";
import type { Acting } from "../api/acting.js";
import { board, boardFavourite, boardMember, card, cardMember, member } from "../db/schema/index.js";
import { boardsOfMember, sharedEvent } from "../events/boards.js";
import { cardEvent } from "../events/log.js";
import { redactEvents } from "../events/redaction.js";
import { logMemberAct } from "./auditLog.js";

/** A member of the workspace that is being changed; `accountId` is null while it is pending. */
export interface Leaver {
  memberId: number;
  memberPublicId: string;
  accountId: number | null;
}

/** Takes a member off the cards of the boards for which a condition holds. */
async function dropAssignments(tx: Acting, { memberId, memberPublicId }: Leaver, onBoards?: SQL): Promise<void> {
  const dropped = await tx.db
    .select({ id: card.id, cardPublicId: card.publicId, boardPublicId: board.publicId })
    .from(cardMember)
    .innerJoin(card, and(eq(card.workspaceId, tx.workspaceId), eq(card.id, cardMember.cardId)))
    .innerJoin(board, and(eq(board.workspaceId, tx.workspaceId), eq(board.id, card.boardId)))
    .where(and(eq(cardMember.workspaceId, tx.workspaceId), eq(cardMember.memberId, memberId), onBoards))
    .orderBy(card.id);
  if (dropped.length === 0) return;
  tx.remove(cardMember, { memberId, cardId: dropped.map(({ id }) => id) });
  const revised = dropped.map(({ id, ...place }) => ({
    id,
    revision: tx.log(cardEvent(place, "card.member.removed", { memberPublicId })),
    updatedAt: tx.now,
  }));
  tx.setEach(card, revised);
}

/** Takes a member off the cards of boards that its new role does not let it see. */
export async function dropUnseenAssignments(tx: Acting, leaver: Leaver, role: Role): Promise<void> {
  if (seesAllBoards(role)) return;
  const isOnBoard = sql`exists (
    select from ${boardMember} where ${boardMember.workspaceId} = ${tx.workspaceId}::bigint
      and ${boardMember.boardId} = ${board.id} and ${boardMember.memberId} = ${leaver.memberId}::bigint)`;
  await dropAssignments(tx, leaver, sql`not ${seesBoardSql(sql`${role}::text`, sql`${board.visibility}`, isOnBoard)}`);
}

/**
 * Ends a membership with its assignments, board memberships and favourites; a pending one with its invitation. The names that its
 * person had go from the log, where a deleted account would no longer find them.
 */
export async function leave(tx: Acting, leaver: Leaver): Promise<void> {
  const { memberId, memberPublicId, accountId } = leaver;
  const boards = await boardsOfMember(tx, memberId);
  await dropAssignments(tx, leaver);
  if (accountId !== null) {
    tx.remove(boardFavourite, { accountId });
    await redactEvents(tx, { memberPublicId, accountId });
  }
  await logMemberAct(tx, "member.removed", memberId);
  tx.remove(member, { id: memberId });
  tx.log(sharedEvent("member.removed", { memberPublicId }, boards));
}
