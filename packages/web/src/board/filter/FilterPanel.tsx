// The conditions of the filter. Loaded once a board is there.

import { Popover } from "@base-ui/react/popover";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Avatar } from "../../parts/Avatar.js";
import { colourVariable } from "../../parts/colours.js";
import { plain } from "../../search/words.js";
import { texts } from "../../texts/later.js";
import { useBoardState, useShownBoard } from "../context.js";
import { useFilter, useSetFilter } from "./context.js";
import { DUES, type Kind, NONE, toggled } from "./filter.js";
import "../../styles/filter.css";

interface Props {
  button: RefObject<HTMLButtonElement | null>;
  close: () => void;
}

export default function FilterPanel({ button, close }: Props) {
  const isOnButton = ({ target }: Event) => target instanceof Node && button.current?.contains(target) === true;
  return (
    // A press on the button closes by its click.
    <Popover.Root open onOpenChange={(isOpen, { event }) => !isOpen && !isOnButton(event) && close()}>
      <Popover.Portal>
        <Popover.Positioner anchor={button} align="end" sideOffset={4} className="positioner">
          <Popover.Popup className="pop picker filter-panel" aria-label={texts.filter.heading} finalFocus={button}>
            <TextField />
            <div className="filter-kinds">
              <People />
              <Labels />
              <Dues />
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The address changes when typing pauses: browsers refuse many changes in a row. */
const PAUSE_MS = 120;

function TextField() {
  const filter = useFilter();
  const setFilter = useSetFilter();
  const set = useRef<(text: string) => void>(() => {});
  useEffect(() => {
    set.current = (text) => text !== filter.text && setFilter({ ...filter, text });
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <div className="find">
      <input
        type="search"
        aria-label={texts.filter.find}
        placeholder={texts.filter.find}
        defaultValue={filter.text}
        maxLength={200}
        onChange={({ currentTarget: { value } }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => set.current(value), PAUSE_MS);
        }}
        onBlur={({ currentTarget: { value } }) => {
          clearTimeout(timer.current);
          set.current(value);
        }}
      />
    </div>
  );
}

interface Option {
  value: string;
  /** The words by which it is found. */
  name: string;
  content: ReactNode;
}

function People() {
  const { meId } = useShownBoard();
  const members = useBoardState((board) => board.members);
  const options = members
    .filter(({ status }) => status === "active")
    .toSorted((a, b) => Number(b.publicId === meId) - Number(a.publicId === meId))
    .map(({ publicId, name }): Option => {
      const isMe = publicId === meId;
      const text = isMe ? texts.filter.me(name) : name;
      const content = (
        <>
          <Avatar name={name} id={publicId} isMe={isMe} size="s" />
          <span className="truncate" dir="auto">
            {text}
          </span>
        </>
      );
      return { value: publicId, name: text, content };
    });
  const nobody = { value: NONE, name: texts.filter.nobody, content: texts.filter.nobody };
  return <Options kind="person" options={[...options, nobody]} />;
}

function Labels() {
  const labels = useBoardState((board) => board.labels);
  const options = labels.map(({ publicId, name, colourCode }): Option => {
    const content = (
      <span className="chip label tint l" style={colourVariable(colourCode)} dir="auto">
        {name}
      </span>
    );
    return { value: publicId, name, content };
  });
  const none = { value: NONE, name: texts.filter.noLabel, content: texts.filter.noLabel };
  return <Options kind="label" options={[...options, none]} />;
}

const Dues = () => (
  <Options
    kind="due"
    options={DUES.map((value) => ({ value, name: texts.filter.dues[value], content: texts.filter.dues[value] }))}
  />
);

/** From this many options on, a field finds them. */
const MANY = 9;

function Options({ kind, options }: { kind: Kind; options: readonly Option[] }) {
  const filter = useFilter();
  const setFilter = useSetFilter();
  const [text, setText] = useState("");
  const chosen: readonly string[] = filter[kind];
  const found = options.filter(({ name }) => plain(name).includes(plain(text.trim())));
  return (
    <fieldset>
      <legend className="pop-title">{texts.filter.kinds[kind]}</legend>
      {options.length >= MANY && (
        <input
          className="input s"
          aria-label={texts.filter.findIn[kind]}
          placeholder={texts.filter.findIn[kind]}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div className="list">
        {found.map(({ value, content }) => (
          <label key={value} className="item">
            <input
              type="checkbox"
              className="check"
              checked={chosen.includes(value)}
              onChange={() => setFilter(toggled(filter, kind, value))}
            />
            {content}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
