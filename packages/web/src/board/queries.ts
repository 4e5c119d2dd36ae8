// The queries of the board: people, the board of a card, other boards and archived cards.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client } from "../client.js";
import { pagesOf } from "../parts/pages.js";
import { queryClient } from "../session/queryClient.js";

const boardKeys = {
  assignable: ["assignable"],
  assignableOn: (boardPublicId: string) => [...boardKeys.assignable, boardPublicId],
  ofCard: (cardPublicId: string) => ["boardOfCard", cardPublicId],
  other: (boardPublicId: string) => ["otherBoard", boardPublicId],
  archivedCards: (boardPublicId: string) => ["archivedCards", boardPublicId],
};

export const assignable = (boardPublicId: string) =>
  queryOptions({
    queryKey: boardKeys.assignableOn(boardPublicId),
    queryFn: ({ signal }) => client.board.assignable.query({ boardPublicId }, { signal }),
  });

/** Reads again who can be assigned: people or their roles have changed. */
export const assignableChanged = () => queryClient.invalidateQueries({ queryKey: boardKeys.assignable });

/** The board of a card that no followed board has. */
export const boardOfCard = (cardPublicId: string) =>
  queryOptions({
    queryKey: boardKeys.ofCard(cardPublicId),
    queryFn: async ({ signal }) => (await client.card.get.query({ cardPublicId }, { signal })).board,
  });

/** A board that is not open, to whose lists cards can go. */
export const otherBoard = (boardPublicId: string) =>
  queryOptions({
    queryKey: boardKeys.other(boardPublicId),
    queryFn: ({ signal }) => client.board.get.query({ boardPublicId }, { signal }),
  });

/** The archived cards of a board, the last archived first. */
export const archivedCards = (boardPublicId: string) =>
  infiniteQueryOptions({
    ...pagesOf(boardKeys.archivedCards(boardPublicId), (from, options) =>
      client.board.archivedCards.query({ boardPublicId, limit: 50, ...from }, options),
    ),
    staleTime: 0,
  });
