// The filter of the shown board. It stands in the address alone.

import { createContext, useCallback, useContext, useMemo, useRef } from "react";
import type { CardState, FollowedBoard } from "work-board-client/board";
import { useLocation, useSearch } from "wouter";
import { useBoardState, useShownBoard } from "../context.js";
import { countOf, EVERYTHING, type Filter, filterOf, fitting, queryOf } from "./filter.js";

interface Filtering {
  filter: Filter;
  /** Whether a card is shown; null if all are. */
  shows: ((card: CardState) => boolean) | null;
}

export const FilterContext = createContext<Filtering>({ filter: EVERYTHING, shows: null });

export const useFilter = (): Filter => useContext(FilterContext).filter;

/** Whether a card was made here: its key is not its identifier, unless it waits for that. */
const isMadeHere = ({ cardNumber, key, publicId }: CardState) => cardNumber === 0 || key !== publicId;

/** A card that is made while a filter is on stays visible until the filter changes. */
function filteringOf(filter: Filter, followed: FollowedBoard): Filtering {
  const { board } = followed.state();
  if (board === null || countOf(filter) === 0) return { filter, shows: null };
  const fits = fitting(filter, board);
  const before = new Set(
    Object.values(board.cards)
      .filter(isMadeHere)
      .map(({ key }) => key),
  );
  return { filter, shows: (card) => fits(card) || (isMadeHere(card) && !before.has(card.key)) };
}

/** The filter in the address of the shown board. While a card is open, whose address has none, it stays as it was. */
export function useFiltering(isCardOpen: boolean): Filtering {
  const { followed } = useShownBoard();
  const search = useSearch();
  const last = useRef(search);
  if (!isCardOpen) last.current = search;
  const query = last.current;
  return useMemo(() => filteringOf(filterOf(query), followed), [query, followed]);
}

/** The address of the shown board with its filter. */
export function useBoardAddress(): string {
  const boardPublicId = useBoardState((board) => board.publicId);
  return `/boards/${boardPublicId}${queryOf(useFilter())}`;
}

/** Sets the filter. While a text is typed, going back skips its steps. */
export function useSetFilter(): (next: Filter) => void {
  const boardPublicId = useBoardState((board) => board.publicId);
  const filter = useFilter();
  const [, navigate] = useLocation();
  return (next) => {
    const isTyping = next.text !== filter.text && next.text !== "" && filter.text !== "";
    navigate(`/boards/${boardPublicId}${queryOf(next)}`, { replace: isTyping });
  };
}

/** Tells whether the filter shows a card, by its identifier. */
export function useIsShown(): (cardPublicId: string) => boolean {
  const { followed } = useShownBoard();
  const { shows } = useContext(FilterContext);
  return useCallback(
    (cardPublicId) => {
      const card = followed.state().board?.cards[cardPublicId];
      return shows === null || (card !== undefined && shows(card));
    },
    [followed, shows],
  );
}

/** Those of the cards that the filter shows. */
export function useShownIds(cardIds: readonly string[]): readonly string[] {
  const { shows } = useContext(FilterContext);
  const cards = useBoardState((board) => (shows === null ? null : board.cards));
  return useMemo(() => {
    if (cards === null || shows === null) return cardIds;
    return cardIds.filter((id) => {
      const card = cards[id];
      return card !== undefined && shows(card);
    });
  }, [cardIds, cards, shows]);
}
