// What happened to a card: a reading of the event log (contract section 5).

import { z } from "zod";
import { cardFor } from "../access/cardGuards.js";
import { cursorValues, pagesOf } from "../api/cursors.js";
import { CardId, page, pageInput } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { activitiesOf, Event } from "../events/reading.js";

const pagesOfCard = pagesOf("activities", z.tuple([cursorValues.number]));

export const activities = {
  activities: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/cards/{cardPublicId}/activities",
        tags: ["Events"],
        summary: "List the activities of a card",
        description:
          "The events of the card, newest first. Of the time that it spent on another board the caller sees what happened there only if it sees that board. Needs `card:view`.",
      },
    })
    .input(z.object({ cardPublicId: CardId, ...pageInput }))
    .output(page("ActivityPage", Event))
    .query(async ({ ctx, input: { cardPublicId, cursor, limit } }) => {
      const pages = pagesOfCard(cardPublicId);
      const [before = null] = pages.endOf(cursor) ?? [];
      const card = await cardFor(ctx, cardPublicId, "card:view");
      const found = await activitiesOf(ctx.db, card, { before, limit: limit + 1 });
      return pages.pageOf(found, limit, ({ id }) => [id]);
    }),
};
