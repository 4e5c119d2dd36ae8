// The boards that a person marked as favourites or opened, of all their workspaces.

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { callerSees, memberPlaceOn } from "../access/boardVisibility.js";
import { callerKey } from "../access/lookups.js";
import type { Signed } from "../api/context.js";
import { byName } from "../api/shapes.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { board, boardFavourite, boardMember, boardOpened, member, workspace } from "../db/schema/index.js";
import { computed, type RowOf, selection } from "../db/selections.js";
import { BoardSummary } from "./boardShapes.js";
import { openCardsOn, type tagFields, tagsOf } from "./listedBoards.js";
import { ownFavourite, shownBoard, shownFields } from "./wholeBoards.js";

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
  isFavourite: computed<boolean>(),
  /** Null where the board is listed as a favourite. */
  openedAt: computed<string | null>(),
  openCards: computed<number>(),
  tags: computed<RowOf<typeof tagFields>[] | null>(),
});

interface Marks {
  table: typeof boardFavourite | typeof boardOpened;
  /** Selects `isFavourite` and `openedAt`. */
  values: SQL;
  /** Joins what `values` needs beside the mark. */
  joins?: SQL;
  /** The order and the number of the marks; all by default. */
  cut?: SQL;
}

const FAVOURITES: Marks = {
  table: boardFavourite,
  values: sql`true as "isFavourite", null::timestamptz as "openedAt"`,
};

const RECENT: Marks = {
  table: boardOpened,
  values: sql`${boardFavourite.accountId} is not null as "isFavourite", ${boardOpened.openedAt} as "openedAt"`,
  joins: ownFavourite,
  cut: sql`order by ${boardOpened.openedAt} desc, ${board.workspaceId}, ${board.id} limit ${sql.raw(String(RECENT_MAX))}`,
};

/** The boards with a mark of the caller that the caller sees, without archived ones. */
function boardsWith(ctx: Signed, { table, values, joins = sql``, cut = sql`` }: Marks): SQL {
  const { boundWorkspaceId } = ctx.user.token;
  const isReached = boundWorkspaceId === null ? sql`` : sql`and ${table.workspaceId} = ${boundWorkspaceId}::bigint`;
  return sql`(
    select ${marked}, ${values}, (${openCardsOn} = ${board.workspaceId}) as "openCards",
      (${tagsOf} = ${board.workspaceId}) as tags
    from ${table}
    join ${member} on ${member.workspaceId} = ${table.workspaceId} and ${member.accountId} = ${table.accountId}
    join ${workspace} on ${workspace.id} = ${table.workspaceId}
    join ${board} on ${board.workspaceId} = ${table.workspaceId} and ${board.id} = ${table.boardId}
    left join ${boardMember} on ${memberPlaceOn(board.workspaceId, board.id)}
    ${joins}
    where ${table.accountId} = ${callerKey(ctx)} ${isReached} and ${board.archivedAt} is null and ${callerSees}
    ${cut})`;
}

/** The favourites of the caller by name, and the boards that they opened last; without archived ones and ones that they do not see. */
export async function readMarkedBoards(ctx: Signed): Promise<{ favourites: Marked[]; recent: Marked[] }> {
  const rows = await ctx.db.read(
    marked,
    acrossWorkspaces(
      "boards that an account marked",
      sql`${boardsWith(ctx, FAVOURITES)} union all ${boardsWith(ctx, RECENT)}
        order by "openedAt" desc nulls last, "workspacePublicId", "publicId"`,
    ),
  );
  const entries = rows.map(({ workspacePublicId, isFavourite, openedAt, openCards, tags, ...row }) => ({
    isRecent: openedAt !== null,
    board: {
      ...shownBoard(row),
      isFavourite,
      tags: (tags ?? []).sort(byName),
      openCards,
      workspacePublicId,
    },
  }));
  const listed = (recent: boolean) => entries.flatMap(({ isRecent, board }) => (isRecent === recent ? board : []));
  return { favourites: listed(false).sort(byName), recent: listed(true) };
}
