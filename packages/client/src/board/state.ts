// A board as a client keeps it: normalised, never changed in place, and sharing with the version before whatever stayed the same.

import type { Permission } from "../client.js";
import { type CardParts, divided } from "./cardParts.js";
import {
  type Comment,
  type CommentPage,
  type LoggedCard,
  type Snapshot,
  type SnapshotCard,
  type SnapshotList,
  type WholeCard,
  type WithStableKey,
  withStableKeyIn,
} from "./things.js";

/** The fields of an open card beside those that a board shows. */
export interface CardDetails extends CardParts, Pick<WholeCard, "archivedAt" | "createdAt" | "updatedAt"> {
  /** The list of the card. An archived card goes back to it; null if that list was deleted. */
  readonly listPublicId: string | null;
  /** The latest comments, oldest first. */
  readonly comments: WithStableKey<Comment[]>;
  /** The cursor of the comments before these; null if there are none. */
  readonly earlier: string | null;
}

export interface CardState extends Omit<SnapshotCard, "index" | "labels" | "members"> {
  readonly members: readonly SnapshotCard["members"][number][];
  readonly labelIds: readonly string[];
  /** Stays the same when a card that was created here gets its identifier. */
  readonly key: string;
  /** Whether a change of the card waits for the service. */
  readonly isWaiting: boolean;
  /** Whether an open card was archived or deleted, or left the board. */
  readonly isGone: boolean;
  /** Null unless the card is open. */
  readonly details: CardDetails | null;
}

export interface ListState extends Omit<SnapshotList, "index" | "cards"> {
  readonly key: string;
  /** In order. A card that is not in `cards` was deleted since: it only keeps its place until its deletion arrives. */
  readonly cardIds: readonly string[];
}

/** The caller on the board. */
export interface MeState extends Readonly<Omit<Snapshot["me"], "permissions">> {
  readonly permissions: readonly Permission[];
  /** The scope of the caller's token, as far as the permissions show it. On an archived board those of a guest do not: `write`. */
  readonly scope: "read" | "write";
}

export interface BoardState extends Omit<Snapshot, "eventId" | "lists" | "labels" | "tags" | "members" | "me"> {
  readonly me: MeState;
  readonly tags: readonly Snapshot["tags"][number][];
  readonly members: readonly Snapshot["members"][number][];
  readonly labels: WithStableKey<Snapshot["labels"]>;
  readonly lists: readonly ListState[];
  /** The open cards of the lists, and cards that somebody opened. */
  readonly cards: Readonly<Record<string, CardState>>;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
/** The earlier version of a thing if it is the same. */
const shared = <T>(before: T | undefined, now: T): T => (before !== undefined && isSame(before, now) ? before : now);

/** A card as a board shows it. */
function cardState({ index: _, labels, ...fields }: SnapshotCard, key = fields.publicId): CardState {
  const labelIds = labels.map(({ publicId }) => publicId);
  return { ...fields, labelIds, key, isWaiting: false, isGone: false, details: null };
}

/** A card of the log or of `card.get`, divided into what a board shows of it and what only an open card has. */
export function wholeCard(card: LoggedCard & { eventId?: number }, key?: string) {
  const { fields, parts } = divided(card);
  const { archivedAt, createdAt, updatedAt, list, board, workspace, eventId, ...shown } = fields;
  const details = { archivedAt, createdAt, updatedAt, listPublicId: list?.publicId ?? null, ...parts };
  return { shown: cardState(shown, key), details };
}

function meState({ me, isArchived }: Omit<Snapshot, "eventId">, before?: BoardState): MeState {
  const isWriter = me.permissions.some((permission) => !permission.endsWith(":view"));
  const isUnknown = me.role === "guest" && isArchived;
  return { ...me, scope: isWriter ? "write" : isUnknown ? (before?.me.scope ?? "write") : "read" };
}

/** A board that was read. What did not change since `before`, another state of the board, is shared with it; open cards stay open. */
export function boardState(snapshot: Omit<Snapshot, "eventId">, before?: BoardState): BoardState {
  // The position of a snapshot in the log is not part of the state: it changes while nothing else does.
  const { lists, eventId: _, ...board }: typeof snapshot & { eventId?: number } = snapshot;
  const cards: Record<string, CardState> = {};
  for (const card of Object.values(before?.cards ?? {})) {
    if (card.details !== null) cards[card.publicId] = { ...card, isGone: true };
  }
  for (const card of lists.flatMap((list) => list.cards)) {
    const known = before?.cards[card.publicId];
    const now = { ...cardState(card, known?.key), details: known?.details ?? null };
    cards[card.publicId] = shared(known, now);
  }
  const listStates = lists.map(({ index: _, cards: ofList, ...list }): ListState => {
    const known = before?.lists.find(({ publicId }) => publicId === list.publicId);
    return shared(known, {
      ...list,
      key: known?.key ?? list.publicId,
      cardIds: ofList.map(({ publicId }) => publicId),
    });
  });
  const now: BoardState = { ...board, me: meState(snapshot, before), lists: listStates, cards };
  if (before === undefined) return now;
  const fields = Object.entries(now).map(([name, value]) => [name, shared(Reflect.get(before, name), value)]);
  return { ...now, ...Object.fromEntries(fields.filter(([name]) => name !== "cards")) };
}

/** A board with a card that was opened: its details, and its comments from the latest page on. */
export function opened(board: BoardState, card: LoggedCard, { items, nextCursor }: CommentPage): BoardState {
  const isGone = card.board.publicId !== board.publicId || card.archivedAt !== null;
  const { shown, details } = wholeCard(card, board.cards[card.publicId]?.key);
  return withCard(board, { ...shown, isGone, details: { ...details, comments: items, earlier: nextCursor } });
}

/** A board with a card that nobody has open any more. */
export function closed(board: BoardState, cardPublicId: string): BoardState {
  const card = board.cards[cardPublicId];
  if (card === undefined) return board;
  return card.isGone ? withoutCard(board, cardPublicId) : withCard(board, { ...card, details: null });
}

// Steps from one state to the next. Each gives the same object where nothing changes.

/** The records of cards that `together` has copied: its further steps change them in place. Null while it does not run. */
let drafts: WeakSet<object> | null = null;

/** Runs many steps at the price of one copy of the cards. A state between two of these steps must not be read behind the second one. */
export function together<T>(run: () => T): T {
  if (drafts !== null) return run();
  drafts = new WeakSet();
  try {
    return run();
  } finally {
    drafts = null;
  }
}

const copyOf = (cards: BoardState["cards"]): Record<string, CardState> => ({ ...cards });

/** A board with other cards: in a record of its own, unless that is only a draft. */
function withCards(board: BoardState, change: (cards: Record<string, CardState>) => void): BoardState {
  const isDraft = drafts?.has(board.cards) === true;
  const cards: Record<string, CardState> = isDraft ? board.cards : copyOf(board.cards);
  change(cards);
  if (isDraft) return board;
  drafts?.add(cards);
  return { ...board, cards };
}

export const withCard = (board: BoardState, card: CardState): BoardState =>
  board.cards[card.publicId] === card
    ? board
    : withCards(board, (cards) => {
        cards[card.publicId] = card;
      });

export const withoutCard = (board: BoardState, cardPublicId: string): BoardState =>
  board.cards[cardPublicId] === undefined
    ? board
    : withCards(board, (cards) => {
        delete cards[cardPublicId];
      });

/** A board with other values of some fields. */
export const withFields = (board: BoardState, fields: Partial<BoardState>): BoardState =>
  Object.entries(fields).every(([name, value]) => Reflect.get(board, name) === value) ? board : { ...board, ...fields };

/** Gives a created thing the key with which it first appeared. */
export function withStableKey(board: BoardState, publicId: string, key: string): BoardState {
  const card = board.cards[publicId];
  if (card !== undefined) return card.key === key ? board : withCard(board, { ...card, key });
  const own = withFields(board, {
    lists: withStableKeyIn(board.lists, publicId, key),
    labels: withStableKeyIn(board.labels, publicId, key),
  });
  if (own !== board) return own;
  return Object.values(board.cards).reduce((state, one) => {
    const details = withStableKeyIn(one.details, publicId, key);
    return details === one.details ? state : withCard(state, { ...one, details });
  }, board);
}
