import { type FormEvent, useState } from "react";
import type { CardState } from "work-board-client/board";
import { useChange } from "../board/context.js";
import { Checkboxes, optionsWith, usePersonOptions } from "../board/options.js";
import * as picker from "../parts/Picker.module.css";
import { texts } from "../texts/later.js";

/** Assigns people to a card: the reader first, then the others of the board. */
export function PeoplePicker({ card: { publicId: cardPublicId, members } }: { card: CardState }) {
  const change = useChange();
  const options = usePersonOptions();
  const [text, setText] = useState("");
  const found = optionsWith(options, text);
  const isOn = (id: string) => members.some(({ publicId }) => publicId === id);
  const toggle = (memberPublicId: string, on: boolean) =>
    change("card.toggleMember", { cardPublicId, memberPublicId, on });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setText("");
    const [first] = found;
    if (text.trim() !== "" && first !== undefined) toggle(first.value, !isOn(first.value));
  };
  return (
    <form onSubmit={submit}>
      <div className={picker.find}>
        <input
          aria-label={texts.pickers.findPerson}
          placeholder={texts.pickers.findPerson}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <Checkboxes options={found} isOn={isOn} toggle={toggle} />
    </form>
  );
}
