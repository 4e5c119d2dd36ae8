// Boards as a process keeps them between reads: the bytes of their lists, and what the rest of an answer is made from. A kept board
// never changes; the next version of it shares the lists that are the same.

import type { z } from "zod";
import { type Part, RenderedParts } from "../api/pieces.js";
import type { Kept } from "../api/rendered.js";
import { Label, Person } from "../api/shapes.js";
import type { BoardRows, ListRow } from "./boardRows.js";
import { CardList, FreshCards, type Names } from "./cardLists.js";
import { type BoardPersonRow, type NamedRow, shownLabel, shownPerson } from "./cardSummaries.js";
import { type Board, List, type PublicBoard } from "./shapes.js";

/** The answers of a board that are kept whole: callers who are shown the same share one. */
const ANSWERS_MAX = 4;

const namesOf = ({ labels, people }: Pick<BoardRows<unknown>, "labels" | "people">): Names => ({
  labels: new Map(labels.map((label) => [label.id, JSON.stringify(Label.parse(shownLabel(label)))])),
  people: new Map(people.map((person) => [person.id, JSON.stringify(Person.parse(shownPerson(person)))])),
});

/** A list up to its cards. */
const beginningOf = ({ publicId, name }: ListRow, index: number): string =>
  JSON.stringify(List.parse({ publicId, name, index, cards: [] } satisfies z.input<typeof List>)).slice(0, -2);

/** What a board is rendered from: rows of a version, whole ones of the cards that nothing kept has. */
type Found = BoardRows<{ version: number }>;

/** A board of one version, as one kind of reader sees its cards. */
export class KeptBoard implements Kept {
  readonly version: number;
  readonly labels: readonly NamedRow[];
  readonly tags: readonly NamedRow[];
  /** Its members, and nobody else who is assigned to a card. */
  readonly members: readonly BoardPersonRow[];
  readonly #lists: ReadonlyMap<number, CardList>;
  /** What stands before the cards of each list. */
  readonly #beginnings: readonly string[];
  /** By whom they are for, least recently asked for first. */
  readonly #answers = new Map<string, RenderedParts>();

  private constructor({ who, labels, tags, people, lists }: Found, cards: ReadonlyMap<number, CardList>) {
    this.version = who.version;
    this.labels = labels;
    this.tags = tags;
    this.members = people.filter(({ isBoardMember }) => isBoardMember);
    this.#lists = cards;
    this.#beginnings = lists.map(beginningOf);
  }

  /** A board of what was found, and of what is kept of it; null where some card is in neither. */
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

  /** The memory that it takes. */
  get bytes(): number {
    let bytes = 0;
    for (const list of this.#lists.values()) bytes += list.bytes;
    for (const answer of this.#answers.values()) bytes += answer.size;
    return bytes;
  }

  /** The answer for a kind of caller, under whose key it is kept; `head` renders the board without lists. */
  answer(key: string, head: () => z.output<typeof Board | typeof PublicBoard>): RenderedParts {
    const answer = this.#answers.get(key) ?? this.#render(JSON.stringify(head()));
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= ANSWERS_MAX) break;
      this.#answers.delete(oldest);
    }
    return answer;
  }

  #render(head: string): RenderedParts {
    if (!head.endsWith('"lists":[]}')) throw new Error("The lists of a board are not its last field");
    const parts: Part[] = [];
    let text = head.slice(0, -2);
    const lists = [...this.#lists.values()];
    for (const [index, { piece }] of lists.entries()) {
      parts.push(text + this.#beginnings[index], piece);
      text = index === lists.length - 1 ? "]}" : "]},";
    }
    return new RenderedParts([...parts, `${text}]}`]);
  }
}
