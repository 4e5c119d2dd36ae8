import {
  type KeyboardEvent,
  type RefObject,
  type TextareaHTMLAttributes,
  useId,
  useLayoutEffect,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { useAssignable } from "../board/assignable.js";
import { useShownBoard } from "../board/context.js";
import { Avatar } from "../parts/Avatar.js";
import { GrowingField } from "../parts/GrowingField.js";
import { texts } from "../texts/later.js";
import { editedText, type MentionQuery, matches, mentionOf, queryAt, shownOf, sourceOf } from "./mentions.js";
import * as styles from "./Text.module.css";

const PEOPLE_SHOWN = 6;

interface Person {
  publicId: string;
  name: string;
}

/** The people who can be mentioned and whose name matches. */
function usePeople(query: MentionQuery | null): readonly Person[] {
  const { meId } = useShownBoard();
  const people = useAssignable(query !== null);
  if (query === null) return [];
  return people.filter(({ publicId, name }) => publicId !== meId && matches(name, query.name)).slice(0, PEOPLE_SHOWN);
}

/** The mention that is being typed in a field, and the people whom it may mean. */
function useMention(field: RefObject<HTMLTextAreaElement | null>, text: string, set: (text: string) => void) {
  const [query, setQuery] = useState<MentionQuery | null>(null);
  const [index, setIndex] = useState(0);
  const people = usePeople(query);
  return {
    people,
    active: people[Math.min(index, people.length - 1)],
    setIndex,
    /** Finds the mention at the caret of the field, whose text is `source`. */
    look(source: string, { value, selectionStart: caret, selectionEnd }: HTMLTextAreaElement) {
      const before = sourceOf(source, 0, caret);
      const isInMention = before + sourceOf(source, caret, value.length) !== source;
      const next = caret === selectionEnd && !isInMention ? queryAt(before) : null;
      if (next?.start !== query?.start || next?.name !== query?.name) setIndex(0);
      setQuery(next);
    },
    take(person: Person) {
      if (query === null) return;
      const before = `${text.slice(0, query.start)}${mentionOf(person)} `;
      flushSync(() => {
        set(before + text.slice(query.end));
        setQuery(null);
      });
      const caret = shownOf(before).length;
      field.current?.setSelectionRange(caret, caret);
    },
    end: () => setQuery(null),
  };
}

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "value" | "onChange"> {
  text: string;
  set: (text: string) => void;
  hasFocus?: boolean;
  ref: RefObject<HTMLTextAreaElement | null>;
}

/** A field for Markdown, in which mentions are names. Behind an `@` it offers people: arrows choose, Enter takes, Escape goes on typing. */
export function MentionField({ text, set, hasFocus = false, ref, onKeyDown, maxLength, ...field }: Props) {
  const id = useId();
  const mention = useMention(ref, text, set);
  const { people, active } = mention;
  useLayoutEffect(() => {
    const { current } = ref;
    if (!hasFocus || current === null) return;
    current.focus();
    current.setSelectionRange(current.value.length, current.value.length);
  }, [hasFocus, ref]);
  const shown = shownOf(text);
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (active === undefined) return onKeyDown?.(event);
    if (step !== undefined) mention.setIndex((people.indexOf(active) + step + people.length) % people.length);
    else if (event.key === "Enter" || event.key === "Tab") mention.take(active);
    else if (event.key === "Escape") mention.end();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={styles.mentioning}>
      <GrowingField
        {...field}
        ref={ref}
        value={shown}
        maxLength={maxLength && maxLength - (text.length - shown.length)}
        aria-autocomplete="list"
        aria-controls={active && id}
        aria-activedescendant={active && `${id}-${active.publicId}`}
        onChange={({ currentTarget }) => {
          const next = editedText(text, currentTarget.value, currentTarget.selectionStart);
          set(next);
          mention.look(next, currentTarget);
        }}
        onSelect={({ currentTarget }) => mention.look(text, currentTarget)}
        onBlur={mention.end}
        onKeyDown={onKey}
      />
      {active !== undefined && <People id={id} mention={mention} active={active} />}
    </div>
  );
}

interface PeopleProps {
  id: string;
  mention: ReturnType<typeof useMention>;
  active: Person;
}

const People = ({ id, mention: { people, setIndex, take }, active }: PeopleProps) => (
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
);
