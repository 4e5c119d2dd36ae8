// Writes the boards that an import planned: a statement for a thousand rows of a table, all in the caller's transaction. Cards
// get their numbers last, so that the workspace's counter is not held while a long text goes in.

import { type SQL, sql } from "drizzle-orm";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { freeSlugs } from "../board/slugs.js";
import { bigints, json, type Transaction, texts } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { nameKey } from "../db/nameKey.js";
import { GAP } from "../db/positions.js";
import { boardEvent, cardEvent, type NewEvent, record } from "../events/log.js";

/** A board to be made, with everything on it in order; what cards refer to is named by its place. */
export interface BoardPlan {
  name: string;
  lists: readonly string[];
  /** Names differ in more than case. */
  labels: readonly { name: string; colourCode: string }[];
  cards: readonly CardPlan[];
}

export interface CardPlan {
  title: string;
  description: string;
  /** Place in the board's `lists`. */
  listIndex: number;
  /** Places in the board's `labels`, each once. */
  labelIndexes: readonly number[];
  dueDate: string | null;
  /** Keys of active members who see a board of visibility `workspace`, each once. */
  memberIds: readonly number[];
  checklists: readonly ChecklistPlan[];
}

export interface ChecklistPlan {
  name: string;
  items: readonly { title: string; completed: boolean }[];
}

const sum = <T>(values: readonly T[], of: (value: T) => number) =>
  values.reduce((total, value) => total + of(value), 0);

/** What a plan will make, as the answers of imports tell it (specification 4.2). */
export function countsOf(plans: readonly BoardPlan[]) {
  const cards = plans.flatMap((plan) => plan.cards);
  return {
    boardsCreated: plans.length,
    listsCreated: sum(plans, ({ lists }) => lists.length),
    cardsCreated: cards.length,
    labelsCreated: sum(plans, ({ labels }) => labels.length),
    checklistItemsCreated: sum(cards, ({ checklists }) => sum(checklists, ({ items }) => items.length)),
    cardsAssigned: cards.filter(({ memberIds }) => memberIds.length > 0).length,
  };
}

/**
 * Makes the boards, whose one member is the importer, and ends the transaction. The workspace is locked by its guard. Gives the
 * public identifiers of the boards.
 */
export async function writeBoards(
  tx: Signed<Transaction>,
  workspace: WorkspaceAccess,
  plans: readonly BoardPlan[],
): Promise<string[]> {
  const slugs = await freeSlugs(
    tx.db,
    workspace.workspaceId,
    plans.map(({ name }) => name),
  );
  const rows = new Rows(await reserveKeys(tx.db, plans));
  for (const [index, plan] of plans.entries()) rows.addBoard(plan, slugs[index] ?? "");
  await insertRows(tx.db, workspace, rows);
  await record(tx, workspace, {
    events: rows.events,
    cardNumbers: rows.numbers.length,
    also: [
      sql`numbered as (
        update card set card_number = next.card_number + r.number, revision = next.seq + r.event
        from next, jsonb_to_recordset(${json(rows.numbers)}) as r(id bigint, number int, event int)
        where card.workspace_id = ${workspace.workspaceId}::bigint and card.id = r.id)`,
    ],
  });
  return rows.boards.map(({ publicId }) => publicId);
}

const KEYED = ["board", "list", "label", "card", "checklist"] as const;
type Keyed = (typeof KEYED)[number];

/** Takes the keys that rows refer to each other by out of the tables' own sequences, which hand none out twice. */
async function reserveKeys(db: Transaction, plans: readonly BoardPlan[]): Promise<(table: Keyed) => number> {
  const counts: Record<Keyed, number> = {
    board: plans.length,
    list: sum(plans, ({ lists }) => lists.length),
    label: sum(plans, ({ labels }) => labels.length),
    card: sum(plans, ({ cards }) => cards.length),
    checklist: sum(plans, ({ cards }) => sum(cards, ({ checklists }) => checklists.length)),
  };
  const rows = await db.rows<{ name: string; id: number }>(sql`
    select t.name, nextval(pg_get_serial_sequence(t.name, 'id')) as id
    from unnest(${texts(KEYED)}, ${bigints(KEYED.map((table) => counts[table]))}) as t(name, n), generate_series(1, t.n)`);
  const keys = new Map(KEYED.map((table) => [table, rows.filter(({ name }) => name === table).values()]));
  return (table) => {
    const key = keys.get(table)?.next().value;
    if (key === undefined) throw new Error(`No key is left for a ${table}`);
    return key.id;
  };
}

interface BoardRow {
  id: number;
  publicId: string;
  name: string;
  slug: string;
}

interface ListRow {
  id: number;
  publicId: string;
  boardId: number;
  name: string;
  position: number;
  openCards: number;
}

/** Every row of an import, table by table, complete but for the workspace's key. */
class Rows {
  readonly boards: BoardRow[] = [];
  readonly lists: ListRow[] = [];
  readonly labels: object[] = [];
  readonly cards: object[] = [];
  readonly cardLabels: object[] = [];
  readonly cardMembers: object[] = [];
  readonly checklists: object[] = [];
  readonly items: object[] = [];
  readonly events: NewEvent[] = [];
  /** For each card its number and its event's, both counted from 1. */
  readonly numbers: { id: number; number: number; event: number }[] = [];

  constructor(private readonly newKey: (table: Keyed) => number) {}

  addBoard(plan: BoardPlan, slug: string): void {
    const { name } = plan;
    const board = { id: this.newKey("board"), publicId: newPublicId(), name, slug };
    this.boards.push(board);
    const counts = { lists: plan.lists.length, labels: plan.labels.length, cards: plan.cards.length };
    this.events.push(boardEvent({ boardPublicId: board.publicId }, "board.imported", { name, slug, ...counts }));

    const lists = plan.lists.map((list, index) => {
      const place = { boardId: board.id, name: list, position: index * GAP };
      return { id: this.newKey("list"), publicId: newPublicId(), ...place, openCards: 0 };
    });
    this.lists.push(...lists);
    const labels = plan.labels.map((label) => {
      const named = { boardId: board.id, ...label, nameKey: nameKey(label.name) };
      return { id: this.newKey("label"), publicId: newPublicId(), ...named };
    });
    this.labels.push(...labels);
    for (const card of plan.cards) {
      const labelIds = card.labelIndexes.flatMap((index) => labels[index]?.id ?? []);
      this.addCard(card, board, lists[card.listIndex], labelIds);
    }
  }

  private addCard(card: CardPlan, board: BoardRow, list: ListRow | undefined, labelIds: readonly number[]): void {
    if (list === undefined) throw new Error(`The plan of a board has no list ${card.listIndex}`);
    const id = this.newKey("card");
    const publicId = newPublicId();
    const { title, description, dueDate } = card;
    const index = list.openCards;
    list.openCards += 1;
    const on = { boardPublicId: board.publicId, cardPublicId: publicId };
    this.events.push(cardEvent(on, "card.created", { title, listPublicId: list.publicId, index }));
    this.numbers.push({ id, number: this.numbers.length + 1, event: this.events.length });

    const items = card.checklists.flatMap((checklist) => checklist.items);
    const counts = { itemsTotal: items.length, itemsCompleted: items.filter(({ completed }) => completed).length };
    const place = { boardId: board.id, listId: list.id, position: index * GAP, number: -this.numbers.length };
    this.cards.push({ id, publicId, ...place, title, description, dueDate, ...counts });
    for (const labelId of labelIds) this.cardLabels.push({ cardId: id, labelId });
    for (const memberId of card.memberIds) this.cardMembers.push({ cardId: id, memberId });
    for (const checklist of card.checklists) this.addChecklist(checklist, id);
  }

  private addChecklist({ name, items }: ChecklistPlan, cardId: number): void {
    const checklistId = this.newKey("checklist");
    this.checklists.push({ id: checklistId, publicId: newPublicId(), cardId, name });
    for (const [index, { title, completed }] of items.entries()) {
      this.items.push({ publicId: newPublicId(), checklistId, title, completed, position: index * GAP });
    }
  }
}

/** Inserts every row, parents first. Cards have numbers below zero until `record` gives them theirs. */
async function insertRows(db: Transaction, { workspaceId, memberId }: WorkspaceAccess, rows: Rows): Promise<void> {
  const into = sql`${workspaceId}::bigint`;
  await insertAll(
    db,
    rows.boards,
    (from) => sql`
    with made as (
      insert into board (workspace_id, id, public_id, name, slug)
      select ${into}, r.id, r."publicId", r.name, r.slug
      from ${from} as r(id bigint, "publicId" text, name text, slug text)
      returning id
    )
    insert into board_member (workspace_id, board_id, member_id) select ${into}, id, ${memberId}::bigint from made`,
  );
  await insertAll(
    db,
    rows.lists,
    (from) => sql`
    insert into list (workspace_id, id, public_id, board_id, name, position, open_cards)
    select ${into}, r.id, r."publicId", r."boardId", r.name, r.position, r."openCards"
    from ${from} as r(id bigint, "publicId" text, "boardId" bigint, name text, position bigint, "openCards" int)`,
  );
  await insertAll(
    db,
    rows.labels,
    (from) => sql`
    insert into label (workspace_id, id, public_id, board_id, name, name_key, colour_code)
    select ${into}, r.id, r."publicId", r."boardId", r.name, r."nameKey", r."colourCode"
    from ${from} as r(id bigint, "publicId" text, "boardId" bigint, name text, "nameKey" text, "colourCode" text)`,
  );
  await insertAll(
    db,
    rows.cards,
    (from) => sql`
    insert into card (workspace_id, id, public_id, board_id, list_id, position, card_number, title, description, due_date,
      items_total, items_completed)
    select ${into}, r.id, r."publicId", r."boardId", r."listId", r.position, r.number, r.title, r.description, r."dueDate",
      r."itemsTotal", r."itemsCompleted"
    from ${from} as r(id bigint, "publicId" text, "boardId" bigint, "listId" bigint, position bigint, number int, title text,
      description text, "dueDate" timestamptz, "itemsTotal" int, "itemsCompleted" int)`,
  );
  await insertAll(
    db,
    rows.cardLabels,
    (from) => sql`
    insert into card_label (workspace_id, card_id, label_id)
    select ${into}, r."cardId", r."labelId" from ${from} as r("cardId" bigint, "labelId" bigint)`,
  );
  await insertAll(
    db,
    rows.cardMembers,
    (from) => sql`
    insert into card_member (workspace_id, card_id, member_id)
    select ${into}, r."cardId", r."memberId" from ${from} as r("cardId" bigint, "memberId" bigint)`,
  );
  await insertAll(
    db,
    rows.checklists,
    (from) => sql`
    insert into checklist (workspace_id, id, public_id, card_id, name)
    select ${into}, r.id, r."publicId", r."cardId", r.name
    from ${from} as r(id bigint, "publicId" text, "cardId" bigint, name text)`,
  );
  await insertAll(
    db,
    rows.items,
    (from) => sql`
    insert into checklist_item (workspace_id, public_id, checklist_id, title, completed, position)
    select ${into}, r."publicId", r."checklistId", r.title, r.completed, r.position
    from ${from} as r("publicId" text, "checklistId" bigint, title text, completed boolean, position bigint)`,
  );
}

async function insertAll(db: Transaction, rows: readonly object[], insert: (from: SQL) => SQL): Promise<void> {
  for (const part of partsOf(rows)) await db.rows(insert(sql`jsonb_to_recordset(${part}::text::jsonb)`));
}

/** Limits of a statement: the embedded database keeps the process waiting while one runs. */
const MAX_ROWS = 1000;
const MAX_LENGTH = 1_000_000;

/** The rows as JSON arrays, each as much as one statement takes. */
function* partsOf(rows: readonly object[]): Generator<string> {
  let part: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (part.length === MAX_ROWS || (part.length > 0 && length + text.length > MAX_LENGTH)) {
      yield `[${part.join()}]`;
      part = [];
      length = 0;
    }
    part.push(text);
    length += text.length;
  }
  if (part.length > 0) yield `[${part.join()}]`;
}
