// A card or a list while a pointer drags it: its image, the place below it, and scrolling at the edges.

import type { ListState } from "work-board-client/board";
import { type Held, held } from "../moving/held.js";
import type { Moves } from "../moving/moves.js";
import type { IsShown } from "../moving/places.js";
import { imageOf } from "./image.js";
import { listAt, type Point, placeAt } from "./placeAt.js";
import type { Drag } from "./presses.js";
import { scrollerAtEdges } from "./scrollAtEdges.js";

/** The thing that a pointer grips, and its element. */
export interface Grip extends Pick<Held, "kind" | "publicId"> {
  readonly element: HTMLElement;
}

/** The board below what is dragged. */
export interface Below {
  readonly root: HTMLElement;
  readonly moves: Moves;
  lists(): readonly ListState[];
  readonly isShown: IsShown;
}

const elementOf = (root: HTMLElement, { kind, publicId }: Grip): Element | null =>
  kind === "card"
    ? root.querySelector(`[data-card="${CSS.escape(publicId)}"]`)
    : root.querySelector(`[data-list="${CSS.escape(publicId)}"] > .list-head`);

/** Begins to drag. Calls `onEnd` when it is dropped or put back, for whatever reason. Null if the thing is no longer there. */
export function startDrag(
  { root, moves, lists, isShown }: Below,
  grip: Grip,
  begun: Point,
  onEnd: () => void,
): Drag | null {
  // A card that keys hold is put back.
  moves.cancel();
  let point = begun;
  const image = imageOf(grip.element, begun, (x, y) => {
    root.scrollLeft += x;
    listAt(root, point)?.querySelector(".cards")?.scrollBy(0, y);
  });
  const count = moves.pickUp(grip.kind, grip.publicId, true);
  if (count === 0) {
    image.land(() => null);
    return null;
  }
  if (count > 1) image.count(count);
  const aim = () => {
    moves.aim(placeAt(root, grip, point, lists(), isShown));
    image.caption(moves.placeText());
  };
  const scrollAtEdges = scrollerAtEdges(root, grip.kind === "card", begun);
  let before = performance.now();
  // In each frame, because the board below scrolls, and others change it.
  const onFrame = (now: number) => {
    scrollAtEdges(point, now - before);
    before = now;
    frame = requestAnimationFrame(onFrame);
    aim();
  };
  let frame = requestAnimationFrame(onFrame);
  document.documentElement.classList.add("is-dragging");
  const stop = held.subscribe(() => {
    if (held.get() !== null) return;
    stop();
    cancelAnimationFrame(frame);
    document.documentElement.classList.remove("is-dragging");
    image.land(() => elementOf(root, grip));
    onEnd();
  });
  return {
    moveTo(next) {
      point = next;
      image.moveTo(point);
    },
    drop() {
      aim();
      moves.drop();
    },
    cancel: moves.cancel,
  };
}
