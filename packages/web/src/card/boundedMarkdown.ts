// Markdown as HTML, in time that grows with the length of the text alone. `marked` scans ahead from each character that
// may open something, again and again where nothing closes it. The work is counted, and a text that needs too much of it
// is refused.

import { Lexer, Marked, type MarkedOptions, type Token, Tokenizer, type TokensList } from "marked";

/** Characters scanned per character of a text. Long prose needs about 10. */
const WORK_PER_CHARACTER = 100;
/** Short texts may be denser. */
const WORK_OF_SHORT_TEXTS = 200_000;
/** Finding the end of an emphasis compares each character with a dozen alternatives. */
const EMPHASIS_WEIGHT = 10;

/** Markers of quotes and items that follow each other in one line: `marked` needs the cube of their number. */
const DEEP_LINE = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){100}/m;

const lengthAt = (pattern: RegExp, text: string) => pattern.exec(text)?.[0].length ?? 0;

/** Up to the next blank line or block that ends every paragraph. */
const paragraphAt = (source: string) => {
  const end = source.search(/\n(?:[ \t]*\n| {0,3}(?:`{3}|~{3}|#{1,6}[ \t]|>))/);
  return end === -1 ? source : source.slice(0, end);
};

/** Repetitions that `marked` reads again from each of their characters: blanks, backticks, and signs behind an address. */
const REPEATED = / {2,}|`{2,}|[?!.,:;*_'"~)]{2,}/g;

class BoundedTokenizer extends Tokenizer {
  #left: number;
  readonly #hasLinks: boolean;

  constructor(text: string) {
    super();
    this.#hasLinks = text.includes("](");
    this.#left = Math.max(text.length * WORK_PER_CHARACTER, WORK_OF_SHORT_TEXTS);
  }

  spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw new Error("The text needs too much work");
  }

  /** The first rule that reads beyond its line. Rules of whole paragraphs follow it. */
  override def(source: string) {
    this.spend(paragraphAt(source).length);
    return super.def(source);
  }

  /** Short rows are filled up to the width of the table. */
  override table(source: string) {
    const lines = paragraphAt(source).split("\n");
    this.spend(lines.length * (lines[1]?.split("|").length ?? 0));
    return super.table(source);
  }

  override link(source: string) {
    const link = super.link(source);
    if (link !== undefined) this.spend(lengthAt(/^\S*/, source.slice(link.raw.length)));
    else if (this.#hasLinks && /^!?\[/.test(source)) this.spend(source.length);
    return link;
  }

  override reflink(source: string, links: Parameters<Tokenizer["reflink"]>[1]) {
    const link = super.reflink(source, links);
    if (link !== undefined && "href" in link) this.spend(link.href.length + (link.title?.length ?? 0));
    return link;
  }

  override emStrong(source: string, masked: string, before?: string) {
    const emphasis = super.emStrong(source, masked, before);
    const isWithinWord = source.startsWith("_") && /[\p{L}\p{N}]$/u.test(before ?? "");
    if (emphasis === undefined && !isWithinWord && /^(?:\*+|_+)\S/.test(source))
      this.spend(source.length * EMPHASIS_WEIGHT);
    return emphasis;
  }

  override del(source: string, masked: string, before?: string) {
    const deleted = super.del(source, masked, before);
    if (deleted === undefined && /^~~?[^\s~]/.test(source)) this.spend(source.length * EMPHASIS_WEIGHT);
    return deleted;
  }

  /** Looks for an address of mail at each of its characters that ends a text. */
  override inlineText(source: string) {
    this.spend(lengthAt(/^.?[\w.!#$%&'*+/=?`{|}~@-]*/s, source));
    return super.inlineText(source);
  }
}

class BoundedLexer extends Lexer {
  readonly #length: number;
  #depth = 0;
  readonly #spend: (work: number) => void;

  constructor(options: MarkedOptions, text: string) {
    const tokenizer = new BoundedTokenizer(text);
    super({ ...options, tokenizer });
    this.#length = text.length;
    this.#spend = (work) => tokenizer.spend(work);
  }

  override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  /** Reads the text of a quote or item again for each level that it stands in, and a quote whole for each of its parts. */
  override blockTokens(source: string, tokens: Token[] = [], isClipped = false): Token[] {
    this.#spend(source.length + (tokens.length === 0 ? 0 : this.#length));
    return super.blockTokens(source, tokens, isClipped);
  }

  /** Looks in the whole paragraph for the end of each length of backticks, and of each comment. */
  override inlineTokens(source: string, tokens?: Token[]): Token[] {
    const backticks = new Set(source.match(/`+/g)).size;
    const comments = source.match(/<[!?]/g)?.length ?? 0;
    const weight = this.#depth === 0 ? 1 : EMPHASIS_WEIGHT;
    this.#spend(source.length * (weight + backticks + comments));
    for (const [repeated] of source.matchAll(REPEATED)) this.#spend(repeated.length ** 2);
    this.#depth += 1;
    const read = super.inlineTokens(source, tokens);
    this.#depth -= 1;
    return read;
  }
}

/**
 * A mention, as the service reads it: `@[any label](memberPublicId)`. A label ends before the next mention, so that each
 * character is read once.
 */
const MENTION = /^@\[((?:(?!@\[|\]\()[^\n])*)\]\(([0-9A-Za-z]{12,64})\)/;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");

/** HTML in a text is shown as it was typed: parsed, its styles and handlers would count as violations of the page's policy. */
const markdown: Marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escaped(text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
  },
  // A picture within a link is that link.
  walkTokens(token) {
    for (const inner of token.type === "link" ? (token.tokens ?? []) : [])
      if (inner.type === "image") Object.assign(inner, { type: "text", text: inner.text || inner.href, tokens: null });
  },
  hooks: {
    provideLexer: () => (text) => {
      if (DEEP_LINE.test(text)) throw new Error("Quotes or lists are nested too deeply");
      return new BoundedLexer(markdown.defaults, text).lex(text);
    },
  },
  extensions: [
    {
      name: "mention",
      level: "inline",
      // Texts end before a bracket anyway.
      start: (source) => {
        const at = source.indexOf("[") - 1;
        return source[at] === "@" ? at : undefined;
      },
      tokenizer(source) {
        const [raw, label, memberPublicId] = MENTION.exec(source) ?? [];
        return raw === undefined ? undefined : { type: "mention", raw, label, memberPublicId };
      },
      renderer: ({ label, memberPublicId }) => `<span data-member="${memberPublicId}">${escaped(label)}</span>`,
    },
  ],
});

/** The HTML of a text, not yet safe. Throws if that needs more work than its length allows. */
export const htmlOf = (text: string): string => markdown.parse(text, { async: false });
