// The inverses of changes of several cards at once. Each card is put back where and as it was.

import type { BoardState, CardState, InputOf } from "work-board-client/board";
import { texts } from "../../texts/later.js";
import { placeOf } from "../moving/places.js";
import { dueOf, hasLabel, hasMember, isDone } from "./fields.js";
import type { Inverse, Part } from "./inverse.js";
import { archivedPart, fieldPart, placePart } from "./parts.js";

/** Of more cards than this, places are not put back: each takes a change of its own. */
const PLACES_MAX = 100;

const placesOf = ({ lists }: BoardState, ids: readonly string[]) =>
  ids.flatMap((cardPublicId) => {
    const from = placeOf(lists, cardPublicId);
    return from === null ? [] : [{ cardPublicId, from }];
  });

export function movedBack(board: BoardState, input: InputOf<"card.bulk.move">): Inverse | null {
  const { cardPublicIds, listPublicId } = input;
  const list = board.lists.find(({ publicId }) => publicId === listPublicId);
  if (cardPublicIds.length > PLACES_MAX || list === undefined) return null;
  const others = list.cardIds.filter((id) => !cardPublicIds.includes(id));
  const first = input.index ?? others.length;
  const order = others.toSpliced(first, 0, ...cardPublicIds);
  return {
    text: texts.undo.movedMany(cardPublicIds.length, list.name),
    parts: placesOf(board, cardPublicIds).map(({ cardPublicId, from }) => {
      const index = first + cardPublicIds.indexOf(cardPublicId);
      return placePart(board, cardPublicId, from, { listPublicId, index }, order);
    }),
  };
}

export function unarchived(board: BoardState, { cardPublicIds }: InputOf<"card.bulk.archive">): Inverse | null {
  if (cardPublicIds.length > PLACES_MAX) return null;
  return {
    text: texts.undo.archivedMany(cardPublicIds.length),
    parts: placesOf(board, cardPublicIds).map(({ cardPublicId, from }) => archivedPart(board, cardPublicId, from)),
  };
}

type Fields = Omit<InputOf<"card.bulk.update">, "cardPublicIds">;

/** A field of each card, where it changes. */
function fieldParts<Value>(
  cards: readonly CardState[],
  read: (card: CardState) => Value,
  after: Value | undefined,
  fields: (value: Value) => Fields,
): Part[] {
  if (after === undefined) return [];
  return cards
    .map((card) => ({ card, before: read(card) }))
    .filter(({ before }) => before !== after)
    .map(({ card, before }) =>
      fieldPart(card.publicId, read, { before, after }, (id, value) => [
        "card.bulk.update",
        { cardPublicIds: [id], ...fields(value) },
      ]),
    );
}

export function updatedBack(board: BoardState, input: InputOf<"card.bulk.update">): Inverse | null {
  const { cardPublicIds, completed, dueDate } = input;
  const cards = cardPublicIds.flatMap((id) => board.cards[id] ?? []);
  const labels = (ids: readonly string[] = [], isOn: boolean) =>
    ids.flatMap((id) =>
      fieldParts(cards, hasLabel(id), isOn, (value) => ({
        [value ? "addLabelPublicIds" : "removeLabelPublicIds"]: [id],
      })),
    );
  const people = (ids: readonly string[] = [], isOn: boolean) =>
    ids.flatMap((id) =>
      fieldParts(cards, hasMember(id), isOn, (value) => ({
        [value ? "addMemberPublicIds" : "removeMemberPublicIds"]: [id],
      })),
    );
  const parts = [
    ...fieldParts(cards, isDone, completed, (value) => ({ completed: value })),
    ...fieldParts(cards, dueOf, dueDate, (value) => ({ dueDate: value })),
    ...labels(input.addLabelPublicIds, true),
    ...labels(input.removeLabelPublicIds, false),
    ...people(input.addMemberPublicIds, true),
    ...people(input.removeMemberPublicIds, false),
  ];
  return parts.length === 0 ? null : { text: texts.undo.changedMany(cardPublicIds.length), parts };
}
