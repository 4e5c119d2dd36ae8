// Boards that a process caches between reads: the bytes of their lists, and the data for the rest of a response. A cached board
// never changes; its next version shares the lists that are equal.

import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { type Named, shownNamed } from "../access/guards.js";
import type { meOn } from "../access/membership.js";
import type { Permission } from "../access/permissions.js";
import { etagOfBody } from "../api/etags.js";
import { type CachedData, Rendered } from "../api/rendered.js";
import { Beginning, CountedParts, Piece, RenderedParts } from "../api/renderedParts.js";
import { Label, Person } from "../api/shapes.js";
import { type BoardPersonRow, shownPerson } from "../card/model/cardSummaries.js";
import type { BoardRows, ListRow } from "./boardRows.js";
import { List } from "./boardShapes.js";
import { CardList, FreshCards, type Names } from "./cardLists.js";

/** The most renderings for callers, and for kinds of them, that a board keeps: those of who read last. */
const RENDERINGS_MAX = 64;
/** The memory for a response to one caller, beside what responses share. */
const ANSWER_BYTES = 1024;

/** The value under a key, made if it is not there; the least recently used ones go. */
function remembered<T>(values: Map<string, T>, key: string, make: () => T): T {
  const value = values.get(key) ?? make();
  values.delete(key);
  values.set(key, value);
  for (const oldest of values.keys()) {
    if (values.size <= RENDERINGS_MAX) break;
    values.delete(oldest);
  }
  return value;
}

const namesOf = ({ labels, people }: Pick<BoardRows<unknown>, "labels" | "people">): Names => ({
  labels: new Map(labels.map((label) => [label.id, JSON.stringify(Label.parse(shownNamed(label)))])),
  people: new Map(people.map((person) => [person.id, JSON.stringify(Person.parse(shownPerson(person)))])),
});

/** A list up to its cards. */
const beginningOf = ({ publicId, name }: ListRow, index: number): string =>
  JSON.stringify(List.parse({ publicId, name, index, cards: [] } satisfies z.input<typeof List>)).slice(0, -2);

/** The data to render a board: rows of one version, with complete rows of the cards that are not cached. */
type ReadRows = BoardRows<{ version: number }>;

/** Renders what a board shows to every caller; `lists` is empty and comes last. */
type Head = () => object;

/** The fields of a response for its caller alone, and its position in the log. */
export interface CallersPart {
  /** The same for callers to whom the same members are shown alike. */
  kind: string;
  /** The same as long as all fields but `eventId` are the same. */
  key: string;
  /** Renders the members as the caller sees them. */
  members: () => object[];
  isFavourite: boolean;
  /** The caller on the board, as `meOn` gives it; null for readers without a token. */
  me: ReturnType<typeof meOn> | null;
  /** Null if the response does not say where it stands. */
  eventId: number | null;
}

/** Fields as they follow others in a JSON object, without its end. */
const furtherFields = (fields: object) => `,${JSON.stringify(fields).slice(1, -1)}`;

/** By the list of permissions, which callers share: the end of `me`. */
const endsOfMe = new WeakMap<readonly Permission[], Piece>();

function endOfMe(permissions: readonly Permission[]): Piece {
  const end = endsOfMe.get(permissions) ?? new Piece(Buffer.from(`${furtherFields({ permissions })}}`));
  endsOfMe.set(permissions, end);
  return end;
}

/** The fields that differ by caller, without the members. */
function ownFields({ isFavourite, me }: CallersPart): (string | Piece)[] {
  if (me === null) return [furtherFields({ isFavourite })];
  const { permissions, ...beginning } = me;
  return [furtherFields({ isFavourite, me: beginning }).slice(0, -1), endOfMe(permissions)];
}

const endOf = (eventId: number | null) => (eventId === null ? "}" : `${furtherFields({ eventId })}}`);

/** A board of one version, as one kind of reader sees its cards. */
export class CachedBoard implements CachedData {
  readonly version: number;
  readonly labels: readonly Named[];
  readonly tags: readonly Named[];
  /** Its members, without other assignees of its cards. */
  readonly members: readonly BoardPersonRow[];
  readonly #lists: ReadonlyMap<number, CardList>;
  /** The bytes before the cards of each list. */
  readonly #beginnings: readonly string[];
  #beginning: Beginning | undefined;
  /** The members as kinds of callers see them; versions with the same members share it. */
  readonly #shownMembers: Map<string, Piece>;
  /** Responses to callers, without their ends. */
  readonly #answers = new Map<string, CountedParts>();

  private constructor(
    { who, labels, tags, people, lists }: ReadRows,
    cards: ReadonlyMap<number, CardList>,
    cached: readonly CachedBoard[],
  ) {
    this.version = who.version;
    this.labels = labels;
    this.tags = tags;
    this.members = people.filter(({ isBoardMember }) => isBoardMember);
    const alike = cached.find(({ members }) => isDeepStrictEqual(members, this.members));
    this.#shownMembers = alike === undefined ? new Map() : alike.#shownMembers;
    this.#lists = cards;
    this.#beginnings = lists.map(beginningOf);
  }

  /** A board made of new rows and cached cards; null if a card is in neither. */
  static of(read: ReadRows, cached: readonly CachedBoard[]): CachedBoard | null {
    const names = namesOf(read);
    const fresh = new FreshCards(read.cards, names);
    const lists = new Map<number, CardList>();
    for (const list of read.lists) {
      const known = cached.flatMap((board) => board.#lists.get(list.id) ?? []);
      const cards = CardList.of(list, names, fresh, known);
      if (cards === null) return null;
      lists.set(list.id, cards);
    }
    return new CachedBoard(read, lists, cached);
  }

  /** The members who are assigned to its cards. */
  get assigned(): number[] {
    return [...new Set([...this.#lists.values()].flatMap((list) => [...list.assigned]))];
  }

  /** The memory that it uses. */
  get bytes(): number {
    let bytes = ANSWER_BYTES * this.#answers.size;
    for (const list of this.#lists.values()) bytes += list.bytes;
    for (const members of this.#shownMembers.values()) bytes += 2 * members.bytes.length;
    return bytes;
  }

  /** The response for a caller: all callers share what comes before their own part. */
  answer(head: Head, part: CallersPart): RenderedParts {
    const counted = remembered(this.#answers, part.key, () => {
      this.#beginning ??= new Beginning(this.#parts(head, ({ piece }) => [piece]));
      return new CountedParts(this.#beginning, [this.#membersFor(part), ...ownFields(part)]);
    });
    return new RenderedParts(counted, endOf(part.eventId));
  }

  /** The response with only the cards that have these keys. */
  matching(ids: ReadonlySet<string>, head: Head, part: CallersPart): Rendered {
    const parts = [
      ...this.#parts(head, (list) => list.matching(ids)),
      ...[this.#membersFor(part), ...ownFields(part)].map((own) => (own instanceof Piece ? own.bytes : own)),
    ];
    const end = Buffer.from(endOf(part.eventId));
    const body = Buffer.concat([...parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)), end]);
    return Rendered.from(body, () => etagOfBody(body.subarray(0, -end.length), "}"));
  }

  #membersFor({ kind, members }: CallersPart): Piece {
    return remembered(this.#shownMembers, kind, () => new Piece(Buffer.from(furtherFields({ members: members() }))));
  }

  /** The body up to the caller's part, with the cards of each list as `cardsOf` gives them. */
  #parts<T>(head: Head, cardsOf: (list: CardList) => T[]): (string | T)[] {
    const board = JSON.stringify(head());
    if (!board.endsWith('"lists":[]}')) throw new Error("The lists of a board are not its last common field");
    const parts: (string | T)[] = [];
    let text = board.slice(0, -2);
    const lists = [...this.#lists.values()];
    for (const [index, list] of lists.entries()) {
      parts.push(text + this.#beginnings[index], ...cardsOf(list));
      text = index === lists.length - 1 ? "]}" : "]},";
    }
    return [...parts, `${text}]`];
  }
}
