// Cards in the document, by their identifiers.

import type { FollowedBoard } from "work-board-client/board";
import { storeOf } from "../parts/store.js";

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

/** Moves the focus from cards that leave to one that stays: the next of the list, or else the one before. */
export function focusBeside(followed: FollowedBoard, ids: readonly string[], isShown: (id: string) => boolean): void {
  const [first = ""] = ids;
  const list = followed.state().board?.lists.find(({ cardIds }) => cardIds.includes(first));
  const at = list?.cardIds.indexOf(first) ?? 0;
  const stays = (id: string) => isShown(id) && !ids.includes(id);
  const next = list?.cardIds.slice(at).find(stays) ?? list?.cardIds.slice(0, at).findLast(stays);
  if (next !== undefined) focusCard(next);
}

/** Scrolls a card that was moved into view, once it is rendered there. */
export function showCard(cardPublicId: string): void {
  requestAnimationFrame(() => elementOf(cardPublicId)?.scrollIntoView({ block: "nearest", inline: "nearest" }));
}

/** The element at which a card's menu opens. */
export const anchorOf = (cardPublicId: string): HTMLElement | null =>
  elementOf(cardPublicId)?.querySelector<HTMLElement>(".tools button") ?? null;
