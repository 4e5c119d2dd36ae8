// Presses that become drags.

import type { Point } from "./placeAt.js";

export const PRESS = {
  /** A finger drags after a press of this long. */
  longMs: 250,
  /** A mouse that moves further than this drags. */
  dragPx: 5,
  /** A finger that moves further than this before a long press ends swipes. */
  swipePx: 10,
};

export const pointOf = ({ clientX, clientY }: PointerEvent): Point => ({ x: clientX, y: clientY });

/** Keeps the click that ends a drag from opening what was dragged. */
export function ignoreClick(): void {
  const ignore = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", ignore, { capture: true });
  setTimeout(() => removeEventListener("click", ignore, { capture: true }));
}
