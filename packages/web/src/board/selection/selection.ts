// The selected cards of the shown board.

import type { BoardState } from "work-board-client/board";
import { storeOf } from "../../store.js";
import { t } from "../../texts/index.js";
import { say } from "../moving/Announcements.js";
import type { Place } from "../moving/places.js";

const NOTHING: ReadonlySet<string> = new Set();

/** Identifiers of cards. Some may be gone, or hidden by a filter: only what is shown counts as selected. */
export const selection = storeOf(NOTHING);

/** Moves all selected cards to the place of a dragged one; false if that one goes alone. Null while nothing is selected. */
export const dropTogether = storeOf<((cardPublicId: string, to: Place) => boolean) | null>(null);

/** The card that was selected last: a range begins at it, and the focus goes back to it. */
let last: string | null = null;

export const lastSelected = (): string | null => last;

function select(ids: ReadonlySet<string>): void {
  selection.set(ids);
  say(t.selection.selected(ids.size));
}

/** Selects a card, or no longer. */
export function toggleSelected(cardPublicId: string): void {
  const ids = new Set(selection.get());
  if (!ids.delete(cardPublicId)) ids.add(cardPublicId);
  last = cardPublicId;
  select(ids);
}

/** Selects more cards. */
export function addSelected(cardPublicIds: readonly string[]): void {
  last = cardPublicIds.at(-1) ?? last;
  select(new Set([...selection.get(), ...cardPublicIds]));
}

/** Selects the cards of a list from the last selected one to another. From elsewhere, that one alone. */
export function selectTo(cardIds: readonly string[], cardPublicId: string): void {
  const to = cardIds.indexOf(cardPublicId);
  const from = selection.get().size === 0 || last === null ? to : cardIds.indexOf(last);
  const begin = from === -1 ? to : from;
  addSelected([
    ...cardIds.slice(Math.min(begin, to), Math.max(begin, to) + 1).filter((id) => id !== cardPublicId),
    cardPublicId,
  ]);
}

/** Presses the button for the selected cards that has a key. Returns whether there is one. */
export function pressForSelected(key: string): boolean {
  const button = `.selection [aria-keyshortcuts="${CSS.escape(key.toUpperCase())}"]`;
  const found = document.querySelector<HTMLElement>(button);
  found?.click();
  return found !== null;
}

/** Ends the selection. */
export function selectNone(): void {
  if (selection.get().size > 0) select(NOTHING);
}

/** The selected cards that are shown, in the order of the board. */
export function selectedOn(
  board: BoardState,
  ids: ReadonlySet<string>,
  isShown: (cardPublicId: string) => boolean,
): string[] {
  if (ids.size === 0) return [];
  return board.lists.flatMap(({ cardIds }) => cardIds.filter((id) => ids.has(id) && isShown(id)));
}
