// Places of cards and lists on a board.

import type { ListState } from "work-board-client/board";

/** A place for a card: an index among the other cards of a list. Or for a list: its index among the other lists. */
export interface Place {
  readonly listPublicId: string;
  readonly index: number;
}

type Lists = readonly ListState[];

/** The place of a card; null if it is on no list. */
export function placeOf(lists: Lists, cardPublicId: string): Place | null {
  const list = lists.find(({ cardIds }) => cardIds.includes(cardPublicId));
  return list === undefined ? null : { listPublicId: list.publicId, index: list.cardIds.indexOf(cardPublicId) };
}

/** The place of a list; null if it is gone. */
export function placeOfList(lists: Lists, listPublicId: string): Place | null {
  const index = lists.findIndex(({ publicId }) => publicId === listPublicId);
  return index === -1 ? null : { listPublicId, index };
}

/** The cards of a list beside one. */
export const othersIn = (list: ListState | undefined, cardPublicId: string): readonly string[] =>
  list?.cardIds.filter((id) => id !== cardPublicId) ?? [];

export const isSamePlace = (a: Place | null, b: Place | null): boolean =>
  a?.listPublicId === b?.listPublicId && a?.index === b?.index;

/** Tells whether the filter of the board shows a card. */
export type IsShown = (cardPublicId: string) => boolean;

/**
 * The place of a card that has a number of the other shown cards of a list above it. A card that stands between the same ones already
 * stays where it is, whatever is hidden beside it.
 */
export function placeAmong(list: ListState, cardPublicId: string, above: number, isShown: IsShown): Place {
  const { publicId: listPublicId } = list;
  const others = othersIn(list, cardPublicId);
  const shown = others.filter(isShown);
  const at = list.cardIds.indexOf(cardPublicId);
  if (at !== -1 && shownAbove(others, at, isShown) === above) return { listPublicId, index: at };
  const [before, behind] = [shown[above - 1], shown[above]];
  if (before !== undefined) return { listPublicId, index: others.indexOf(before) + 1 };
  return { listPublicId, index: behind === undefined ? others.length : others.indexOf(behind) };
}

const shownAbove = (others: readonly string[], index: number, isShown: IsShown): number =>
  others.slice(0, index).filter(isShown).length;

/** The place beside one, in the direction of an arrow key, among the shown cards; null at the edge of the board. */
export function placeBeside(
  lists: Lists,
  cardPublicId: string,
  { listPublicId, index }: Place,
  key: string,
  isShown: IsShown,
): Place | null {
  const at = lists.findIndex(({ publicId }) => publicId === listPublicId);
  const above = shownAbove(othersIn(lists[at], cardPublicId), index, isShown);
  const [list, wanted] =
    key === "ArrowUp" || key === "ArrowDown"
      ? [lists[at], key === "ArrowUp" ? above - 1 : above + 1]
      : [lists[key === "ArrowRight" ? at + 1 : at - 1], above];
  if (at < 0 || list === undefined) return null;
  const shown = othersIn(list, cardPublicId).filter(isShown).length;
  if (list === lists[at] && (wanted < 0 || wanted > shown)) return null;
  return placeAmong(list, cardPublicId, Math.min(wanted, shown), isShown);
}
