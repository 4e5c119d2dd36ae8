// A model of boards, lists and cards: what a workspace holds after each operation, in plain objects and without any database.

export interface Item {
  publicId: string;
  title: string;
  completed: boolean;
}

export interface Checklist {
  publicId: string;
  name: string;
  items: Item[];
}

export interface Label {
  publicId: string;
  name: string;
}

export interface Card {
  publicId: string;
  title: string;
  cardNumber: number;
  priority: string;
  isCompleted: boolean;
  labels: Label[];
  memberPublicIds: string[];
  checklists: Checklist[];
  board: Board;
  /** The list it is on, or was archived from; null once that is deleted. */
  list: List | null;
  isArchived: boolean;
}

export interface List {
  publicId: string;
  name: string;
  /** Those that are not archived, in order. */
  cards: Card[];
}

export interface Board {
  publicId: string;
  name: string;
  isArchived: boolean;
  lists: List[];
  labels: Label[];
  /** The members who can see it. */
  memberPublicIds: string[];
}

export interface Model {
  boards: Board[];
  /** Every card, archived or not. */
  cards: Card[];
  /** The greatest number that any card ever had. */
  lastNumber: number;
}

export const cardsOn = ({ cards }: Model, board: Board) => cards.filter((card) => card.board === board);

const at = <T>(items: readonly T[], index: number, item: T): T[] => {
  const place = Math.min(index, items.length);
  return [...items.slice(0, place), item, ...items.slice(place)];
};

/** A row of things with one of them at another index; beyond the end means the end. */
export function reordered<T>(items: readonly T[], item: T, index: number): T[] {
  return at(
    items.filter((other) => other !== item),
    index,
    item,
  );
}

export const staysPut = <T>(items: readonly T[], item: T, index: number) =>
  reordered(items, item, index).every((other, place) => other === items[place]);

export function addCard(model: Model, card: Card, index = Number.POSITIVE_INFINITY): void {
  model.cards.push(card);
  model.lastNumber = Math.max(model.lastNumber, card.cardNumber);
  if (card.list !== null) card.list.cards = at(card.list.cards, index, card);
}

function takeOff(card: Card): void {
  if (card.list !== null) card.list.cards = card.list.cards.filter((other) => other !== card);
}

export function archive(card: Card): void {
  takeOff(card);
  card.isArchived = true;
}

/** The list to which an archived card comes back; undefined where its board has none left. */
export const homeOf = (card: Card) => card.list ?? card.board.lists[0];

export function unarchive(card: Card, home: List): void {
  card.list = home;
  card.isArchived = false;
  home.cards = [...home.cards, card];
}

export function removeCard(model: Model, card: Card): void {
  takeOff(card);
  model.cards = model.cards.filter((other) => other !== card);
}

export function removeList(model: Model, board: Board, list: List): void {
  board.lists = board.lists.filter((other) => other !== list);
  for (const card of model.cards.filter((one) => one.list === list))
    Object.assign(card, { list: null, isArchived: true });
}

export function removeLabel(model: Model, board: Board, label: Label): void {
  board.labels = board.labels.filter((other) => other !== label);
  for (const card of model.cards) card.labels = card.labels.filter((other) => other !== label);
}

/** Names of labels of a card that a board does not have. */
export const missingLabels = (card: Pick<Card, "labels">, target: Board) =>
  card.labels.filter(({ name }) => !target.labels.some((label) => label.name === name)).map(({ name }) => name);

/** What a card keeps on another board: labels by name, and the people who see it. The labels are there by now. */
export function carriedTo(target: Board, card: Pick<Card, "labels" | "memberPublicIds">) {
  return {
    labels: card.labels.flatMap(({ name }) => target.labels.find((label) => label.name === name) ?? []),
    memberPublicIds: card.memberPublicIds.filter((id) => target.memberPublicIds.includes(id)),
  };
}

/** Puts cards on a list, one after the other, at an index or at its end. */
export function moveCards(cards: readonly Card[], board: Board, list: List, index = Number.POSITIVE_INFINITY): void {
  for (const card of cards) {
    takeOff(card);
    if (card.board !== board) Object.assign(card, carriedTo(board, card), { board });
    card.list = list;
    list.cards = at(list.cards, index, card);
  }
}
