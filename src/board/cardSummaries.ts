// Reads cards as boards show them: flat rows of cards, label keys and member keys in one statement, assembled here.

import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { byName } from "../api/shapes.js";
import { bigints, type Queries } from "../db/client.js";
import type { PersonRow } from "../workspace/people.js";
import type { CardSummary } from "./shapes.js";

type Summary = z.output<typeof CardSummary>;

/** The columns of a card's own row; `index` comes from the query that selects it. */
export const summaryColumns = sql.raw(`c.id as "cardId", c.public_id as "publicId", c.title, c.description,
  c.card_number as "cardNumber", c.due_date as "dueDate", c.completed_at as "completedAt", c.priority,
  c.items_total as "itemsTotal", c.items_completed as "itemsCompleted", c.comment_count as "commentCount",
  cl.label_id as "labelId", cm.member_id as "memberId"`);

/** One row for each label and member of the card `c`, at least one. */
export const summaryJoins = sql.raw(`
  left join card_label cl on cl.workspace_id = c.workspace_id and cl.card_id = c.id
  left join card_member cm on cm.workspace_id = c.workspace_id and cm.card_id = c.id`);

export interface SummaryRow {
  cardId: number;
  publicId: string;
  title: string;
  description: string;
  cardNumber: number;
  index: number | null;
  dueDate: string | null;
  completedAt: string | null;
  priority: Summary["priority"];
  itemsTotal: number;
  itemsCompleted: number;
  commentCount: number;
  labelId: number | null;
  memberId: number | null;
}

/** A card with the keys of its labels and members, which `summaryOf` turns into what is shown. */
export interface CardParts<Row extends SummaryRow = SummaryRow> {
  row: Row;
  labelIds: Set<number>;
  memberIds: Set<number>;
}

/** Adds a row to the card it belongs to, or begins the next one: rows of one card stand together. */
export function collect<Row extends SummaryRow>(cards: CardParts<Row>[], row: Row): void {
  let card = cards.at(-1);
  if (card === undefined || card.row.cardId !== row.cardId) {
    card = { row, labelIds: new Set(), memberIds: new Set() };
    cards.push(card);
  }
  if (row.labelId !== null) card.labelIds.add(row.labelId);
  if (row.memberId !== null) card.memberIds.add(row.memberId);
}

/** A label or tag with its key. */
export interface NamedRow {
  id: number;
  publicId: string;
  name: string;
  colourCode: string;
}

/** A person on a board; one who is only assigned to a card of it is no board member. */
export interface BoardPersonRow extends PersonRow {
  isBoardMember: boolean;
}

/** The people on a board: its members, and whoever else is assigned to a card of it. Sorted by when they joined. */
export const peopleOn = (db: Queries, workspaceId: number, boardId: number, assigned: Iterable<number>) =>
  db.rows<BoardPersonRow>(sql`
    select m.id, m.public_id as "publicId", a.name, a.image,
      coalesce(a.email, m.invited_email) as email, m.role, m.account_id is not null as "isActive",
      bm.member_id is not null as "isBoardMember"
    from member m
    left join account a on a.id = m.account_id
    left join board_member bm on bm.workspace_id = m.workspace_id and bm.board_id = ${boardId}::bigint and bm.member_id = m.id
    where m.workspace_id = ${workspaceId}::bigint
      and (bm.member_id is not null or m.id = any(${bigints([...assigned])}))
    order by m.id`);

/** The labels of a board, by name. */
export async function labelsOf(db: Queries, workspaceId: number, boardId: number): Promise<NamedRow[]> {
  const labels = await db.rows<NamedRow>(sql`
    select id, public_id as "publicId", name, colour_code as "colourCode" from label
    where workspace_id = ${workspaceId}::bigint and board_id = ${boardId}::bigint`);
  return labels.sort(byName);
}

export const shownLabel = ({ publicId, name, colourCode }: NamedRow) => ({ publicId, name, colourCode });
const shownPerson = ({ publicId, name, image }: PersonRow) => ({ publicId, name: name ?? "", image });

/** A card as it is shown; labels and people in the order in which they are given. */
export function summaryOf(card: CardParts, labels: readonly NamedRow[], people: readonly PersonRow[]): Summary {
  const { row, labelIds, memberIds } = card;
  return {
    publicId: row.publicId,
    title: row.title,
    description: row.description,
    cardNumber: row.cardNumber,
    index: row.index,
    dueDate: row.dueDate,
    completedAt: row.completedAt,
    priority: row.priority,
    labels: labelIds.size === 0 ? [] : labels.filter(({ id }) => labelIds.has(id)).map(shownLabel),
    members: memberIds.size === 0 ? [] : people.filter(({ id }) => memberIds.has(id)).map(shownPerson),
    checklistItems: { total: row.itemsTotal, completed: row.itemsCompleted },
    commentCount: row.commentCount,
  };
}

/** Cards that a statement selects as `SummaryRow`s, as they are shown, each with the columns that it selects besides. */
export async function readSummaries<Extra = object>(
  db: Queries,
  board: { workspaceId: number; boardId: number },
  statement: SQL,
): Promise<{ row: SummaryRow & Extra; summary: Summary }[]> {
  const cards: CardParts<SummaryRow & Extra>[] = [];
  for (const row of await db.rows<SummaryRow & Extra>(statement)) collect(cards, row);
  const assigned = new Set(cards.flatMap(({ memberIds }) => [...memberIds]));
  const [labels, people] = await Promise.all([
    labelsOf(db, board.workspaceId, board.boardId),
    peopleOn(db, board.workspaceId, board.boardId, assigned),
  ]);
  return cards.map((card) => ({ row: card.row, summary: summaryOf(card, labels, people) }));
}
