// A card or a list while a pointer drags it over the board.

import type { OpenBoard } from "../openBoard.js";
import { dragLoop } from "./dragLoop.js";
import type { DragSource, DropContext } from "./dropContext.js";
import { listAt, placeAt } from "./placeAt.js";
import type { Drag, Point } from "./presses.js";
import { edgeScroller } from "./scrollAtEdges.js";

const elementOf = ({ cards, lists }: OpenBoard, { kind, publicId }: DragSource): Element | null =>
  (kind === "card" ? cards.get(publicId)?.root : lists.get(publicId)?.head.current) ?? null;

/** Begins to drag. Calls `onEnd` when it is dropped or put back, for whatever reason. Null if the thing is no longer there. */
export function startDrag(context: DropContext, source: DragSource, begun: Point, onEnd: () => void): Drag | null {
  const { root, open, moves } = context;
  // A card that keys have picked up is put back.
  moves.cancel();
  const count = moves.pickUp(source.kind, source.publicId, true);
  if (count === 0) return null;
  const loop = dragLoop({
    element: source.element,
    begun,
    onWheel(point, x, y) {
      root.scrollLeft += x;
      listAt(context, point)?.elements.scroller.current?.scrollBy(0, y);
    },
    scroll: edgeScroller(context, source.kind === "card", begun),
    setTarget(point) {
      moves.setTarget(placeAt(context, source, point));
      return moves.targetText();
    },
  });
  if (count > 1) loop.showCount(count);
  const stop = open.moving.subscribe(() => {
    if (open.moving.get() !== null) return;
    stop();
    loop.end(() => elementOf(open, source));
    onEnd();
  });
  return {
    moveTo: loop.moveTo,
    drop() {
      loop.updateTarget();
      moves.drop();
    },
    cancel: () => moves.cancel(),
  };
}
