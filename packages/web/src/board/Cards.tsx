import { useCallback } from "react";
import type { ListState } from "work-board-client/board";
import { t } from "../texts/index.js";
import { Card } from "./Card.js";
import { useShownBoard } from "./context.js";
import { useCardIds, useSlot } from "./moving/held.js";
import { Rows } from "./rows.js";

interface Props {
  list: ListState;
  /** The card whose title is edited, if any. */
  edited: string | null;
  stopEditing: (cardPublicId: string, isByKey: boolean) => void;
  openMenu: (cardPublicId: string) => void;
}

/** The cards of a list. */
export function Cards({ list, edited, stopEditing, openMenu }: Props) {
  const { followed } = useShownBoard();
  const cardIds = useCardIds(list);
  const slot = useSlot(list, cardIds);
  // A card that was made here keeps its key when it gets its identifier, and with it the focus.
  const keyOf = useCallback(
    (cardPublicId: string) => followed.state().board?.cards[cardPublicId]?.key ?? cardPublicId,
    [followed],
  );
  return (
    <ul className="cards" aria-label={t.board.cardsIn(list.name)}>
      <Rows
        cardIds={cardIds}
        slot={slot}
        keyOf={keyOf}
        card={(cardPublicId, index) => (
          <Card
            cardPublicId={cardPublicId}
            index={index}
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
