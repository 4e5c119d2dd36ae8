// The rows of a list: its cards, and the place where a dragged one will land.

import { Fragment, type ReactNode } from "react";

export interface RowsProps {
  cardIds: readonly string[];
  /** The card before which a dragged one will land, by its index; null if it will not land in this list. */
  slot: number | null;
  keyOf: (cardPublicId: string) => string;
  card: (cardPublicId: string, index: number) => ReactNode;
}

/** The place where a dragged card will land. */
const Slot = () => <li className="slot" aria-hidden="true" />;

/** The rows of a list. */
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
