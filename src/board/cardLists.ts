// The cards of a board's lists as bytes. A card is rendered once per revision; if a list changes, the bytes of its other cards are
// copied. The index of a card is its position, so it is written when the list is assembled.

import { Piece } from "../api/renderedParts.js";
import { CardSummary } from "../card/model/cardShapes.js";
import { keysIn, summaryOf } from "../card/model/cardSummaries.js";
import type { CardRow, ListRow } from "./boardRows.js";

/** Labels or people by key as cards show them, in the order in which a card lists them. */
type Texts = ReadonlyMap<number, string>;

/** The labels and people that cards show. */
export interface Names {
  labels: Texts;
  people: Texts;
}

/** The offsets of the variable parts of a card: its index, its labels and its members, each from and to, between its start and its end. */
const START = 0;
const INDEX = 1;
const AFTER_INDEX = 2;
const LABELS = 3;
const AFTER_LABELS = 4;
const MEMBERS = 5;
const AFTER_MEMBERS = 6;
const END = 7;
const CUTS = 8;
/** The variable fields, in the order in which `render` looks for them in the text of a card. */
const VARIABLE = ["index", "labels", "members"] as const satisfies readonly (keyof typeof CardSummary.shape)[];
const inShape = Object.keys(CardSummary.shape).filter((field) => VARIABLE.some((name) => name === field));
if (inShape.join() !== VARIABLE.join()) {
  throw new Error(`The cards of a list are cut at ${VARIABLE.join()}, but CardSummary has ${inShape.join()}`);
}
/** The memory for a card besides its bytes: its offsets, and the keys of its labels and members. */
const BYTES_BESIDE = CUTS * Uint32Array.BYTES_PER_ELEMENT + 80;

/** A growing buffer; the finished bytes are copied out, so that the buffer can be reused. */
class Scratch {
  length = 0;
  #bytes = Buffer.allocUnsafeSlow(64 * 1024);

  text(text: string): void {
    this.#reserve(3 * text.length);
    this.length += this.#bytes.write(text, this.length);
  }

  copy(source: Buffer, from: number, to: number): void {
    this.#reserve(to - from);
    source.copy(this.#bytes, this.length, from, to);
    this.length += to - from;
  }

  /** A copy of what was written. */
  taken(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.length);
    this.#bytes.copy(taken, 0, 0, this.length);
    this.length = 0;
    return taken;
  }

  #reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}

/** Cards in one buffer, in sequence. */
class Cards {
  constructor(
    readonly bytes: Buffer,
    readonly cuts: Uint32Array,
    readonly labelIds: readonly (readonly number[])[],
    readonly memberIds: readonly (readonly number[])[],
  ) {}

  cut(card: number, which: number): number {
    return this.cuts[card * CUTS + which] ?? 0;
  }
}

/** The JSON of the labels or people of a card, joined. */
function textsOf(ids: readonly number[], texts: Texts): string {
  if (ids.length === 0) return "";
  const [only = 0] = ids;
  if (ids.length === 1) return texts.get(only) ?? "";
  return [...texts].flatMap(([id, text]) => (ids.includes(id) ? text : [])).join();
}

/** Writes cards in sequence. */
class CardWriter {
  readonly #scratch = new Scratch();
  #cuts: number[] = [];
  #labelIds: (readonly number[])[] = [];
  #memberIds: (readonly number[])[] = [];

  /** Renders the card of a row, with index 0. */
  render(row: CardRow, names: Names): void {
    const card = CardSummary.parse(summaryOf({ index: 0, ...row }, [], []));
    const text = JSON.stringify(card);
    // Quotes within strings are escaped, so these texts occur only at the fields, whatever the card's texts contain.
    const index = text.indexOf('"index":0') + '"index":'.length;
    const labels = text.indexOf('"labels":[]', index) + '"labels":['.length;
    const members = text.indexOf('"members":[]', labels) + '"members":['.length;
    const [labelIds, memberIds] = [keysIn(row.labelIds), keysIn(row.memberIds)];
    this.#begin(labelIds, memberIds);
    this.#write(text.slice(0, index));
    this.#write("0");
    this.#write(text.slice(index + 1, labels));
    this.#write(textsOf(labelIds, names.labels));
    this.#write(text.slice(labels, members));
    this.#write(textsOf(memberIds, names.people));
    this.#write(text.slice(members));
  }

  /** Copies a card and gives it an index; with `names`, its labels and people are written again. */
  copy(from: Cards, card: number, { index, names }: { index: number; names: Names | null }): void {
    const labelIds = from.labelIds[card] ?? [];
    const memberIds = from.memberIds[card] ?? [];
    this.#begin(labelIds, memberIds);
    this.#copy(from, card, START, INDEX);
    this.#write(String(index));
    this.#copy(from, card, AFTER_INDEX, LABELS);
    if (names === null) this.#copy(from, card, LABELS, AFTER_LABELS);
    else this.#write(textsOf(labelIds, names.labels));
    this.#copy(from, card, AFTER_LABELS, MEMBERS);
    if (names === null) this.#copy(from, card, MEMBERS, AFTER_MEMBERS);
    else this.#write(textsOf(memberIds, names.people));
    this.#copy(from, card, AFTER_MEMBERS, END);
  }

  /** Writes the separator between two cards. */
  comma(): void {
    this.#scratch.text(",");
  }

  /** A copy of the cards written so far. */
  taken(): Cards {
    const cards = new Cards(this.#scratch.taken(), Uint32Array.from(this.#cuts), this.#labelIds, this.#memberIds);
    [this.#cuts, this.#labelIds, this.#memberIds] = [[], [], []];
    return cards;
  }

  #begin(labelIds: readonly number[], memberIds: readonly number[]): void {
    this.#cuts.push(this.#scratch.length);
    this.#labelIds.push(labelIds);
    this.#memberIds.push(memberIds);
  }

  #write(text: string): void {
    this.#scratch.text(text);
    this.#cuts.push(this.#scratch.length);
  }

  #copy(from: Cards, card: number, first: number, last: number): void {
    this.#scratch.copy(from.bytes, from.cut(card, first), from.cut(card, last));
    this.#cuts.push(this.#scratch.length);
  }
}

/** One writer serves all lists, because nothing is awaited between the first and the last card. */
const writer = new CardWriter();

/** Newly rendered cards, by key. */
export class FreshCards {
  readonly cards: Cards;
  readonly places: ReadonlyMap<string, number>;

  constructor(rows: readonly CardRow[], names: Names) {
    for (const row of rows) writer.render(row, names);
    this.cards = writer.taken();
    this.places = new Map(rows.map(({ cardId, revision }, place) => [`${cardId}:${revision}`, place]));
  }
}

const COMMA = Buffer.from(",");

const splitKeys = (keys: string): string[] => (keys === "" ? [] : keys.split(","));

/** The labels and people of some cards, by key. */
function shownBy(idsOfCards: readonly (readonly number[])[], texts: Texts): Texts {
  const shown = new Map<number, string>();
  for (const ids of idsOfCards) {
    for (const id of ids) {
      const text = texts.get(id);
      if (text !== undefined) shown.set(id, text);
    }
  }
  return shown;
}

const holds = (texts: Texts, shown: Texts): boolean => [...shown].every(([id, text]) => texts.get(id) === text);

/** The cards of a list in order, as they are sent. */
export class CardList {
  readonly piece: Piece;
  readonly #keys: string;
  readonly #cards: Cards;
  /** The labels and people that the cards show. */
  readonly #shown: Names;

  private constructor(keys: string, cards: Cards, names: Names) {
    this.piece = new Piece(cards.bytes);
    this.#keys = keys;
    this.#cards = cards;
    this.#shown = { labels: shownBy(cards.labelIds, names.labels), people: shownBy(cards.memberIds, names.people) };
  }

  /** The current cards of a list, from newly rendered cards and from the cached list; null if a card is in neither. */
  static of({ keys }: ListRow, names: Names, fresh: FreshCards, cached: readonly CardList[]): CardList | null {
    const same = cached.find((list) => list.#keys === keys && list.#isCurrent(names));
    if (same !== undefined) return same;
    const sources = [
      { ...fresh, names: null },
      ...cached.map((list) => ({
        cards: list.#cards,
        places: new Map(splitKeys(list.#keys).map((key, place) => [key, place])),
        names: list.#isCurrent(names) ? null : names,
      })),
    ];
    for (const [index, key] of splitKeys(keys).entries()) {
      const source = sources.find(({ places }) => places.has(key));
      if (source === undefined) {
        writer.taken();
        return null;
      }
      if (index > 0) writer.comma();
      writer.copy(source.cards, source.places.get(key) ?? 0, { index, names: source.names });
    }
    return new CardList(keys, writer.taken(), names);
  }

  /** The bytes of the cards with these keys, each with its position among all cards. */
  matching(ids: ReadonlySet<string>): Buffer[] {
    const { bytes } = this.#cards;
    const parts: Buffer[] = [];
    for (const [place, key] of splitKeys(this.#keys).entries()) {
      if (!ids.has(key.slice(0, key.indexOf(":")))) continue;
      if (parts.length > 0) parts.push(COMMA);
      parts.push(bytes.subarray(this.#cards.cut(place, START), this.#cards.cut(place, END)));
    }
    return parts;
  }

  /** The members who are assigned to its cards. */
  get assigned(): Iterable<number> {
    return this.#shown.people.keys();
  }

  /** The memory that it uses. */
  get bytes(): number {
    // Compressed pieces are assumed to be no larger than the plain bytes.
    return 2 * this.piece.bytes.length + this.#keys.length + this.#cards.labelIds.length * BYTES_BESIDE;
  }

  #isCurrent(names: Names): boolean {
    return holds(names.labels, this.#shown.labels) && holds(names.people, this.#shown.people);
  }
}
