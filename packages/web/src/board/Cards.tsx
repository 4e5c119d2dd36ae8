import { type RefObject, useCallback, useDeferredValue, useMemo, useState } from "react";
import type { ListState } from "work-board-client/board";
import { t } from "../texts/index.js";
import { Card } from "./Card.js";
import { useShownBoard } from "./context.js";
import { useShownIds } from "./filter/context.js";
import * as styles from "./List.module.css";
import { LongRows } from "./LongRows.js";
import { useSlot } from "./moving/moving.js";
import { usePrinting } from "./printing.js";
import { Rows, SHORT } from "./rows.js";

interface Props {
  /** Is given the element that scrolls. */
  scroller: RefObject<HTMLElement | null>;
  list: ListState;
  /** Whether they are rendered with the board. Those of other lists follow in a rendering that blocks nothing. */
  isFirst: boolean;
  /** The card whose title is edited, if any. */
  edited: string | null;
  stopEditing: (cardPublicId: string, isByKey: boolean) => void;
  openMenu: (cardPublicId: string) => void;
}

const NONE: readonly string[] = [];

/** The cards of a list. */
export function Cards({ scroller: ref, list, isFirst, edited, stopEditing, openMenu }: Props) {
  const { followed } = useShownBoard();
  const isIn = useDeferredValue(true, isFirst);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const scrollerRef = useCallback(
    (element: HTMLElement | null) => {
      ref.current = element;
      setScroller(element);
    },
    [ref],
  );
  const { cardIds } = list;
  const shown = useShownIds(cardIds);
  const slot = useSlot(list, shown);
  // Places count in the whole list, whatever a filter hides.
  const places = useMemo(
    () => (shown === cardIds ? null : new Map(cardIds.map((id, index) => [id, index]))),
    [shown, cardIds],
  );
  // A card that was made here keeps its key when it gets its identifier, and with it the focus.
  const keyOf = useCallback(
    (cardPublicId: string) => followed.state().board?.cards[cardPublicId]?.key ?? cardPublicId,
    [followed],
  );
  const isPrinting = usePrinting();
  const isLong = shown.length > SHORT && !isPrinting;
  const ShownRows = isLong ? LongRows : Rows;
  return (
    <ul
      ref={scrollerRef}
      className={isLong ? `${styles.cards} ${styles.isLong}` : styles.cards}
      aria-label={t.board.cardsIn(list.name)}
    >
      <ShownRows
        cardIds={isIn ? shown : NONE}
        slot={slot}
        scroller={scroller}
        keyOf={keyOf}
        card={(cardPublicId, index, measure) => (
          <Card
            measure={measure}
            cardPublicId={cardPublicId}
            index={places?.get(cardPublicId) ?? index}
            size={cardIds.length}
            isEdited={edited === cardPublicId}
            stopEditing={stopEditing}
            openMenu={openMenu}
          />
        )}
      />
    </ul>
  );
}
