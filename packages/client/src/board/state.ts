// A board as a client keeps it: normalised, never changed in place, and sharing with the version before whatever stayed the same.

import type { Permission, RouterOutputs } from "../client.js";

/** A board as `GET /boards/{boardPublicId}` answers it. */
export type Snapshot = RouterOutputs["board"]["get"];
/** A card as `GET /cards/{cardPublicId}` answers it. */
export type WholeCard = RouterOutputs["card"]["get"];
export type Comment = RouterOutputs["card"]["comments"]["list"]["items"][number];
type CommentPage = Pick<RouterOutputs["card"]["comments"]["list"], "items" | "nextCursor">;
type SnapshotList = Snapshot["lists"][number];
type SnapshotCard = SnapshotList["cards"][number];
type Checklist = WholeCard["checklists"][number];

/** An event of a board. Streams mark the last one of an operation, and events of a change made with a `Request-Key` carry it. */
export type Event = RouterOutputs["workspace"]["events"]["items"][number] & {
  readonly isLast?: boolean;
  readonly requestKey?: string | null;
};
export type EventType = Event["type"];
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

/** A card as events hold it. */
export type LoggedCard = NonNullable<EventOf<"card.created">["data"]["card"]>;

/** Things that were created here keep the `key` with which they first appeared, for lists of a page. */
type Keyed<T> = T & { readonly key?: string };

export type ChecklistState = Keyed<Omit<Checklist, "items">> & {
  readonly items: readonly Keyed<Checklist["items"][number]>[];
};

/** The fields of an open card beside those that a board shows. */
export interface CardDetails extends Pick<WholeCard, "archivedAt" | "createdAt" | "updatedAt"> {
  /** The list of the card. An archived card goes back to it; null if that list was deleted. */
  readonly listPublicId: string | null;
  readonly checklists: readonly ChecklistState[];
  /** The latest comments, oldest first. */
  readonly comments: readonly Keyed<Comment>[];
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
  readonly labels: readonly Keyed<Snapshot["labels"][number]>[];
  readonly lists: readonly ListState[];
  /** The open cards of the lists, and cards that somebody opened. */
  readonly cards: Readonly<Record<string, CardState>>;
}

type Named = { readonly publicId: string };

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
/** The earlier version of a thing if it is the same. */
const shared = <T>(before: T | undefined, now: T): T => (before !== undefined && isSame(before, now) ? before : now);

/** A card as a board shows it; a card of the log or of `card.get` has more, which goes into the details. */
export function cardState(card: SnapshotCard | LoggedCard, key = card.publicId): CardState {
  const { index: _, labels, ...shown } = card;
  const fields = "checklists" in shown ? summaryOf(shown) : shown;
  return {
    ...fields,
    labelIds: labels.map(({ publicId }) => publicId),
    key,
    isWaiting: false,
    isGone: false,
    details: null,
  };
}

function summaryOf(
  card: Omit<LoggedCard & Partial<Pick<WholeCard, "eventId">>, "index" | "labels">,
): Omit<SnapshotCard, "index" | "labels"> {
  const { archivedAt, createdAt, updatedAt, list, board, workspace, checklists, eventId, ...shown } = card;
  return shown;
}

const detailsOf = (card: LoggedCard, { items, nextCursor }: CommentPage): CardDetails => ({
  archivedAt: card.archivedAt,
  createdAt: card.createdAt,
  updatedAt: card.updatedAt,
  listPublicId: card.list?.publicId ?? null,
  checklists: card.checklists,
  comments: items,
  earlier: nextCursor,
});

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
export function opened(board: BoardState, card: LoggedCard, comments: CommentPage): BoardState {
  const key = board.cards[card.publicId]?.key;
  const isGone = card.board.publicId !== board.publicId || card.archivedAt !== null;
  return withCard(board, { ...cardState(card, key), isGone, details: detailsOf(card, comments) });
}

/** A board with a card that nobody has open any more. */
export function closed(board: BoardState, cardPublicId: string): BoardState {
  const card = board.cards[cardPublicId];
  if (card === undefined) return board;
  return card.isGone ? withoutCard(board, cardPublicId) : withCard(board, { ...card, details: null });
}

// Steps from one state to the next. Each gives the same object where nothing changes.

export const withCard = (board: BoardState, card: CardState): BoardState =>
  board.cards[card.publicId] === card ? board : { ...board, cards: { ...board.cards, [card.publicId]: card } };

export function withoutCard(board: BoardState, cardPublicId: string): BoardState {
  const { [cardPublicId]: found, ...cards } = board.cards;
  return found === undefined ? board : { ...board, cards };
}

/** Replaces one thing of several. */
export function replaced<T extends Named>(all: readonly T[], publicId: string, to: (one: T) => T): readonly T[] {
  const index = all.findIndex((one) => one.publicId === publicId);
  const found = all[index];
  if (found === undefined) return all;
  const now = to(found);
  return now === found ? all : all.with(index, now);
}

export const without = <T extends Named>(all: readonly T[], publicId: string): readonly T[] =>
  all.some((one) => one.publicId === publicId) ? all.filter((one) => one.publicId !== publicId) : all;

/** Adds a thing at the end, or replaces it where it is. */
export const withOne = <T extends Named>(all: readonly T[], one: T): readonly T[] =>
  all.some(({ publicId }) => publicId === one.publicId) ? replaced(all, one.publicId, () => one) : [...all, one];

/** Puts a thing at an index among the others. */
export function placed<T>(all: readonly T[], index: number, one: T): readonly T[] {
  if (all[index] === one) return all;
  const others = all.filter((other) => other !== one);
  return others.toSpliced(index, 0, one);
}

const collator = new Intl.Collator("en", { numeric: true });
/** Sorts as the service sorts labels and tags. */
export const sortedByName = <T extends Named & { name: string }>(all: readonly T[]): readonly T[] =>
  all.toSorted((a, b) => collator.compare(a.name, b.name) || (a.publicId < b.publicId ? -1 : 1));

/** A board with other values of some fields. */
export const withFields = (board: BoardState, fields: Partial<BoardState>): BoardState =>
  Object.entries(fields).every(([name, value]) => Reflect.get(board, name) === value) ? board : { ...board, ...fields };

/** Gives a created thing the key with which it first appeared. */
export function withKey(board: BoardState, publicId: string, key: string): BoardState {
  const keyed = <T extends { publicId: string; key?: string }>(all: readonly T[]) =>
    replaced(all, publicId, (one) => (one.key === key ? one : { ...one, key }));
  const card = board.cards[publicId];
  if (card !== undefined) return card.key === key ? board : withCard(board, { ...card, key });
  const own = withFields(board, { lists: keyed(board.lists), labels: keyed(board.labels) });
  const holder = own === board ? Object.values(board.cards).find((one) => holds(one, publicId)) : undefined;
  if (!holder?.details) return own;
  const checklists = keyed(holder.details.checklists).map((one) => ({ ...one, items: keyed(one.items) }));
  return withCard(own, {
    ...holder,
    details: { ...holder.details, checklists, comments: keyed(holder.details.comments) },
  });
}

const holds = ({ details }: CardState, publicId: string): boolean =>
  [...(details?.comments ?? []), ...(details?.checklists ?? []).flatMap((one) => [one, ...one.items])].some(
    (one) => one.publicId === publicId,
  );
