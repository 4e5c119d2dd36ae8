// The parts of a change, each of which can be taken back by itself: a field of a card, or a place.

import type { BoardState, CardState, ListState } from "work-board-client/board";
import { othersIn, type Place } from "../moving/places.js";
import type { Change, Part, PartState } from "./inverse.js";
import type { Side } from "./undoables.js";

type Call = Parameters<Change>;

/** A card by the identifier that it has or had before the service answered. */
const cardOf = ({ cards }: BoardState, id: string): CardState | undefined =>
  cards[id] ?? Object.values(cards).find(({ key }) => key === id);

const idNow = (board: BoardState, id: string): string => cardOf(board, id)?.publicId ?? id;

const isThere = (board: BoardState, id: string): boolean => cardOf(board, id)?.isGone === false;

/** A field of a card, or whether it has a label or a person. */
export function fieldPart<Value>(
  cardPublicId: string,
  read: (card: CardState) => Value,
  values: { before: Value; after: Value },
  call: (cardPublicId: string, value: Value) => Call,
): Part {
  const stateOf = (value: Value): PartState => ({
    is(board) {
      const card = cardOf(board, cardPublicId);
      return card !== undefined && read(card) === value;
    },
    calls: (board) => [call(idNow(board, cardPublicId), value)],
  });
  return {
    isThere: (board) => isThere(board, cardPublicId),
    before: stateOf(values.before),
    after: stateOf(values.after),
  };
}

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((id, at) => id === b[at]);

/** Whether a thing stands among others as it did, whatever came, left or was moved beside it. */
function standsAs(before: readonly string[], now: readonly string[], id: string): boolean {
  const [then, today] = [new Set(before), new Set(now)];
  const a = before.filter((one) => today.has(one));
  const b = now.filter((one) => then.has(one));
  const isOther = (one: string) => one !== id;
  // If others were moved, too, nothing tells whether it was.
  return isSame(a, b) || !isSame(a.filter(isOther), b.filter(isOther));
}

/** The cards of a list with one at a place. */
const orderWith = (list: ListState | undefined, cardPublicId: string, index: number): readonly string[] =>
  othersIn(list, cardPublicId).toSpliced(index, 0, cardPublicId);

/** A card at a place of a board as it was before a change. Places of other boards are known by name alone. */
function cardAt(
  before: BoardState,
  cardPublicId: string,
  { listPublicId, index }: Place,
  ordered?: readonly string[],
): PartState {
  const list = before.lists.find(({ publicId }) => publicId === listPublicId);
  const order = ordered ?? orderWith(list, cardPublicId, index);
  return {
    order: index,
    is(board) {
      const id = idNow(board, cardPublicId);
      const now = board.lists.find(({ cardIds }) => cardIds.includes(id));
      if (list === undefined || now === undefined) return list === now;
      const then = order.map((one) => (one === cardPublicId ? id : one));
      return now.publicId === listPublicId && standsAs(then, now.cardIds, id);
    },
    calls: (board) => [["card.update", { cardPublicId: idNow(board, cardPublicId), listPublicId, index }]],
  };
}

/** The place of a card; `before`: the board before the change. `order`: the cards of the list behind it, if others went along. */
export function placePart(
  before: BoardState,
  cardPublicId: string,
  from: Place,
  to: Place,
  order?: readonly string[],
): Part {
  const hasLeft = before.lists.every(({ publicId }) => publicId !== to.listPublicId);
  return {
    isThere: (board) => hasLeft || isThere(board, cardPublicId),
    before: cardAt(before, cardPublicId, from),
    after: cardAt(before, cardPublicId, to, order),
  };
}

/** Whether a card is archived. A card that comes back takes its place again. */
export function archivedPart(before: BoardState, cardPublicId: string, from: Place): Part {
  const isOnBoard = (board: BoardState) =>
    board.lists.some(({ cardIds }) => cardIds.includes(idNow(board, cardPublicId)));
  return {
    // The board does not know archived cards.
    isThere: () => true,
    before: {
      order: from.index,
      is: isOnBoard,
      calls: (board) => [
        ["card.unarchive", { cardPublicId: idNow(board, cardPublicId) }],
        ...cardAt(before, cardPublicId, from).calls(board),
      ],
    },
    after: {
      is: (board) => !isOnBoard(board),
      calls: (board) => [["card.archive", { cardPublicId: idNow(board, cardPublicId) }]],
    },
  };
}

/** The place of a list among the others. */
export function listPart(before: BoardState, listPublicId: string, from: number, to: number): Part {
  const others = before.lists.map(({ publicId }) => publicId).filter((id) => id !== listPublicId);
  const stateOf = (index: number): PartState => ({
    is: (board) =>
      standsAs(
        others.toSpliced(index, 0, listPublicId),
        board.lists.map(({ publicId }) => publicId),
        listPublicId,
      ),
    calls: () => [["board.lists.update", { listPublicId, index }]],
  });
  return {
    isThere: (board) => board.lists.some(({ publicId }) => publicId === listPublicId),
    before: stateOf(from),
    after: stateOf(to),
  };
}

/** Calls of which those that give several cards the same values are one. */
function gathered(calls: readonly Call[]): Call[] {
  const bulk = new Map<string, string[]>();
  const others: Call[] = [];
  for (const call of calls) {
    const [path, input] = call;
    if (path !== "card.bulk.update") {
      others.push(call);
      continue;
    }
    const { cardPublicIds, ...fields } = input as { cardPublicIds: string[] };
    const key = JSON.stringify(fields);
    bulk.set(key, [...(bulk.get(key) ?? []), ...cardPublicIds]);
  }
  const updates = [...bulk].map(
    ([fields, cardPublicIds]): Call => ["card.bulk.update", { cardPublicIds, ...JSON.parse(fields) }],
  );
  return [...others, ...updates];
}

/** The calls that bring parts of a change to one side. */
export function callsFor(parts: readonly Part[], board: BoardState, side: Side): Call[] {
  const states = parts.map((part) => part[side]).toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  return gathered(states.flatMap((state) => state.calls(board)));
}
