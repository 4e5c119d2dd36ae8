// Boards that a process caches between reads: the bytes of their lists, and the data for the rest of a response. A cached board
// never changes; its next version shares the lists that are equal.

import type { z } from "zod";
import type { Named } from "../access/guards.js";
import { type KeptData, Rendered } from "../api/rendered.js";
import { RenderedParts } from "../api/renderedParts.js";
import { Label, Person } from "../api/shapes.js";
import { type BoardPersonRow, shownLabel, shownPerson } from "../card/model/cardSummaries.js";
import type { BoardRows, ListRow } from "./boardRows.js";
import { type Board, List, type PublicBoard } from "./boardShapes.js";
import { CardList, FreshCards, type Names } from "./cardLists.js";

/** Complete responses for a board: callers who see the same share one. */
const ANSWERS_MAX = 4;

const namesOf = ({ labels, people }: Pick<BoardRows<unknown>, "labels" | "people">): Names => ({
  labels: new Map(labels.map((label) => [label.id, JSON.stringify(Label.parse(shownLabel(label)))])),
  people: new Map(people.map((person) => [person.id, JSON.stringify(Person.parse(shownPerson(person)))])),
});

/** A list up to its cards. */
const beginningOf = ({ publicId, name }: ListRow, index: number): string =>
  JSON.stringify(List.parse({ publicId, name, index, cards: [] } satisfies z.input<typeof List>)).slice(0, -2);

/** The data to render a board: rows of one version, with complete rows of the cards that are not cached. */
type Found = BoardRows<{ version: number }>;

/** Renders a board without its lists. */
type Head = () => z.output<typeof Board | typeof PublicBoard>;

/** A board of one version, as one kind of reader sees its cards. */
export class KeptBoard implements KeptData {
  readonly version: number;
  readonly labels: readonly Named[];
  readonly tags: readonly Named[];
  /** Its members, without other assignees of its cards. */
  readonly members: readonly BoardPersonRow[];
  readonly #lists: ReadonlyMap<number, CardList>;
  /** The bytes before the cards of each list. */
  readonly #beginnings: readonly string[];
  /** By kind of caller, the least recently used first. */
  readonly #answers = new Map<string, RenderedParts>();

  private constructor({ who, labels, tags, people, lists }: Found, cards: ReadonlyMap<number, CardList>) {
    this.version = who.version;
    this.labels = labels;
    this.tags = tags;
    this.members = people.filter(({ isBoardMember }) => isBoardMember);
    this.#lists = cards;
    this.#beginnings = lists.map(beginningOf);
  }

  /** A board made of new rows and cached cards; null if a card is in neither. */
  static of(found: Found, kept: readonly KeptBoard[]): KeptBoard | null {
    const names = namesOf(found);
    const fresh = new FreshCards(found.cards, names);
    const lists = new Map<number, CardList>();
    for (const list of found.lists) {
      const cards = CardList.of(
        list,
        names,
        fresh,
        kept.flatMap((board) => board.#lists.get(list.id) ?? []),
      );
      if (cards === null) return null;
      lists.set(list.id, cards);
    }
    return new KeptBoard(found, lists);
  }

  /** The members who are assigned to its cards. */
  get assigned(): number[] {
    return [...new Set([...this.#lists.values()].flatMap((list) => [...list.assigned]))];
  }

  /** The memory that it uses. */
  get bytes(): number {
    let bytes = 0;
    for (const list of this.#lists.values()) bytes += list.bytes;
    for (const answer of this.#answers.values()) bytes += answer.size;
    return bytes;
  }

  /** The response for a kind of caller, by whose key it is cached. */
  answer(key: string, head: Head): RenderedParts {
    const answer = this.#answers.get(key) ?? new RenderedParts(this.#parts(head, ({ piece }) => [piece]));
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= ANSWERS_MAX) break;
      this.#answers.delete(oldest);
    }
    return answer;
  }

  /** The response with only the cards that have these keys. */
  matching(ids: ReadonlySet<string>, head: Head): Rendered {
    const parts = this.#parts(head, (list) => list.matching(ids));
    return Rendered.from(Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part))));
  }

  /** The body, with the cards of each list as `cardsOf` gives them. */
  #parts<T>(head: Head, cardsOf: (list: CardList) => T[]): (string | T)[] {
    const board = JSON.stringify(head());
    if (!board.endsWith('"lists":[]}')) throw new Error("The lists of a board are not its last field");
    const parts: (string | T)[] = [];
    let text = board.slice(0, -2);
    const lists = [...this.#lists.values()];
    for (const [index, list] of lists.entries()) {
      parts.push(text + this.#beginnings[index], ...cardsOf(list));
      text = index === lists.length - 1 ? "]}" : "]},";
    }
    return [...parts, `${text}]}`];
  }
}
