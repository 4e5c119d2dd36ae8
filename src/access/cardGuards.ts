// Guards for cards and what hangs on them.

import { sql } from "drizzle-orm";
import type { Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { bigints, texts } from "../db/client.js";
import { seesBoard } from "./boardVisibility.js";
import { type CardValues, fieldColumns } from "./cardFields.js";
import {
  authoriseOnBoard,
  type BoardAccess,
  boardColumns,
  boardJoins,
  keyed,
  type Unchecked,
  workspaceIdOf,
} from "./guards.js";
import type { Permission, Role } from "./permissions.js";

/** A card on a board the caller sees, with the fields that changes compare against. */
export interface CardAccess extends BoardAccess, CardValues {
  cardId: number;
  cardPublicId: string;
  cardNumber: number;
  /** Null once the list of an archived card is deleted. */
  listId: number | null;
  listPublicId: string | null;
  /** Null while archived. */
  position: number | null;
  archivedAt: string | null;
  createdAt: string;
  itemsTotal: number;
  itemsCompleted: number;
  commentCount: number;
  /** How many open cards its list has; null where it has none. */
  listOpenCards: number | null;
}

const cardColumns = sql.raw(`c.id as "cardId", c.public_id as "cardPublicId", c.card_number as "cardNumber",
  c.list_id as "listId", cl.public_id as "listPublicId", c.position, ${fieldColumns("c")},
  c.archived_at as "archivedAt", c.created_at as "createdAt", c.items_total as "itemsTotal", c.items_completed as "itemsCompleted",
  c.comment_count as "commentCount", cl.open_cards as "listOpenCards"`);

const cardBoard = sql`cross join ${keyed("board", "b", "c.workspace_id", "c.board_id")}
  left join ${keyed("list", "cl", "c.workspace_id", "c.list_id")} on true`;

/** A card on a board that the caller sees. */
export async function cardFor(ctx: Signed, publicId: string, permission: Permission): Promise<CardAccess> {
  const [row] = await ctx.db.rows<Unchecked<CardAccess>>(sql`
    select ${boardColumns}, ${cardColumns} from card c ${cardBoard} ${boardJoins(ctx)}
    where c.workspace_id = ${workspaceIdOf(ctx, publicId)}::bigint and c.public_id = ${publicId}::text`);
  return authoriseOnBoard(ctx, row, permission);
}

/**
 * Cards on boards that the caller sees, each once, in the order in which they are named.
 * @throws NOT_FOUND where one is unknown; FORBIDDEN where one is of another workspace.
 */
export async function cardsFor(
  ctx: Signed & { workspaceId: number },
  publicIds: readonly string[],
  permission: Permission,
): Promise<CardAccess[]> {
  const wanted = [...new Set(publicIds)];
  const rows = await ctx.db.rows<Unchecked<CardAccess>>(sql`
    select ${boardColumns}, ${cardColumns}
    from unnest(${texts(wanted)}) with ordinality as n(public_id, ordinal)
    join card c on c.workspace_id = ${ctx.workspaceId}::bigint and c.public_id = n.public_id ${cardBoard} ${boardJoins(ctx)}
    order by n.ordinal`);
  if (rows.length < wanted.length) throw notFound();
  return rows.map((row) => authoriseOnBoard<CardAccess>(ctx, row, permission));
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
const checklistCard = sql`cross join ${keyed("card", "c", "k.workspace_id", "k.card_id")}`;

/** A checklist of a card that the caller sees. */
export async function checklistFor(ctx: Signed, publicId: string, permission: Permission): Promise<ChecklistAccess> {
  const [row] = await ctx.db.rows<Unchecked<ChecklistAccess>>(sql`
    select ${boardColumns}, ${cardColumns}, ${checklistColumns}
    from checklist k ${checklistCard} ${cardBoard} ${boardJoins(ctx)}
    where k.workspace_id = ${workspaceIdOf(ctx, publicId)}::bigint and k.public_id = ${publicId}::text`);
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

/** An item of a checklist of a card that the caller sees. */
export async function itemFor(ctx: Signed, publicId: string, permission: Permission): Promise<ItemAccess> {
  const [row] = await ctx.db.rows<Unchecked<ItemAccess>>(sql`
    select ${boardColumns}, ${cardColumns}, ${checklistColumns}, i.id as "itemId", i.public_id as "itemPublicId",
      i.title as "itemTitle", i.completed as "itemCompleted", i.position as "itemPosition"
    from checklist_item i
    cross join ${keyed("checklist", "k", "i.workspace_id", "i.checklist_id")}
    ${checklistCard} ${cardBoard} ${boardJoins(ctx)}
    where i.workspace_id = ${workspaceIdOf(ctx, publicId)}::bigint and i.public_id = ${publicId}::text`);
  return authoriseOnBoard(ctx, row, permission);
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
    order by m.id`);
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
