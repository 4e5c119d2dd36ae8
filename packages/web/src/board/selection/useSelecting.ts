import type { MouseEvent } from "react";
import { useShownBoard } from "../context.js";
import { useIsShown } from "../filter/context.js";
import { selectTo } from "./selection.js";

/** Handles clicks on cards while Shift is held: they select up to the clicked one. */
export function useSelecting(): (event: MouseEvent) => void {
  const { followed, may } = useShownBoard();
  const isShown = useIsShown();
  return (event) => {
    if (!event.shiftKey || !may("card:edit") || !(event.target instanceof Element)) return;
    const cardPublicId = event.target.closest<HTMLElement>("[data-card]")?.dataset.card;
    if (cardPublicId === undefined || event.target.closest("button, textarea") !== null) return;
    event.preventDefault();
    event.stopPropagation();
    getSelection()?.removeAllRanges();
    const list = followed.state().board?.lists.find(({ cardIds }) => cardIds.includes(cardPublicId));
    selectTo(list?.cardIds.filter(isShown) ?? [], cardPublicId);
  };
}
