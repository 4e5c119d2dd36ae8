// The focus on the cards and lists of an open board.

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { ListState } from "work-board-client/board";
import { focusOnce } from "../parts/focusOnce.js";
import { storeOf, useStore } from "../store.js";
import { useShownBoard } from "./context.js";
import { useIsShown } from "./filter/context.js";
import type { IsShown } from "./moving/places.js";
import type { OpenBoard } from "./openBoard.js";

/** The card that was open over a board which the page has left since: on the page that follows, its link takes the focus. */
const leftCard = storeOf<string | null>(null);

/** Moves the focus to a card. One that is not shown yet takes it when it is. */
export function focusCard({ cards, focused, isKeyboardNavigating }: OpenBoard, cardPublicId: string): void {
  const elements = cards.get(cardPublicId);
  focused.set(cardPublicId);
  leftCard.set(elements === undefined ? cardPublicId : null);
  // After a click, Safari shows no ring by itself.
  elements?.title.current?.focus(isKeyboardNavigating.get() ? { focusVisible: true } : {});
}

/** Moves the focus to the name of the board. */
function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading !== null) focusOnce(heading);
}

/** Moves the focus to the button that adds a card to a list, or to the field that stands in its place. */
export function focusList({ lists }: OpenBoard, listPublicId: string): void {
  const { addButton, composer } = lists.get(listPublicId) ?? {};
  const next = addButton?.current ?? composer?.current;
  if (next) next.focus();
  else focusHeading();
}

const listsOf = ({ followed }: OpenBoard): readonly ListState[] => followed.state().board?.lists ?? [];

/** Returns what moves the focus from cards that leave: to the next of the list, the one before, or the button that adds one. */
function neighbourFocus(open: OpenBoard, ids: readonly string[], isShown: IsShown, lists = listsOf(open)): () => void {
  const [first = ""] = ids;
  const list = lists.find(({ cardIds }) => cardIds.includes(first));
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

/** Moves the focus from a list that leaves to the button of the next one, or to that which adds a list. */
function focusAfterList(open: OpenBoard, before: readonly ListState[], listPublicId: string): void {
  const at = before.findIndex(({ publicId }) => publicId === listPublicId);
  const now = listsOf(open);
  const next = before.slice(at + 1).find(({ publicId }) => now.some((list) => list.publicId === publicId));
  if (next !== undefined) focusList(open, next.publicId);
  else if (open.addListButton.current !== null) open.addListButton.current.focus();
  else focusHeading();
}

/** Hands the focus on when the card or the list that has it leaves the board, whoever makes it leave. */
export function useHeirs(): void {
  const { followed, open } = useShownBoard();
  const isShown = useIsShown();
  useEffect(() => {
    let before = listsOf(open);
    const handOn = () => {
      const now = listsOf(open);
      const cardPublicId = open.focused.get();
      const listPublicId = open.lists.idAt(document.activeElement);
      if (listPublicId !== undefined && !now.some(({ publicId }) => publicId === listPublicId)) {
        // A list that was made here gets another identifier, and stays.
        if (before.some(({ publicId, key }) => publicId === listPublicId && !now.some((list) => list.key === key))) {
          focusAfterList(open, before, listPublicId);
        }
      } else if (cardPublicId !== null) {
        const isThere = now.some(({ cardIds }) => cardIds.includes(cardPublicId)) && isShown(cardPublicId);
        const wasThere = before.some(({ cardIds }) => cardIds.includes(cardPublicId));
        if (wasThere && !isThere) neighbourFocus(open, [cardPublicId], isShown, before)();
      }
      before = now;
    };
    handOn();
    return followed.subscribe(handOn);
  }, [followed, open, isShown]);
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
