// Moves cards: into a place of a list, to the end of one, and to another board, where labels go by name and assignees without access
// are taken off.

import { sql } from "drizzle-orm";
import type { CardAccess } from "../access/cardGuards.js";
import { type BoardAccess, type ListAccess, mustBeOpen } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { badRequest } from "../api/errors.js";
import { partsOf } from "../board/cardParts.js";
import { loggedCard } from "../board/loggedCards.js";
import { bigints } from "../db/client.js";
import { between, GAP, type Place, placeIn, type Siblings } from "../db/positions.js";
import { boardEvent, cardEvent, type NewEvent } from "../events/log.js";
import { type BoardChange, boardChange, cardAt } from "./boardChanges.js";
import type { CardChange } from "./cardWrites.js";

/** The open cards of a list. */
export function cardsIn({
  workspaceId,
  listId,
  openCards,
}: Pick<ListAccess, "workspaceId" | "listId" | "openCards">): Siblings {
  const of = sql`workspace_id = ${workspaceId}::bigint and list_id = ${listId}::bigint and position is not null`;
  return { table: sql`card`, of, size: sql`${openCards}::int` };
}

/** The place at an index of a list for a card that comes from elsewhere. */
export async function placeOn(
  tx: Tx,
  target: Pick<ListAccess, "workspaceId" | "listId" | "openCards" | "lastPosition">,
  index: number | "end",
): Promise<Place> {
  const { openCards, lastPosition } = target;
  const position = between(lastPosition, null);
  if (position !== null && (index === "end" || index >= openCards)) return { from: null, to: openCards, position };
  return placeIn(tx, cardsIn(target), index);
}

/** A card that is not archived. */
type OpenCard = CardAccess & { listId: number; listPublicId: string; position: number; listOpenCards: number };

const isOpen = (card: CardAccess): card is OpenCard =>
  card.listId !== null && card.listPublicId !== null && card.position !== null && card.listOpenCards !== null;

/** The cards, if they may go to a board: nothing is archived, neither they nor the boards. */
function movable(cards: readonly CardAccess[], target: BoardAccess): readonly OpenCard[] {
  for (const card of cards) mustBeOpen(card);
  mustBeOpen(target);
  if (!cards.every(isOpen)) throw badRequest("An archived card cannot be moved");
  return cards;
}

/** Where a card lies, or will. */
interface Spot {
  listPublicId: string;
  index: number;
}

/** The events of a move: on its board, and where that changes on both, so that each board's log tells what came and went. */
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
  const arrival = cardEvent({ ...target, cardPublicId: card.cardPublicId }, "card.moved", {
    ...data,
    card: change.logged(card, to.index),
  });
  return [
    ...change.leaving(card),
    boardEvent(card, "card.moved", { cardPublicId: card.cardPublicId, ...data }),
    arrival,
    ...change.arriving(card),
  ];
}

/** A list that a card may go to. */
type Destination = BoardAccess & { listId: number; listPublicId: string; listName: string };

const stateAt = ({ boardId, listId }: Destination, position: number) => ({ boardId, listId, position });

/** Moves a card to a place of its own list; null where it stands there already. */
export async function moveWithinList(tx: Tx, card: CardAccess, index: number | "end"): Promise<CardChange | null> {
  const [open] = movable([card], card);
  if (open === undefined) return null;
  const { listId, listPublicId, listOpenCards, position: own } = open;
  const siblings = cardsIn({ workspaceId: tx.workspaceId, listId, openCards: listOpenCards });
  const { from, to, position } = await placeIn(tx, siblings, index, own);
  if (from === null || from === to) return null;
  const events = [
    cardEvent(card, "card.moved", { from: { listPublicId, index: from }, to: { listPublicId, index: to } }),
  ];
  return { card, to: { position }, events };
}

/** Moves a card to a place of a list, perhaps its own; null where it stands there already. */
export async function moveToList(
  tx: Tx,
  card: CardAccess,
  target: ListAccess,
  index: number | "end",
): Promise<CardChange | null> {
  if (card.listId === target.listId) return moveWithinList(tx, card, index);
  const [open] = movable([card], target);
  if (open === undefined) return null;
  const [ranks, { position, to }, change] = await Promise.all([
    ranksOf(tx, [open]),
    placeOn(tx, target, index),
    boardChange(tx, [open], target),
  ]);
  const from = { listPublicId: open.listPublicId, index: ranks.get(open.cardId) ?? 0 };
  const events = movedEvents(open, from, { listPublicId: target.listPublicId, index: to }, target, change.of(open));
  return { card, to: stateAt(target, position), events };
}

/**
 * Moves cards to the end of a list, in their order; nothing where they are its end already. Applied one after the other, their events
 * give the order that they have then.
 */
export async function moveToEnd(tx: Tx, cards: readonly CardAccess[], target: ListAccess): Promise<CardChange[]> {
  const open = movable(cards, target);
  const [isEnd, ranks, change] = await Promise.all([
    areTheEnd(tx, open, target),
    ranksOf(tx, open),
    boardChange(tx, open, target),
  ]);
  if (isEnd) return [];
  const { position: start } = await placeOn(tx, target, "end");
  const gone: OpenCard[] = [];
  return open.map((card, offset) => {
    const rank = ranks.get(card.cardId) ?? 0;
    const before = gone.filter((one) => one.listId === card.listId && (ranks.get(one.cardId) ?? 0) < rank);
    const arrived = gone.filter(({ listId }) => listId !== target.listId).length;
    gone.push(card);
    const from = { listPublicId: card.listPublicId, index: rank - before.length };
    const index = target.openCards + arrived - (card.listId === target.listId ? 1 : 0);
    const to = { listPublicId: target.listPublicId, index };
    const events = movedEvents(card, from, to, target, change.of(card));
    return { card, to: stateAt(target, start + offset * GAP), events };
  });
}

/** Puts an archived card back at the end of a list. Who follows the board need not have read its archived cards: the card is told whole. */
export async function unarchivedChange(tx: Tx, card: CardAccess, target: ListAccess): Promise<CardChange> {
  const [{ position, to: index }, partsFor] = await Promise.all([
    placeOn(tx, target, "end"),
    partsOf(tx, [card.cardId]),
  ]);
  const to = { listPublicId: target.listPublicId, index };
  const shown = loggedCard(target, cardAt(card, target, index, partsFor(card.cardId), tx.now));
  return {
    card,
    to: { listId: target.listId, position, archivedAt: null },
    events: [cardEvent(card, "card.unarchived", { to, card: shown })],
  };
}

/** Whether some cards are the end of a list already, in their order. */
async function areTheEnd(tx: Tx, cards: readonly OpenCard[], target: ListAccess): Promise<boolean> {
  if (cards.some(({ listId }) => listId !== target.listId)) return false;
  const lastCards = await tx.db.rows<{ id: number }>(sql`
    select id from card where ${cardsIn(target).of} order by position desc limit ${cards.length}::int`);
  return (
    lastCards.length === cards.length && cards.every(({ cardId }, index) => lastCards.at(-1 - index)?.id === cardId)
  );
}

/** The index of each of some cards in its list. */
async function ranksOf(tx: Tx, cards: readonly OpenCard[]): Promise<Map<number, number>> {
  const listIds = [...new Set(cards.map(({ listId }) => listId))];
  const [only] = cards;
  if (only !== undefined && cards.length === 1) {
    const [row] = await tx.db.rows<{ rank: number }>(sql`
      select count(*) as rank from card
      where workspace_id = ${tx.workspaceId}::bigint and list_id = ${only.listId}::bigint and position < ${only.position}::bigint`);
    return new Map([[only.cardId, row?.rank ?? 0]]);
  }
  const rows = await tx.db.rows<{ id: number; rank: number }>(sql`
    select id, rank from (
      select id, row_number() over (partition by list_id order by position) - 1 as rank from card
      where workspace_id = ${tx.workspaceId}::bigint and list_id = any(${bigints(listIds)}) and position is not null
    ) ranked
    where id = any(${bigints(cards.map(({ cardId }) => cardId))})`);
  return new Map(rows.map(({ id, rank }) => [id, rank]));
}
