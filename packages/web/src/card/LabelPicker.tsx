import { Plus } from "lucide";
import { type FormEvent, useRef, useState } from "react";
import type { CardState } from "work-board-client/board";
import { useBoardState, useChange, useShownBoard } from "../board/context.js";
import { Checkboxes, optionsWith, useLabelOptions } from "../board/options.js";
import { colourOfNext } from "../parts/colours.js";
import { Icon } from "../parts/Icon.js";
import * as picker from "../parts/Picker.module.css";
import { texts } from "../texts/later.js";

/** Puts labels on a card, and makes those that the board lacks. Enter takes the first label that is found, or makes one if none is. */
export function LabelPicker({ card }: { card: CardState }) {
  const { followed, may } = useShownBoard();
  const change = useChange();
  const boardPublicId = useBoardState((board) => board.publicId);
  const labels = useBoardState((board) => board.labels);
  const options = useLabelOptions();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const wanted = text.trim();
  const found = optionsWith(options, wanted);
  const same = labels.find(({ name }) => name.toLocaleLowerCase() === wanted.toLocaleLowerCase());
  const canMake = wanted !== "" && same === undefined && may("board:edit");
  const { publicId: cardPublicId } = card;
  const isOn = (labelPublicId: string) => card.labelIds.includes(labelPublicId);
  const toggle = (labelPublicId: string, on: boolean) =>
    change("card.toggleLabel", { cardPublicId, labelPublicId, on });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const labelPublicId = same?.publicId ?? found[0]?.value;
    if (wanted !== "" && labelPublicId !== undefined) {
      toggle(labelPublicId, !isOn(labelPublicId));
      setText("");
    } else if (canMake) make();
  };
  const make = () => {
    setText("");
    field.current?.focus();
    const colourCode = colourOfNext(labels.length);
    change("board.labels.create", { boardPublicId, name: wanted, colourCode });
    const made = followed.state().board?.labels.find(({ name }) => name === wanted);
    if (made !== undefined) toggle(made.publicId, true);
  };
  return (
    <form onSubmit={submit}>
      <div className={picker.find}>
        <input
          ref={field}
          aria-label={texts.card.find}
          placeholder={texts.card.find}
          value={text}
          maxLength={64}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <Checkboxes options={found} isOn={isOn} toggle={toggle}>
        {canMake && (
          <button type="button" className="item" onClick={make}>
            <Icon of={Plus} />
            <span className="truncate">{texts.pickers.makeLabel(wanted)}</span>
          </button>
        )}
      </Checkboxes>
    </form>
  );
}
