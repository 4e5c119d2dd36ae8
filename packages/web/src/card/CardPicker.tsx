// A picker for a property of a card, over the board. Loaded once the board stands.

import { Popover } from "@base-ui/react/popover";
import { useBoardState, useShownBoard } from "../board/context.js";
import { focusCard } from "../board/focus.js";
import type { PickerProps } from "../board/slots.js";
import * as picker from "../parts/Picker.module.css";
import { texts } from "../texts/later.js";
import { DatePicker } from "./DatePicker.js";
import { LabelPicker } from "./LabelPicker.js";
import { PeoplePicker } from "./PeoplePicker.js";

/** The open picker beside its card, which has the focus again once it closes. */
export default function CardPicker({ cardPublicId, property, close }: PickerProps) {
  const { open } = useShownBoard();
  const card = useBoardState((board) => board.cards[cardPublicId]);
  if (card === undefined) return null;
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Popover.Portal>
        <Popover.Positioner
          anchor={() => open.cards.get(cardPublicId)?.root ?? null}
          side="right"
          align="start"
          sideOffset={4}
          className="positioner"
        >
          <Popover.Popup
            className={`pop ${picker.picker}`}
            aria-label={texts.card[property]}
            finalFocus={() => {
              focusCard(open, cardPublicId);
              return false;
            }}
          >
            {property === "labels" && <LabelPicker card={card} />}
            {property === "people" && <PeoplePicker card={card} />}
            {property === "dueDate" && <DatePicker card={card} close={close} />}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
