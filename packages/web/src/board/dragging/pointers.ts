import type { OpenBoard } from "../openBoard.js";
import { startDrag } from "./drag.js";
import type { DragSource, DropContext } from "./dropContext.js";
import { followPresses } from "./presses.js";

/** Controls, which are pressed for themselves. */
const CONTROLS = "textarea, input, select, [aria-haspopup]";

/** The card or the head of a list that a press on an element would drag; null if there is none. */
function sourceAt({ cards, lists }: OpenBoard, pressed: Element): DragSource | null {
  if (pressed.closest(CONTROLS) !== null) return null;
  const cardPublicId = cards.idAt(pressed) ?? "";
  const card = cards.get(cardPublicId);
  if (card !== undefined) return { kind: "card", publicId: cardPublicId, element: card.root };
  const listPublicId = lists.idAt(pressed) ?? "";
  const head = lists.get(listPublicId)?.head.current;
  return head?.contains(pressed) ? { kind: "list", publicId: listPublicId, element: head } : null;
}

/** Lets pointers drag what `mayDrag` allows. Returns a function that ends that. */
export function followPointers(context: DropContext, mayDrag: (source: DragSource) => boolean): () => void {
  const end = followPresses(context.root, (pressed) => {
    const source = sourceAt(context.open, pressed);
    return source !== null && mayDrag(source) ? (begun, onEnd) => startDrag(context, source, begun, onEnd) : null;
  });
  return () => {
    context.moves.cancel();
    end();
  };
}
