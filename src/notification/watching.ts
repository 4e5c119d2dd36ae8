// The people whom a change of a card concerns without naming them: its assignees and its watchers (capabilities section 0,
// Notifications). Its creator, its assignees and whoever commented on it watch a card as long as they see it.

import { and, eq, inArray, isNotNull, or, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { memberPlaceOn, seesBoard } from "../access/boardVisibility.js";
import type { BoardAccess } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { boardMember, card, cardMember, comment, member } from "../db/schema/index.js";
import { notify } from "../events/newNotifications.js";

/** A member who was assigned to a card. */
export interface Assignment {
  cardId: number;
  memberId: number;
}

/** A card that an import made, with its assignees. */
interface ImportedCard {
  cardId: number;
  isOpen: boolean;
  memberIds: readonly number[];
}

/** Notifies members that somebody else assigned them. */
export async function notifyAssigned(tx: Tx, assignments: readonly Assignment[]): Promise<void> {
  if (assignments.length === 0) return;
  const memberIds = [...new Set(assignments.map(({ memberId }) => memberId))];
  const people = await tx.db
    .select({ memberId: member.id, accountId: member.accountId })
    .from(member)
    .where(and(eq(member.workspaceId, tx.workspaceId), inArray(member.id, memberIds), isNotNull(member.accountId)));
  const accountOf = new Map(people.map(({ memberId, accountId }) => [memberId, accountId]));
  const assigned = assignments.flatMap(({ cardId, memberId }) => {
    const accountId = accountOf.get(memberId) ?? null;
    return accountId === null ? [] : [{ type: "card.assigned" as const, accountId, cardId }];
  });
  notify(tx, { actorId: tx.user.accountId, cardId: null }, assigned);
}

/** Notifies each person whom an import assigned once: about the first of its cards, and about an archived one only if there is no other. */
export function notifyImported(tx: Tx, cards: readonly ImportedCard[]): Promise<void> {
  const first = new Map<number, Assignment>();
  for (const card of [...cards.filter(({ isOpen }) => isOpen), ...cards.filter(({ isOpen }) => !isOpen)]) {
    for (const memberId of card.memberIds)
      if (!first.has(memberId)) first.set(memberId, { cardId: card.cardId, memberId });
  }
  return notifyAssigned(tx, [...first.values()]);
}

/** The accounts that watch a card and see its board. */
async function watchersOf(
  tx: Tx,
  { cardId, boardId, visibility }: { cardId: number } & BoardAccess,
): Promise<number[]> {
  const ofCard = (table: { workspaceId: PgColumn; cardId: PgColumn }) =>
    and(eq(table.workspaceId, tx.workspaceId), eq(table.cardId, cardId));
  const assigned = tx.db.select({ id: cardMember.memberId }).from(cardMember).where(ofCard(cardMember));
  const wrote = tx.db.select({ id: comment.authorId }).from(comment).where(ofCard(comment));
  const created = tx.db
    .select({ id: card.createdBy })
    .from(card)
    .where(and(eq(card.workspaceId, tx.workspaceId), eq(card.id, cardId)));
  const people = await tx.db
    .select({ accountId: member.accountId, role: member.role, onBoard: boardMember.memberId })
    .from(member)
    .leftJoin(boardMember, memberPlaceOn(tx.workspaceId, boardId))
    .where(
      and(
        eq(member.workspaceId, tx.workspaceId),
        isNotNull(member.accountId),
        or(inArray(member.id, assigned), inArray(member.accountId, wrote), inArray(member.accountId, sql`${created}`)),
      ),
    )
    .orderBy(member.id);
  return people.flatMap(({ accountId, role, onBoard }) =>
    accountId !== null && seesBoard(role, visibility, onBoard !== null) ? [accountId] : [],
  );
}

/** Notifies the accounts that watch a card of a comment, except those that its mentions and replies notify already. */
export async function notifyWatchers(
  tx: Tx,
  on: { cardId: number } & BoardAccess,
  { commentId, informed }: { commentId: number; informed: ReadonlySet<number> },
): Promise<void> {
  const watchers = (await watchersOf(tx, on)).filter((accountId) => !informed.has(accountId));
  const comments = watchers.map((accountId) => ({ type: "comment.created" as const, accountId }));
  notify(tx, { actorId: tx.user.accountId, cardId: on.cardId, commentId }, comments);
}
