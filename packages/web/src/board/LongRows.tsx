// The rows of a long list: those in view, what has the focus or is moved, and where it will land.

import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { Fragment, type Key, type ReactNode, useCallback, useDeferredValue } from "react";
import { useStore } from "../store.js";
import { useShownBoard } from "./context.js";
import { type RowsProps, Slot } from "./rows.js";

/** The height of a card before it is measured, and the gap between two, in CSS pixels. */
const CARD_PX = 86;
const GAP_PX = 6;
/** The least height of the page above and below the cards of a list. */
const AROUND_PX = 130;

export function LongRows({ cardIds, slot, scroller, keyOf, card }: RowsProps) {
  const { open } = useShownBoard();
  const indexOfFocused = useStore(open.focused, (id) => (id === null ? -1 : cardIds.indexOf(id)));
  const indexOfMoving = useStore(open.moving, (thing) => (thing === null ? -1 : cardIds.indexOf(thing.publicId)));
  // Rows out of view follow once the board is painted.
  const overscan = useDeferredValue(5, 0);
  const getItemKey = useCallback((index: number) => keyOf(cardIds[index] ?? ""), [cardIds, keyOf]);
  const virtualizer = useVirtualizer({
    count: cardIds.length,
    getScrollElement: () => scroller,
    // With a guess of its height, rows are rendered before the list is laid out, which then happens once.
    initialRect: { width: 0, height: window.innerHeight - AROUND_PX },
    estimateSize: () => CARD_PX,
    gap: GAP_PX,
    overscan,
    getItemKey,
    rangeExtractor: (range: Range) => {
      const kept = [indexOfFocused, indexOfMoving, slot ?? -1].filter((index) => index !== -1 && index < range.count);
      return [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b);
    },
  });
  virtualizer.indexFromElement = (element) => cardIds.indexOf(open.cards.idAt(element) ?? "");
  const rows: ReactNode[] = [];
  let end = -GAP_PX;
  const spaceTo = (start: number, next: Key) => {
    const height = start - end - 2 * GAP_PX;
    if (height > 0) rows.push(<li key={`before ${next}`} aria-hidden="true" style={{ height }} />);
  };
  for (const item of virtualizer.getVirtualItems()) {
    spaceTo(item.start, item.key);
    end = item.end;
    rows.push(
      <Fragment key={item.key}>
        {slot === item.index && <Slot />}
        {card(cardIds[item.index] ?? "", item.index, virtualizer.measureElement)}
      </Fragment>,
    );
  }
  spaceTo(virtualizer.getTotalSize() + GAP_PX, "the end");
  if (slot === cardIds.length) rows.push(<Slot key="slot" />);
  return rows;
}
