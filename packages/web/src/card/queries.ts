import { infiniteQueryOptions } from "@tanstack/react-query";
import { client } from "../client.js";
import { pagesOf } from "../parts/pages.js";

const cardKeys = { activities: (cardPublicId: string) => ["activities", cardPublicId] };

/** The events of a card, the newest first. */
export const activities = (cardPublicId: string) =>
  infiniteQueryOptions({
    ...pagesOf(cardKeys.activities(cardPublicId), (from, options) =>
      client.card.activities.query({ cardPublicId, ...from }, options),
    ),
    staleTime: 0,
  });
