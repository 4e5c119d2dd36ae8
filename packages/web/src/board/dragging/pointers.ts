// From a press on a card or the head of a list to its drop, for mouse, pen and touch. A mouse or a pen drags when it moves. A finger
// drags after a long press: a swipe scrolls. One pointer drags, whatever others do meanwhile.

import { type Below, type Drag, type Grip, startDrag } from "./drag.js";
import { ignoreClick, PRESS, pointOf } from "./presses.js";

/** Controls, which are pressed for themselves. */
const CONTROLS = "textarea, input, select, [aria-haspopup]";

/** The thing that a press on an element would drag; null if there is none. */
function gripAt(target: EventTarget | null): Grip | null {
  if (!(target instanceof Element) || target.closest(CONTROLS) !== null) return null;
  const card = target.closest<HTMLElement>("[data-card]");
  if (card?.dataset.card !== undefined) return { kind: "card", publicId: card.dataset.card, element: card };
  const head = target.closest<HTMLElement>(".list-head");
  const publicId = head?.closest<HTMLElement>("[data-list]")?.dataset.list;
  return head && publicId !== undefined ? { kind: "list", publicId, element: head } : null;
}

/** Lets pointers drag what `mayDrag` allows. Returns a function that ends that. */
export function followPointers(below: Below, mayDrag: (grip: Grip) => boolean): () => void {
  const { root, moves } = below;
  const ended = new AbortController();
  const { signal } = ended;
  let press: Press | null = null;

  root.addEventListener(
    "pointerdown",
    (event) => {
      const grip = press === null && event.button === 0 && event.isPrimary ? gripAt(event.target) : null;
      if (grip !== null && mayDrag(grip)) {
        press = pressOn(below, grip, event, () => {
          press = null;
        });
      }
    },
    { signal },
  );
  // It must listen before the finger is down, or the browser scrolls without waiting for it.
  root.addEventListener("touchmove", (event) => press?.onTouchMove(event), { passive: false, signal });
  // Links would begin the browser's own dragging.
  root.addEventListener("dragstart", (event) => press !== null && event.preventDefault(), { signal });
  return () => {
    moves.cancel();
    ended.abort();
    press?.end();
  };
}

interface Press {
  onTouchMove(event: Event): void;
  end(): void;
}

/** Follows a pointer that is down until it is up. */
function pressOn(below: Below, grip: Grip, down: PointerEvent, onEnd: () => void): Press {
  const { root, moves } = below;
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
    getSelection()?.removeAllRanges();
    root.setPointerCapture(pointerId);
    drag = startDrag(below, grip, begun, () => {
      drag = null;
    });
  }
  const timer = isTouch ? setTimeout(start, PRESS.longMs) : undefined;
  function end(): void {
    clearTimeout(timer);
    ended.abort();
    if (isDrag && hasMoved) ignoreClick();
    onEnd();
  }
  function onTouchMove(event: Event): void {
    if (isDrag && event.cancelable) event.preventDefault();
  }

  const listen = <Type extends keyof WindowEventMap>(type: Type, listener: (event: WindowEventMap[Type]) => void) =>
    addEventListener(type, listener, { capture: true, signal });
  listen("pointermove", (event) => {
    if (event.pointerId !== pointerId) return;
    const point = pointOf(event);
    const distance = Math.hypot(point.x - begun.x, point.y - begun.y);
    hasMoved ||= distance > PRESS.dragPx;
    if (!isDrag && isTouch && distance > PRESS.swipePx) end();
    else if (!isDrag && !isTouch && hasMoved) start();
    // The button may have been released outside of the window.
    if (drag !== null && event.buttons === 0) moves.cancel();
    drag?.moveTo(point);
  });
  listen("pointerup", (event) => {
    if (event.pointerId !== pointerId) return;
    drag?.drop();
    end();
  });
  listen("pointercancel", (event) => {
    if (event.pointerId !== pointerId) return;
    if (drag !== null) moves.cancel();
    end();
  });
  listen("keydown", (event) => {
    if (drag === null) return;
    event.stopPropagation();
    if (event.key !== "Escape") return;
    event.preventDefault();
    moves.cancel();
  });
  listen("contextmenu", (event) => event.preventDefault());
  // A touch belongs to the element that it began on, also when that leaves the page.
  target?.addEventListener("touchmove", onTouchMove, { passive: false, signal });
  return { onTouchMove, end };
}
