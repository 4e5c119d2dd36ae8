import { Bold, Code, type IconNode, Link, List } from "lucide";
import type { RefObject } from "react";
import { Icon } from "../parts/Icon.js";
import { texts } from "../texts/later.js";
import * as styles from "./Text.module.css";

/** Marks around the selected text, or before each of its lines. */
type Marks = { around: readonly [string, string] } | { before: string };

const FORMATS: [keyof typeof texts.formatting.names, IconNode, Marks][] = [
  ["bold", Bold, { around: ["**", "**"] }],
  ["list", List, { before: "- " }],
  ["code", Code, { around: ["`", "`"] }],
  ["link", Link, { around: ["[", "](https://)"] }],
];

/** Replaces a part of a field's text as if it was typed, so that the browser can undo it, and selects a part of the result. */
function type(field: HTMLTextAreaElement, [from, to]: [number, number], text: string, [start, end]: [number, number]) {
  field.focus();
  field.setSelectionRange(from, to);
  document.execCommand("insertText", false, text);
  field.setSelectionRange(from + start, from + end);
}

function format(field: HTMLTextAreaElement, marks: Marks): void {
  const { value, selectionStart: from, selectionEnd: to } = field;
  if ("around" in marks) {
    const [before, after] = marks.around;
    const start = before.length;
    type(field, [from, to], before + value.slice(from, to) + after, [start, start + to - from]);
    return;
  }
  const line = value.lastIndexOf("\n", from - 1) + 1;
  const text = value.slice(line, to).replace(/^/gm, marks.before);
  type(field, [line, to], text, [text.length, text.length]);
}

/** Buttons that format what is selected in a field. */
export function Formatting({ field }: { field: RefObject<HTMLTextAreaElement | null> }) {
  return (
    <fieldset className={styles.formatting} aria-label={texts.formatting.heading}>
      {FORMATS.map(([name, icon, marks]) => (
        <button
          key={name}
          type="button"
          className="btn plain icon s"
          aria-label={texts.formatting.names[name]}
          title={texts.formatting.names[name]}
          onClick={() => field.current && format(field.current, marks)}
        >
          <Icon of={icon} />
        </button>
      ))}
    </fieldset>
  );
}
