import { type KeyboardEvent, type TextareaHTMLAttributes, useId, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useAssignable } from "../board/assignable.js";
import { useShownBoard } from "../board/context.js";
import { Avatar } from "../parts/Avatar.js";
import { texts } from "../texts/later.js";
import { editedText, fits, mentionOf, shownOf, sourceOf, type Wanted, wantedAt } from "./mentions.js";

const PEOPLE_SHOWN = 6;

/** The people who can be mentioned and whose name fits. */
function usePeople(wanted: Wanted | null) {
  const { meId } = useShownBoard();
  const people = useAssignable(wanted !== null);
  if (wanted === null) return [];
  return people.filter(({ publicId, name }) => publicId !== meId && fits(name, wanted.name)).slice(0, PEOPLE_SHOWN);
}

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "value" | "onChange"> {
  text: string;
  set: (text: string) => void;
  hasFocus?: boolean;
}

/** A field for Markdown, in which mentions are names. Behind an `@` it offers people: arrows choose, Enter takes, Escape goes on typing. */
export function MentionField({ text, set, hasFocus = false, onKeyDown, maxLength, ...field }: Props) {
  const id = useId();
  const ref = useRef<HTMLTextAreaElement>(null);
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const [index, setIndex] = useState(0);
  const people = usePeople(wanted);
  const active = people[Math.min(index, people.length - 1)];
  useLayoutEffect(() => {
    const { current } = ref;
    if (!hasFocus || current === null) return;
    current.focus();
    current.setSelectionRange(current.value.length, current.value.length);
  }, [hasFocus]);
  const shown = shownOf(text);
  const look = (source: string, { value, selectionStart: caret, selectionEnd }: HTMLTextAreaElement) => {
    const before = sourceOf(source, 0, caret);
    const isInMention = before + sourceOf(source, caret, value.length) !== source;
    const next = caret === selectionEnd && !isInMention ? wantedAt(before) : null;
    if (next?.start !== wanted?.start || next?.name !== wanted?.name) setIndex(0);
    setWanted(next);
  };
  const take = (person: { publicId: string; name: string }) => {
    if (wanted === null) return;
    const before = `${text.slice(0, wanted.start)}${mentionOf(person)} `;
    flushSync(() => {
      set(before + text.slice(wanted.end));
      setWanted(null);
    });
    const caret = shownOf(before).length;
    ref.current?.setSelectionRange(caret, caret);
  };
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (active === undefined) onKeyDown?.(event);
    else if (step !== undefined) setIndex((people.indexOf(active) + step + people.length) % people.length);
    else if (event.key === "Enter" || event.key === "Tab") take(active);
    else if (event.key === "Escape") setWanted(null);
    else return;
    if (active === undefined) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="mentioning">
      <textarea
        {...field}
        ref={ref}
        value={shown}
        maxLength={maxLength && maxLength - (text.length - shown.length)}
        dir="auto"
        aria-autocomplete="list"
        aria-controls={active && id}
        aria-activedescendant={active && `${id}-${active.publicId}`}
        onChange={({ currentTarget }) => {
          const next = editedText(text, currentTarget.value, currentTarget.selectionStart);
          set(next);
          look(next, currentTarget);
        }}
        onSelect={({ currentTarget }) => look(text, currentTarget)}
        onBlur={() => setWanted(null)}
        onKeyDown={onKey}
      />
      {active !== undefined && (
        <div className="pop" id={id} role="listbox" aria-label={texts.time.people}>
          {people.map((person, at) => (
            <button
              key={person.publicId}
              id={`${id}-${person.publicId}`}
              type="button"
              role="option"
              aria-selected={person === active}
              tabIndex={-1}
              className={person === active ? "item is-on" : "item"}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onPointerMove={() => setIndex(at)}
              onClick={() => take(person)}
            >
              <Avatar name={person.name} size="s" />
              <span className="truncate" dir="auto">
                {person.name}
              </span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
