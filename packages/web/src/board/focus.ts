// Cards in the document, by their identifiers.

import { storeOf } from "../parts/store.js";

/** The card that has the focus, or that takes it as soon as it is shown. */
export const focused = storeOf<string | null>(null);

export const elementOf = (cardPublicId: string): Element | null =>
  document.querySelector(`[data-card="${CSS.escape(cardPublicId)}"]`);

/** Moves the focus to a card. One that is not shown yet takes it when it is. */
export function focusCard(cardPublicId: string): void {
  focused.set(cardPublicId);
  elementOf(cardPublicId)?.querySelector<HTMLElement>(".card-title")?.focus();
}

/** Scrolls a card that was moved into view, once it is rendered there. */
export function showCard(cardPublicId: string): void {
  requestAnimationFrame(() => elementOf(cardPublicId)?.scrollIntoView({ block: "nearest", inline: "nearest" }));
}

/** The element at which a card's menu opens. */
export const anchorOf = (cardPublicId: string): HTMLElement | null =>
  elementOf(cardPublicId)?.querySelector<HTMLElement>(".tools button") ?? null;
