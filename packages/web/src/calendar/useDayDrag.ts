// Dragging a card to another day, for mouse, pen and touch. As on the board, a mouse drags when it moves, and a finger after a long
// press.

import { type RefObject, useEffect, useRef, useState } from "react";
import { imageOf } from "../board/dragging/image.js";
import type { Point } from "../board/dragging/placeAt.js";
import { ignoreClick, PRESS, pointOf } from "../board/dragging/presses.js";
import { texts } from "../texts/later.js";
import { type DueCard, dayOfCard } from "./queries.js";
import { dayInWords } from "./words.js";

const dayAt = ({ x, y }: Point): HTMLElement | null =>
  document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-day]") ?? null;

interface Press {
  element: HTMLElement;
  card: DueCard;
  down: PointerEvent;
  /** Called with the day that the card is over, or with null. */
  aim: (day: string | null) => void;
  drop: (card: DueCard, day: string) => void;
  onEnd: () => void;
}

/** Follows a pointer that is down on a card until it is up. Returns a function that puts the card back. */
function followPress({ element, card, down, aim, drop, onEnd }: Press): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const begun = pointOf(down);
  const isTouch = down.pointerType === "touch";
  let image: ReturnType<typeof imageOf> | null = null;
  let day: string | null = null;

  const aimAt = (point: Point) => {
    image?.moveTo(point);
    day = dayAt(point)?.dataset.day ?? null;
    image?.caption(day === null ? texts.calendar.sameDay : texts.calendar.dueOn(dayInWords(day)));
    aim(day);
  };
  const start = () => {
    getSelection()?.removeAllRanges();
    image = imageOf(element, begun);
    document.documentElement.classList.add("is-dragging");
    aimAt(begun);
  };
  const timer = isTouch ? setTimeout(start, PRESS.longMs) : undefined;
  const end = () => {
    clearTimeout(timer);
    ended.abort();
    document.documentElement.classList.remove("is-dragging");
    if (image !== null) ignoreClick();
    image?.land(() => null);
    aim(null);
    onEnd();
  };
  const listen = <Type extends keyof WindowEventMap>(type: Type, listener: (event: WindowEventMap[Type]) => void) =>
    addEventListener(type, listener, { capture: true, signal });
  listen("pointermove", (event) => {
    if (event.pointerId !== down.pointerId) return;
    const point = pointOf(event);
    const distance = Math.hypot(point.x - begun.x, point.y - begun.y);
    if (image === null && isTouch && distance > PRESS.swipePx) return end();
    if (image === null && !isTouch && distance > PRESS.dragPx) start();
    if (image !== null) aimAt(point);
  });
  listen("pointerup", (event) => {
    if (event.pointerId !== down.pointerId) return;
    if (image !== null && day !== null && day !== dayOfCard(card)) drop(card, day);
    end();
  });
  listen("pointercancel", (event) => event.pointerId === down.pointerId && end());
  listen("keydown", (event) => {
    if (image === null || event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    end();
  });
  listen("contextmenu", (event) => event.preventDefault());
  return end;
}

/** Lets pointers drag the cards of an element to another of its days. Returns the day that the dragged card is over. */
export function useDayDrag(
  root: RefObject<HTMLElement | null>,
  cards: readonly DueCard[],
  canDrag: boolean,
  drop: (card: DueCard, day: string) => void,
): string | null {
  const [over, setOver] = useState<string | null>(null);
  const latest = useRef({ cards, drop });
  useEffect(() => {
    latest.current = { cards, drop };
  });
  useEffect(() => {
    const element = root.current;
    if (element === null || !canDrag) return;
    let cancel: (() => void) | null = null;
    const onDown = (event: PointerEvent) => {
      if (cancel !== null || event.button !== 0 || !event.isPrimary || !(event.target instanceof Element)) return;
      if (event.target.closest("[aria-haspopup]") !== null) return;
      const row = event.target.closest<HTMLElement>("[data-due]");
      const card = latest.current.cards.find(({ publicId }) => publicId === row?.dataset.due);
      if (row === null || card === undefined) return;
      cancel = followPress({
        element: row,
        card,
        down: event,
        aim: setOver,
        drop: (...dropped) => latest.current.drop(...dropped),
        onEnd: () => {
          cancel = null;
        },
      });
    };
    // It must listen before the finger is down, or the browser scrolls without waiting for it.
    const onTouchMove = (event: Event) => {
      if (document.documentElement.classList.contains("is-dragging") && event.cancelable) event.preventDefault();
    };
    element.addEventListener("pointerdown", onDown);
    element.addEventListener("touchmove", onTouchMove, { passive: false });
    return () => {
      element.removeEventListener("pointerdown", onDown);
      element.removeEventListener("touchmove", onTouchMove);
      cancel?.();
    };
  }, [root, canDrag]);
  return over;
}
