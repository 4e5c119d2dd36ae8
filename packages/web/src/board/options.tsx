// Labels and people to choose from by checkboxes, with a field that finds them among many.

import { type ReactNode, useState } from "react";
import { Avatar } from "../parts/Avatar.js";
import { colourVariable } from "../parts/colours.js";
import { plain } from "../search/words.js";
import { t } from "../texts/index.js";
import { useBoardState, useShownBoard } from "./context.js";

export interface Option {
  value: string;
  /** The words by which it is found. */
  name: string;
  content: ReactNode;
}

/** From this many options on, a field finds them. */
const MANY = 9;

interface Props {
  options: readonly Option[];
  /** The name of the field. */
  find: string;
  /** Whether an option is chosen; mixed if it is for some of several things. */
  isOn: (value: string) => boolean | "mixed";
  toggle: (value: string, isOn: boolean) => void;
}

export function Options({ options, find, isOn, toggle }: Props) {
  const [text, setText] = useState("");
  const found = options.filter(({ name }) => plain(name).includes(plain(text.trim())));
  return (
    <>
      {options.length >= MANY && (
        <input
          className="input s"
          aria-label={find}
          placeholder={find}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div className="list">
        {found.map(({ value, content }) => (
          <label key={value} className="item">
            <input
              ref={(box) => {
                if (box !== null) box.indeterminate = isOn(value) === "mixed";
              }}
              type="checkbox"
              className={isOn(value) === "mixed" ? "check mixed" : "check"}
              checked={isOn(value) === true}
              onChange={() => toggle(value, isOn(value) !== true)}
            />
            {content}
          </label>
        ))}
      </div>
    </>
  );
}

/** The people of the board, the reader first. */
export function usePersonOptions(): Option[] {
  const { meId } = useShownBoard();
  return useBoardState((board) => board.members)
    .filter(({ status }) => status === "active")
    .toSorted((a, b) => Number(b.publicId === meId) - Number(a.publicId === meId))
    .map(({ publicId, name: own }) => {
      const isMe = publicId === meId;
      const name = isMe ? t.card.youAre(own) : own;
      const content = (
        <>
          <Avatar name={own} isMe={isMe} size="s" />
          <span className="truncate" dir="auto">
            {name}
          </span>
        </>
      );
      return { value: publicId, name, content };
    });
}

/** The labels of the board. */
export const useLabelOptions = (): Option[] =>
  useBoardState((board) => board.labels).map(({ publicId, name, colourCode }) => {
    const content = (
      <span className="chip label tint l" style={colourVariable(colourCode)} dir="auto">
        {name}
      </span>
    );
    return { value: publicId, name, content };
  });
