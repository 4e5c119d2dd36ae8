// Cards and lists in the document, by their identifiers.

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { FollowedBoard } from "work-board-client/board";
import { storeOf, useStore } from "../store.js";
import { useShownBoard } from "./context.js";
import { useIsShown } from "./filter/context.js";
import type { IsShown } from "./moving/places.js";

/** The card that has the focus, or that takes it as soon as it is shown. */
export const focused = storeOf<string | null>(null);

/** Whether arrow keys, and no pointer since, lead through the cards. */
export const isWalking = storeOf(false);
export const stopWalking = (): void => isWalking.set(false);

export const elementOf = (cardPublicId: string): Element | null =>
  document.querySelector(`[data-card="${CSS.escape(cardPublicId)}"]`);

/** Moves the focus to a card. One that is not shown yet takes it when it is. */
export function focusCard(cardPublicId: string): void {
  focused.set(cardPublicId);
  elementOf(cardPublicId)?.querySelector<HTMLElement>(".card-title")?.focus();
}

const buttonOf = (listPublicId: string, selector: string) =>
  document.querySelector<HTMLElement>(`[data-list="${CSS.escape(listPublicId)}"] ${selector}`);

/** Moves the focus to the button that adds a card to a list. */
export const focusList = (listPublicId: string): void => buttonOf(listPublicId, ".add")?.focus();

/** Turns the name of a list into a field. */
export const renameList = (listPublicId: string): void => buttonOf(listPublicId, ".name")?.click();

/** Returns what moves the focus from cards that leave: to the next of the list, the one before, or the button that adds one. */
function besideOf(followed: FollowedBoard, ids: readonly string[], isShown: IsShown): () => void {
  const [first = ""] = ids;
  const list = followed.state().board?.lists.find(({ cardIds }) => cardIds.includes(first));
  const at = list?.cardIds.indexOf(first) ?? 0;
  const stays = (id: string) => isShown(id) && !ids.includes(id);
  const next = list?.cardIds.slice(at).find(stays) ?? list?.cardIds.slice(0, at).findLast(stays);
  return () => {
    if (next !== undefined) focusCard(next);
    else if (list !== undefined) focusList(list.publicId);
  };
}

/** Moves the focus from cards that leave to what stays beside them. */
export const focusBeside = (followed: FollowedBoard, ids: readonly string[], isShown: IsShown): void =>
  besideOf(followed, ids, isShown)();

/** Returns what moves the focus from a dialog back to its card, or to what stays beside that if it left meanwhile. */
export function useFocusBack(cardPublicId: string): () => void {
  const { followed } = useShownBoard();
  const isShown = useIsShown();
  const focusNext = useRef(() => {});
  const isThere = () => followed.state().board?.lists.some(({ cardIds }) => cardIds.includes(cardPublicId)) === true;
  useEffect(() => {
    const note = () => {
      if (isThere()) focusNext.current = besideOf(followed, [cardPublicId], isShown);
    };
    note();
    return followed.subscribe(note);
  });
  return () => (isThere() ? focusCard(cardPublicId) : focusNext.current());
}

/** Moves the focus to the link of a page to a card, after that was opened there and has closed. */
export function useFocusOnReturn(cardPublicId: string, link: RefObject<HTMLElement | null>): void {
  const isMeant = useStore(focused, (id) => id === cardPublicId);
  useLayoutEffect(() => {
    if (!isMeant) return;
    focused.set(null);
    link.current?.focus();
  }, [isMeant, link]);
}

/** Scrolls a card that was moved into view, once it is rendered there. */
export function showCard(cardPublicId: string): void {
  requestAnimationFrame(() => elementOf(cardPublicId)?.scrollIntoView({ block: "nearest", inline: "nearest" }));
}

/** The element at which a card's menu opens. */
export const anchorOf = (cardPublicId: string): HTMLElement | null =>
  elementOf(cardPublicId)?.querySelector<HTMLElement>(".tools button") ?? null;
