// From a press to a drop, for mouse, pen and touch. A mouse or a pen drags when it moves. A finger drags after a long press: a swipe
// scrolls. One pointer drags, whatever others do meanwhile.

/** A place in the window, in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A finger drags after a press of this long. */
const LONG_PRESS_MS = 250;
/** A mouse that moves further than this drags. */
const DRAG_PX = 5;
/** A finger that moves further than this before a long press ends swipes. */
const SWIPE_PX = 10;

export interface Drag {
  moveTo(point: Point): void;
  drop(): void;
  cancel(): void;
}

/** Begins to drag what was pressed at a point. Calls `onEnd` when it is dropped or put back. Null if it is no longer there. */
export type StartDrag = (begun: Point, onEnd: () => void) => Drag | null;

const pointOf = ({ clientX, clientY }: PointerEvent): Point => ({ x: clientX, y: clientY });

/** Keeps the click that ends a drag from opening what was dragged. */
function ignoreClick(): void {
  const ignore = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", ignore, { capture: true });
  setTimeout(() => removeEventListener("click", ignore, { capture: true }));
}

/**
 * Lets pointers drag within an element: `gripAt` returns what begins to drag the thing that was pressed, or null. Returns a function
 * that ends that.
 */
export function followPresses(root: HTMLElement, gripAt: (pressed: Element) => StartDrag | null): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let press: Press | null = null;

  root.addEventListener(
    "pointerdown",
    (event) => {
      if (press !== null || event.button !== 0 || !event.isPrimary || !(event.target instanceof Element)) return;
      const start = gripAt(event.target);
      if (start === null) return;
      press = pressOn(root, event, start, () => {
        press = null;
      });
    },
    { signal },
  );
  // It must listen before the finger is down, or the browser scrolls without waiting for it.
  root.addEventListener("touchmove", (event) => press?.onTouchMove(event), { passive: false, signal });
  // Links would begin the browser's own dragging.
  root.addEventListener("dragstart", (event) => press !== null && event.preventDefault(), { signal });
  return () => {
    ended.abort();
    press?.cancel();
  };
}

interface Press {
  onTouchMove(event: Event): void;
  cancel(): void;
}

/** Keeps the browser from selecting text and from opening its menu. */
function keepFromSelecting(signal: AbortSignal): void {
  for (const type of ["selectstart", "contextmenu"] as const) {
    addEventListener(type, (event) => event.preventDefault(), { capture: true, signal });
  }
}

/** Captures a pointer for a drag, behind which nothing is selected. */
function capture(root: HTMLElement, pointerId: number): void {
  getSelection()?.removeAllRanges();
  root.setPointerCapture(pointerId);
}

/** The distance between two places, in CSS pixels. */
const distanceOf = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/** Handles a key during a drag: Escape puts the dragged thing back, and no other key acts. */
function onKeyOfDrag(drag: Drag, event: KeyboardEvent): void {
  event.stopPropagation();
  if (event.key !== "Escape") return;
  event.preventDefault();
  drag.cancel();
}

/** Follows a pointer that is down until it is up. */
function pressOn(root: HTMLElement, down: PointerEvent, startDrag: StartDrag, onEnd: () => void): Press {
  const { pointerId, target } = down;
  const isTouch = down.pointerType === "touch";
  const begun = pointOf(down);
  const ended = new AbortController();
  const { signal } = ended;
  let drag: Drag | null = null;
  /** Whether it drags, or has dragged: Escape puts a card back before the button is up. */
  let isDrag = false;
  let hasMoved = false;

  function start(): void {
    isDrag = true;
    capture(root, pointerId);
    drag = startDrag(begun, () => {
      drag = null;
    });
  }
  const timer = isTouch ? setTimeout(start, LONG_PRESS_MS) : undefined;
  function end(): void {
    clearTimeout(timer);
    ended.abort();
    if (isDrag && hasMoved) ignoreClick();
    onEnd();
  }
  function cancel(): void {
    drag?.cancel();
    end();
  }
  function onTouchMove(event: Event): void {
    if (isDrag && event.cancelable) event.preventDefault();
  }

  const listen = <Type extends keyof WindowEventMap>(type: Type, listener: (event: WindowEventMap[Type]) => void) =>
    addEventListener(type, listener, { capture: true, signal });
  listen("pointermove", (event) => {
    if (event.pointerId !== pointerId) return;
    const point = pointOf(event);
    const distance = distanceOf(point, begun);
    hasMoved ||= distance > DRAG_PX;
    if (!isDrag && isTouch && distance > SWIPE_PX) end();
    else if (!isDrag && !isTouch && hasMoved) start();
    // The button may have been released outside of the window.
    if (event.buttons === 0) drag?.cancel();
    drag?.moveTo(point);
  });
  listen("pointerup", (event) => {
    if (event.pointerId !== pointerId) return;
    drag?.drop();
    end();
  });
  listen("pointercancel", (event) => event.pointerId === pointerId && cancel());
  listen("keydown", (event) => drag !== null && onKeyOfDrag(drag, event));
  keepFromSelecting(signal);
  // A touch belongs to the element that it began on, also when that leaves the page.
  target?.addEventListener("touchmove", onTouchMove, { passive: false, signal });
  return { onTouchMove, cancel };
}
