// Cards in the document, by their identifiers.

const elementOf = (cardPublicId: string) => document.querySelector(`[data-card="${CSS.escape(cardPublicId)}"]`);

/** Moves the focus to a card. */
export const focusCard = (cardPublicId: string): void =>
  elementOf(cardPublicId)?.querySelector<HTMLElement>(".card-title")?.focus();

/** The element at which a card's menu opens. */
export const anchorOf = (cardPublicId: string): HTMLElement | null =>
  elementOf(cardPublicId)?.querySelector<HTMLElement>(".tools button") ?? null;
