// Guards: each loads an object by its public identifier and authorises the caller in one joined query, and throws NOT_FOUND or
// FORBIDDEN. Inside a change the result holds until the commit, because a workspace has one writer.

import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Signed } from "../api/context.js";
import { badRequest, forbidden, notFound } from "../api/errors.js";
import { type EarlyRead, Invalidation, oneRow, type Rule, type TableRule } from "../db/earlyReads.js";
import { workspaceOf } from "../db/ids.js";
import { board, card, label, list, member, type tag, workspace } from "../db/schema/index.js";
import { computed, orNull, type RowOf, type Selection, selection } from "../db/selections.js";
import type { Value } from "../db/statements.js";
import { isOnBoard, seesBoard } from "./boardVisibility.js";
import {
  type Asking,
  boardJoins,
  callerIn,
  isThatWorkspace,
  lookup,
  matchesId,
  PLACEHOLDERS,
  rowByKey,
  type Target,
} from "./lookups.js";
import { may, type Permission } from "./permissions.js";

const workspaceFields = { workspaceId: workspace.id, workspacePublicId: workspace.publicId };

/** The caller's own membership. */
const memberFields = { memberId: member.id, memberPublicId: member.publicId, role: member.role };

const ownBoardFields = {
  boardId: board.id,
  boardPublicId: board.publicId,
  boardName: board.name,
  /** The workspace's. */
  cardPrefix: workspace.cardPrefix,
  visibility: board.visibility,
  boardArchivedAt: board.archivedAt,
  isBoardMember: isOnBoard,
};

/** The fields that decide what a caller may do in a workspace, which `callerIn` joins. */
export const accessFields = { ...workspaceFields, ...orNull(memberFields) };

/** The fields that decide what a caller may do on a board, which `boardJoins` joins. */
export const boardFields = { ...accessFields, ...ownBoardFields };

/** A workspace the caller belongs to. */
export interface WorkspaceAccess extends RowOf<typeof workspaceFields & typeof memberFields> {}

/** A board the caller sees. */
export interface BoardAccess extends WorkspaceAccess, RowOf<typeof ownBoardFields> {}

/** A row as guards read it, before anything is known of the caller's rights. */
export type Unchecked<Access extends WorkspaceAccess> = Omit<Access, keyof typeof memberFields> & {
  [Name in keyof typeof memberFields]: Access[Name] | null;
};

/** Marks the caller as verified if a statement found a membership by `callerKey`. */
export function verifyBy({ user }: Signed, isFound: boolean): void {
  if (isFound) user.claim.confirm();
}

function isMember<Access extends WorkspaceAccess>(row: Unchecked<Access>): row is Unchecked<Access> & Access {
  return row.role !== null && row.memberId !== null;
}

/** Lets a member through whose token and role have the permission. The statement found the caller by `callerKey`. */
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

/** The guard by the one row of a statement. A change may send that statement, `early`, before its turn. */
function guardByRow<Row extends object, Access>(
  rows: Selection<Row>,
  statement: (caller: SQL, named: Target) => SQL,
  rules: readonly TableRule<Row>[],
  authorise: (ctx: Signed, row: Row | undefined, permission: Permission) => Access,
) {
  const find = lookup(statement);
  const invalidation = Invalidation.of(find.text, rules);
  const guard = async (ctx: Signed, publicId: string, permission: Permission): Promise<Access> => {
    const [row] = await ctx.db.read(rows, find(ctx, publicId));
    return authorise(ctx, row, permission);
  };
  const early = (ctx: Asking, publicId: string): EarlyRead[] => [{ invalidation, ...find(ctx, publicId) }];
  return Object.assign(guard, { early });
}

/** The guard of a workspace, by the columns that it reads. */
export const guardInWorkspace = <Access extends WorkspaceAccess>(rows: Selection<Unchecked<Access>>) =>
  guardByRow<Unchecked<Access>, Access>(
    rows,
    (caller, named) => sql`select ${rows} from ${workspace} ${callerIn(caller)} where ${isThatWorkspace(named)}`,
    [],
    authoriseInWorkspace,
  );

/** A workspace that the caller belongs to. */
export const workspaceFor = guardInWorkspace<WorkspaceAccess>(selection(accessFields));

/** The parts of a guard of something on a board. The statement's text is built once: values are placeholders in it (`PLACEHOLDERS`). */
interface GuardedRow<Access extends BoardAccess> {
  rows: Selection<Unchecked<Access>>;
  /** Columns selected beside the list of `rows`. */
  besides?: SQL;
  from: SQL;
  /** The table in which its identifiers are looked up. */
  named: PgTable & { workspaceId: PgColumn; publicId: PgColumn };
  /** The rules by which its row follows writes of earlier changes in the same transaction. */
  rules?: readonly TableRule<Unchecked<Access>>[];
}

/** The guard of something on a board that the caller sees. */
export function guardOnBoard<Access extends BoardAccess>(guarded: GuardedRow<Access>) {
  const { rows, besides, from, named, rules = [] } = guarded;
  const selected = besides === undefined ? rows : sql`${rows}, ${besides}`;
  return guardByRow<Unchecked<Access>, Access>(
    rows,
    (caller, naming) =>
      sql`select ${selected} from ${from} ${boardJoins(caller, naming.workspaceId)} where ${matchesId(named, naming)}`,
    rules,
    authoriseOnBoard,
  );
}

/** A board that the caller sees. */
export const boardFor = guardOnBoard<BoardAccess>({ rows: selection(boardFields), from: sql`${board}`, named: board });

/** The fields of a list, with the position of its last open card. */
export const listFields = {
  listId: list.id,
  listPublicId: list.publicId,
  listName: list.name,
  position: list.position,
  openCards: list.openCards,
  /** The position of its last open card; null where it has none. */
  lastPosition: computed<number | null>(),
};

/** Selects the position of the last open card of a list. */
export const lastPositionIn = (workspaceId: Value<number>) => sql`(
  select max(${card.position}) from ${card}
  where ${card.workspaceId} = ${workspaceId}::bigint and ${card.listId} = ${list.id}) as "lastPosition"`;

/** A list of a board the caller sees. */
export interface ListAccess extends BoardAccess, RowOf<typeof listFields> {}

/** The fields of a written card that decide its place. */
type Standing = Partial<Pick<typeof card.$inferInsert, "listId" | "position">>;

/** A card that comes to the list may be its new end. If the last card leaves, its position is kept: any value beyond the rest is valid. */
const endOfList: Rule<Unchecked<ListAccess>> = (row, { kind, values }) => {
  if (kind === "delete" || values === null) return null;
  const standings: readonly Standing[] = values;
  let last = row.lastPosition;
  for (const { listId, position } of standings) {
    if (position == null) continue;
    if (listId === undefined) return null;
    if (listId === row.listId) last = Math.max(position, last ?? position);
  }
  return last === row.lastPosition ? row : { ...row, lastPosition: last };
};

const listAccess = { ...boardFields, ...listFields };

/** A list on a board that the caller sees. */
export const listFor = guardOnBoard<ListAccess>({
  rows: selection(listAccess),
  besides: lastPositionIn(PLACEHOLDERS.workspaceId),
  from: sql`${list} cross join ${rowByKey(board, PLACEHOLDERS.workspaceId, list.boardId)}`,
  named: list,
  rules: [oneRow(listAccess, list, { displayed: [list.openCards] }), [card, endOfList]],
});

/** A list to put cards on, as a second identifier. In another workspace it is FORBIDDEN (contract section 1, Order of checks). */
export async function targetListFor(ctx: Signed, publicId: string, permission: Permission): Promise<ListAccess> {
  const elsewhere = workspaceOf(publicId);
  if (elsewhere !== null && elsewhere !== ctx.workspaceId) {
    const rows = await ctx.db
      .select({ id: list.id })
      .from(list)
      .where(and(eq(list.workspaceId, elsewhere), eq(list.publicId, publicId)));
    if (rows.length > 0) throw forbidden();
  }
  return listFor(ctx, publicId, permission);
}

/** The fields by which a label or a tag is shown, and its key. */
export const namedFields = <Table extends typeof label | typeof tag>({ id, publicId, name, colourCode }: Table) => ({
  id,
  publicId,
  name,
  colourCode,
});

/** A label or tag with the names it is shown by. */
export type Named = Pick<typeof label.$inferSelect, "id" | "publicId" | "name" | "colourCode">;

/** A label or tag as answers and events show it. */
export const shownNamed = ({ publicId, name, colourCode }: Named) => ({ publicId, name, colourCode });

/** A label of a board that the caller sees. */
export const labelFor = guardOnBoard<BoardAccess & Named>({
  rows: selection({ ...boardFields, ...namedFields(label) }),
  from: sql`${label} cross join ${rowByKey(board, PLACEHOLDERS.workspaceId, label.boardId)}`,
  named: label,
});
