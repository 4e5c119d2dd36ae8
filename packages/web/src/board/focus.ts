// The focus on the cards and lists of an open board.

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { storeOf, useStore } from "../store.js";
import { useShownBoard } from "./context.js";
import { useIsShown } from "./filter/context.js";
import type { IsShown } from "./moving/places.js";
import type { OpenBoard } from "./openBoard.js";

/** The card that was open over a board which the page has left since: on the page that follows, its link takes the focus. */
const leftCard = storeOf<string | null>(null);

/** Moves the focus to a card. One that is not shown yet takes it when it is. */
export function focusCard({ cards, focused }: OpenBoard, cardPublicId: string): void {
  const elements = cards.get(cardPublicId);
  focused.set(cardPublicId);
  leftCard.set(elements === undefined ? cardPublicId : null);
  elements?.title.current?.focus();
}

/** Moves the focus to the button that adds a card to a list. */
export const focusList = ({ lists }: OpenBoard, listPublicId: string): void =>
  lists.get(listPublicId)?.addButton.current?.focus();

/** Returns what moves the focus from cards that leave: to the next of the list, the one before, or the button that adds one. */
function neighbourFocus(open: OpenBoard, ids: readonly string[], isShown: IsShown): () => void {
  const [first = ""] = ids;
  const list = open.followed.state().board?.lists.find(({ cardIds }) => cardIds.includes(first));
  const at = list?.cardIds.indexOf(first) ?? 0;
  const stays = (id: string) => isShown(id) && !ids.includes(id);
  const next = list?.cardIds.slice(at).find(stays) ?? list?.cardIds.slice(0, at).findLast(stays);
  return () => {
    if (next !== undefined) focusCard(open, next);
    else if (list !== undefined) focusList(open, list.publicId);
  };
}

/** Moves the focus from cards that leave to what stays beside them. */
export const focusNeighbour = (open: OpenBoard, ids: readonly string[], isShown: IsShown): void =>
  neighbourFocus(open, ids, isShown)();

/** Returns what moves the focus from a dialog back to its card, or to what stays beside that if it left meanwhile. */
export function useFocusBack(cardPublicId: string): () => void {
  const { followed, open } = useShownBoard();
  const isShown = useIsShown();
  const focusNext = useRef(() => {});
  const isThere = () => followed.state().board?.lists.some(({ cardIds }) => cardIds.includes(cardPublicId)) === true;
  useEffect(() => {
    const note = () => {
      if (isThere()) focusNext.current = neighbourFocus(open, [cardPublicId], isShown);
    };
    note();
    return followed.subscribe(note);
  });
  return () => (isThere() ? focusCard(open, cardPublicId) : focusNext.current());
}

/** Moves the focus to the link of a page to a card, after that was opened there and has closed. */
export function useFocusOnReturn(cardPublicId: string, link: RefObject<HTMLElement | null>): void {
  const isMeant = useStore(leftCard, (id) => id === cardPublicId);
  useLayoutEffect(() => {
    if (!isMeant) return;
    leftCard.set(null);
    link.current?.focus();
  }, [isMeant, link]);
}

/** Scrolls a card that was moved into view, once it is rendered there. */
export function showCard({ cards }: OpenBoard, cardPublicId: string): void {
  requestAnimationFrame(() => cards.get(cardPublicId)?.root.scrollIntoView({ block: "nearest", inline: "nearest" }));
}
