import { type RefObject, useEffect, useRef, useState } from "react";
import { dragLoop } from "../board/dragging/dragLoop.js";
import { followPresses, type Point, type StartDrag } from "../board/dragging/presses.js";
import { scrollUpOrDown } from "../board/dragging/scrollAtEdges.js";
import { texts } from "../texts/later.js";
import type { DueCard } from "./queries.js";
import { dayInWords } from "./words.js";

const dayAt = ({ x, y }: Point): string | null =>
  document.elementsFromPoint(x, y).find((element): element is HTMLElement => element.matches("[data-day]"))?.dataset
    .day ?? null;

/** Begins to drag a card to another day. `setTarget` is called with the day that it is over, or with null. */
const dragOf =
  (
    grid: HTMLElement,
    row: HTMLElement,
    setTarget: (day: string | null) => void,
    drop: (day: string) => void,
  ): StartDrag =>
  (begun, onEnd) => {
    const { top } = row.getBoundingClientRect();
    let point = begun;
    const loop = dragLoop({
      element: row,
      begun,
      onWheel: (_point, _x, y) => grid.scrollBy(0, y),
      scroll: (at, ms) => scrollUpOrDown(grid, at, begun, ms),
      setTarget(at) {
        const day = dayAt(at);
        setTarget(day);
        return day === null ? texts.calendar.sameDay : texts.calendar.dueOn(dayInWords(day));
      },
    });
    // On a phone, this shows the days that are empty. The card stays under the finger.
    grid.scrollTop += row.getBoundingClientRect().top - top;
    const cancel = () => {
      loop.end(() => null);
      setTarget(null);
      onEnd();
    };
    return {
      moveTo(next) {
        point = next;
        loop.moveTo(next);
      },
      drop() {
        const day = dayAt(point);
        if (day !== null) drop(day);
        cancel();
      },
      cancel,
    };
  };

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
    const grid = root.current;
    if (grid === null || !canDrag) return;
    return followPresses(grid, (pressed) => {
      if (pressed.closest("[aria-haspopup]") !== null) return null;
      const row = pressed.closest<HTMLElement>("[data-due]");
      const card = latest.current.cards.find(({ publicId }) => publicId === row?.dataset.due);
      if (row === null || card === undefined) return null;
      return dragOf(grid, row, setOver, (day) => latest.current.drop(card, day));
    });
  }, [root, canDrag]);
  return over;
}
