// The rows of a list: its cards, and the place where a moving one will land.

import { Fragment, type ReactNode, useCallback } from "react";
import { useShownBoard } from "./context.js";
import * as styles from "./List.module.css";

export interface RowsProps {
  cardIds: readonly string[];
  /** The card before which a moving one will land, by its index; null if it will not land in this list. */
  slot: number | null;
  /** The element that scrolls. */
  scroller: HTMLElement | null;
  keyOf: (cardPublicId: string) => string;
  card: (cardPublicId: string, index: number, measure?: (element: HTMLElement | null) => void) => ReactNode;
}

/** The place where a moving card will land. Keys bring it into view. */
export function Slot() {
  const { open } = useShownBoard();
  const show = useCallback(
    (slot: HTMLElement | null) => {
      if (open.moving.get()?.isDragged === false) slot?.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
    [open],
  );
  return <li ref={show} className={styles.slot} aria-hidden="true" />;
}

/** The rows of a list that is rendered whole. */
export const Rows = ({ cardIds, slot, keyOf, card }: RowsProps) => (
  <>
    {cardIds.map((cardPublicId, index) => (
      <Fragment key={keyOf(cardPublicId)}>
        {slot === index && <Slot />}
        {card(cardPublicId, index)}
      </Fragment>
    ))}
    {slot === cardIds.length && <Slot />}
  </>
);

/** The most cards of a list that is rendered whole. */
export const SHORT = 40;
