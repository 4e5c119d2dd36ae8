// Scrolling by what is dragged to an edge: the board sideways, the list under the pointer up and down.

import { listAt, type Point } from "./placeAt.js";

const EDGE_PX = 56;
const FASTEST_PX_PER_MS = 1.2;

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

/** Scrolls the board for a number of milliseconds. */
export function scrollAtEdges(root: HTMLElement, isCard: boolean, point: Point, begun: Point, ms: number): void {
  const board = root.getBoundingClientRect();
  root.scrollLeft += stepOf(point.x, begun.x, board.left, board.right, ms);
  const cards = isCard ? listAt(root, point)?.querySelector(".cards") : null;
  if (cards) scrollUpOrDown(cards, point, begun, ms);
}
