// The card that is being moved by keys.

import type { ListState } from "work-board-client/board";
import { storeOf, useStore } from "../../parts/store.js";
import { othersIn, type Place } from "./places.js";

export interface Held {
  readonly publicId: string;
  /** The place it gets if it is dropped now. */
  readonly to: Place;
}

export const held = storeOf<Held | null>(null);

/** The cards of a list as they stand while one of the board is moved. */
export function useCardIds(list: ListState): readonly string[] {
  const moved = useStore(held, (card) =>
    card !== null && (card.to.listPublicId === list.publicId || list.cardIds.includes(card.publicId)) ? card : null,
  );
  if (moved === null) return list.cardIds;
  const others = othersIn(list, moved.publicId);
  return moved.to.listPublicId === list.publicId ? others.toSpliced(moved.to.index, 0, moved.publicId) : others;
}
