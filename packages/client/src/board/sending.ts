// Sends the changes of a queue to the service, one behind the other, until each is answered or refused.

import { doubtStreams, hasRetryAfter, pause, reported, responseOf, waitMs } from "../client.js";
import { conditionOf, NO_TAG } from "./conditions.js";
import type { ChangeContext } from "./optimisticEvents.js";
import type { Change, Queue } from "./queue.js";
import type { BoardState } from "./state.js";
import { type Client, FIRST_WAIT_MS, mutationOf, problemOf, TEMPORARY } from "./streams.js";

/** A change whose answer never came is not sent again after so long: the service has forgotten its key. */
const KEY_STORED_MS = 24 * 60 * 60 * 1000;
/** A clock may be set back so far. If it was further ahead when a change was sent, nobody knows how long ago that was. */
const CLOCK_TOLERANCE_MS = 60_000;
/** A change has no answer for so long before somebody doubts the streams; twice as long before it happens again, and so on. */
const DOUBT_MS = 3000;
/** So many times a change may meet another try of itself. */
const CONFLICTS_MAX = 5;

/** The replica whose changes are sent. */
export interface SentReplica {
  /** The board and the account for which the client acts; null while nothing can be sent. */
  current(): { base: BoardState; me: ChangeContext["me"] } | null;
  changed(): void;
  save(): Promise<void>;
  answered(key: string, result: object): void;
  refused(change: Change, error: unknown): void;
  /** The client acts for another account. */
  changedAccount(): void;
  /** Nothing is sent any more for now. */
  stopped(): void;
}

/** Reports an exception of this code or of the browser. The change waits, as those behind it do. */
function unsent(error: unknown): boolean {
  reported(() => {
    throw error;
  });
  return false;
}

export class Sending {
  readonly #client: Client;
  readonly #queue: Queue;
  readonly #replica: SentReplica;
  readonly #closing: AbortSignal;
  /** Whether the client may act for another account by now. */
  mayBeOtherAccount = false;
  #isRunning = false;
  #wake = new AbortController();
  #try = new AbortController();
  #triedAt = 0;
  /** Runs while a change has no answer. */
  #doubting: ReturnType<typeof setTimeout> | undefined;
  /** The response to the last try of a change, if one arrived. */
  #response: Response | undefined;

  constructor(client: Client, queue: Queue, replica: SentReplica, closing: AbortSignal) {
    this.#client = client;
    this.#queue = queue;
    this.#replica = replica;
    this.#closing = closing;
    closing.addEventListener("abort", () => this.wake());
  }

  /** Tries again at once, unless the service has asked to wait. A try without an answer for long went by a connection that is lost. */
  connected(): void {
    if (performance.now() - this.#triedAt > DOUBT_MS) this.#try.abort();
    if (!hasRetryAfter(this.#response)) this.wake();
  }

  #doubtAfter(ms: number): void {
    this.#doubting = setTimeout(() => {
      this.#doubtAfter(2 * ms);
      doubtStreams(this.#client);
    }, ms);
  }

  #answered(): void {
    clearTimeout(this.#doubting);
    this.#doubting = undefined;
  }

  /** Tries again at once. */
  wake(): void {
    this.#wake.abort();
  }

  /** Sends changes one behind the other, as long as there are any; `justAdded` is the key of one that is made at this moment. */
  async run(justAdded?: string): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let tries = 0, added = justAdded; ; added = undefined) {
      const { next } = this.#queue;
      if (next === undefined || this.#replica.current() === null) break;
      if (this.#doubting === undefined) this.#doubtAfter(DOUBT_MS);
      const attempt = new AbortController();
      this.#try = attempt;
      this.#triedAt = performance.now();
      const isDone = await this.#sent(next, tries, next.key === added).catch(unsent);
      if (isDone || this.#response !== undefined) this.#answered();
      tries = isDone ? 0 : tries + 1;
      if (tries === 0 || attempt.signal.aborted || this.#replica.current() === null) continue;
      this.#wake = new AbortController();
      await pause(waitMs(tries - 1, FIRST_WAIT_MS, this.#response), this.#wake.signal, this.#response);
    }
    this.#answered();
    this.#isRunning = false;
    this.#replica.stopped();
  }

  /** Sends one change. False if nothing is known of it afterwards, so that it must be sent again. */
  async #sent(change: Change, tries: number, isJustAdded: boolean): Promise<boolean> {
    const current = this.#replica.current();
    if (current === null) return false;
    const age = Date.now() - (change.sentAt ?? Date.now());
    if (age > KEY_STORED_MS || age < -CLOCK_TOLERANCE_MS) {
      this.#replica.refused(
        change,
        new Error("The service did not answer for 24 hours: the change may have been made"),
      );
      return true;
    }
    const isUnsure = this.mayBeOtherAccount;
    if (isUnsure && !(await this.#isStillMe(current.me.publicId))) return false;
    const { base, me } = this.#replica.current() ?? current;
    const { key, path, input } = this.#queue.send(change, base, me, Date.now());
    this.#replica.changed();
    // Whoever takes over the change sends the same input under its key. The storage has no other input of one that is just made.
    if (!isJustAdded || isUnsure) await this.#replica.save();
    if (this.#queue.find(key) === undefined || this.#closing.aborted) return true;
    let condition: { ifMatch?: string } | undefined;
    try {
      condition = change.ifStill && (await conditionOf(this.#client, change.ifStill, input));
      // The client may act for another account by now.
      if (this.#closing.aborted) return true;
      const context = { idempotencyKey: key, requestKey: key, retry: false, ...condition };
      const { signal } = this.#try;
      this.#replica.answered(key, await mutationOf(this.#client, path)(input, { context, signal }));
      return true;
    } catch (error) {
      const problem = problemOf(error);
      const code = problem?.code;
      this.#response = problem === null ? undefined : responseOf(problem);
      this.mayBeOtherAccount ||= code === "UNAUTHORIZED";
      if (code !== undefined && TEMPORARY.includes(code)) return false;
      // Another try of the same change may still run.
      if (code === "CONFLICT" && change.sentAt !== undefined && tries < CONFLICTS_MAX) return false;
      // Something else of the card changed between reading and sending.
      if (code === "PRECONDITION_FAILED" && condition?.ifMatch !== NO_TAG && tries < CONFLICTS_MAX) return false;
      this.#replica.refused(this.#queue.find(key) ?? change, error);
      return true;
    }
  }

  /** Whether the client still acts for the account that made the changes. Nothing is sent for another one. */
  async #isStillMe(publicId: string): Promise<boolean> {
    const me = await this.#client.user.me.query().catch(() => null);
    this.mayBeOtherAccount = me?.publicId !== publicId;
    if (me !== null && this.mayBeOtherAccount) this.#replica.changedAccount();
    return !this.mayBeOtherAccount;
  }
}
