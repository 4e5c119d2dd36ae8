import type { CardState } from "work-board-client/board";
import { useChange } from "../board/context.js";
import { localDay } from "../board/due.js";
import { DayChoice } from "../parts/DayChoice.js";
import { dayOf } from "../parts/days.js";

/** Sets the day on which a card is due. */
export function DatePicker({ card, close }: { card: CardState; close: () => void }) {
  const change = useChange();
  const { publicId: cardPublicId, dueDate, dueHasTime } = card;
  return (
    <DayChoice
      day={dueDate === null ? null : dayOf(localDay({ dueDate, dueHasTime }))}
      canClear={dueDate !== null}
      choose={(day) => {
        change("card.update", { cardPublicId, dueDate: day });
        close();
      }}
    />
  );
}
