// The content of a mail, before it is laid out as text and as HTML.

/** A link with its words. */
export interface Link {
  label: string;
  url: string;
}

/** One of several things that a mail lists. */
export interface Item {
  text: string;
  /** The page that shows it; null if there is none. */
  url: string | null;
}

/** A piece of a mail. */
export type Block = { paragraph: string } | { button: Link } | { items: readonly Item[] };

/** The content of a mail. */
export interface Letter {
  /** Holds no text of cards. */
  subject: string;
  blocks: readonly Block[];
  /** The reason why the person gets it; stands at the end, in small print. */
  reason: string;
  /** The page that ends such mail; left out where it cannot be ended. */
  unsubscribe?: Link;
}

/** The most characters of somebody else's text in a sentence. */
const VALUE_MAX = 200;

/** Characters that end lines, hide text or turn its direction. */
const UNSPEAKABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;

/** A text of somebody else as a part of one line. */
export function inLine(text: string): string {
  const line = text.replace(UNSPEAKABLE, " ").replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length <= VALUE_MAX ? line : `${characters.slice(0, VALUE_MAX - 1).join("")}…`;
}

/** The places where a text would become a link or an encoded word: in `://` and `=?`, and behind a dot between letters or digits. */
const LINKING = /(?<=:)(?=\/\/)|(?<==)(?=\?)|(?<=[\p{L}\p{M}\p{N}-]\.)(?=[\p{L}\p{N}])/gu;
const ZERO_WIDTH_SPACE = "\u200b";

/** A text of somebody else as a part of one line, of which no mail program makes a link (capabilities section 1). */
const unlinked = (text: string): string => inLine(text).replace(LINKING, ZERO_WIDTH_SPACE);

/** A template tag for sentences of a mail: what is put into one stays on its line, is cut when it is long, and becomes no link. */
export const say = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  parts.map((part, index) => `${index === 0 ? "" : unlinked(String(values[index - 1]))}${part}`).join("");
