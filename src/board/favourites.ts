// The personal marks of a caller on a board: whether it is a favourite, and when they last opened it. They write no event and take no
// lock of the workspace.

import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { BoardAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import type { Database } from "../db/client.js";
import { codes } from "../db/failures.js";
import { board, boardFavourite, boardOpened } from "../db/schema/index.js";

/** Whether a mark on a board is the caller's. */
const isOwn = ({ user }: Signed, { workspaceId, boardId }: BoardAccess) =>
  and(
    eq(boardFavourite.workspaceId, workspaceId),
    eq(boardFavourite.boardId, boardId),
    eq(boardFavourite.accountId, user.accountId),
  );

/** The statement that sets or clears the caller's mark on a board; it may have no effect. */
export function favouriteMark(ctx: Signed, access: BoardAccess, isFavourite: boolean): SQL {
  const { workspaceId, boardId } = access;
  const mark = { workspaceId, boardId, accountId: ctx.user.accountId };
  return isFavourite
    ? ctx.db.insert(boardFavourite).values(mark).onConflictDoNothing().getSQL()
    : ctx.db.delete(boardFavourite).where(isOwn(ctx, access)).getSQL();
}

const FOREIGN_KEY_VIOLATION = "23503";

/**
 * Runs a statement that marks a board outside of any change, and returns the number of its rows.
 * @throws NOT_FOUND for a board that was deleted since it was looked up.
 */
async function mark(db: Database, statement: SQL): Promise<number> {
  try {
    return await db.run(statement);
  } catch (error) {
    throw codes(error).includes(FOREIGN_KEY_VIOLATION) ? notFound() : error;
  }
}

/** Sets or clears the caller's mark on a board. @throws NOT_FOUND for a board that was deleted since it was looked up. */
export const markFavourite = (ctx: Signed<Database>, access: BoardAccess, isFavourite: boolean): Promise<number> =>
  mark(ctx.db, favouriteMark(ctx, access, isFavourite));

/**
 * Stores that the caller opens a board now; nothing, and no response under its key, within a minute of the last opening.
 * @throws NOT_FOUND for a board that was deleted since it was looked up.
 */
export async function markOpened(ctx: Signed<Database>, { workspaceId, boardId }: BoardAccess): Promise<void> {
  const { db, user, requestOptions } = ctx;
  const openedAt = sql`now()`;
  const statement = db
    .insert(boardOpened)
    .values({ workspaceId, boardId, accountId: user.accountId, openedAt })
    .onConflictDoUpdate({
      target: [boardOpened.workspaceId, boardOpened.boardId, boardOpened.accountId],
      set: { openedAt },
      setWhere: lt(boardOpened.openedAt, sql`now() - interval '1 minute'`),
    })
    .returning({ openedAt: boardOpened.openedAt });
  const isStored = (await mark(db, statement.getSQL())) > 0;
  if (!isStored && requestOptions.idempotency !== null) requestOptions.idempotency.isStored = true;
}

/** A board as updating it returns it, with the caller's mark. */
export async function updatableOf(ctx: Signed, access: BoardAccess) {
  const { publicId, name, slug, visibility } = board;
  const [row] = await ctx.db
    .select({ publicId, name, slug, visibility, markedBy: boardFavourite.accountId })
    .from(board)
    .leftJoin(boardFavourite, isOwn(ctx, access))
    .where(and(eq(board.workspaceId, access.workspaceId), eq(board.id, access.boardId)));
  if (row === undefined) throw notFound();
  const { markedBy, ...fields } = row;
  return { ...fields, isFavourite: markedBy !== null };
}
