// Who may: each guard loads a thing by its public identifier and authorises the caller in one joined query, and throws
// NOT_FOUND or FORBIDDEN. Inside a change it reads what holds until the change is committed: the workspace has one writer.

import { type SQL, sql } from "drizzle-orm";
import type { Signed } from "../api/context.js";
import { badRequest, forbidden, notFound } from "../api/errors.js";
import { texts } from "../db/client.js";
import { workspaceOf } from "../db/ids.js";
import { nameKey } from "../db/nameKey.js";
import { seesBoard, type Visibility } from "./boardVisibility.js";
import { may, type Permission, type Role } from "./permissions.js";
import { accountOf } from "./tokens.js";

/** A workspace the caller belongs to. */
export interface WorkspaceAccess {
  workspaceId: number;
  workspacePublicId: string;
  /** The caller's own membership. */
  memberId: number;
  memberPublicId: string;
  role: Role;
}

/** A board the caller sees. */
export interface BoardAccess extends WorkspaceAccess {
  boardId: number;
  boardPublicId: string;
  boardName: string;
  /** The workspace's. */
  cardPrefix: string;
  visibility: Visibility;
  boardArchivedAt: string | null;
  isBoardMember: boolean;
}

/** A row as guards read it, before anything is known of the caller's rights. */
export type Unchecked<Access extends WorkspaceAccess> = Omit<Access, "memberId" | "memberPublicId" | "role"> & {
  memberId: number | null;
  memberPublicId: string | null;
  role: Role | null;
};

const IN_WORKSPACE = `w.id as "workspaceId", w.public_id as "workspacePublicId", m.id as "memberId", m.public_id as "memberPublicId", m.role`;

/** The columns and the join that tell what a caller may in the workspace `w`. */
export const workspaceColumns = sql.raw(IN_WORKSPACE);

/**
 * The caller's account. Until the request's token is verified it is found by the token in the statement itself: then nobody who
 * presents a token that has ended is found to be a member, and who is found is verified.
 */
export const callerKey = ({ user }: Signed) =>
  user.claim.isVerified ? sql`${user.accountId}::bigint` : accountOf(user.claim.tokenHash);

/** What a statement found by `callerKey` verifies the caller. */
export function verifyBy({ user }: Signed, isFound: boolean): void {
  user.claim.isVerified ||= isFound;
}

export const callerIn = (ctx: Signed) =>
  sql`left join member m on m.account_id = ${callerKey(ctx)} and m.workspace_id = w.id`;

/** The columns and joins that tell what a caller may on the board `b`. */
export const boardColumns = sql.raw(`${IN_WORKSPACE},
  b.id as "boardId", b.public_id as "boardPublicId", b.name as "boardName", w.card_prefix as "cardPrefix", b.visibility, b.archived_at as "boardArchivedAt",
  bm.member_id is not null as "isBoardMember"`);

export const boardJoins = (ctx: Signed) => sql`join workspace w on w.id = b.workspace_id ${boardPeople(ctx)}`;

/**
 * The row of a table that another row names by its key, as an item of FROM. OFFSET has PostgreSQL look it up by the whole key: it
 * knows the workspace anyway, takes a workspace to hold one row of the kind, and would read all that there are.
 */
export const keyed = (table: string, alias: string, workspaceId: string, id: string) =>
  sql.raw(`lateral (select * from ${table} where workspace_id = ${workspaceId} and id = ${id} offset 0) ${alias}`);

/** The caller in the workspace of the board `b`, and on the board. */
const boardPeople = (ctx: Signed) => sql`
  left join member m on m.account_id = ${callerKey(ctx)} and m.workspace_id = b.workspace_id
  left join board_member bm on bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = m.id`;

/**
 * The workspace in which an identifier is looked up: the one that is being changed, else the one that it names.
 * @throws NOT_FOUND where it names none.
 */
export function workspaceIdOf(ctx: Signed, publicId: string): number {
  const workspaceId = ctx.workspaceId ?? workspaceOf(publicId);
  if (workspaceId === null) throw notFound();
  return workspaceId;
}

function isMember<Access extends WorkspaceAccess>(row: Unchecked<Access>): row is Unchecked<Access> & Access {
  return row.role !== null && row.memberId !== null;
}

/**
 * Lets through who belongs to the workspace, with a token that reaches it and a role that has the permission. The row comes of a
 * statement that found the caller by `callerKey`.
 */
export function authoriseInWorkspace<Access extends WorkspaceAccess>(
  ctx: Signed,
  row: Unchecked<Access> | undefined,
  permission: Permission,
): Access {
  if (row === undefined) throw notFound();
  verifyBy(ctx, isMember(row));
  const { boundWorkspaceId } = ctx.user.token;
  if (boundWorkspaceId !== null && boundWorkspaceId !== row.workspaceId) throw forbidden();
  if (!isMember(row) || !may(row.role, permission)) throw forbidden();
  return row;
}

/** The same on a board, which the caller must see as well. */
export function authoriseOnBoard<Access extends BoardAccess>(
  ctx: Signed,
  row: Unchecked<Access> | undefined,
  permission: Permission,
): Access {
  const access = authoriseInWorkspace(ctx, row, permission);
  if (!seesBoard(access.role, access.visibility, access.isBoardMember)) throw forbidden();
  return access;
}

/** Refuses to change what is on an archived board; comes after every guard (contract section 2, Archived boards). */
export function mustBeOpen(board: BoardAccess): void {
  if (board.boardArchivedAt !== null) throw badRequest("The board is archived");
}

/** A workspace that the caller belongs to. */
export async function workspaceFor(ctx: Signed, publicId: string, permission: Permission): Promise<WorkspaceAccess> {
  const [row] = await ctx.db.rows<Unchecked<WorkspaceAccess>>(sql`
    select ${workspaceColumns} from workspace w ${callerIn(ctx)}
    where w.id = ${workspaceIdOf(ctx, publicId)}::bigint and w.public_id = ${publicId}::text`);
  return authoriseInWorkspace(ctx, row, permission);
}

/** A board that the caller sees. */
export async function boardFor(ctx: Signed, publicId: string, permission: Permission): Promise<BoardAccess> {
  const [row] = await ctx.db.rows<Unchecked<BoardAccess>>(sql`
    select ${boardColumns} from board b ${boardJoins(ctx)}
    where b.workspace_id = ${workspaceIdOf(ctx, publicId)}::bigint and b.public_id = ${publicId}::text`);
  return authoriseOnBoard(ctx, row, permission);
}

/** A list of a board the caller sees. */
export interface ListAccess extends BoardAccess {
  listId: number;
  listPublicId: string;
  listName: string;
  position: number;
  openCards: number;
  /** The position of its last open card; null where it has none. */
  lastPosition: number | null;
}

/** The columns of a list `l`. */
const listColumns = sql.raw(`l.id as "listId", l.public_id as "listPublicId", l.name as "listName", l.position,
  l.open_cards as "openCards", (
    select max(c.position) from card c where c.workspace_id = l.workspace_id and c.list_id = l.id) as "lastPosition"`);

/** A list on a board that the caller sees. */
export async function listFor(ctx: Signed, publicId: string, permission: Permission): Promise<ListAccess> {
  const [row] = await ctx.db.rows<Unchecked<ListAccess>>(sql`
    select ${boardColumns}, ${listColumns}
    from list l
    cross join ${keyed("board", "b", "l.workspace_id", "l.board_id")} ${boardJoins(ctx)}
    where l.workspace_id = ${workspaceIdOf(ctx, publicId)}::bigint and l.public_id = ${publicId}::text`);
  return authoriseOnBoard(ctx, row, permission);
}

/**
 * A list to put cards on, named beside something else. One of another workspace is FORBIDDEN whatever the operation (contract
 * section 1, Order of checks).
 */
export async function targetListFor(ctx: Signed, publicId: string, permission: Permission): Promise<ListAccess> {
  const elsewhere = workspaceOf(publicId);
  if (elsewhere !== null && elsewhere !== ctx.workspaceId) {
    const found = await ctx.db.rows(sql`
      select id from list where workspace_id = ${elsewhere}::bigint and public_id = ${publicId}::text`);
    if (found.length > 0) throw forbidden();
  }
  return listFor(ctx, publicId, permission);
}

/** A label or tag with the names it is shown by. */
export interface Named {
  id: number;
  publicId: string;
  name: string;
  colourCode: string;
}

/** A label of a board that the caller sees. */
export async function labelFor(ctx: Signed, publicId: string, permission: Permission): Promise<BoardAccess & Named> {
  const [row] = await ctx.db.rows<Unchecked<BoardAccess & Named>>(sql`
    select ${boardColumns}, l.id, l.public_id as "publicId", l.name, l.colour_code as "colourCode"
    from label l
    cross join ${keyed("board", "b", "l.workspace_id", "l.board_id")} ${boardJoins(ctx)}
    where l.workspace_id = ${workspaceIdOf(ctx, publicId)}::bigint and l.public_id = ${publicId}::text`);
  return authoriseOnBoard(ctx, row, permission);
}

const labelsAt = ({ workspaceId, boardId }: BoardAccess) =>
  sql`label where workspace_id = ${workspaceId}::bigint and board_id = ${boardId}::bigint`;
const tagsAt = ({ workspaceId }: Pick<WorkspaceAccess, "workspaceId">) =>
  sql`tag where workspace_id = ${workspaceId}::bigint`;

/** The labels of a board by their identifiers; one that is unknown or of another board is NOT_FOUND. */
export function labelsOn(ctx: Signed, board: BoardAccess, publicIds: readonly string[]): Promise<Named[]> {
  return namedIn(ctx, publicIds, labelsAt(board));
}

/** The tags of a workspace by their identifiers; one that is unknown or of another workspace is NOT_FOUND. */
export function tagsIn(ctx: Signed, workspace: WorkspaceAccess, publicIds: readonly string[]): Promise<Named[]> {
  return namedIn(ctx, publicIds, tagsAt(workspace));
}

async function namedIn(ctx: Signed, publicIds: readonly string[], from: SQL): Promise<Named[]> {
  if (publicIds.length === 0) return [];
  const wanted = [...new Set(publicIds)];
  const found = await ctx.db.rows<Named>(sql`
    select id, public_id as "publicId", name, colour_code as "colourCode" from ${from}
      and public_id = any(${texts(wanted)}) order by id`);
  if (found.length < wanted.length) throw notFound();
  return found;
}

/** Refuses a name that another label of a board has, in any case of letters. */
export const labelMustBeNew = (ctx: Signed, board: BoardAccess, name: string, ownId?: number) =>
  nameMustBeNew(ctx, labelsAt(board), { name, ownId }, "The board has a label of this name");

/** Refuses a name that another tag of a workspace has, in any case of letters. */
export const tagMustBeNew = (ctx: Signed, workspace: WorkspaceAccess, name: string, ownId?: number) =>
  nameMustBeNew(ctx, tagsAt(workspace), { name, ownId }, "Another tag has this name");

async function nameMustBeNew(
  ctx: Signed,
  from: SQL,
  { name, ownId }: { name: string; ownId: number | undefined },
  message: string,
): Promise<void> {
  const taken = await ctx.db.rows<{ id: number }>(sql`select id from ${from} and name_key = ${nameKey(name)}::text`);
  if (taken.some(({ id }) => id !== ownId)) throw badRequest(message, "name");
}
