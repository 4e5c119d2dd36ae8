// Scrolling by what is dragged to an edge: the board sideways, the list under the pointer up and down. Where one list fills the board,
// each hold at an edge brings one list.

import type { DropContext } from "./dropContext.js";
import { listAt, renderedLists } from "./placeAt.js";
import type { Point } from "./presses.js";

const EDGE_PX = 56;
const FASTEST_PX_PER_MS = 1.2;
/** A hold at the edge brings the first list after this long: a finger may only pass there. */
const FIRST_HOLD_MS = 300;
/** From then on, a hold of this long brings the next one. */
const HOLD_MS = 1200;

/** The pixels to scroll. It is faster nearer to the edge, and goes only towards an edge that the pointer has moved to since it began. */
function stepOf(at: number, begun: number, from: number, to: number, ms: number): number {
  const edge = Math.min(EDGE_PX, (to - from) / 4);
  const depth = at < begun ? Math.min(0, (at - from) / edge - 1) : Math.max(0, 1 - (to - at) / edge);
  const step = Math.sign(depth) * Math.min(depth ** 2, 1) * FASTEST_PX_PER_MS * ms;
  // Positions are whole pixels.
  return Math.sign(step) * Math.ceil(Math.abs(step));
}

/** Scrolls an element up or down for a number of milliseconds. */
export function scrollUpOrDown(element: Element, { y }: Point, begun: Point, ms: number): void {
  const { top, bottom } = element.getBoundingClientRect();
  element.scrollTop += stepOf(y, begun.y, top, bottom, ms);
}

/** Whether one list fills the board, as on a phone. */
const isOneListWide = (context: DropContext): boolean =>
  (renderedLists(context)[0]?.elements.root.clientWidth ?? 0) > context.root.clientWidth / 2;

/** Scrolls the board by one list: to the right for 1, to the left for -1. */
function showNextList(context: DropContext, direction: number): void {
  const { root } = context;
  const { left } = root.getBoundingClientRect();
  const lefts = renderedLists(context).map(({ elements }) => elements.root.getBoundingClientRect().left - left);
  // A list that is on its way into view counts as shown.
  const next = direction > 0 ? lefts.find((x) => x > EDGE_PX) : lefts.findLast((x) => x < -EDGE_PX);
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
  if (next !== undefined) root.scrollBy({ left: next, behavior });
}

/** Returns a function that scrolls the board for a number of milliseconds, in each frame of a drag that began at a point. */
export function edgeScroller(context: DropContext, isCard: boolean, begun: Point): (point: Point, ms: number) => void {
  const { root } = context;
  let heldAt = 0;
  let waitMs = FIRST_HOLD_MS;
  function hold(direction: number, ms: number): void {
    if (direction !== heldAt) waitMs = FIRST_HOLD_MS;
    heldAt = direction;
    if (direction === 0) return;
    waitMs -= ms;
    if (waitMs > 0) return;
    waitMs = HOLD_MS;
    showNextList(context, direction);
  }
  return (point, ms) => {
    const board = root.getBoundingClientRect();
    const step = stepOf(point.x, begun.x, board.left, board.right, ms);
    if (isOneListWide(context)) hold(Math.sign(step), ms);
    else root.scrollLeft += step;
    const cards = isCard ? listAt(context, point)?.elements.scroller.current : null;
    if (cards) scrollUpOrDown(cards, point, begun, ms);
  };
}
