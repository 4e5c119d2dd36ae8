// The history of a card, read from the event log (contract section 5).

import { z } from "zod";
import { cursorValues, pagesOf } from "../api/cursors.js";
import { CardId, page, pageInput } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { Event } from "../events/eventShapes.js";
import { activitiesOn } from "../events/shownEvents.js";
import { cardFor } from "./model/cardGuards.js";

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
          "Lists the events of the card, newest first. Events from the time that the card was on another board are included only if the caller can see that board; otherwise `card.moved` has no `from`. Requires `card:view`.",
        successDescription: "A page of events, the newest first.",
      },
    })
    .input(z.strictObject({ cardPublicId: CardId, ...pageInput }))
    .output(page("ActivityPage", Event))
    .query(async ({ ctx, input: { cardPublicId, cursor, limit } }) => {
      const pages = pagesOfCard(cardPublicId);
      const [before = null] = pages.endOf(cursor) ?? [];
      const card = await cardFor(ctx, cardPublicId, "card:view");
      const events = await activitiesOn(ctx.db, card, { before, limit: limit + 1 });
      return pages.pageOf(events, limit, ({ id }) => [id]);
    }),
};
