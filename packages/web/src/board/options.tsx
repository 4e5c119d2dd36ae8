// Labels and people to choose from by checkboxes, with a field that finds them among many.

import { type ReactNode, useState } from "react";
import { Avatar } from "../parts/Avatar.js";
import { folded } from "../parts/folded.js";
import { LabelChip } from "../parts/LabelChip.js";
import * as picker from "../parts/Picker.module.css";
import { texts } from "../texts/later.js";
import { usePeople } from "./assignable.js";
import { meFirst, useBoardState, useShownBoard } from "./context.js";

export interface Option {
  value: string;
  /** The key of its element, if that is not its value. */
  key?: string | undefined;
  /** The words by which it is found. */
  name: string;
  content: ReactNode;
}

/** The options whose name contains a text, whatever its case and accents. */
export const optionsWith = (options: readonly Option[], text: string): Option[] =>
  options.filter(({ name }) => folded(name).includes(folded(text.trim())));

interface CheckboxesProps {
  options: readonly Option[];
  /** Whether an option is chosen; mixed if it is for some of several things. */
  isOn: (value: string) => boolean | "mixed";
  toggle: (value: string, isOn: boolean) => void;
  /** Stands below the options. */
  children?: ReactNode;
}

export const Checkboxes = ({ options, isOn, toggle, children }: CheckboxesProps) => (
  <div className={picker.list}>
    {options.map(({ value, key = value, content }) => (
      <label key={key} className="item">
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
    {children}
  </div>
);

/** From this many options on, a field finds them. */
const MANY = 9;

/** Options, with a field of a name that finds them among many. */
export function Options({ options, find, ...checkboxes }: CheckboxesProps & { find: string }) {
  const [text, setText] = useState("");
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
      <Checkboxes {...checkboxes} options={optionsWith(options, text)} />
    </>
  );
}

/** The people who can be assigned and those who are, the reader first. */
export function usePersonOptions(): Option[] {
  const { meId } = useShownBoard();
  return meFirst(usePeople(), meId).map(({ publicId, name: own }) => {
    const isMe = publicId === meId;
    const name = isMe ? texts.card.youAre(own) : own;
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
  useBoardState((board) => board.labels).map((label) => ({
    value: label.publicId,
    key: label.key,
    name: label.name,
    content: <LabelChip of={label} size="l" />,
  }));
