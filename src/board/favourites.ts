// Each person's own mark on a board. It is nobody else's business: it writes no event, and takes no lock of the workspace.

import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BoardAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import type { Database } from "../db/client.js";
import { codes } from "../db/failures.js";
import { board, boardFavourite } from "../db/schema/index.js";

/** The statement that sets or clears the caller's mark on a board, which may be so already. */
export function favouriteMark({ user }: Signed, { workspaceId, boardId }: BoardAccess, isFavourite: boolean): SQL {
  const mark = sql`(${workspaceId}::bigint, ${boardId}::bigint, ${user.accountId}::bigint)`;
  return isFavourite
    ? sql`insert into board_favourite (workspace_id, board_id, account_id) values ${mark} on conflict do nothing`
    : sql`delete from board_favourite where (workspace_id, board_id, account_id) = ${mark}`;
}

const FOREIGN_KEY_VIOLATION = "23503";

/**
 * Sets or clears the caller's mark on a board outside of any change.
 * @throws NOT_FOUND for a board that was deleted since it was looked up.
 */
export async function markFavourite(ctx: Signed<Database>, found: BoardAccess, isFavourite: boolean): Promise<void> {
  try {
    await ctx.db.rows(favouriteMark(ctx, found, isFavourite));
  } catch (error) {
    throw codes(error).includes(FOREIGN_KEY_VIOLATION) ? notFound() : error;
  }
}

/** A board as updating it answers, with the caller's mark. */
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
