// The boards that a person marked as favourites or opened, of all their workspaces.

import { sql } from "drizzle-orm";
import { z } from "zod";
import { callerSees } from "../access/boardVisibility.js";
import { callerKey } from "../access/lookups.js";
import type { Signed } from "../api/context.js";
import { byName } from "../api/shapes.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { board, boardFavourite, boardMember, boardOpened, member, workspace } from "../db/schema/index.js";
import { beside, type RowOf, selection } from "../db/selections.js";
import { BoardSummary } from "./boardShapes.js";
import { openCardsOn, ownFavourite, shownBoard, shownFields, type tagFields, tagsOf } from "./wholeBoards.js";

/** A board in a list of boards of several workspaces. */
export const MarkedBoard = z
  .object({
    ...BoardSummary.shape,
    workspacePublicId: z.string().meta({ description: "The identifier of the workspace of the board." }),
  })
  .meta({ id: "MarkedBoard", description: "A board that the caller marked as a favourite or opened." });

type Marked = z.output<typeof MarkedBoard>;

/** The most recent boards that are listed. */
const RECENT_MAX = 20;

const marked = selection({
  ...shownFields,
  workspacePublicId: workspace.publicId,
  isFavourite: sql<boolean>`${boardFavourite.accountId} is not null`,
  isOpened: sql<boolean>`${boardOpened.accountId} is not null`,
  openCards: beside<number>(),
  tags: beside<RowOf<typeof tagFields>[] | null>(),
});

/** The keys of the boards that the caller marked. */
const marksOf = (ctx: Signed) => sql`
  select ${boardFavourite.workspaceId}, ${boardFavourite.boardId} from ${boardFavourite}
  where ${boardFavourite.accountId} = ${callerKey(ctx)}
  union select ${boardOpened.workspaceId}, ${boardOpened.boardId} from ${boardOpened}
  where ${boardOpened.accountId} = ${callerKey(ctx)}`;

/** The marked boards that the caller sees, the one opened last first. */
function markedBy(ctx: Signed) {
  const { boundWorkspaceId } = ctx.user.token;
  const isReached = boundWorkspaceId === null ? sql`` : sql`and ${workspace.id} = ${boundWorkspaceId}::bigint`;
  return acrossWorkspaces(
    "boards that an account marked",
    sql`
      select ${marked}, (${openCardsOn} = ${board.workspaceId}) as "openCards", (${tagsOf} = ${board.workspaceId}) as tags
      from ${member}
      join ${workspace} on ${workspace.id} = ${member.workspaceId}
      join (${marksOf(ctx)}) mark on mark.workspace_id = ${member.workspaceId}
      join ${board} on ${board.workspaceId} = mark.workspace_id and ${board.id} = mark.board_id
      left join ${boardMember} on ${boardMember.workspaceId} = ${board.workspaceId}
        and ${boardMember.boardId} = ${board.id} and ${boardMember.memberId} = ${member.id}
      ${ownFavourite}
      left join ${boardOpened} on ${boardOpened.workspaceId} = ${board.workspaceId}
        and ${boardOpened.boardId} = ${board.id} and ${boardOpened.accountId} = ${member.accountId}
      where ${member.accountId} = ${callerKey(ctx)} ${isReached} and ${board.archivedAt} is null and ${callerSees}
      order by ${boardOpened.openedAt} desc nulls last, ${board.workspaceId}, ${board.id}`,
  );
}

/** The favourites of the caller by name, and the boards that they opened last; without archived ones and ones that they do not see. */
export async function readMarkedBoards(ctx: Signed): Promise<{ favourites: Marked[]; recent: Marked[] }> {
  const rows = await ctx.db.read(marked, markedBy(ctx));
  const shown = rows.map(({ workspacePublicId, isFavourite, isOpened, openCards, tags, ...row }) => ({
    isOpened,
    board: {
      ...shownBoard(row),
      isFavourite,
      tags: (tags ?? []).sort(byName),
      openCards,
      workspacePublicId,
    },
  }));
  const opened = shown.filter(({ isOpened }) => isOpened).slice(0, RECENT_MAX);
  return {
    favourites: shown
      .map(({ board }) => board)
      .filter(({ isFavourite }) => isFavourite)
      .sort(byName),
    recent: opened.map(({ board }) => board),
  };
}
