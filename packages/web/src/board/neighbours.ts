// The cards and lists beside one, in the order of the board.

import type { ListState } from "work-board-client/board";
import type { IsShown } from "./moving/places.js";

export const isArrow = (key: string): boolean => key.startsWith("Arrow");
export const isSideways = (key: string): boolean => key === "ArrowLeft" || key === "ArrowRight";

/** The lists beside one in the direction of an arrow key, the nearest first. */
export const listsBeside = <List>(lists: readonly List[], at: number, key: string): readonly List[] =>
  key === "ArrowRight" ? lists.slice(at + 1) : lists.slice(0, Math.max(at, 0)).toReversed();

/** The next card in a direction, of those that are shown: lists without such cards are skipped. */
export function neighbourOf(
  all: readonly ListState[],
  cardPublicId: string,
  key: string,
  isShown: IsShown,
): string | undefined {
  const lists = all.map((list) => ({ ...list, cardIds: list.cardIds.filter(isShown) }));
  const at = lists.findIndex(({ cardIds }) => cardIds.includes(cardPublicId));
  const index = lists[at]?.cardIds.indexOf(cardPublicId) ?? -1;
  if (key === "ArrowUp") return lists[at]?.cardIds[index - 1];
  if (key === "ArrowDown") return lists[at]?.cardIds[index + 1];
  const next = listsBeside(lists, at, key).find(({ cardIds }) => cardIds.length > 0);
  return next?.cardIds[Math.min(index, next.cardIds.length - 1)];
}
