// The inverse of each change of a board that can be taken back.

import type { BoardState, CardState, ChangePath, InputOf } from "work-board-client/board";
import { texts } from "../../texts/later.js";
import { isSamePlace, placeOf } from "../moving/places.js";
import { personOn } from "../people.js";
import { movedBack, unarchived, updatedBack } from "./bulkInverses.js";
import { dueOf, hasLabel, hasMember, isDone } from "./fields.js";
import type { Inverse, Part } from "./inverse.js";
import { archivedPart, fieldPart, listPart, placePart } from "./parts.js";

const TITLE_MAX = 60;

/** A title as texts name it: it may be cut. */
function cut(title: string): string {
  const characters = [...title];
  return characters.length > TITLE_MAX ? `${characters.slice(0, TITLE_MAX).join("").trimEnd()}…` : title;
}

const nameOf = ({ cards }: BoardState, cardPublicId: string): string => cut(cards[cardPublicId]?.title ?? "");

function moved(board: BoardState, input: InputOf<"card.update">): Inverse | null {
  const { cardPublicId } = input;
  const from = placeOf(board.lists, cardPublicId);
  if (from === null) return null;
  const listPublicId = input.listPublicId ?? from.listPublicId;
  const list = board.lists.find(({ publicId }) => publicId === listPublicId);
  // Without an index it goes to the end.
  const to = { listPublicId, index: input.index ?? list?.cardIds.filter((id) => id !== cardPublicId).length ?? 0 };
  if (isSamePlace(from, to)) return null;
  const card = nameOf(board, cardPublicId);
  return {
    text: list === undefined ? texts.undo.movedAway(card) : texts.undo.moved(card, list.name),
    subject: `place of ${cardPublicId}`,
    parts: [placePart(board, cardPublicId, from, to)],
  };
}

/** The inverse of the change of a field; null where nothing changes. */
function ofField<Value>(
  text: string,
  card: CardState,
  read: (card: CardState) => Value,
  after: Value | undefined,
  call: Parameters<typeof fieldPart<Value>>[3],
): Inverse | null {
  const before = read(card);
  if (after === undefined || before === after) return null;
  return { text, parts: [fieldPart(card.publicId, read, { before, after }, call)] };
}

function updated(board: BoardState, input: InputOf<"card.update">): Inverse | null {
  const card = board.cards[input.cardPublicId];
  if (card === undefined) return null;
  const { title, dueDate, completed } = input;
  const name = cut(card.title);
  const text = texts.undo;
  if (title !== undefined) {
    const renamed = text.renamed(name, cut(title));
    return ofField(
      renamed,
      card,
      (one) => one.title,
      title,
      (id, value) => ["card.update", { cardPublicId: id, title: value }],
    );
  }
  if (dueDate !== undefined) {
    return ofField(text.dated(name), card, dueOf, dueDate, (id, value) => [
      "card.update",
      { cardPublicId: id, dueDate: value },
    ]);
  }
  return ofField((completed ? text.completed : text.reopened)(name), card, isDone, completed, (id, value) => [
    "card.update",
    { cardPublicId: id, completed: value },
  ]);
}

const onePart = (text: string, part: Part): Inverse => ({ text, parts: [part] });

/** The inverse of each change that has one. Null where nothing changes. */
const INVERSES: { [Path in ChangePath]?: (board: BoardState, input: InputOf<Path>) => Inverse | null } = {
  "card.update": (board, input) =>
    input.listPublicId !== undefined || input.index !== undefined ? moved(board, input) : updated(board, input),
  "card.archive": (board, { cardPublicId }) => {
    const from = placeOf(board.lists, cardPublicId);
    if (from === null) return null;
    return onePart(texts.undo.archived(nameOf(board, cardPublicId)), archivedPart(board, cardPublicId, from));
  },
  "card.toggleLabel": (board, { cardPublicId, labelPublicId, on }) => {
    const card = board.cards[cardPublicId];
    if (card === undefined) return null;
    const read = hasLabel(labelPublicId);
    const isOn = on ?? !read(card);
    const label = board.labels.find(({ publicId }) => publicId === labelPublicId)?.name ?? "";
    const text = (isOn ? texts.undo.labelled : texts.undo.unlabelled)(nameOf(board, cardPublicId), label);
    return ofField(text, card, read, isOn, (id, value) => [
      "card.toggleLabel",
      { cardPublicId: id, labelPublicId, on: value },
    ]);
  },
  "card.toggleMember": (board, { cardPublicId, memberPublicId, on }) => {
    const card = board.cards[cardPublicId];
    if (card === undefined) return null;
    const read = hasMember(memberPublicId);
    const isOn = on ?? !read(card);
    const person = personOn(board, memberPublicId)?.name ?? "";
    const text = (isOn ? texts.undo.assigned : texts.undo.unassigned)(nameOf(board, cardPublicId), person);
    return ofField(text, card, read, isOn, (id, value) => [
      "card.toggleMember",
      { cardPublicId: id, memberPublicId, on: value },
    ]);
  },
  "card.bulk.move": movedBack,
  "card.bulk.archive": unarchived,
  "card.bulk.update": updatedBack,
  "board.lists.update": (board, { listPublicId, index }) => {
    const from = board.lists.findIndex(({ publicId }) => publicId === listPublicId);
    const name = board.lists[from]?.name;
    if (index === undefined || index === from || name === undefined) return null;
    return {
      text: texts.undo.movedList(name),
      subject: `place of ${listPublicId}`,
      parts: [listPart(board, listPublicId, from, index)],
    };
  },
};

export function inverseOf<Path extends ChangePath>(
  board: BoardState,
  path: Path,
  input: InputOf<Path>,
): Inverse | null {
  return INVERSES[path]?.(board, input) ?? null;
}
