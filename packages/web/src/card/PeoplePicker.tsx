import { useState } from "react";
import type { CardState } from "work-board-client/board";
import { useChange } from "../board/context.js";
import { Checkboxes, optionsWith, usePersonOptions } from "../board/options.js";
import { texts } from "../texts/later.js";

/** Assigns people to a card: the reader first, then the others of the board. */
export function PeoplePicker({ card: { publicId: cardPublicId, members } }: { card: CardState }) {
  const change = useChange();
  const options = usePersonOptions();
  const [text, setText] = useState("");
  return (
    <>
      <div className="find">
        <input
          aria-label={texts.pickers.findPerson}
          placeholder={texts.pickers.findPerson}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <Checkboxes
        options={optionsWith(options, text)}
        isOn={(id) => members.some(({ publicId }) => publicId === id)}
        toggle={(memberPublicId, on) => change("card.toggleMember", { cardPublicId, memberPublicId, on })}
      />
    </>
  );
}
