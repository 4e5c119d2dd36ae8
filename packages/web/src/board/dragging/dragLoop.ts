// The frame loop of a drag, for the board and for calendars.

import { imageOf } from "./image.js";
import type { Point } from "./presses.js";

interface Options {
  /** The dragged element: a copy of it follows the pointer. */
  element: HTMLElement;
  begun: Point;
  /** Scrolls what is under a point as the wheel does, by CSS pixels. */
  onWheel(point: Point, x: number, y: number): void;
  /** Scrolls what the point is at the edge of, for a number of milliseconds. */
  scroll(point: Point, ms: number): void;
  /** Notes the place under a point. Returns it in words. */
  setTarget(point: Point): string;
}

export function dragLoop({ element, begun, onWheel, scroll, setTarget }: Options) {
  let point = begun;
  const image = imageOf(element, begun, (x, y) => onWheel(point, x, y));
  const updateTarget = () => image.caption(setTarget(point));
  let before = performance.now();
  // In each frame, because the page below scrolls, and others change it.
  const onFrame = (now: number) => {
    scroll(point, now - before);
    before = now;
    frame = requestAnimationFrame(onFrame);
    updateTarget();
  };
  let frame = requestAnimationFrame(onFrame);
  document.documentElement.classList.add("is-dragging");
  return {
    moveTo(next: Point) {
      point = next;
      image.moveTo(next);
    },
    updateTarget,
    showCount: image.showCount,
    /** Ends it. The copy glides to the element that is found. */
    end(find: () => Element | null) {
      cancelAnimationFrame(frame);
      document.documentElement.classList.remove("is-dragging");
      image.glideTo(find);
    },
  };
}
