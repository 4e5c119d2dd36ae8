// A board as a client keeps it from events: a snapshot that the API answered, and after it every event that a board's stream or
// `events?boardPublicId=` delivers (capabilities section 0, Events). An event on a card that is not known only keeps the order of
// the lists right: it is archived and was not read, or deleted since, so that the event has no text left.

import { expect } from "vitest";
import type {
  BoardState,
  CardState,
  Change,
  ChecklistState,
  EventData,
  LoggedBoard,
  LoggedCard,
  Person,
  Place,
  ReplayedEvent,
} from "./state.js";

type Handler = (board: BoardState, data: EventData, event: ReplayedEvent) => void;
type CardHandler = (card: CardState, data: EventData, event: ReplayedEvent) => void;

/** A card of a snapshot or an event; an event holds every detail. */
export const cardState = (card: LoggedCard, hasDetails: boolean): CardState => ({
  publicId: card.publicId,
  title: card.title,
  description: card.description,
  cardNumber: card.cardNumber,
  dueDate: card.dueDate,
  completedAt: card.completedAt,
  priority: card.priority,
  labelPublicIds: card.labels.map(({ publicId }) => publicId),
  members: card.members,
  checklistItems: { ...card.checklistItems },
  commentCount: card.commentCount,
  details: hasDetails
    ? {
        archivedAt: card.archivedAt,
        createdAt: card.createdAt,
        updatedAt: card.updatedAt,
        listPublicId: card.list?.publicId ?? null,
        checklists: structuredClone(card.checklists),
      }
    : null,
});

/** The board that `board.created` and `board.imported` hold. */
export const boardState = ({ lists, ...board }: LoggedBoard): BoardState => ({
  ...structuredClone(board),
  lists: lists.map(({ publicId, name }) => ({ publicId, name, cardPublicIds: [] })),
  cards: {},
});

const afterOf = (changes: Record<string, Change> = {}) =>
  Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));

const without = <T extends { publicId: string }>(all: readonly T[], publicId: string | undefined) =>
  all.filter((one) => one.publicId !== publicId);

const withOne = <T extends { publicId: string }>(all: readonly T[], one: T | undefined) =>
  one === undefined ? [...all] : [...without(all, one.publicId), one];

/** Makes changes to a thing, which must be as they say that it was. */
function follow(thing: object, changes: Record<string, Change> = {}): void {
  for (const [field, { from, to }] of Object.entries(changes)) {
    const before: unknown = Reflect.get(thing, field);
    if (before !== undefined) expect(from, `what ${field} was`).toEqual(before);
    Object.assign(thing, { [field]: to });
  }
}

/** Gives one of several things new values. */
function edit<T extends { publicId: string }>(all: readonly T[], publicId: string | undefined, values: object): void {
  const found = all.find((one) => one.publicId === publicId);
  if (found !== undefined) Object.assign(found, values);
}

function placed<T>(all: readonly T[], index: number, one: T): T[] {
  const others = all.filter((other) => other !== one);
  return [...others.slice(0, index), one, ...others.slice(index)];
}

const isPlace = (value: unknown): value is Place =>
  typeof value === "object" && value !== null && "index" in value && typeof value.index === "number";

function takeOffLists(board: BoardState, cardPublicId: string): void {
  for (const list of board.lists) list.cardPublicIds = list.cardPublicIds.filter((id) => id !== cardPublicId);
}

/** Puts a card on a list, wherever it was before; also one of which nothing but the identifier is known. */
function putOnList(board: BoardState, cardPublicId: string, place: unknown): void {
  takeOffLists(board, cardPublicId);
  if (!isPlace(place)) return;
  const list = board.lists.find(({ publicId }) => publicId === place.listPublicId);
  if (list !== undefined) list.cardPublicIds = placed(list.cardPublicIds, place.index, cardPublicId);
  const details = board.cards[cardPublicId]?.details;
  if (details) details.listPublicId = place.listPublicId ?? null;
}

/** A card that is known to be on a list must be where its move says that it was. */
function expectOnList({ lists }: BoardState, cardPublicId: string, { listPublicId, index }: Place): void {
  const cards = lists.find(({ publicId }) => publicId === listPublicId)?.cardPublicIds ?? [];
  if (cards.includes(cardPublicId)) expect(cards.indexOf(cardPublicId), "where it was").toBe(index);
}

const cardOf = ({ cardPublicId }: ReplayedEvent) => cardPublicId ?? "";

function forget(board: BoardState, cardPublicId: string): void {
  takeOffLists(board, cardPublicId);
  delete board.cards[cardPublicId];
}

/** A card that comes to the board, or comes back to it, with all that is on it. */
const arrives: Handler = (board, { card, to }, event) => {
  if (card !== undefined) board.cards[card.publicId] = cardState(card, true);
  putOnList(board, cardOf(event), to);
};

/** The people whom a board shows: its members, and whoever is on its cards. */
const peopleOn = (board: BoardState): Person[] => [
  ...board.members,
  ...Object.values(board.cards).flatMap(({ members }) => members),
];

function dropLabel(board: BoardState, labelPublicId: string | undefined): void {
  board.labels = without(board.labels, labelPublicId);
  for (const card of Object.values(board.cards)) {
    card.labelPublicIds = card.labelPublicIds.filter((id) => id !== labelPublicId);
  }
}

const count = (card: CardState, total: number, completed: number) => {
  card.checklistItems.total += total;
  card.checklistItems.completed += completed;
};

const checklistIn = ({ details }: CardState, { checklistPublicId }: EventData): ChecklistState | undefined =>
  details?.checklists.find(({ publicId }) => publicId === checklistPublicId);

const itemsOf = (card: CardState, data: EventData) => checklistIn(card, data)?.items ?? [];

const editItem: CardHandler = (card, data) => {
  const { index, ...fields } = afterOf(data.changes);
  const checklist = checklistIn(card, data);
  const item = checklist?.items.find(({ publicId }) => publicId === data.itemPublicId);
  if (checklist === undefined || item === undefined) return;
  Object.assign(item, fields);
  if (typeof index === "number") checklist.items = placed(checklist.items, index, item);
};

/** What happens to one card that is known. */
const CARD_HANDLERS: Record<string, CardHandler> = {
  "card.updated": (card, { changes }) => follow(card, changes),
  "card.completed": (card, { to }) => void Object.assign(card, { completedAt: to }),
  "card.reopened": (card) => void Object.assign(card, { completedAt: null }),
  "card.label.added": (card, { labelPublicId = "" }) => {
    card.labelPublicIds = [...card.labelPublicIds, labelPublicId];
  },
  "card.label.removed": (card, { labelPublicId }) => {
    card.labelPublicIds = card.labelPublicIds.filter((id) => id !== labelPublicId);
  },
  "card.member.added": (card, { member }) => {
    card.members = withOne(card.members, member);
  },
  "card.member.removed": (card, { memberPublicId }) => {
    card.members = without(card.members, memberPublicId);
  },
  "comment.created": (card) => {
    card.commentCount += 1;
  },
  "comment.updated": () => {},
  "comment.deleted": (card) => {
    card.commentCount -= 1;
  },
  "checklist.created": ({ details }, { checklist }) => {
    if (details !== null && checklist !== undefined) details.checklists.push(structuredClone(checklist));
  },
  "checklist.updated": (card, data) => follow(checklistIn(card, data) ?? {}, data.changes),
  "checklist.deleted": (card, { checklistPublicId, checklistItems }) => {
    count(card, -(checklistItems?.total ?? 0), -(checklistItems?.completed ?? 0));
    if (card.details !== null) card.details.checklists = without(card.details.checklists, checklistPublicId);
  },
  "checklist.item.created": (card, data) => {
    count(card, 1, 0);
    if (data.item !== undefined) itemsOf(card, data).push({ ...data.item });
  },
  "checklist.item.updated": editItem,
  "checklist.item.completed": (card, data) => {
    count(card, 0, 1);
    edit(itemsOf(card, data), data.itemPublicId, { completed: true });
  },
  "checklist.item.reopened": (card, data) => {
    count(card, 0, -1);
    edit(itemsOf(card, data), data.itemPublicId, { completed: false });
  },
  "checklist.item.deleted": (card, data) => {
    count(card, -1, data.completed === true ? -1 : 0);
    const checklist = checklistIn(card, data);
    if (checklist !== undefined) checklist.items = without(checklist.items, data.itemPublicId);
  },
};

/** What happens to a board, its lists and labels, who is on it, and which cards stand where. */
const BOARD_HANDLERS: Record<string, Handler> = {
  "board.created": () => {},
  "board.imported": () => {},
  "board.updated": (board, { changes }) => follow(board, changes),
  "board.archived": (board) => void Object.assign(board, { isArchived: true }),
  "board.unarchived": (board) => void Object.assign(board, { isArchived: false }),
  "board.deleted": () => {},
  "board.member.added": (board, { member }) => {
    if (member !== undefined) board.members = withOne(board.members, { ...member });
  },
  "board.member.removed": (board, { memberPublicId }) => {
    board.members = without(board.members, memberPublicId);
  },
  "board.tag.added": (board, { tagPublicId = "", name = "", colourCode = "" }) => {
    board.tags = withOne(board.tags, { publicId: tagPublicId, name, colourCode });
  },
  "board.tag.removed": (board, { tagPublicId }) => {
    board.tags = without(board.tags, tagPublicId);
  },
  "tag.updated": (board, { tagPublicId, changes }) => edit(board.tags, tagPublicId, afterOf(changes)),
  "tag.deleted": (board, { tagPublicId }) => {
    board.tags = without(board.tags, tagPublicId);
  },
  "member.added": (board, { member }) => edit(board.members, member?.publicId, member ?? {}),
  "member.updated": (board, { memberPublicId, changes }) => {
    for (const person of peopleOn(board)) edit([person], memberPublicId, afterOf(changes));
  },
  "member.role.changed": (board, { memberPublicId, to }) => edit(board.members, memberPublicId, { role: to }),
  "member.removed": (board, { memberPublicId }) => {
    board.members = without(board.members, memberPublicId);
  },
  "list.created": (board, { list }) => {
    if (list === undefined) return;
    const made = { publicId: list.publicId, name: list.name, cardPublicIds: [] };
    board.lists = placed(board.lists, list.index, made);
  },
  "list.updated": (board, { listPublicId, changes }) => edit(board.lists, listPublicId, afterOf(changes)),
  "list.moved": (board, { listPublicId, to }) => {
    const list = board.lists.find(({ publicId }) => publicId === listPublicId);
    if (list !== undefined && isPlace(to)) board.lists = placed(board.lists, to.index, list);
  },
  "list.deleted": (board, { listPublicId }) => {
    board.lists = without(board.lists, listPublicId);
    for (const { details } of Object.values(board.cards)) {
      if (details !== null && details.listPublicId === listPublicId) details.listPublicId = null;
    }
  },
  "label.created": (board, { label }) => {
    board.labels = withOne(board.labels, label);
  },
  "label.updated": (board, { labelPublicId, changes }) => edit(board.labels, labelPublicId, afterOf(changes)),
  "label.deleted": (board, { labelPublicId }) => dropLabel(board, labelPublicId),
  "card.created": arrives,
  "card.unarchived": (board, data, event) => {
    arrives(board, data, event);
    const details = board.cards[cardOf(event)]?.details;
    if (details) details.archivedAt = null;
  },
  "card.moved": (board, data, event) => {
    if (isPlace(data.from)) expectOnList(board, data.cardPublicId ?? cardOf(event), data.from);
    // The board that a card leaves is told by an event of its own, which is no event of the card.
    if (event.cardPublicId === null) forget(board, data.cardPublicId ?? "");
    else arrives(board, data, event);
  },
  "card.archived": (board, _, event) => {
    takeOffLists(board, cardOf(event));
    const details = board.cards[cardOf(event)]?.details;
    if (details) details.archivedAt = event.createdAt;
  },
  "card.deleted": (board, _, event) => forget(board, cardOf(event)),
};

/** Every type of event that a board is kept by. */
export const APPLIED = [...Object.keys(BOARD_HANDLERS), ...Object.keys(CARD_HANDLERS)];

/** Changes a board as an event tells; one on another board changes nothing. */
export function applyEvent(board: BoardState, event: ReplayedEvent): void {
  if (event.boardPublicId !== null && event.boardPublicId !== board.publicId) return;
  BOARD_HANDLERS[event.type]?.(board, event.data, event);
  const card = board.cards[cardOf(event)];
  if (card === undefined) return;
  CARD_HANDLERS[event.type]?.(card, event.data, event);
  if (card.details !== null) card.details.updatedAt = event.createdAt;
}
