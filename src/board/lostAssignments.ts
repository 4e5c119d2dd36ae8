// Removes assignments when fewer people can see a board.

import { and, eq } from "drizzle-orm";
import { seesBoard } from "../access/boardVisibility.js";
import type { BoardAccess } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { oneOf } from "../db/client.js";
import { boardMember, card, cardMember, member } from "../db/schema/index.js";
import { cardEvent } from "../events/log.js";

/** The assignees of a board's cards who cannot see the board. */
async function unseeingAssignees(tx: Tx, { boardId, visibility }: BoardAccess): Promise<Map<number, string>> {
  const people = await tx.db
    .selectDistinct({ id: member.id, publicId: member.publicId, role: member.role, onBoard: boardMember.memberId })
    .from(card)
    .innerJoin(cardMember, and(eq(cardMember.workspaceId, tx.workspaceId), eq(cardMember.cardId, card.id)))
    .innerJoin(member, and(eq(member.workspaceId, tx.workspaceId), eq(member.id, cardMember.memberId)))
    .leftJoin(
      boardMember,
      and(
        eq(boardMember.workspaceId, tx.workspaceId),
        eq(boardMember.boardId, boardId),
        eq(boardMember.memberId, member.id),
      ),
    )
    .where(and(eq(card.workspaceId, tx.workspaceId), eq(card.boardId, boardId)));
  const unseeing = people.filter(({ role, onBoard }) => !seesBoard(role, visibility, onBoard !== null));
  return new Map(unseeing.map(({ id, publicId }) => [id, publicId]));
}

/** Removes assignees who cannot see a board from its cards, including archived ones, each with an event. */
export async function dropUnseeingAssignees(tx: Tx, board: BoardAccess): Promise<void> {
  const people = await unseeingAssignees(tx, board);
  if (people.size === 0) return;
  const dropped = await tx.db
    .select({ cardId: card.id, cardPublicId: card.publicId, memberId: cardMember.memberId })
    .from(cardMember)
    .innerJoin(card, and(eq(card.workspaceId, tx.workspaceId), eq(card.id, cardMember.cardId)))
    .where(
      and(
        eq(cardMember.workspaceId, tx.workspaceId),
        oneOf(cardMember.memberId, [...people.keys()]),
        eq(card.boardId, board.boardId),
      ),
    )
    .orderBy(card.id, cardMember.memberId);
  const revisions = new Map<number, number>();
  for (const { cardId, cardPublicId, memberId } of dropped) {
    const data = { memberPublicId: people.get(memberId) };
    revisions.set(cardId, tx.log(cardEvent({ ...board, cardPublicId }, "card.member.removed", data)));
  }
  tx.remove(cardMember, { cardId: [...revisions.keys()], memberId: [...people.keys()] });
  tx.setEach(
    card,
    [...revisions].map(([id, revision]) => ({ id, revision, updatedAt: tx.now })),
  );
}
