// Moves cards: into a place of a list, to the end of one, and to another board, where labels go by name and people by sight.

import { sql } from "drizzle-orm";
import type { CardAccess } from "../access/cardGuards.js";
import { type BoardAccess, type ListAccess, mustBeOpen } from "../access/guards.js";
import { type Role, seesBoard } from "../access/permissions.js";
import type { Signed } from "../api/context.js";
import { badRequest } from "../api/errors.js";
import { bigints, json, type Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { between, GAP, positionAt, type Siblings, type Step } from "../db/positions.js";
import { boardEvent, cardEvent, type NewEvent } from "../events/log.js";
import { type Attachments, type CardChange, noAttachments } from "./changing.js";

/** The open cards of a list. */
export const cardsIn = (list: { workspaceId: number; listId: number }): Siblings => ({
  table: sql`card`,
  of: sql`workspace_id = ${list.workspaceId}::bigint and list_id = ${list.listId}::bigint and position is not null`,
});

/** What a move changes beside the cards themselves. */
export interface Move {
  changes: CardChange[];
  labels: Attachments;
  members: Attachments;
  /** Labels that the target board did not have. */
  events: NewEvent[];
}

const noMove = (): Move => ({ changes: [], labels: noAttachments(), members: noAttachments(), events: [] });

/** A card that is not archived. */
type OpenCard = CardAccess & { listId: number; listPublicId: string; position: number };

const isOpen = (card: CardAccess): card is OpenCard =>
  card.listId !== null && card.listPublicId !== null && card.position !== null;

/** The cards, if they may go to a list of a board: nothing is archived, neither they nor the boards. */
function movable(cards: readonly CardAccess[], target: BoardAccess): readonly OpenCard[] {
  for (const card of cards) mustBeOpen(card);
  mustBeOpen(target);
  if (!cards.every(isOpen)) throw badRequest("An archived card cannot be moved");
  return cards;
}

/** Where a card lies, or will. */
interface Place {
  listPublicId: string;
  index: number;
}

interface Moving {
  card: CardAccess;
  position: number;
  from: Place;
  to: Place;
}

/** The event of a move: on its board, and where that changes on both, so that each board's log tells what came and went. */
function movedEvents({ card, from, to }: Moving, target: BoardAccess): NewEvent[] {
  if (card.boardId === target.boardId) return [cardEvent(card, "card.moved", { from, to })];
  const data = {
    from: { boardPublicId: card.boardPublicId, ...from },
    to: { boardPublicId: target.boardPublicId, ...to },
  };
  const left = boardEvent(card, "card.moved", { cardPublicId: card.cardPublicId, ...data });
  return [left, cardEvent({ ...target, cardPublicId: card.cardPublicId }, "card.moved", data)];
}

const changeOf = (moving: Moving, target: Destination): CardChange => ({
  card: moving.card,
  to: { boardId: target.boardId, listId: target.listId, position: moving.position },
  events: movedEvents(moving, target),
});

/** A list that a card may go to. */
type Destination = BoardAccess & { listId: number; listPublicId: string };

interface WayRow {
  from: number;
  to: number;
  before: number | null;
  after: number | null;
}

/**
 * The step that takes a card to an index of a list, perhaps its own, under the locks of both; null where it stands there already. Then
 * nothing was renumbered either, and the position it was read with still holds.
 */
async function stepOf(
  tx: Signed<Transaction>,
  card: OpenCard,
  target: Destination,
  index: number | "end",
): Promise<Step | null> {
  const [way] = await tx.db.rows<WayRow>(sql`
    select way.origin as "from", way.destination as "to", way.before, way.after
    from list l cross join lateral card_way(
      l.workspace_id, ${card.listId}::bigint, ${card.position}::bigint, l.id, l.open_cards, ${index === "end" ? null : index}::int) way
    where l.workspace_id = ${target.workspaceId}::bigint and l.id = ${target.listId}::bigint`);
  if (way === undefined) throw new Error("A locked list is gone");
  const { from, to, before, after } = way;
  if (card.listId === target.listId && from === to) return null;
  const siblings = { ...cardsIn(target), exceptId: card.cardId };
  return { from, to, position: between(before, after) ?? (await positionAt(tx.db, siblings, to)) };
}

/** The change that takes a card to a place; null where it stands there already. */
async function placing(
  tx: Signed<Transaction>,
  card: OpenCard,
  target: Destination,
  index: number | "end",
): Promise<CardChange | null> {
  const step = await stepOf(tx, card, target, index);
  if (step === null) return null;
  const from = { listPublicId: card.listPublicId, index: step.from };
  const to = { listPublicId: target.listPublicId, index: step.to };
  return changeOf({ card, position: step.position, from, to }, target);
}

/** Moves a card to a place of its own list, whose lock is held; nothing where it stands there already. */
export async function moveWithinList(tx: Signed<Transaction>, card: CardAccess, index: number | "end"): Promise<Move> {
  const [open] = movable([card], card);
  const change = open === undefined ? null : await placing(tx, open, open, index);
  return change === null ? noMove() : { ...noMove(), changes: [change] };
}

/** Moves a card to a place of a list whose lock is held; nothing where it stands there already. */
export async function moveToIndex(
  tx: Signed<Transaction>,
  card: CardAccess,
  target: ListAccess,
  index: number | "end",
): Promise<Move> {
  const [open] = movable([card], target);
  const change = open === undefined ? null : await placing(tx, open, target, index);
  return change === null ? noMove() : { changes: [change], ...(await carriedOver(tx, [card], target)) };
}

/** Moves cards to the end of a list whose lock is held, in their order; nothing where they are its end already. */
export async function moveToEnd(
  tx: Signed<Transaction>,
  cards: readonly CardAccess[],
  target: ListAccess,
): Promise<Move> {
  const open = movable(cards, target);
  const tail = await tx.db.rows<{ id: number }>(sql`
    select id from card where ${cardsIn(target).of} order by position desc limit ${cards.length}::int`);
  const isTail = tail.length === cards.length && cards.every(({ cardId }, index) => tail.at(-1 - index)?.id === cardId);
  if (isTail) return noMove();
  const ranks = await ranksOf(tx, open);
  const start = await positionAt(tx.db, cardsIn(target), "end");
  const others = target.openCards - open.filter(({ listId }) => listId === target.listId).length;
  const changes = open.map((card, offset) => {
    const from = { listPublicId: card.listPublicId, index: ranks.get(card.cardId) ?? 0 };
    const to = { listPublicId: target.listPublicId, index: others + offset };
    return changeOf({ card, position: start + offset * GAP, from, to }, target);
  });
  return { changes, ...(await carriedOver(tx, cards, target)) };
}

/** The index of each of some cards of one workspace. */
async function ranksOf(tx: Signed<Transaction>, cards: readonly OpenCard[]): Promise<Map<number, number>> {
  const listIds = [...new Set(cards.map(({ listId }) => listId))];
  const rows = await tx.db.rows<{ id: number; rank: number }>(sql`
    select id, rank from (
      select id, row_number() over (partition by list_id order by position) - 1 as rank from card
      where workspace_id = ${cards[0]?.workspaceId ?? null}::bigint and list_id = any(${bigints(listIds)}) and position is not null
    ) ranked
    where id = any(${bigints(cards.map(({ cardId }) => cardId))})`);
  return new Map(rows.map(({ id, rank }) => [id, rank]));
}

/** What goes along with cards that change boards: labels by name, assignees who see the target board. */
export async function carriedOver(
  tx: Signed<Transaction>,
  cards: readonly CardAccess[],
  target: BoardAccess,
): Promise<Omit<Move, "changes">> {
  const leaving = cards.filter(({ boardId }) => boardId !== target.boardId);
  if (leaving.length === 0) return { labels: noAttachments(), members: noAttachments(), events: [] };
  const { labels, events } = await labelsAt(tx, leaving, target);
  return { labels, members: { add: [], remove: await blindAt(tx, leaving, target) }, events };
}

interface LabelRow {
  cardId: number;
  labelId: number;
  name: string;
  nameKey: string;
  colourCode: string;
  targetId: number | null;
}

/** Exchanges the labels of cards for those of the same name on a board; missing ones are made there. */
export async function labelsAt(tx: Signed<Transaction>, cards: readonly CardAccess[], target: BoardAccess) {
  const rows = await tx.db.rows<LabelRow>(sql`
    select cl.card_id as "cardId", l.id as "labelId", l.name, l.name_key as "nameKey", l.colour_code as "colourCode", t.id as "targetId"
    from card_label cl
    join label l on l.workspace_id = cl.workspace_id and l.id = cl.label_id
    left join label t on t.workspace_id = l.workspace_id and t.board_id = ${target.boardId}::bigint and t.name_key = l.name_key
    where cl.workspace_id = ${target.workspaceId}::bigint and cl.card_id = any(${bigints(cards.map(({ cardId }) => cardId))})
    order by l.id`);
  const made = await makeLabels(
    tx,
    rows.filter(({ targetId }) => targetId === null),
    target,
  );
  const labels = noAttachments();
  for (const { cardId, labelId, nameKey, targetId } of rows) {
    const otherId = targetId ?? made.get(nameKey)?.id;
    labels.remove.push({ cardId, otherId: labelId });
    if (otherId !== undefined) labels.add.push({ cardId, otherId });
  }
  const events = [...made.values()]
    .filter(({ isNew }) => isNew)
    .map(({ publicId, name, colourCode }) =>
      boardEvent(target, "label.created", { labelPublicId: publicId, name, colourCode }),
    );
  return { labels, events };
}

interface MadeLabel {
  id: number;
  publicId: string;
  name: string;
  nameKey: string;
  colourCode: string;
  /** False where somebody else made it at the same time. */
  isNew: boolean;
}

/** Makes labels on a board, or takes those that somebody else made under the same name at the same time. */
async function makeLabels(tx: Signed<Transaction>, wanted: readonly LabelRow[], target: BoardAccess) {
  if (wanted.length === 0) return new Map<string, MadeLabel>();
  const firstByName = new Map(wanted.toReversed().map((label) => [label.nameKey, label]));
  const labels = [...firstByName.values()].map(({ name, nameKey, colourCode }) => ({
    publicId: newPublicId(),
    name,
    nameKey,
    colourCode,
  }));
  // In the order of names: two who make the same ones then wait for each other instead of deadlocking.
  const rows = await tx.db.rows<MadeLabel>(sql`
    insert into label (workspace_id, public_id, board_id, name, name_key, colour_code)
    select ${target.workspaceId}::bigint, l."publicId", ${target.boardId}::bigint, l.name, l."nameKey", l."colourCode"
    from jsonb_to_recordset(${json(labels)}) as l("publicId" text, name text, "nameKey" text, "colourCode" text)
    order by l."nameKey"
    on conflict (workspace_id, board_id, name_key) do update set name = label.name
    returning id, public_id as "publicId", name, name_key as "nameKey", colour_code as "colourCode", xmax = 0 as "isNew"`);
  return new Map(rows.map((row) => [row.nameKey, row]));
}

/** The assignees of cards who do not see a board. They are locked: until the move is done, nobody's role changes. */
async function blindAt(tx: Signed<Transaction>, cards: readonly CardAccess[], target: BoardAccess) {
  const rows = await tx.db.rows<{ cardId: number; otherId: number; role: Role; isBoardMember: boolean }>(sql`
    select cm.card_id as "cardId", cm.member_id as "otherId", m.role, bm.member_id is not null as "isBoardMember"
    from card_member cm
    join member m on m.workspace_id = cm.workspace_id and m.id = cm.member_id
    left join board_member bm on bm.workspace_id = m.workspace_id and bm.board_id = ${target.boardId}::bigint and bm.member_id = m.id
    where cm.workspace_id = ${target.workspaceId}::bigint and cm.card_id = any(${bigints(cards.map(({ cardId }) => cardId))})
    order by m.id for key share of m`);
  return rows
    .filter(({ role, isBoardMember }) => !seesBoard(role, target.visibility, isBoardMember))
    .map(({ cardId, otherId }) => ({ cardId, otherId }));
}
