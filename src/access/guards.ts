// Who may: each guard loads a thing by its public identifier and authorises the caller in one joined query, and throws
// NOT_FOUND or FORBIDDEN. Inside a transaction it locks as well: a board shared by those who work on it and for one alone
// who changes it, then lists by key, then cards by key; the workspace's counter comes last, in `record`.

import { type SQL, sql } from "drizzle-orm";
import type { Signed } from "../api/context.js";
import { badRequest, forbidden, notFound } from "../api/errors.js";
import { bigints, type Queries, type Transaction, texts } from "../db/client.js";
import { holdersOf, may, type Permission, type Role, seesBoard } from "./permissions.js";
import { accountOf } from "./tokens.js";

/** A workspace the caller belongs to. */
export interface WorkspaceAccess {
  workspaceId: number;
  workspacePublicId: string;
  /** The caller's own membership. */
  memberId: number;
  role: Role;
}

/** A board the caller sees. */
export interface BoardAccess extends WorkspaceAccess {
  boardId: number;
  boardPublicId: string;
  visibility: "workspace" | "private" | "public";
  boardArchivedAt: string | null;
  isBoardMember: boolean;
}

/** A row as guards read it, before anything is known of the caller's rights. */
export type Unchecked<Access extends WorkspaceAccess> = Omit<Access, "memberId" | "role"> & {
  memberId: number | null;
  role: Role | null;
};

/** The columns and the join that tell what a caller may in the workspace `w`. */
export const workspaceColumns = sql.raw(
  `w.id as "workspaceId", w.public_id as "workspacePublicId", m.id as "memberId", m.role`,
);

/**
 * The caller's account. Until the request's token is proven it is found by the token in the statement itself: then nobody who
 * presents a token that has ended is found to be a member, and who is found is proven.
 */
export const callerKey = ({ user }: Signed) =>
  user.claim.isProven ? sql`${user.accountId}::bigint` : accountOf(user.claim.tokenHash);

/** What a statement found by `callerKey` proves the caller. */
export function proveBy({ user }: Signed, isFound: boolean): void {
  user.claim.isProven ||= isFound;
}

export const callerIn = (ctx: Signed) =>
  sql`left join member m on m.account_id = ${callerKey(ctx)} and m.workspace_id = w.id`;

/** The columns and joins that tell what a caller may on the board `b`. */
export const boardColumns =
  sql.raw(`w.id as "workspaceId", w.public_id as "workspacePublicId", m.id as "memberId", m.role,
  b.id as "boardId", b.public_id as "boardPublicId", b.visibility, b.archived_at as "boardArchivedAt",
  bm.member_id is not null as "isBoardMember"`);

export const boardJoins = (ctx: Signed) => sql`join workspace w on w.id = b.workspace_id ${boardPeople(ctx)}`;

/** The caller in the workspace of the board `b`, and on the board. */
export const boardPeople = (ctx: Signed) => sql`
  left join member m on m.account_id = ${callerKey(ctx)} and m.workspace_id = b.workspace_id
  left join board_member bm on bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = m.id`;

/** Whether these are the queries of a transaction. */
export const locks = (db: Queries): db is Transaction => "last" in db;

/** The locks of a guard inside a transaction, in the order in which they are taken; nothing outside of one. */
export const locking = (ctx: Signed, clauses: string) => (locks(ctx.db) ? sql.raw(clauses) : sql``);

/**
 * Locks a row for this one alone before the guard's own statement, which then reads what holds for as long as the lock does. Locked by
 * that statement itself, what it read of the caller would be what was true before it waited.
 */
export function lockFirst(ctx: Signed, row: SQL): void {
  // What fails there fails the guard too.
  if (locks(ctx.db)) ctx.db.rows(sql`select id from ${row} for no key update`).catch(() => {});
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
  proveBy(ctx, isMember(row));
  const { boundWorkspaceId } = ctx.user.token;
  if (boundWorkspaceId !== null && boundWorkspaceId !== row.workspaceId) throw forbidden();
  if (!isMember(row) || !may(row.role, permission)) throw forbidden();
  ctx.inWorkspace?.(row.workspaceId);
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

/**
 * The same rule for a list of boards `b` joined with `bm`, the caller's own place on each: those that a member sees, which may be
 * known already (`lagging.ts`).
 */
export const isSeenBy = ({ role, sees }: { role: Role; sees?: readonly number[] }) =>
  sees === undefined
    ? sql`
  (${role}::text = 'admin' or bm.member_id is not null or (${role}::text = 'member' and b.visibility <> 'private'))`
    : sql`b.id = any(${bigints(sees)})`;

/** The same rule for the caller `m`, in a statement that authorises and answers at once. */
export const callerSees = sql.raw(
  "(m.role = 'admin' or bm.member_id is not null or (m.role = 'member' and b.visibility <> 'private'))",
);

/**
 * All of it for the caller `m` and the board `b`, in a statement that authorises and changes at once; with what `mustBeOpen` asks for.
 * Who is refused finds out why from the guard.
 */
export const callerMay = ({ user }: Signed, permission: Permission) => sql`
  (${callerSees} and m.role = any(${texts(holdersOf(permission))}) and b.archived_at is null
    and w.id = coalesce(${user.token.boundWorkspaceId}::bigint, w.id))`;

/** Refuses to change what is on an archived board; comes after every guard (contract section 2, Archived boards). */
export function mustBeOpen(board: BoardAccess): void {
  if (board.boardArchivedAt !== null) throw badRequest("The board is archived");
}

/** `share`: many may work on it at once; `alone`: it is itself to change, or the order of what it holds. */
export type Lock = "share" | "alone";

/** A workspace; inside a transaction it is locked, for this one alone unless told otherwise. */
export async function workspaceFor(
  ctx: Signed,
  publicId: string,
  permission: Permission,
  lock: Lock = "alone",
): Promise<WorkspaceAccess> {
  if (lock === "alone") lockFirst(ctx, sql`workspace where public_id = ${publicId}::text`);
  const [row] = await ctx.db.rows<Unchecked<WorkspaceAccess>>(sql`
    select ${workspaceColumns} from workspace w ${callerIn(ctx)}
    where w.public_id = ${publicId}::text
    ${locking(ctx, lock === "alone" ? "" : "for key share of w")}`);
  return authoriseInWorkspace(ctx, row, permission);
}

const boardLock = (lock: Lock) => (lock === "alone" ? "for no key update of b" : "for share of b");

/** A board; inside a transaction it is locked, for this one alone unless told otherwise. */
export async function boardFor(
  ctx: Signed,
  publicId: string,
  permission: Permission,
  lock: Lock = "alone",
): Promise<BoardAccess> {
  if (lock === "alone") lockFirst(ctx, sql`board where public_id = ${publicId}::text`);
  const [row] = await ctx.db.rows<Unchecked<BoardAccess>>(sql`
    select ${boardColumns} from board b ${boardJoins(ctx)}
    where b.public_id = ${publicId}::text
    ${locking(ctx, lock === "alone" ? "" : boardLock(lock))}`);
  return authoriseOnBoard(ctx, row, permission);
}

/** A list of a board the caller sees. */
export interface ListAccess extends BoardAccess {
  listId: number;
  listPublicId: string;
  listName: string;
  position: number;
  openCards: number;
}

/** The columns of a list `l`. */
export const listColumns = sql.raw(`l.id as "listId", l.public_id as "listPublicId", l.name as "listName", l.position,
  l.open_cards as "openCards"`);

/** A list and its board, both locked inside a transaction. */
export async function listFor(
  ctx: Signed,
  publicId: string,
  permission: Permission,
  lock: Lock = "share",
): Promise<ListAccess> {
  const [row] = await ctx.db.rows<Unchecked<ListAccess>>(sql`
    select ${boardColumns}, ${listColumns}
    from list l
    join board b on b.workspace_id = l.workspace_id and b.id = l.board_id ${boardJoins(ctx)}
    where l.public_id = ${publicId}::text
    ${locking(ctx, `${boardLock(lock)} for no key update of l`)}`);
  return authoriseOnBoard(ctx, row, permission);
}

/** A label or tag with the names it is shown by. */
export interface Named {
  id: number;
  publicId: string;
  name: string;
  colourCode: string;
}

/** A label; inside a transaction its board is locked for this one alone, because cards that take the label lock it too. */
export async function labelFor(ctx: Signed, publicId: string, permission: Permission): Promise<BoardAccess & Named> {
  const [row] = await ctx.db.rows<Unchecked<BoardAccess & Named>>(sql`
    select ${boardColumns}, l.id, l.public_id as "publicId", l.name, l.colour_code as "colourCode"
    from label l
    join board b on b.workspace_id = l.workspace_id and b.id = l.board_id ${boardJoins(ctx)}
    where l.public_id = ${publicId}::text
    ${locking(ctx, `${boardLock("alone")} for no key update of l`)}`);
  return authoriseOnBoard(ctx, row, permission);
}

/** The labels of a board by their identifiers; one that is unknown or of another board is NOT_FOUND. */
export function labelsOn(ctx: Signed, board: BoardAccess, publicIds: readonly string[]): Promise<Named[]> {
  return namedIn(
    ctx,
    publicIds,
    sql`label where workspace_id = ${board.workspaceId}::bigint and board_id = ${board.boardId}::bigint`,
  );
}

/** The tags of a workspace by their identifiers; one that is unknown or of another workspace is NOT_FOUND. */
export function tagsIn(ctx: Signed, workspace: WorkspaceAccess, publicIds: readonly string[]): Promise<Named[]> {
  return namedIn(ctx, publicIds, sql`tag where workspace_id = ${workspace.workspaceId}::bigint`);
}

async function namedIn(ctx: Signed, publicIds: readonly string[], from: SQL): Promise<Named[]> {
  if (publicIds.length === 0) return [];
  const wanted = [...new Set(publicIds)];
  const found = await ctx.db.rows<Named>(sql`
    select id, public_id as "publicId", name, colour_code as "colourCode" from ${from}
      and public_id = any(${texts(wanted)}) order by id ${locking(ctx, "for key share")}`);
  if (found.length < wanted.length) throw notFound();
  return found;
}
