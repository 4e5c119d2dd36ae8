import { Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { CardState } from "work-board-client/board";
import { useBoardState, useChange, useShownBoard } from "../board/context.js";
import { Checkboxes, optionsWith, useLabelOptions } from "../board/options.js";
import { colourOfNext } from "../parts/colours.js";
import { Icon } from "../parts/Icon.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";

/** Puts labels on a card, and makes those that the board lacks. */
export function LabelPicker({ card }: { card: CardState }) {
  const { followed, may } = useShownBoard();
  const change = useChange();
  const boardPublicId = useBoardState((board) => board.publicId);
  const labels = useBoardState((board) => board.labels);
  const options = useLabelOptions();
  const [text, setText] = useState("");
  const wanted = text.trim();
  const isThere = labels.some(({ name }) => name.toLocaleLowerCase() === wanted.toLocaleLowerCase());
  const { publicId: cardPublicId } = card;
  const make = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setText("");
    const colourCode = colourOfNext(labels.length);
    change("board.labels.create", { boardPublicId, name: wanted, colourCode });
    const made = followed.state().board?.labels.find(({ name }) => name === wanted);
    if (made !== undefined) change("card.toggleLabel", { cardPublicId, labelPublicId: made.publicId, on: true });
  };
  return (
    <form onSubmit={make}>
      <div className="find">
        <input
          aria-label={t.card.find}
          placeholder={t.card.find}
          value={text}
          maxLength={64}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (wanted === "" || isThere)) event.preventDefault();
          }}
        />
      </div>
      <Checkboxes
        options={optionsWith(options, wanted)}
        isOn={(id) => card.labelIds.includes(id)}
        toggle={(labelPublicId, on) => change("card.toggleLabel", { cardPublicId, labelPublicId, on })}
      >
        {wanted !== "" && !isThere && may("board:edit") && (
          <button type="submit" className="item">
            <Icon of={Plus} />
            <span className="truncate">{texts.pickers.makeLabel(wanted)}</span>
          </button>
        )}
      </Checkboxes>
    </form>
  );
}
