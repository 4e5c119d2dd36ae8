// A live copy of one board: base, which is a snapshot and the events after it, and the caller's unconfirmed changes applied over it.
// Events change the base alone, so that a change that fails is simply no longer applied.

import { metaOf, newKey, pause, urlOf } from "../client.js";
import { Answers } from "./answers.js";
import type { ChangePath, InputOf, OutputOf } from "./changePaths.js";
import type { FollowedState } from "./followedState.js";
import { OpenCards } from "./openCards.js";
import type { ChangeContext } from "./optimisticEvents.js";
import { withExplicitToggle } from "./ownChanges.js";
import { CHANGES_MAX, type Change, type ChangeOptions, Queue, type Refused } from "./queue.js";
import { Sending } from "./sending.js";
import { type BoardState, boardState, together, withFields, withStableKey } from "./state.js";
import type { BoardStorage, SharedStorage, StoredQueue } from "./storedQueue.js";
import { type Client, hasEnded, isUnavailable, problemOf, type Receiver, waitAfter } from "./streams.js";
import { createdIn, type Event, type Snapshot } from "./things.js";

const NOBODY: ChangeContext["me"] = { publicId: "", name: "", image: null };

const OTHER_ACCOUNT = "The client acts for another account";

/** Whether other tabs can take over changes from a storage. */
const isShared = (storage?: BoardStorage): storage is SharedStorage => storage?.update !== undefined;

/** The changes that create something. */
const CREATING = /(?:\.create|\.addItem|\.duplicate)$/;

export class Replica implements Receiver {
  readonly #client: Client;
  readonly #boardPublicId: string;
  readonly #changed: () => void;
  readonly #queue = new Queue();
  readonly #openCards: OpenCards;
  readonly #storage: BoardStorage | undefined;
  #stored: Promise<StoredQueue | null> | undefined;
  readonly #answers = new Answers();
  readonly #closing = new AbortController();
  #reading: Promise<void> = Promise.resolve();
  #base: BoardState | null = null;
  /** The number of the last event that the base holds. */
  #at = 0;
  /** Events that are not in the base yet. They wait for the end of the task, so that those of one chunk are applied together, and of a reading. */
  #arrived: Event[] = [];
  #isReading = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #me: ChangeContext["me"] | null = null;
  readonly #sending: Sending;
  #isConnected = false;
  #wasLive = false;
  #end: { error: unknown } | null = null;
  /** Why the last try to read the board failed. */
  #readError: unknown = null;
  #state: FollowedState | null = null;

  /** `changed` is called after each change of the state. */
  constructor(client: Client, boardPublicId: string, storage: BoardStorage | undefined, changed: () => void) {
    this.#storage = storage;
    this.#client = client;
    this.#boardPublicId = boardPublicId;
    this.#changed = changed;
    const isKey = (id: string) => this.#queue.find(id) !== undefined;
    this.#sending = new Sending(
      client,
      this.#queue,
      {
        current: () => this.#current(),
        changed: () => this.#update(() => this.#base),
        save: () => this.#save(),
        answered: (key, result) => this.#answered(key, result),
        refused: (change, error) => this.#refuse(change, error),
        changedAccount: () => this.ended(new Error(OTHER_ACCOUNT)),
        stopped: () => this.#refuseUnsendable(),
      },
      this.#closing.signal,
    );
    this.#openCards = new OpenCards(client, isKey, (to) => this.#update(() => this.#base && to(this.#base)));
  }

  /** The number of the last event that has arrived. */
  get position(): number {
    return Math.max(this.#at, this.#arrived.at(-1)?.id ?? 0);
  }

  /** The account that follows the board, once the board was read. */
  get account(): string {
    return this.#me?.publicId ?? "";
  }

  state(): FollowedState {
    this.#state ??= {
      status: this.#status(),
      board: this.#base && this.#queue.shown(this.#base, this.#me ?? NOBODY),
      waiting: this.#queue.waiting + this.#queue.unadopted,
      refused: this.#queue.refused,
      error: this.#end?.error ?? this.#readError,
    };
    return this.#state;
  }

  #status(): FollowedState["status"] {
    if (this.#end !== null) return "ended";
    if (this.#base !== null && this.#isConnected) return "live";
    return this.#wasLive ? "reconnecting" : "loading";
  }

  /** Changes the state by giving it another base, or something else that is shown. */
  #update(run: () => BoardState | null): void {
    this.#base = run();
    this.#state = null;
    void this.#save();
    this.#changed();
  }

  /**
   * Reads the board until that succeeds or cannot, behind readings that run: a snapshot never replaces a later one. Events that come
   * meanwhile are applied behind it.
   */
  read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    this.#applyArrived();
    this.#isReading = true;
    for (let tries = 0; !this.#closing.signal.aborted; tries += 1) {
      try {
        const [me, snapshot] = await Promise.all([
          (this.#sending.mayBeOtherAccount ? null : this.#me) ?? this.#client.user.me.query(),
          this.#client.board.get.query({ boardPublicId: this.#boardPublicId }),
        ]);
        if (this.#me !== null && this.#me.publicId !== me.publicId) return this.ended(new Error(OTHER_ACCOUNT));
        this.#sending.mayBeOtherAccount = false;
        this.#readError = null;
        this.#me = { publicId: me.publicId, name: me.name, image: me.image };
        this.#begin(snapshot);
        this.#store(me.publicId);
        return;
      } catch (error) {
        if (hasEnded(error)) return this.ended(error);
        this.#readError = error;
        this.#update(() => this.#base);
        await pause(waitAfter(error, tries), this.#closing.signal);
      }
    }
  }

  /** Keeps the queue of this account in the storage, and takes over those of tabs that are gone. */
  #store(account: string): void {
    const storage = this.#storage;
    if (!isShared(storage) || this.#stored !== undefined || this.#closing.signal.aborted) return;
    const about = [urlOf(this.#client), account, this.#boardPublicId];
    const changed = (lost: readonly string[]) => {
      const error = new Error("Another tab of this browser makes the change");
      for (const { reject } of lost.flatMap((key) => this.#answers.take(key))) reject(error);
      this.#update(() => this.#base && this.#withStableKeys(this.#base));
      void this.#sending.run();
    };
    this.#stored = import("./storedQueue.js").then(
      ({ StoredQueue }) => {
        const stored = new StoredQueue(storage, about, this.#queue, changed);
        if (!this.#closing.signal.aborted) stored.start();
        return stored;
      },
      () => null,
    );
  }

  async #save(): Promise<void> {
    await (await this.#stored)?.save();
  }

  #begin(snapshot: Snapshot): void {
    this.#isReading = false;
    // A browser answers 304 with the body of an earlier answer: the header says up to which event it is still true.
    this.#at = Math.max(snapshot.eventId, metaOf(snapshot).eventId ?? 0);
    this.#update(() => this.#withStableKeys(boardState(snapshot, this.#base ?? undefined)));
    this.#queue.dropConfirmed(this.#at);
    this.#applyArrived();
    this.#openCards.readAgain();
    void this.#sending.run();
  }

  // Messages of the connection.

  event(event: Event): void {
    if (!this.#isReading && event.id <= this.position) return;
    this.#arrived.push(event);
    this.#timer ??= setTimeout(() => this.#applyArrived());
  }

  #applyArrived(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isReading || this.#arrived.length === 0) return;
    const events = this.#arrived;
    this.#arrived = [];
    this.#update(() =>
      together(() => events.reduce((base: BoardState | null, event) => base && this.#applied(base, event), this.#base)),
    );
    this.#queue.dropConfirmed(this.#at);
  }

  #applied(base: BoardState, event: Event): BoardState {
    if (event.id <= this.#at) return base;
    this.#at = event.id;
    return this.#recognised(this.#openCards.apply(base, event), event);
  }

  /** Recognises an event of an own change: what it created has its name now, and with its last event the base holds it. */
  #recognised(base: BoardState, event: Event): BoardState {
    const change = this.#queue.find(event.requestKey ?? "");
    if (change !== undefined && event.actor?.publicId === this.#me?.publicId) {
      const madeId = CREATING.test(change.path) ? createdIn(event) : null;
      if (madeId !== null) this.#named(change.key, madeId);
      if (event.isLast) this.#queue.markInBase(change.key);
    }
    return this.#withStableKeys(base);
  }

  #named(key: string, madeId: string): void {
    this.#queue.name(key, madeId);
    this.#openCards.rename(key, madeId);
  }

  /** Gives what own changes created the keys with which it first appeared. */
  #withStableKeys(base: BoardState): BoardState {
    return this.#queue.changes.reduce(
      (board, { madeId, key }) => (madeId === undefined ? board : withStableKey(board, madeId, key)),
      base,
    );
  }

  reset(): Promise<void> {
    return this.read();
  }

  connected(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    this.#wasLive ||= isConnected;
    this.#update(() => this.#base);
    if (!isConnected) return;
    this.#openCards.wake();
    this.#sending.connected();
  }

  ended(error: unknown): void {
    this.#end = { error };
    this.#openCards.stop();
    this.#update(() => this.#base);
    this.#sending.wake();
    void this.#sending.run();
  }

  /** Takes back an end for which the token is to blame: the board can be read and followed again. False if there was no such end. */
  resumeAfterSignIn(): boolean {
    this.#sending.mayBeOtherAccount ||= this.#end !== null;
    this.#sending.wake();
    if (problemOf(this.#end?.error)?.code !== "UNAUTHORIZED") return false;
    this.#end = null;
    this.#update(() => this.#base);
    return true;
  }

  // The caller's own changes.

  openCard(cardPublicId: string): () => void {
    return this.#openCards.open(this.#queue.nameOf(cardPublicId));
  }

  async readEarlier(cardPublicId: string): Promise<void> {
    const cursor = this.#base?.cards[cardPublicId]?.details?.earlier;
    if (cursor) await this.#openCards.readEarlier(cardPublicId, cursor);
  }

  dismiss(key: string): void {
    this.#queue.dismiss(key);
    this.#update(() => this.#base);
  }

  change<Path extends ChangePath>(
    path: Path,
    input: InputOf<Path>,
    options: ChangeOptions = {},
  ): Promise<OutputOf<Path>> {
    const { board } = this.state();
    // It would never be sent, unless the client has a token of the account again.
    if (this.#end !== null && problemOf(this.#end.error)?.code !== "UNAUTHORIZED")
      return Promise.reject(this.#end.error);
    if (board === null) return Promise.reject(new Error("The board has not been read yet"));
    const key = newKey();
    const change = {
      ...options,
      key,
      path,
      input: withExplicitToggle(board, path, input),
      at: new Date().toISOString(),
    };
    const answer = new Promise<OutputOf<Path>>((resolve, reject) => {
      this.#answers.wait(key, this.#queue.add(change, board), { resolve, reject });
      const added = this.#queue.find(key);
      if (added !== undefined && this.#queue.waiting > CHANGES_MAX)
        this.#refuse(added, new Error(`${CHANGES_MAX} changes are waiting already`));
      else this.#update(() => this.#base);
      void this.#sending.run(key);
    });
    // A refused change stands in `refused`, also where nobody waits for the answer.
    answer.catch(() => {});
    return answer;
  }

  /** The board and the account for which changes are sent; null while none can be. */
  #current(): { base: BoardState; me: ChangeContext["me"] } | null {
    if (this.#end !== null || this.#closing.signal.aborted || this.#base === null || this.#me === null) return null;
    return { base: this.#base, me: this.#me };
  }

  /** Refuses the changes of a board that is out of reach. */
  #refuseUnsendable(): void {
    const error = this.#end?.error;
    if (isUnavailable(error)) for (const change of this.#queue.unanswered) this.#refuse(change, error);
  }

  #answered(key: string, result: object): void {
    const change = this.#queue.find(key);
    if (change === undefined) return;
    const madeId = CREATING.test(change.path) && "publicId" in result ? String(result.publicId) : null;
    this.#queue.answer(key, metaOf(result).eventId);
    this.#update(() => {
      if (madeId !== null) this.#named(key, madeId);
      const base = this.#base && this.#withStableKeys(this.#base);
      // No event tells of favourites.
      const isFavourite = "isFavourite" in result ? result.isFavourite === true : base?.isFavourite;
      return base && withFields(base, { isFavourite });
    });
    this.#queue.dropConfirmed(this.#at);
    for (const { resolve } of this.#answers.take(key)) resolve(result as never);
  }

  #refuse(change: Change, error: unknown): void {
    const { code = null, message = String(error), issues = [] }: Partial<Refused> = Object(error);
    const reason = { code, message, issues };
    for (const { key } of this.#queue.refuse(change, reason))
      for (const { reject } of this.#answers.take(key)) reject(error);
    this.#update(() => this.#base);
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#openCards.stop();
    void this.#stored?.then((stored) => stored?.stop());
  }
}
