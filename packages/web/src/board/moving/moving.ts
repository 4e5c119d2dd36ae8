// The cards of a list while one of the board is moved. It stays where it is in the document until it is dropped, because a screen
// reader would lose it.

import type { ListState } from "work-board-client/board";
import { useStore } from "../../store.js";
import * as styles from "../BoardCard.module.css";
import { useShownBoard } from "../context.js";
import { isSamePlace, othersIn, placeOf } from "./places.js";

/** The card before which a moving one will land, by its index among the cards that a list shows; null if it will not land there. */
export function useSlot(list: ListState, cardIds: readonly string[]): number | null {
  const { open } = useShownBoard();
  return useStore(open.moving, (thing) => {
    if (thing?.kind !== "card") return null;
    const { publicId, to } = thing;
    if (to === null || to.listPublicId !== list.publicId || isSamePlace(placeOf([list], publicId), to)) return null;
    const above = new Set(othersIn(list, publicId).slice(0, to.index));
    return cardIds.findLastIndex((id) => above.has(id)) + 1;
  });
}

/**
 * The class of a card that is moved. What is dragged leaves an empty place, which is marked where it will land there again; the other
 * selected cards are taken along.
 */
export function useMovingClass(cardPublicId: string): string | false | undefined {
  const { followed, open } = useShownBoard();
  return useStore(open.moving, (thing) => {
    if (thing === null || thing.kind !== "card") return false;
    const selected = open.selection.ids.get();
    if (thing.publicId !== cardPublicId) {
      return thing.isDragged && selected.has(thing.publicId) && selected.has(cardPublicId) && styles.isTaken;
    }
    if (!thing.isDragged) return styles.isHeld;
    const isHome = isSamePlace(placeOf(followed.state().board?.lists ?? [], cardPublicId), thing.to);
    return isHome ? `${styles.isOrigin} ${styles.isHome}` : styles.isOrigin;
  });
}
