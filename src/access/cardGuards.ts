// Guards for cards and what hangs on them. Two forms: `cardFor` for what happens on a card where it lies, and `placedCardsFor`
// for whatever takes cards out of lists or puts them in, which locks those lists first.

import { type SQL, sql } from "drizzle-orm";
import type { Signed } from "../api/context.js";
import { badRequest, forbidden, notFound } from "../api/errors.js";
import { bigints, type Transaction, texts } from "../db/client.js";
import { RacedError } from "../db/failures.js";
import {
  authoriseOnBoard,
  type BoardAccess,
  boardColumns,
  boardJoins,
  boardPeople,
  type ListAccess,
  listColumns,
  locking,
  locks,
  type Unchecked,
} from "./guards.js";
import { type Permission, type Role, seesBoard } from "./permissions.js";

/** A card on a board the caller sees, with the fields that changes compare against. */
export interface CardAccess extends BoardAccess {
  cardId: number;
  cardPublicId: string;
  cardNumber: number;
  /** Null once the list of an archived card is deleted. */
  listId: number | null;
  listPublicId: string | null;
  /** Null while archived. */
  position: number | null;
  title: string;
  description: string;
  dueDate: string | null;
  completedAt: string | null;
  archivedAt: string | null;
  priority: "low" | "medium" | "high" | "urgent" | "none";
}

const cardColumns = sql.raw(`c.id as "cardId", c.public_id as "cardPublicId", c.card_number as "cardNumber",
  c.list_id as "listId", cl.public_id as "listPublicId", c.position, c.title, c.description, c.due_date as "dueDate", c.completed_at as "completedAt",
  c.archived_at as "archivedAt", c.priority`);

const cardBoard = sql.raw(`join board b on b.workspace_id = c.workspace_id and b.id = c.board_id
  left join list cl on cl.workspace_id = c.workspace_id and cl.id = c.list_id`);

/**
 * The row a guard found. None is found also when the card went to another board while the guard waited for it: PostgreSQL then
 * gives up the joined row. The card is still there, and trying again will find it.
 */
async function settled<Row>(ctx: Signed, rows: readonly Row[], stillThere: SQL): Promise<Row | undefined> {
  const [row] = rows;
  if (row === undefined && locks(ctx.db) && (await ctx.db.rows(stillThere)).length > 0) throw new RacedError();
  return row;
}

/** A card; inside a transaction its board is shared and the card locked. */
export async function cardFor(ctx: Signed, publicId: string, permission: Permission): Promise<CardAccess> {
  const rows = await ctx.db.rows<Unchecked<CardAccess>>(sql`
    select ${boardColumns}, ${cardColumns} from card c ${cardBoard} ${boardJoins(ctx)}
    where c.public_id = ${publicId}::text
    ${locking(ctx, "for share of b for no key update of c")}`);
  const row = await settled(ctx, rows, sql`select id from card where public_id = ${publicId}::text`);
  return authoriseOnBoard(ctx, row, permission);
}

/** A checklist with its card. */
export interface ChecklistAccess extends CardAccess {
  checklistId: number;
  checklistPublicId: string;
  checklistName: string;
}

const checklistColumns = sql.raw(
  `k.id as "checklistId", k.public_id as "checklistPublicId", k.name as "checklistName"`,
);
const checklistCard = sql.raw("join card c on c.workspace_id = k.workspace_id and c.id = k.card_id");

/** A checklist; inside a transaction its card is locked, which is what serialises all work on its checklists. */
export async function checklistFor(ctx: Signed, publicId: string, permission: Permission): Promise<ChecklistAccess> {
  const rows = await ctx.db.rows<Unchecked<ChecklistAccess>>(sql`
    select ${boardColumns}, ${cardColumns}, ${checklistColumns}
    from checklist k ${checklistCard} ${cardBoard} ${boardJoins(ctx)}
    where k.public_id = ${publicId}::text
    ${locking(ctx, "for share of b for no key update of c for no key update of k")}`);
  const row = await settled(ctx, rows, sql`select id from checklist where public_id = ${publicId}::text`);
  return authoriseOnBoard(ctx, row, permission);
}

/** An item of a checklist with its card. */
export interface ItemAccess extends ChecklistAccess {
  itemId: number;
  itemPublicId: string;
  itemTitle: string;
  itemCompleted: boolean;
  itemPosition: number;
}

/** A checklist item; inside a transaction its card and checklist are locked. */
export async function itemFor(ctx: Signed, publicId: string, permission: Permission): Promise<ItemAccess> {
  const rows = await ctx.db.rows<Unchecked<ItemAccess>>(sql`
    select ${boardColumns}, ${cardColumns}, ${checklistColumns}, i.id as "itemId", i.public_id as "itemPublicId",
      i.title as "itemTitle", i.completed as "itemCompleted", i.position as "itemPosition"
    from checklist_item i
    join checklist k on k.workspace_id = i.workspace_id and k.id = i.checklist_id
    ${checklistCard} ${cardBoard} ${boardJoins(ctx)}
    where i.public_id = ${publicId}::text
    ${locking(ctx, "for share of b for no key update of c for no key update of k for no key update of i")}`);
  const row = await settled(ctx, rows, sql`select id from checklist_item where public_id = ${publicId}::text`);
  return authoriseOnBoard(ctx, row, permission);
}

/** Cards with the lists they lie in, all locked; and the list they are to go to, if one was asked for. */
export interface PlacedCards {
  /** In the order in which they were named, each once. */
  cards: CardAccess[];
  target: ListAccess | null;
}

interface PlacedRow extends Unchecked<CardAccess> {
  /** Whether its board and list are among the locked ones: not so when the card moved while this call waited. */
  isPlaced: boolean;
  /** The list to go to, in the first row. */
  target: Unchecked<ListAccess> | null;
}

/**
 * Locks the boards of cards and of a list for this one alone: then nothing moves before the next statement. Of many who move the
 * same cards at once, who lost a race would lose the next ones too.
 */
const boardsAlone = (db: Transaction, cardPublicIds: readonly string[], listPublicId: string | null) =>
  db.rows(sql`
    select b.id from board b
    where (b.workspace_id, b.id) in (
      select workspace_id, board_id from card where public_id = any(${texts(cardPublicIds)})
      union select workspace_id, board_id from list where public_id = ${listPublicId}::text
    )
    order by b.id for no key update of b`);

/**
 * The CTEs that lock cards, their lists and one that they are to go to: `boards`, `lists` and `cards`, each by key, so that movers
 * on one board wait for each other instead of deadlocking. Written as looks into an index one by one (`lateral`), in the order of
 * the locks, however many rows the planner expects. A card that moved meanwhile lies in none of the `lists`.
 */
export const placesLocked = (cardPublicIds: readonly string[], listPublicId: string | null) => sql`
    named as materialized (
      select c.workspace_id, c.id, c.list_id, c.board_id, n.ordinal
      from unnest(${texts(cardPublicIds)}) with ordinality as n(public_id, ordinal)
      cross join lateral (select * from card where public_id = n.public_id offset 0) c
    ), wanted_lists as materialized (
      select l.workspace_id, l.id, l.board_id from (select distinct workspace_id, list_id from named) n
      cross join lateral (select * from list where workspace_id = n.workspace_id and id = n.list_id offset 0) l
      union select l.workspace_id, l.id, l.board_id from list l where l.public_id = ${listPublicId}::text
    ), boards as (
      select b.* from (
        select workspace_id, board_id from named union select workspace_id, board_id from wanted_lists order by board_id
      ) n
      cross join lateral (select * from board where workspace_id = n.workspace_id and id = n.board_id for share) b
    ), lists as (
      select l.* from (select * from wanted_lists where (select count(*) from boards) > 0 order by id) n
      cross join lateral (select * from list where workspace_id = n.workspace_id and id = n.id for no key update) l
    ), locked_lists as (select count(*) as n from lists), cards as (
      select c.* from (select * from named where (select n from locked_lists) >= 0 order by id) n
      cross join lateral (select * from card where workspace_id = n.workspace_id and id = n.id for no key update) c
    )`;

/** The workspace of the board `b`, and the caller in it. */
export const around = (ctx: Signed) =>
  sql`cross join lateral (select * from workspace where id = b.workspace_id offset 0) w ${boardPeople(ctx)}`;

/**
 * Loads, authorises and locks cards and their lists in one statement. A card of another workspace than the first is FORBIDDEN, and
 * so is a target list of another workspace.
 */
export async function placedCardsFor(
  tx: Signed<Transaction>,
  publicIds: readonly string[],
  permission: Permission,
  targetPublicId?: string,
): Promise<PlacedCards> {
  const wanted = [...new Set(publicIds)];
  const target = targetPublicId ?? null;
  // What fails there fails here too.
  if (tx.db.isRepeated) boardsAlone(tx.db, wanted, target).catch(() => {});
  const rows = await tx.db.rows<PlacedRow>(sql`
    with ${placesLocked(wanted, target)}
    select ${boardColumns}, ${cardColumns},
      b.id is not null and (c.list_id is null or c.list_id in (select id from lists)) as "isPlaced",
      case when n.ordinal = 1 then (
        select row_to_json(t) from (
          select ${boardColumns}, ${listColumns}
          from lists l join boards b on b.workspace_id = l.workspace_id and b.id = l.board_id ${around(tx)}
          where l.public_id = ${target}::text
        ) t
      ) end as target
    from cards c
    join named n on n.workspace_id = c.workspace_id and n.id = c.id
    left join (boards b ${around(tx)}) on b.workspace_id = c.workspace_id and b.id = c.board_id
    left join list cl on cl.workspace_id = c.workspace_id and cl.id = c.list_id
    order by n.ordinal`);
  if (rows.some((row) => !row.isPlaced)) throw new RacedError();
  if (rows.length < wanted.length) throw notFound();
  const cards = rows.map((row) => authoriseOnBoard<CardAccess>(tx, row, permission));
  const [first] = cards;
  if (cards.some((card) => card.workspaceId !== first?.workspaceId)) throw forbidden();
  if (target === null) return { cards, target };
  const list = rows[0]?.target ?? undefined;
  if (list !== undefined && list.workspaceId !== first?.workspaceId) throw forbidden();
  return { cards, target: authoriseOnBoard<ListAccess>(tx, list, permission) };
}

/** A member of the workspace, and whether the boards in question are visible to it. */
export interface Assignee {
  id: number;
  publicId: string;
  /** Active, and sees every one of the boards. */
  mayBeAssigned: boolean;
}

interface AssigneeRow extends Omit<Assignee, "mayBeAssigned"> {
  isActive: boolean;
  role: Role;
  boardId: number;
  isBoardMember: boolean;
}

/** Members by their identifiers; one that is unknown or of another workspace is NOT_FOUND. */
export async function assigneesOn(
  ctx: Signed,
  boards: readonly BoardAccess[],
  publicIds: readonly string[],
): Promise<Assignee[]> {
  if (publicIds.length === 0) return [];
  const wanted = [...new Set(publicIds)];
  const byId = new Map(boards.map((board) => [board.boardId, board]));
  const rows = await ctx.db.rows<AssigneeRow>(sql`
    select m.id, m.public_id as "publicId", m.role, m.account_id is not null as "isActive", b.id as "boardId",
      bm.member_id is not null as "isBoardMember"
    from member m
    cross join unnest(${bigints([...byId.keys()])}) as b(id)
    left join board_member bm on bm.workspace_id = m.workspace_id and bm.board_id = b.id and bm.member_id = m.id
    where m.workspace_id = ${boards[0]?.workspaceId ?? null}::bigint and m.public_id = any(${texts(wanted)})
    order by m.id ${locking(ctx, "for key share of m")}`);
  const found = new Map<number, Assignee>();
  for (const { id, publicId, role, isActive, boardId, isBoardMember } of rows) {
    const visibility = byId.get(boardId)?.visibility ?? "private";
    const sees = isActive && seesBoard(role, visibility, isBoardMember);
    found.set(id, { id, publicId, mayBeAssigned: sees && (found.get(id)?.mayBeAssigned ?? true) });
  }
  if (found.size < wanted.length) throw notFound();
  return [...found.values()];
}

/** Refuses people who cannot be assigned (contract section 2, Assignees), naming the field they came in. */
export function mustBeAssignable(assignees: readonly Assignee[], field: string): void {
  if (assignees.every(({ mayBeAssigned }) => mayBeAssigned)) return;
  throw badRequest("An assignee must be an active member who can see the board", field);
}
