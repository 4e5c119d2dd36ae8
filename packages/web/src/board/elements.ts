// The elements of what a board shows, by identifiers.

import type { RefObject } from "react";

type Ref = RefObject<HTMLElement | null>;

/** The elements of a card that is rendered. */
export interface CardElements {
  readonly root: HTMLElement;
  readonly title: Ref;
  readonly menuButton: Ref;
}

/** The elements of a list that is rendered. */
export interface ListElements {
  readonly root: HTMLElement;
  readonly head: Ref;
  /** The element in which its cards scroll. */
  readonly scroller: Ref;
  readonly addButton: Ref;
  /** The field for new cards. */
  readonly composer: Ref;
  /** Turns its name into a field. */
  readonly rename: RefObject<(() => void) | null>;
}

/** The rendered cards, or the rendered lists, of a board. */
export class Elements<Parts extends { readonly root: HTMLElement }> {
  readonly #parts = new Map<string, Parts>();
  readonly #ids = new WeakMap<Element, string>();

  /** Adds a thing that is rendered. Returns a function that removes it. */
  add(publicId: string, parts: Parts): () => void {
    this.#parts.set(publicId, parts);
    this.#ids.set(parts.root, publicId);
    return () => {
      // A card that has gone to another list may be rendered there before it leaves this one.
      if (this.#parts.get(publicId) === parts) this.#parts.delete(publicId);
    };
  }

  get(publicId: string): Parts | undefined {
    return this.#parts.get(publicId);
  }

  /** The identifier of the thing that an element belongs to. */
  idAt(element: Element | null): string | undefined {
    return element === null ? undefined : (this.#ids.get(element) ?? this.idAt(element.parentElement));
  }
}
