// How every change to cards is written: the new state of each card in one statement, whatever changed and however many cards,
// together with the events, the lists' counts of open cards, and what hangs on the cards.

import { type SQL, sql } from "drizzle-orm";
import type { CardAccess } from "../access/cardGuards.js";
import type { Signed } from "../api/context.js";
import type { Transaction } from "../db/client.js";
import { type Columns, records } from "../db/records.js";
import { type NewEvent, record } from "../events/log.js";

/** The fields of a card that a change may set. */
export interface CardState {
  boardId: number;
  listId: number | null;
  position: number | null;
  title: string;
  description: string;
  dueDate: string | null;
  completedAt: string | null;
  archivedAt: string | null;
  priority: CardAccess["priority"];
}

/** What becomes of one locked card, and the events that tell of it, at least one. */
export interface CardChange {
  card: CardAccess;
  to?: Partial<CardState>;
  events: NewEvent[];
  /** Checklist items that come or go with this change. */
  items?: { total: number; completed: number };
  /** Comments that come or go with this change. */
  comments?: number;
}

/** Labels or members put on cards and taken off, as pairs of keys. */
export interface Attachments {
  add: { cardId: number; otherId: number }[];
  remove: { cardId: number; otherId: number }[];
}

export const noAttachments = (): Attachments => ({ add: [], remove: [] });

interface CardRow extends Omit<CardState, "title" | "description"> {
  id: number;
  title: string | null;
  description: string | null;
  items: number;
  completedItems: number;
  comments: number;
  seq: number;
}

const CARD_COLUMNS: Columns<CardRow> = {
  id: "bigint",
  boardId: "bigint",
  listId: "bigint",
  position: "bigint",
  title: "text",
  description: "text",
  dueDate: "timestamptz",
  completedAt: "timestamptz",
  archivedAt: "timestamptz",
  priority: "text",
  items: "int",
  completedItems: "int",
  comments: "int",
  seq: "bigint",
};

function rowsOf(changes: readonly CardChange[]): CardRow[] {
  let seq = 0;
  return changes.map(({ card, to = {}, events, items, comments }) => {
    seq += events.length;
    const { boardId, listId, position, dueDate, completedAt, archivedAt, priority } = { ...card, ...to };
    return {
      id: card.cardId,
      boardId,
      listId,
      position,
      title: to.title ?? null,
      description: to.description ?? null,
      dueDate,
      completedAt,
      archivedAt,
      priority,
      items: items?.total ?? 0,
      completedItems: items?.completed ?? 0,
      comments: comments ?? 0,
      seq,
    };
  });
}

/** How many open cards each list gains or loses. */
export function openCardsOf(changes: readonly Pick<CardChange, "card" | "to">[]): { id: number; delta: number }[] {
  const deltas = new Map<number, number>();
  const count = (listId: number | null, position: number | null, delta: number) => {
    if (listId !== null && position !== null) deltas.set(listId, (deltas.get(listId) ?? 0) + delta);
  };
  for (const { card, to } of changes) {
    const after = { ...card, ...to };
    count(card.listId, card.position, -1);
    count(after.listId, after.position, 1);
  }
  return [...deltas].map(([id, delta]) => ({ id, delta })).filter(({ delta }) => delta !== 0);
}

/** The CTE that adds to the lists' counts of open cards; none where they stay as they are. */
export const countingOpenCards = (workspaceId: number, deltas: readonly { id: number; delta: number }[]): SQL[] =>
  deltas.length === 0
    ? []
    : [
        sql`counted as (
    update list set open_cards = open_cards + d.delta
    from next, ${records("d", { id: "bigint", delta: "int" }, deltas)}
    where list.workspace_id = ${workspaceId}::bigint and list.id = d.id)`,
      ];

const pairs = (rows: Attachments["add"]) => records("p", { cardId: "bigint", otherId: "bigint" }, rows);

/** The CTEs that attach and detach; what is attached twice stays once. */
export function attaching(workspaceId: number, labels: Attachments, members: Attachments): SQL[] {
  const parts: SQL[] = [];
  for (const [table, column, { add, remove }] of [
    ["card_label", "label_id", labels],
    ["card_member", "member_id", members],
  ] as const) {
    if (remove.length > 0) {
      parts.push(sql`${sql.raw(table)}_removed as (
        delete from ${sql.raw(table)} t using next, ${pairs(remove)}
        where t.workspace_id = ${workspaceId}::bigint and t.card_id = p."cardId" and t.${sql.raw(column)} = p."otherId")`);
    }
    if (add.length > 0) {
      parts.push(sql`${sql.raw(table)}_added as (
        insert into ${sql.raw(table)} (workspace_id, card_id, ${sql.raw(column)})
        select ${workspaceId}::bigint, p."cardId", p."otherId" from next, ${pairs(add)}
        on conflict do nothing)`);
    }
  }
  return parts;
}

interface Rest {
  /** Events of the boards, after those of the cards. */
  events?: readonly NewEvent[];
  labels?: Attachments;
  members?: Attachments;
  /** Further writes, as named CTEs that read from `next` or `changed`. */
  also?: readonly SQL[];
}

/** Ends a transaction with changes to locked cards of one workspace. */
export async function recordCards(
  tx: Signed<Transaction>,
  workspace: { workspaceId: number },
  changes: readonly CardChange[],
  { events = [], labels = noAttachments(), members = noAttachments(), also = [] }: Rest = {},
): Promise<void> {
  const { workspaceId } = workspace;
  await record(tx, workspace, {
    events: [...changes.flatMap((change) => change.events), ...events],
    write: () => sql`
      update card set board_id = m."boardId", list_id = m."listId", position = m.position, title = coalesce(m.title, card.title),
        description = coalesce(m.description, card.description), due_date = m."dueDate", completed_at = m."completedAt",
        archived_at = m."archivedAt", priority = m.priority, items_total = items_total + m.items,
        items_completed = items_completed + m."completedItems", comment_count = comment_count + m.comments, revision = next.seq + m.seq, updated_at = now()
      from next, ${records("m", CARD_COLUMNS, rowsOf(changes))}
      where card.workspace_id = ${workspaceId}::bigint and card.id = m.id
      returning card.id`,
    also: [
      ...countingOpenCards(workspaceId, openCardsOf(changes)),
      ...attaching(workspaceId, labels, members),
      ...also,
    ],
  });
}
