// The inverses of changes of several cards at once. Each puts every card back where and as it was.

import type { BoardState, CardState, InputOf } from "work-board-client/board";
import { texts } from "../../texts/later.js";
import type { Inverse } from "./inverse.js";
import { placeOf } from "./places.js";

/** Of more cards than this, places are not put back: each takes a change of its own. */
const PLACES_MAX = 100;

/** The part of a board that inverses read. */
type Cards = Pick<BoardState, "lists" | "cards">;

const cardsOf = ({ cards }: Cards, ids: readonly string[]): CardState[] =>
  ids.flatMap((id) => (cards[id] === undefined ? [] : [cards[id]]));

const idsOf = (cards: readonly CardState[]) => cards.map(({ publicId }) => publicId);

/** The places of cards, from the top of each list down: in that order they can be put back. */
function placesOf({ lists }: Cards, ids: readonly string[]) {
  return ids
    .flatMap((cardPublicId) => {
      const from = placeOf(lists, cardPublicId);
      return from === null ? [] : [{ cardPublicId, ...from }];
    })
    .toSorted((a, b) => a.index - b.index);
}

export function movedBack(board: Cards, input: InputOf<"card.bulk.move">): Inverse | null {
  const { cardPublicIds, listPublicId } = input;
  const list = board.lists.find(({ publicId }) => publicId === listPublicId);
  if (cardPublicIds.length > PLACES_MAX || list === undefined) return null;
  const places = placesOf(board, cardPublicIds);
  return {
    text: texts.undo.movedMany(cardPublicIds.length, list.name),
    run(change) {
      for (const place of places) void change("card.update", place);
    },
  };
}

export function unarchived(board: Cards, { cardPublicIds }: InputOf<"card.bulk.archive">): Inverse | null {
  if (cardPublicIds.length > PLACES_MAX) return null;
  const places = placesOf(board, cardPublicIds);
  return {
    text: texts.undo.archivedMany(cardPublicIds.length),
    run(change) {
      for (const { cardPublicId } of places) void change("card.unarchive", { cardPublicId });
      for (const place of places) void change("card.update", place);
    },
  };
}

/** A due date as calls take it. */
const dueOf = ({ dueDate, dueHasTime }: CardState): string | null =>
  dueHasTime ? dueDate : (dueDate?.slice(0, "2026-12-24".length) ?? null);

type Fields = Omit<InputOf<"card.bulk.update">, "cardPublicIds">;

const OPPOSITES = [
  ["addLabelPublicIds", "removeLabelPublicIds"],
  ["addMemberPublicIds", "removeMemberPublicIds"],
] as const;

/** The calls that take an update back: cards, and the fields that they get. */
function callsBack(cards: readonly CardState[], input: Fields): [readonly CardState[], Fields][] {
  const { completed, dueDate } = input;
  const calls: [readonly CardState[], Fields][] = [];
  if (completed !== undefined) {
    calls.push([cards.filter(({ completedAt }) => (completedAt !== null) !== completed), { completed: !completed }]);
  }
  if (dueDate !== undefined) {
    for (const due of new Set(cards.map(dueOf))) {
      calls.push([cards.filter((card) => dueOf(card) === due), { dueDate: due }]);
    }
  }
  const has = ({ labelIds, members }: CardState, id: string) =>
    labelIds.includes(id) || members.some(({ publicId }) => publicId === id);
  for (const [add, remove] of OPPOSITES) {
    for (const id of input[add] ?? []) calls.push([cards.filter((card) => !has(card, id)), { [remove]: [id] }]);
    for (const id of input[remove] ?? []) calls.push([cards.filter((card) => has(card, id)), { [add]: [id] }]);
  }
  return calls.filter(([changed]) => changed.length > 0);
}

export function updatedBack(board: Cards, input: InputOf<"card.bulk.update">): Inverse | null {
  const { cardPublicIds, ...fields } = input;
  const calls = callsBack(cardsOf(board, cardPublicIds), fields);
  if (calls.length === 0) return null;
  return {
    text: texts.undo.changedMany(cardPublicIds.length),
    run(change) {
      for (const [cards, before] of calls) void change("card.bulk.update", { cardPublicIds: idsOf(cards), ...before });
    },
  };
}
