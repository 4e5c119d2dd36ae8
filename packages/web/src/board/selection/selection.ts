// The selected cards of an open board.

import type { BoardState } from "work-board-client/board";
import { announce } from "../../parts/announce.js";
import { storeOf } from "../../store.js";
import { t } from "../../texts/index.js";
import type { Place } from "../moving/places.js";

const NOTHING: ReadonlySet<string> = new Set();

/** The bar of actions on the selected cards. */
interface Bar {
  /** Runs the action that has a key. Returns whether there is one. */
  press(key: string): boolean;
  /** Moves all selected cards to the place of a dragged one; false if that one goes alone. */
  drop(cardPublicId: string, to: Place): boolean;
}

export class Selection {
  /** Identifiers of cards. Some may be gone, or hidden by a filter: only what is shown counts as selected. */
  readonly ids = storeOf(NOTHING);
  /** The card that was selected last: a range begins at it, and the focus goes back to it. */
  last: string | null = null;
  /** Null while it is not shown. */
  bar: Bar | null = null;

  #select(ids: ReadonlySet<string>): void {
    this.ids.set(ids);
    announce(t.selection.selected(ids.size));
  }

  /** Selects a card, or no longer. */
  toggle(cardPublicId: string): void {
    const ids = new Set(this.ids.get());
    if (!ids.delete(cardPublicId)) ids.add(cardPublicId);
    this.last = cardPublicId;
    this.#select(ids);
  }

  /** Selects more cards. */
  add(cardPublicIds: readonly string[]): void {
    this.last = cardPublicIds.at(-1) ?? this.last;
    this.#select(new Set([...this.ids.get(), ...cardPublicIds]));
  }

  /** Selects the cards of a list from the last selected one to another. From elsewhere, that one alone. */
  addUpTo(cardIds: readonly string[], cardPublicId: string): void {
    const to = cardIds.indexOf(cardPublicId);
    const from = this.ids.get().size === 0 || this.last === null ? to : cardIds.indexOf(this.last);
    const begin = from === -1 ? to : from;
    this.add([
      ...cardIds.slice(Math.min(begin, to), Math.max(begin, to) + 1).filter((id) => id !== cardPublicId),
      cardPublicId,
    ]);
  }

  clear(): void {
    if (this.ids.get().size > 0) this.#select(NOTHING);
  }
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
