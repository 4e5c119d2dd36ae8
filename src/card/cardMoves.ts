// Moves cards: to a position in a list, to the end of a list, and to another board, where labels are matched by name and assignees
// without access are removed.

import { and, count, eq, isNotNull, lt, sql } from "drizzle-orm";
import { type BoardAccess, type ListAccess, mustBeOpen } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { badRequest } from "../api/errors.js";
import { oneOf } from "../db/client.js";
import { type At, placeIn } from "../db/positions.js";
import { card } from "../db/schema/index.js";
import { boardEvent, cardEvent, type NewEvent } from "../events/log.js";
import { type BoardChange, boardChange, cardAt } from "./boardChanges.js";
import type { CardAccess } from "./model/cardGuards.js";
import { cardsIn, placeOn, positionsAt } from "./model/cardOrder.js";
import { partsOf } from "./model/cardParts.js";
import type { CardChange } from "./model/cardWrites.js";

/** A card that is not archived. */
type OpenCard = CardAccess & { listId: number; listPublicId: string; position: number; listOpenCards: number };

const isOpen = (card: CardAccess): card is OpenCard =>
  card.listId !== null && card.listPublicId !== null && card.position !== null && card.listOpenCards !== null;

/** The cards, if they may move to a board: neither they nor the boards may be archived. */
function movable(cards: readonly CardAccess[], target: BoardAccess): readonly OpenCard[] {
  for (const card of cards) mustBeOpen(card);
  mustBeOpen(target);
  if (!cards.every(isOpen)) throw badRequest("An archived card cannot be moved");
  return cards;
}

/** The location of a card, before or after a move. */
interface Spot {
  listPublicId: string;
  index: number;
}

/** The events of a move: on its board, or on both boards if the board changes, so that the log of each is complete. */
function movedEvents(
  card: OpenCard,
  from: Spot,
  to: Spot,
  target: BoardAccess,
  change: BoardChange | null,
): NewEvent[] {
  if (change === null) return [cardEvent(card, "card.moved", { from, to })];
  const data = {
    from: { boardPublicId: card.boardPublicId, ...from },
    to: { boardPublicId: target.boardPublicId, ...to },
  };
  const arrival = cardEvent({ boardPublicId: target.boardPublicId, cardPublicId: card.cardPublicId }, "card.moved", {
    card: change.logged(card, to.index),
    ...data,
  });
  return [
    ...change.leaving(card),
    boardEvent(card, "card.moved", { cardPublicId: card.cardPublicId, ...data }),
    arrival,
    ...change.arriving(card),
  ];
}

/** A list that a card may move to. */
type Destination = BoardAccess & { listId: number; listPublicId: string; listName: string };

const stateAt = ({ boardId, listId }: Destination, position: number) => ({ boardId, listId, position });

/** Moves a card to a position in its list; null if it is there already. */
async function moveWithinList(tx: Tx, card: CardAccess, at: At): Promise<CardChange | null> {
  const [open] = movable([card], card);
  if (open === undefined) return null;
  const { workspaceId, listId, listPublicId, listOpenCards, position: own } = open;
  const { from, to, position } = await placeIn(tx, cardsIn({ workspaceId, listId, openCards: listOpenCards }), at, own);
  if (from === null || from === to) return null;
  const events = [
    cardEvent(card, "card.moved", { from: { listPublicId, index: from }, to: { listPublicId, index: to } }),
  ];
  return { card, to: { listId, position }, events };
}

/** Moves a card to a position in its list, or in another one; null if it is there already. */
export async function moveCard(
  tx: Tx,
  card: CardAccess,
  target: ListAccess | null,
  at: At,
): Promise<CardChange | null> {
  if (target === null || card.listId === target.listId) return moveWithinList(tx, card, at);
  const [open] = movable([card], target);
  if (open === undefined) return null;
  const [{ position, to }, ranks, change] = await Promise.all([
    placeOn(tx, target, at),
    ranksOf(tx, [open]),
    boardChange(tx, [open], target),
  ]);
  const from = { listPublicId: open.listPublicId, index: ranks.get(open.cardId) ?? 0 };
  const events = movedEvents(open, from, { listPublicId: target.listPublicId, index: to }, target, change.of(open));
  return { card, to: stateAt(target, position), events };
}

/**
 * Moves cards to an index of a list, counted without them, in the given order; nothing if they stand there already. In sequence, their
 * events give the final order.
 */
export async function moveTogether(
  tx: Tx,
  cards: readonly CardAccess[],
  target: ListAccess,
  at: At,
): Promise<CardChange[]> {
  const open = movable(cards, target);
  const [ranks, change] = await Promise.all([ranksOf(tx, open), boardChange(tx, open, target)]);
  const spots = open.map((card) => ({ card, listPublicId: card.listPublicId, index: ranks.get(card.cardId) ?? 0 }));
  const slot = slotAt(spots, target, at);
  const areThere = spots.every(
    ({ listPublicId, index }, offset) => listPublicId === target.listPublicId && index === slot - spots.length + offset,
  );
  if (areThere) return [];
  const positions = await positionsAt(tx, target, slot, open.length);
  return movesInOrder(spots, target.listPublicId, slot).map(({ card, from, to }, offset) => ({
    card,
    to: stateAt(target, positions[offset] ?? 0),
    events: movedEvents(card, from, to, target, change.of(card)),
  }));
}

/** The index of the card in front of which cards come that move to an index counted without them; of none if it is that of the end. */
function slotAt(spots: readonly Spot[], { listPublicId, openCards }: ListAccess, at: At): number {
  if (at === "end") return openCards;
  const own = spots.flatMap((spot) => (spot.listPublicId === listPublicId ? [spot.index] : []));
  const slot = own.sort((a, b) => a - b).reduce((index, one) => (one <= index ? index + 1 : index), at);
  return Math.min(slot, openCards);
}

/** The spots of cards, which are those before all moves, before and after each moves in front of an index of a list. */
function movesInOrder(spots: readonly (Spot & { card: OpenCard })[], listPublicId: string, slot: number) {
  /** The indices of the cards that are gone from a list, in ascending order. */
  const gone = new Map<string, number[]>();
  const goneBefore = (list: string, index: number) => (gone.get(list) ?? []).findLastIndex((one) => one < index) + 1;
  return spots.map(({ card, listPublicId: list, index }, moved) => {
    const before = goneBefore(list, index);
    // The cards that moved stand in front of it now.
    const isBehind = list === listPublicId && index >= slot;
    const from = { listPublicId: list, index: index - before + (isBehind ? moved : 0) };
    gone.set(list, (gone.get(list) ?? []).toSpliced(before, 0, index));
    return { card, from, to: { listPublicId, index: slot - goneBefore(listPublicId, slot) + moved } };
  });
}

/** Puts an archived card back at the end of a list. The event holds the whole card, which followers may not know. */
export async function unarchivedChange(tx: Tx, card: CardAccess, target: ListAccess): Promise<CardChange> {
  const [{ position, to: index }, partsFor] = await Promise.all([
    placeOn(tx, target, "end"),
    partsOf(tx, [card.cardId]),
  ]);
  const to = { listPublicId: target.listPublicId, index };
  const logged = cardAt(card, target, index, partsFor(card.cardId), tx.now);
  return {
    card,
    to: { listId: target.listId, position, archivedAt: null },
    events: [cardEvent(card, "card.unarchived", { to, card: logged })],
  };
}

/** The index of each of some cards in its list. */
async function ranksOf(tx: Tx, cards: readonly OpenCard[]): Promise<Map<number, number>> {
  const listIds = [...new Set(cards.map(({ listId }) => listId))];
  const [only] = cards;
  if (only !== undefined && cards.length === 1) {
    const [row] = await tx.db
      .select({ rank: count() })
      .from(card)
      .where(and(eq(card.workspaceId, tx.workspaceId), eq(card.listId, only.listId), lt(card.position, only.position)));
    return new Map([[only.cardId, row?.rank ?? 0]]);
  }
  const rank = sql<number>`row_number() over (partition by ${card.listId} order by ${card.position}) - 1`.as("rank");
  const ranked = tx.db
    .select({ id: card.id, rank })
    .from(card)
    .where(and(eq(card.workspaceId, tx.workspaceId), oneOf(card.listId, listIds), isNotNull(card.position)))
    .as("ranked");
  const rows = await tx.db
    .select()
    .from(ranked)
    .where(
      oneOf(
        ranked.id,
        cards.map(({ cardId }) => cardId),
      ),
    );
  return new Map(rows.map(({ id, rank }) => [id, rank]));
}
