// Mentions in texts: `@[label](memberPublicId)`. Fields show them as names.

import { folded } from "../parts/folded.js";

/** A mention that is being typed: the text behind its `@` up to the caret, and its place. */
export interface MentionQuery {
  name: string;
  start: number;
  end: number;
}

/** Letters of languages that are written without blanks, and of Korean, which adds syllables to a word without them. */
const UNSPACED =
  "\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";
/** Behind another letter or one of these signs, an `@` belongs to an address of mail or of the web. */
const BEFORE = `(?<=^|[${UNSPACED}]|[^\\p{L}\\p{M}\\p{N}_.+/-])`;
const NAME_MAX = 40;
const BEGUN = new RegExp(`${BEFORE}[@＠]([\\p{L}\\p{N}][^\\n@＠[\\]()]{0,${NAME_MAX}}|)$`, "u");

/** The mention that is being typed at the end of a text; null if there is none. */
export function queryAt(text: string): MentionQuery | null {
  const name = BEGUN.exec(text)?.[1];
  return name === undefined ? null : { name, start: text.length - name.length - 1, end: text.length };
}

/** Whether one of somebody's names begins like a text, whatever its case and accents. */
export const matches = (name: string, text: string): boolean => ` ${folded(name)}`.includes(` ${folded(text)}`);

/** The mention of a person. A label cannot hold the brackets that end it. */
export const mentionOf = ({ publicId, name }: { publicId: string; name: string }): string =>
  `@[${name.replaceAll(/[[\]()]/g, "")}](${publicId})`;

/** A label ends before the next mention, so that each character is read once. */
const MENTION = /(@\[(?:(?!@\[|\]\()[^\n])*\]\([0-9A-Za-z]{12,64}\))/;

/** The parts of a text in turn: what stands between mentions, and mentions, each with what a field shows of it. */
const partsOf = (text: string): { source: string; shown: string }[] =>
  text.split(MENTION).map((source, index) => ({
    source,
    shown: index % 2 === 0 ? source : `@${source.slice(2, source.lastIndexOf("]"))}`,
  }));

/** A text as a field shows it: mentions as names. */
export const shownOf = (text: string): string =>
  partsOf(text)
    .map(({ shown }) => shown)
    .join("");

/** The text of a part of what a field shows. Of a mention that is not whole in it, letters remain. */
export function sourceOf(text: string, from: number, to: number): string {
  let at = 0;
  const sources = partsOf(text).map(({ source, shown }) => {
    const [start, end] = [Math.max(from - at, 0), Math.max(to - at, 0)];
    at += shown.length;
    return start === 0 && end >= shown.length ? source : shown.slice(start, end);
  });
  return sources.join("");
}

/** A text after its field was edited: `next` is what the field shows now, with the caret behind what was typed. */
export function editedText(text: string, next: string, caret: number): string {
  const shown = shownOf(text);
  const shorter = Math.min(shown.length, next.length);
  let behind = 0;
  while (behind < Math.min(next.length - caret, shorter) && shown.at(-behind - 1) === next.at(-behind - 1)) behind += 1;
  let before = 0;
  while (before < shorter - behind && shown[before] === next[before]) before += 1;
  return (
    sourceOf(text, 0, before) +
    next.slice(before, next.length - behind) +
    sourceOf(text, shown.length - behind, shown.length)
  );
}
