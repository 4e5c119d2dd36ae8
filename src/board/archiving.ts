// Archives and unarchives boards, and lists their archived cards.

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type BoardAccess, boardFor, type Named } from "../access/guards.js";
import { change } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { cursorValues, pagesOf } from "../api/cursors.js";
import { Ok, ok, page, pageInput, Text, Timestamp } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { isAbout } from "../card/model/cardMatches.js";
import { CardSummary } from "../card/model/cardShapes.js";
import {
  attachedKeys,
  labelsOfCard,
  peopleOfCard,
  type ShownPersonRow,
  summaryFields,
  wholeSummaryOf,
} from "../card/model/cardSummaries.js";
import type { Database } from "../db/client.js";
import { board, card, list } from "../db/schema/index.js";
import { computed, selection } from "../db/selections.js";
import { boardEvent } from "../events/log.js";
import { ofBoard } from "./boardShapes.js";

const tags = ["Boards"];

const pagesOfBoard = pagesOf("archivedCards", z.tuple([cursorValues.instant, cursorValues.publicId]));

const archivedCard = selection({
  ...summaryFields,
  archivedAt: sql<string>`${card.archivedAt}`,
  listName: sql<string | null>`${list.name}`,
  index: sql<null>`null::int`,
  labels: computed<Named[] | null>(),
  people: computed<ShownPersonRow[] | null>(),
});

const ArchivedCard = CardSummary.extend({
  archivedAt: Timestamp,
  listName: z
    .string()
    .nullable()
    .meta({ description: "The list from which it was archived; null if that list is deleted." }),
}).meta({ id: "ArchivedCard", description: "An archived card." });

/** The archived cards of a board behind the end of a page, the last archived first: what is on them is looked up for the page alone. */
const archivedCards = ({ workspaceId, boardId }: BoardAccess, isAsked: SQL, limit: number) => sql`
  select ${archivedCard}, ${attachedKeys(workspaceId)},
    ${labelsOfCard(workspaceId)} as labels, ${peopleOfCard(workspaceId)} as people
  from ${card}
  left join ${list} on ${list.workspaceId} = ${workspaceId}::bigint and ${list.id} = ${card.listId}
  where ${card.workspaceId} = ${workspaceId}::bigint and ${card.boardId} = ${boardId}::bigint
    and ${card.archivedAt} is not null and ${isAsked}
  order by ${card.archivedAt} desc, ${card.publicId} desc limit ${limit}::int`;

/** Archives or unarchives a board; does nothing if it is in that state already. */
const setArchived = (ctx: Signed<Database>, boardPublicId: string, isArchived: boolean) =>
  change(ctx, boardPublicId, boardFor, "board:edit", async (tx, access) => {
    if ((access.boardArchivedAt !== null) === isArchived) return ok;
    tx.set(board, { id: access.boardId }, { archivedAt: isArchived ? tx.now : null });
    tx.log(boardEvent(access, isArchived ? "board.archived" : "board.unarchived", {}));
    return ok;
  });

export const archiving = {
  archive: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/boards/{boardPublicId}/archive",
        tags,
        summary: "Archive a board",
        description:
          "Archives the board. An archived board is read-only and left out of lists, search, the calendar and public reading. Archiving it again changes nothing. Requires `board:edit`.",
        successDescription: "The board is archived.",
      },
    })
    .input(z.strictObject(ofBoard))
    .output(Ok)
    .mutation(({ ctx, input }) => setArchived(ctx, input.boardPublicId, true)),

  unarchive: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/boards/{boardPublicId}/unarchive",
        tags,
        summary: "Unarchive a board",
        description: "Makes an archived board writable again. An active board stays unchanged. Requires `board:edit`.",
        successDescription: "The board is active.",
      },
    })
    .input(z.strictObject(ofBoard))
    .output(Ok)
    .mutation(({ ctx, input }) => setArchived(ctx, input.boardPublicId, false)),

  archivedCards: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/archived-cards",
        tags,
        summary: "List archived cards",
        description:
          "Lists the archived cards of the board, the last archived first. With `search`, only those whose title or description contains that text, in any case. Requires `board:view`.",
        successDescription: "A page of archived cards.",
      },
    })
    .input(
      z.strictObject({
        ...ofBoard,
        search: Text(1, 200).meta({ description: "The text that a title or description contains." }).optional(),
        ...pageInput,
      }),
    )
    .output(page("ArchivedCardPage", ArchivedCard))
    .query(async ({ ctx, input }) => {
      const { search } = input;
      const pages = pagesOfBoard(input.boardPublicId, ...(search === undefined ? [] : [search]));
      const [after = null, afterId = null] = pages.endOf(input.cursor) ?? [];
      const place = await boardFor(ctx, input.boardPublicId, "board:view");
      const isBehind = sql`(${after}::timestamptz is null
        or (${card.archivedAt}, ${card.publicId}) < (${after}::timestamptz, ${afterId}::text))`;
      const isAsked = search === undefined ? isBehind : sql`${isBehind} and ${isAbout(search)}`;
      const cards = await ctx.db.read(archivedCard, archivedCards(place, isAsked, input.limit + 1));
      const { items, nextCursor } = pages.pageOf(cards, input.limit, ({ archivedAt, publicId }) => [
        archivedAt,
        publicId,
      ]);
      return {
        items: items.map((row) => ({ ...wholeSummaryOf(row), archivedAt: row.archivedAt, listName: row.listName })),
        nextCursor,
      };
    }),
};
