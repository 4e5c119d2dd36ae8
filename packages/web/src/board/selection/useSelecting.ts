import type { MouseEvent } from "react";
import { useShownBoard } from "../context.js";
import { useIsShown } from "../filter/context.js";

/** Handles clicks on cards while Shift is held: they select up to the clicked one. */
export function useSelecting(): (event: MouseEvent) => void {
  const { followed, open, may } = useShownBoard();
  const isShown = useIsShown();
  return (event) => {
    if (!event.shiftKey || !may("card:edit") || !(event.target instanceof Element)) return;
    const cardPublicId = open.cards.idAt(event.target);
    if (cardPublicId === undefined || event.target.closest("button, textarea") !== null) return;
    event.preventDefault();
    event.stopPropagation();
    getSelection()?.removeAllRanges();
    const list = followed.state().board?.lists.find(({ cardIds }) => cardIds.includes(cardPublicId));
    open.selection.addUpTo(list?.cardIds.filter(isShown) ?? [], cardPublicId);
  };
}
