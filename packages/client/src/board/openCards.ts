// The cards of a board that somebody has open. Each is read by itself, with its latest comments, and stands at a place in the log of
// its own until the board has caught up with it.

import { pause } from "../client.js";
import { applyEvent } from "./applyEvent.js";
import { type BoardState, type CardState, closed, opened, withCard } from "./state.js";
import { type Client, hasEnded, waitAfter } from "./streams.js";
import type { Event } from "./things.js";

/** The number of the last event that a reading of a card, and that of its comments, contain. */
interface ReadAt {
  card: number;
  comments: number;
}

interface OpenCard {
  /** Its identifier, or the key of the change that creates it. */
  id: string;
  holders: number;
  /** Null until it was read. */
  readAt: ReadAt | null;
  /** Ends its reading. */
  reading: AbortController;
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
  readonly #isKey: (id: string) => boolean;
  readonly #edit: (to: (board: BoardState) => BoardState) => void;
  readonly #cards = new Map<string, OpenCard>();
  #wake = new AbortController();
  /** The number of running reads, and the events that arrived meanwhile. */
  #readings = 0;
  #recent: Event[] = [];

  /** `isKey` is true for a card that the service has not created yet. `edit` changes the base of the board, once there is one. */
  constructor(client: Client, isKey: (id: string) => boolean, edit: (to: (board: BoardState) => BoardState) => void) {
    this.#client = client;
    this.#isKey = isKey;
    this.#edit = edit;
  }

  /** Opens a card until the function that it returns is called as often as this one. */
  open(id: string): () => void {
    const card = this.#cards.get(id) ?? { id, holders: 0, readAt: null, reading: new AbortController() };
    this.#cards.set(id, card);
    card.holders += 1;
    if (card.holders === 1) void this.#read(card);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      card.holders -= 1;
      if (card.holders > 0) return;
      card.reading.abort();
      this.#cards.delete(card.id);
      this.#edit((board) => closed(board, card.id));
    };
  }

  /** Goes on with a card under the identifier that the service gave it. */
  rename(key: string, id: string): void {
    const card = this.#cards.get(key);
    if (card === undefined) return;
    this.#cards.delete(key);
    this.#cards.set(id, card);
    card.id = id;
    void this.#read(card);
  }

  /** Reads all open cards again, because events were missed. */
  readAgain(): void {
    for (const card of this.#cards.values()) void this.#read(card);
  }

  /** Reads cards at once that could not be read before. */
  wake(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** Ends all readings. */
  stop(): void {
    for (const { reading } of this.#cards.values()) reading.abort();
  }

  /** Does what `applyEvent` does; an open card does not change by what it contained when it was read. */
  apply(board: BoardState, event: Event): BoardState {
    if (this.#readings > 0) this.#recent.push(event);
    const cardPublicId = event.cardPublicId ?? "";
    const readAt = this.#cards.get(cardPublicId)?.readAt ?? null;
    const before = board.cards[cardPublicId];
    const next = applyEvent(board, event);
    const after = next.cards[cardPublicId];
    if (readAt === null || before === undefined || after === undefined) return next;
    const isNew = since(event, readAt);
    return isNew.card && isNew.comments ? next : withCard(next, merged(before, after, isNew));
  }

  /** Reads a card until that succeeds or cannot, in place of a reading that runs. */
  async #read(card: OpenCard): Promise<void> {
    card.reading.abort();
    card.reading = new AbortController();
    const { signal } = card.reading;
    if (this.#isKey(card.id)) return;
    for (let tries = 0; !signal.aborted; tries += 1) {
      try {
        await this.#reading(() => this.#readOnce(card, signal));
        return;
      } catch (error) {
        if (hasEnded(error)) return;
        await pause(waitAfter(error, tries), AbortSignal.any([signal, this.#wake.signal]));
      }
    }
  }

  async #readOnce(card: OpenCard, signal: AbortSignal): Promise<void> {
    const cardPublicId = card.id;
    const [whole, page] = await Promise.all([
      this.#client.card.get.query({ cardPublicId }),
      this.#client.card.comments.list.query({ cardPublicId, ...NEWEST }),
    ]);
    if (signal.aborted) return;
    const readAt = { card: whole.eventId, comments: page.eventId };
    card.readAt = readAt;
    const comments = { items: page.items.toReversed(), nextCursor: page.nextCursor };
    this.#edit((board) => this.#caughtUp(opened(board, whole, comments), cardPublicId, readAt));
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
    }).catch(() => {});
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

  /** Keeps the events that come while something is read. */
  async #reading(read: () => Promise<void>): Promise<void> {
    this.#readings += 1;
    try {
      await read();
    } finally {
      this.#readings -= 1;
      if (this.#readings === 0) this.#recent = [];
    }
  }
}
