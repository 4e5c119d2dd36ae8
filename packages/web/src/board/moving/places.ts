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

/** The place beside one, in the direction of an arrow key; null at the edge of the board. */
export function placeBeside(
  lists: Lists,
  cardPublicId: string,
  { listPublicId, index }: Place,
  key: string,
): Place | null {
  const at = lists.findIndex(({ publicId }) => publicId === listPublicId);
  if (key === "ArrowUp") return index > 0 ? { listPublicId, index: index - 1 } : null;
  if (key === "ArrowDown") {
    return index < othersIn(lists[at], cardPublicId).length ? { listPublicId, index: index + 1 } : null;
  }
  const list = lists[key === "ArrowRight" ? at + 1 : at - 1];
  if (at < 0 || list === undefined) return null;
  return { listPublicId: list.publicId, index: Math.min(index, othersIn(list, cardPublicId).length) };
}
