// The refs by which what a board shows is found.

import { createRef, type RefCallback, useCallback, useRef, useState } from "react";
import { useShownBoard } from "./context.js";

/** The refs of the elements of a card. `measure` measures its root in a list that renders only what is in view. */
export function useCardElements(cardPublicId: string, measure: RefCallback<HTMLElement> | undefined) {
  const { open } = useShownBoard();
  const title = useRef<HTMLAnchorElement>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const root = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return;
      const remove = open.cards.add(cardPublicId, { root: element, title, menuButton });
      measure?.(element);
      return () => {
        remove();
        measure?.(null);
      };
    },
    [open, cardPublicId, measure],
  );
  return { root, title, menuButton };
}

const listParts = () => ({
  head: createRef<HTMLDivElement>(),
  scroller: createRef<HTMLUListElement>(),
  addButton: createRef<HTMLButtonElement>(),
  composer: createRef<HTMLTextAreaElement>(),
  rename: createRef<() => void>(),
});

/** The refs of the elements of a list. */
export function useListElements(listPublicId: string) {
  const { open } = useShownBoard();
  const [parts] = useState(listParts);
  const root = useCallback(
    (element: HTMLElement) => open.lists.add(listPublicId, { root: element, ...parts }),
    [open, listPublicId, parts],
  );
  return { root, ...parts };
}
