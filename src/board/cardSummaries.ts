// Reads cards as boards show them: a flat row for each, with the keys of its labels and members, assembled here.

import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { type CardValues, cardValues, fieldColumns } from "../access/cardFields.js";
import type { CardSummary } from "../access/cardShapes.js";
import { byName } from "../api/shapes.js";
import { bigints, type Queries } from "../db/client.js";
import type { PersonRow } from "../workspace/people.js";

type Summary = z.output<typeof CardSummary>;

/** What a board shows of a card `c`, one row each; `index` comes from the query that selects it. */
export const summaryColumns = sql.raw(`c.id as "cardId", c.public_id as "publicId", ${fieldColumns("c")},
  c.card_number as "cardNumber", c.items_total as "itemsTotal", c.items_completed as "itemsCompleted", c.comment_count as "commentCount",
  array(select x.label_id from card_label x where x.workspace_id = c.workspace_id and x.card_id = c.id) as "labelIds",
  array(select x.member_id from card_member x where x.workspace_id = c.workspace_id and x.card_id = c.id) as "memberIds"`);

export interface SummaryRow extends CardValues {
  cardId: number;
  publicId: string;
  cardNumber: number;
  index: number | null;
  itemsTotal: number;
  itemsCompleted: number;
  commentCount: number;
  /** Keys as PostgreSQL writes an array of them. */
  labelIds: string;
  memberIds: string;
}

/** The keys in an array as PostgreSQL writes it. */
export const keysIn = (array: string): number[] => (array === "{}" ? [] : array.slice(1, -1).split(",").map(Number));

/** A label or tag with its key. */
export interface NamedRow {
  id: number;
  publicId: string;
  name: string;
  colourCode: string;
}

/** A label or tag of a row as JSON, a `NamedRow`. */
export const namedJson = (row: string) =>
  sql.raw(
    `json_build_object('id', ${row}.id, 'publicId', ${row}.public_id, 'name', ${row}.name, 'colourCode', ${row}.colour_code)`,
  );

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
/** What a card shows of a person. */
export type ShownPersonRow = Pick<PersonRow, "id" | "publicId" | "name" | "image">;

export const shownPerson = ({ publicId, name, image }: ShownPersonRow) => ({ publicId, name: name ?? "", image });

/** Those of some labels or people that a card names, as they are shown, in the order in which they are given. */
function named<T extends { id: number }, Shown>(ids: string, among: readonly T[], shown: (one: T) => Shown): Shown[] {
  const wanted = keysIn(ids);
  return wanted.length === 0 ? [] : among.filter(({ id }) => wanted.includes(id)).map(shown);
}

/** A card as it is shown. */
export function summaryOf(row: SummaryRow, labels: readonly NamedRow[], people: readonly ShownPersonRow[]): Summary {
  return {
    publicId: row.publicId,
    ...cardValues(row),
    cardNumber: row.cardNumber,
    index: row.index,
    labels: named(row.labelIds, labels, shownLabel),
    members: named(row.memberIds, people, shownPerson),
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
  const rows = await db.rows<SummaryRow & Extra>(statement);
  const [labels, people] = await Promise.all([
    labelsOf(db, board.workspaceId, board.boardId),
    peopleOn(
      db,
      board.workspaceId,
      board.boardId,
      rows.flatMap(({ memberIds }) => keysIn(memberIds)),
    ),
  ]);
  return rows.map((row) => ({ row, summary: summaryOf(row, labels, people) }));
}
