import { type Below, type Grip, startDrag } from "./drag.js";
import { followPresses } from "./presses.js";

/** Controls, which are pressed for themselves. */
const CONTROLS = "textarea, input, select, [aria-haspopup]";

/** The card or the head of a list that a press on an element would drag; null if there is none. */
function gripAt(pressed: Element): Grip | null {
  if (pressed.closest(CONTROLS) !== null) return null;
  const card = pressed.closest<HTMLElement>("[data-card]");
  if (card?.dataset.card !== undefined) return { kind: "card", publicId: card.dataset.card, element: card };
  const head = pressed.closest<HTMLElement>(".list-head");
  const publicId = head?.closest<HTMLElement>("[data-list]")?.dataset.list;
  return head && publicId !== undefined ? { kind: "list", publicId, element: head } : null;
}

/** Lets pointers drag what `mayDrag` allows. Returns a function that ends that. */
export function followPointers(below: Below, mayDrag: (grip: Grip) => boolean): () => void {
  const end = followPresses(below.root, (pressed) => {
    const grip = gripAt(pressed);
    return grip !== null && mayDrag(grip) ? (begun, onEnd) => startDrag(below, grip, begun, onEnd) : null;
  });
  return () => {
    below.moves.cancel();
    end();
  };
}
