// The cards of a board that somebody has open. Each is read by itself, with its latest comments, and stands at a place in the log of
// its own until the board has caught up with it.

import { applyEvent } from "./applyEvent.js";
import { type BoardState, type CardState, closed, opened, withCard } from "./state.js";
import type { Client } from "./streams.js";
import type { Event } from "./things.js";

/** The number of the last event that a reading of a card, and that of its comments, contain. */
interface ReadAt {
  card: number;
  comments: number;
}

/** The latest comments first. */
const NEWEST: { limit: number; order?: "newest" } = { limit: 50, order: "newest" };

/** The parts of a reading that do not contain an event. */
const since = ({ id }: Event, readAt: ReadAt) => ({ card: id > readAt.card, comments: id > readAt.comments });

/** A card before an event and after it: each part from before where the reading contained the event already. */
function merged(before: CardState, after: CardState, isNew: { card: boolean; comments: boolean }): CardState {
  const content = isNew.card ? after : before;
  const comments = (isNew.comments ? after : before).details?.comments;
  if (content.details === null || comments === undefined) return content;
  return { ...content, details: { ...content.details, comments } };
}

export class OpenCards {
  readonly #client: Client;
  readonly #edit: (to: (board: BoardState) => BoardState) => void;
  readonly #holders = new Map<string, number>();
  readonly #readAt = new Map<string, ReadAt>();
  /** The number of running reads, and the events that arrived meanwhile. */
  #readings = 0;
  #recent: Event[] = [];

  /** `edit` changes the base of the board, once there is one. */
  constructor(client: Client, edit: (to: (board: BoardState) => BoardState) => void) {
    this.#client = client;
    this.#edit = edit;
  }

  /** Opens a card until the function that it returns is called as often as this one. */
  open(cardPublicId: string): () => void {
    const holders = this.#holders.get(cardPublicId) ?? 0;
    this.#holders.set(cardPublicId, holders + 1);
    if (holders === 0) void this.#read(cardPublicId);
    let isOpen = true;
    return () => {
      const left = (this.#holders.get(cardPublicId) ?? 0) - (isOpen ? 1 : 0);
      isOpen = false;
      this.#holders.set(cardPublicId, left);
      if (left > 0) return;
      this.#holders.delete(cardPublicId);
      this.#readAt.delete(cardPublicId);
      this.#edit((board) => closed(board, cardPublicId));
    };
  }

  /** Goes on with a card under the identifier that the service gave it. */
  rename(before: string, now: string): void {
    const holders = this.#holders.get(before);
    if (holders === undefined) return;
    this.#holders.delete(before);
    this.#holders.set(now, holders);
    void this.#read(now);
  }

  /** Reads open cards that could not be read before, or all of them because events were missed. */
  readAgain(which: "unread" | "all"): void {
    for (const cardPublicId of this.#holders.keys()) {
      if (which === "all" || !this.#readAt.has(cardPublicId)) void this.#read(cardPublicId);
    }
  }

  /** Does what `applyEvent` does; an open card does not change by what it contained when it was read. */
  apply(board: BoardState, event: Event): BoardState {
    if (this.#readings > 0) this.#recent.push(event);
    const next = applyEvent(board, event);
    const cardPublicId = event.cardPublicId ?? "";
    const readAt = this.#readAt.get(cardPublicId);
    const [before, after] = [board.cards[cardPublicId], next.cards[cardPublicId]];
    if (readAt === undefined || before === undefined || after === undefined) return next;
    const isNew = since(event, readAt);
    return isNew.card && isNew.comments ? next : withCard(next, merged(before, after, isNew));
  }

  #read(cardPublicId: string): Promise<void> {
    return this.#reading(async () => {
      const [card, page] = await Promise.all([
        this.#client.card.get.query({ cardPublicId }),
        this.#client.card.comments.list.query({ cardPublicId, ...NEWEST }),
      ]);
      if (!this.#holders.has(cardPublicId)) return;
      const readAt = { card: card.eventId, comments: page.eventId };
      this.#readAt.set(cardPublicId, readAt);
      const comments = { items: page.items.toReversed(), nextCursor: page.nextCursor };
      this.#edit((board) => this.#caughtUp(opened(board, card, comments), cardPublicId, readAt));
    });
  }

  /** Reads the comments before those that are known. */
  readEarlier(cardPublicId: string, cursor: string): Promise<void> {
    return this.#reading(async () => {
      const page = await this.#client.card.comments.list.query({ cardPublicId, cursor, ...NEWEST });
      this.#edit((board) => {
        const card = board.cards[cardPublicId];
        if (card?.details?.earlier !== cursor) return board;
        const comments = [...page.items.toReversed(), ...card.details.comments];
        const longer = { ...card, details: { ...card.details, comments, earlier: page.nextCursor } };
        const readAt = { card: Number.POSITIVE_INFINITY, comments: page.eventId };
        return this.#caughtUp(withCard(board, longer), cardPublicId, readAt);
      });
    });
  }

  /** A board with a card that was just read, and with what came of it since. */
  #caughtUp(board: BoardState, cardPublicId: string, readAt: ReadAt): BoardState {
    // Events of the board change cards, too: those of a label that is deleted, and the card that leaves.
    const missed = this.#recent.filter((event) => [cardPublicId, null].includes(event.cardPublicId));
    return missed.reduce((state, event) => {
      const [before, after] = [state.cards[cardPublicId], applyEvent(state, event).cards[cardPublicId]];
      return before === undefined || after === undefined
        ? state
        : withCard(state, merged(before, after, since(event, readAt)));
    }, board);
  }

  /** A card that cannot be read now is read when the connection is back. */
  async #reading(read: () => Promise<void>): Promise<void> {
    this.#readings += 1;
    await read().catch(() => {});
    this.#readings -= 1;
    if (this.#readings === 0) this.#recent = [];
  }
}
