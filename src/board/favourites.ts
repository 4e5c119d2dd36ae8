// Favourites: the personal mark of a caller on a board. It writes no event and takes no lock of the workspace.

import { and, eq, type SQL } from "drizzle-orm";
import type { BoardAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import type { Database } from "../db/client.js";
import { codes } from "../db/failures.js";
import { board, boardFavourite } from "../db/schema/index.js";

/** The statement that sets or clears the caller's mark on a board; it may have no effect. */
export function favouriteMark({ db, user }: Signed, { workspaceId, boardId }: BoardAccess, isFavourite: boolean): SQL {
  const mark = { workspaceId, boardId, accountId: user.accountId };
  return isFavourite
    ? db.insert(boardFavourite).values(mark).onConflictDoNothing().getSQL()
    : db
        .delete(boardFavourite)
        .where(
          and(
            eq(boardFavourite.workspaceId, workspaceId),
            eq(boardFavourite.boardId, boardId),
            eq(boardFavourite.accountId, user.accountId),
          ),
        )
        .getSQL();
}

const FOREIGN_KEY_VIOLATION = "23503";

/**
 * Sets or clears the caller's mark on a board outside of any change.
 * @throws NOT_FOUND for a board that was deleted since it was looked up.
 */
export async function markFavourite(ctx: Signed<Database>, found: BoardAccess, isFavourite: boolean): Promise<void> {
  try {
    await ctx.db.run(favouriteMark(ctx, found, isFavourite));
  } catch (error) {
    throw codes(error).includes(FOREIGN_KEY_VIOLATION) ? notFound() : error;
  }
}

/** A board as updating it returns it, with the caller's mark. */
export async function updatableOf({ db, user }: Signed, { workspaceId, boardId }: BoardAccess) {
  const { publicId, name, slug, visibility } = board;
  const [row] = await db
    .select({ publicId, name, slug, visibility, markedBy: boardFavourite.accountId })
    .from(board)
    .leftJoin(
      boardFavourite,
      and(
        eq(boardFavourite.workspaceId, workspaceId),
        eq(boardFavourite.boardId, boardId),
        eq(boardFavourite.accountId, user.accountId),
      ),
    )
    .where(and(eq(board.workspaceId, workspaceId), eq(board.id, boardId)));
  if (row === undefined) throw notFound();
  const { markedBy, ...shown } = row;
  return { ...shown, isFavourite: markedBy !== null };
}
