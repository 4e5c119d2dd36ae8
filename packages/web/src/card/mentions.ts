// Mentions in texts: `@[label](memberPublicId)`.

/** A mention that is being typed: the text behind its `@` up to the caret, and its place. */
export interface Wanted {
  name: string;
  start: number;
  end: number;
}

const NAME_MAX = 40;
const BEGUN = new RegExp(`(?:^|[\\s(])@([\\p{L}\\p{N}][^\\n@[\\]()]{0,${NAME_MAX}}|)$`, "u");

/** The mention that is being typed at a place of a text; null if there is none. */
export function wantedAt(text: string, caret: number): Wanted | null {
  const name = BEGUN.exec(text.slice(0, caret))?.[1];
  return name === undefined ? null : { name, start: caret - name.length - 1, end: caret };
}

/** Whether one of somebody's names begins like a text. */
export const fits = (name: string, text: string): boolean =>
  ` ${name.toLocaleLowerCase()}`.includes(` ${text.toLocaleLowerCase()}`);

/** The mention of a person. A label cannot hold the brackets that end it. */
export const mentionOf = ({ publicId, name }: { publicId: string; name: string }): string =>
  `@[${name.replaceAll(/[[\]()]/g, "")}](${publicId})`;
