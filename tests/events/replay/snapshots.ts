// Boards as the client package keeps them: read from the API, replayed from events, and compared.

import { expect } from "vitest";
import { applyEvent } from "../../../packages/client/src/board/applyEvent.js";
import {
  type BoardState,
  boardState,
  type CardState,
  opened,
  withoutCard,
} from "../../../packages/client/src/board/state.js";
import type { Comment, Event, Snapshot, WholeCard } from "../../../packages/client/src/board/things.js";
import { type Client, ok } from "../../helpers/app.js";

interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

async function pagesOf<T>(client: Client, path: string): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Page<T> = ok(await client.get<Page<T>>(`${path}?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`));
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}

/** A board as `GET /boards/{boardPublicId}` alone shows it. */
export const readBoard = async (client: Client, boardPublicId: string): Promise<BoardState> =>
  boardState(ok(await client.get<Snapshot>(`/boards/${boardPublicId}`)));

/** A board with every card open, archived ones too, and all comments. */
export async function readWholeBoard(client: Client, boardPublicId: string): Promise<BoardState> {
  const board = await readBoard(client, boardPublicId);
  const archived = await pagesOf<{ publicId: string }>(client, `/boards/${boardPublicId}/archived-cards`);
  const publicIds = [...Object.keys(board.cards), ...archived.map((card) => card.publicId)];
  const cards = await Promise.all(
    publicIds.map(async (publicId) => {
      const card = ok(await client.get<WholeCard>(`/cards/${publicId}`));
      const path = `/cards/${publicId}/comments`;
      return { card, items: card.commentCount === 0 ? [] : await pagesOf<Comment>(client, path) };
    }),
  );
  return cards.reduce((whole, { card, items }) => opened(whole, card, { items, nextCursor: null }), board);
}

export function aloneOf(board: BoardState): BoardState {
  const open = new Set(board.lists.flatMap(({ cardIds }) => cardIds));
  const cards = Object.values(board.cards).filter(({ publicId }) => open.has(publicId));
  return { ...board, cards: Object.fromEntries(cards.map((card) => [card.publicId, { ...card, details: null }])) };
}

interface EventPage {
  items: Event[];
  nextCursor: number;
}

/** The events of a workspace after a number, of one board where it is given, page by page. */
export async function readEvents(
  client: Client,
  workspace: { publicId: string },
  { after, boardPublicId }: { after: number; boardPublicId?: string },
): Promise<Event[]> {
  const found: Event[] = [];
  const on = boardPublicId === undefined ? "" : `&boardPublicId=${boardPublicId}`;
  for (let next = after; ; ) {
    const page = ok(
      await client.get<EventPage>(`/workspaces/${workspace.publicId}/events?limit=100&after=${next}${on}`),
    );
    found.push(...page.items);
    if (page.items.length < 100) return found;
    next = page.nextCursor;
  }
}

/** The card that an event takes off a board for good, and whose whole content an event brings. */
const goneIn = (event: Event): string | null => {
  if (event.type === "card.deleted") return event.cardPublicId;
  return event.type === "card.moved" && event.cardPublicId === null ? (event.data.cardPublicId ?? null) : null;
};

const isOn = (board: BoardState, { boardPublicId }: Event) => boardPublicId === board.publicId;

/** Expects what an event says that was before it. */
function expectBefore(board: BoardState, event: Event): void {
  if (!isOn(board, event)) return;
  if (event.type === "card.updated") expectValues(board.cards[event.cardPublicId ?? ""], event.data.changes);
  if (event.type === "board.updated") expectValues(board, event.data.changes);
  if (event.type !== "card.moved" || event.data.from === undefined) return;
  const { listPublicId, index } = event.data.from;
  const cardIds = board.lists.find(({ publicId }) => publicId === listPublicId)?.cardIds ?? [];
  const cardPublicId = event.data.cardPublicId ?? event.cardPublicId ?? "";
  if (cardIds.includes(cardPublicId)) expect(cardIds.indexOf(cardPublicId), "where it was").toBe(index);
}

function expectValues(thing: object | undefined, changes: object = {}): void {
  for (const [field, change] of Object.entries(changes)) {
    if (thing !== undefined) expect(change.from, `what ${field} was`).toEqual(Reflect.get(thing, field));
  }
}

/** The state after an event, which must not change the state before it. */
export function replayed(board: BoardState, event: Event): BoardState {
  expectBefore(board, event);
  return applyEvent(board, event);
}

/**
 * The same for a board whose cards are all open: a card that comes is opened as the event shows it, with the comments that it had
 * elsewhere, and one that goes for good is closed.
 */
export function replayedWhole(board: BoardState, event: Event, comments: readonly Comment[] = []): BoardState {
  const card = isOn(board, event) && "card" in event.data ? event.data.card : undefined;
  const isNew = card !== undefined && board.cards[card.publicId]?.details == null;
  const before = isNew ? opened(board, card, { items: [...comments], nextCursor: null }) : board;
  const after = replayed(before, event);
  const gone = isOn(board, event) ? goneIn(event) : null;
  return gone === null ? after : withoutCard(after, gone);
}

const sorted = <T extends { publicId: string }>(all: readonly T[]) =>
  [...all].sort((a, b) => (a.publicId < b.publicId ? -1 : 1));

function comparedCard({ details, ...card }: CardState) {
  // The name of an author who left is known to nobody but the comment.
  const comments = details?.comments.map((one) => ({ ...one, author: { publicId: one.author.publicId } }));
  return {
    ...card,
    labelIds: [...card.labelIds].sort(),
    members: sorted(card.members),
    details: details && { ...details, comments },
  };
}

/** The fields that events tell of. */
function comparedHead({ workspace: _, isFavourite: __, ...board }: BoardState) {
  return {
    ...board,
    tags: sorted(board.tags),
    labels: sorted(board.labels),
    // The name of an invited person is the address, which events do not hold.
    members: sorted(board.members).map(({ email: _, ...member }) =>
      member.status === "invited" ? { ...member, name: "" } : member,
    ),
  };
}

const withoutKeys = (state: object): object =>
  JSON.parse(JSON.stringify(state), (name, value) => (name === "key" ? undefined : value));

/** Everything of a board that counts, whatever the order of labels and people. */
export const compared = (board: BoardState): object =>
  withoutKeys({
    ...comparedHead(board),
    cards: Object.fromEntries(Object.entries(board.cards).map(([publicId, card]) => [publicId, comparedCard(card)])),
  });

/** The same of what a board alone shows: open cards without their details. */
export const comparedAlone = (board: BoardState) => compared(aloneOf(board));
