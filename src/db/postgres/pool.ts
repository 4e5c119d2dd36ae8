// Lends sessions: opens them when needed, replaces lost, old and stalled ones, and never lets work wait without an end. Each
// statement costs constant time, however many wait.

import { connectionError, isConnectionError, isOverload, OUTAGE } from "../failures.js";
import { Fifo } from "../fifo.js";
import { PostgresSession, type SessionOptions } from "./sessions.js";

/** Settings of a pool. Zero `stallTimeoutMs`: statements may take for ever. */
export interface PoolOptions extends SessionOptions {
  size: number;
  acquireTimeoutMs: number;
  stallTimeoutMs: number;
  /** Whether work waits while nothing can connect, as at the start; otherwise it is refused at once. */
  waitsForServer: boolean;
  onWarning: (message: string, error: unknown) => void;
  onOutage?: OutageListener | undefined;
}

/** Called once when the server is out of reach and work is refused, and once when it is back. */
export interface OutageListener {
  begun(reason: unknown): void;
  ended(): void;
}

/** `exclusive`: a transaction, which has the session to itself; `shared`: one statement that reads, pipelined with others. */
type Use = "exclusive" | "shared";

/** An open session: `taken` of its SHARES, and whether it is on its way out. */
interface Slot {
  readonly session: PostgresSession;
  readonly retireAt: number;
  taken: number;
  isEnding: boolean;
}

interface Waiter {
  /** Counts up over both queues. */
  readonly arrival: number;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (slot: Slot) => void;
  readonly reject: (error: unknown) => void;
}

const SHARES = 4;
const CLOSE_TIMEOUT_MS = 5000;
const LIFETIME_MS = 30 * 60_000;
const MAX_BACKOFF_MS = 1000;
const WATCH_INTERVAL_MS = 500;
/** Sessions that are lost within this time of each other are logged once. */
const LOSSES_MS = 1000;

/** The most sessions of transactions: those that wait for locks must not take the last ones from reads. */
const transactionSessionsOf = (size: number) => Math.max(1, size - Math.ceil(size / 4));

export class Pool {
  readonly #options: PoolOptions;
  readonly #maxExclusive: number;
  readonly #slots = new Map<PostgresSession, Slot>();
  /** The unused ones; the last one used is taken first, because the server has its plans at hand. */
  readonly #idle: Slot[] = [];
  /** The shared ones with room, by how many share them. */
  readonly #shared = Array.from({ length: SHARES }, () => new Set<Slot>());
  readonly #waiting = { exclusive: new Fifo<Waiter>(), shared: new Fifo<Waiter>() };
  readonly #watchdog: NodeJS.Timeout;
  #arrivals = 0;
  #exclusives = 0;
  #opening = 0;
  #failures = 0;
  #lastFailure: unknown;
  #lastLossAt = Number.NEGATIVE_INFINITY;
  /** No session is open, and the last attempts to open one failed. */
  #isOut = false;
  #retry: NodeJS.Timeout | undefined;
  #isClosing = false;
  #closed: Promise<void> | undefined;
  #onDrained = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#maxExclusive = transactionSessionsOf(options.size);
    this.#watchdog = setInterval(() => this.#loseStalled(), WATCH_INTERVAL_MS).unref();
  }

  /**
   * Lends a session to `work` until it settles: first come, first served, but reads pass the transactions that wait for one of
   * their own to end. Throws a connection error when no session is free in time or the server is out of reach.
   */
  async use<T>(use: Use, work: (session: PostgresSession) => Promise<T>): Promise<T> {
    this.mustBeAvailable();
    const slot = this.#takeAtOnce(use) ?? (await this.#wait(use));
    try {
      return await work(slot.session);
    } finally {
      this.#release(slot, use);
    }
  }

  /** Throws a connection error while the pool refuses all work: it is closed, or the server is out of reach. */
  mustBeAvailable(): void {
    if (this.#isClosing) throw connectionError("CONNECTION_ENDED", "The database is closed");
    if (this.#isOut) throw this.#outage();
  }

  /** Milliseconds that the oldest waiting statement has waited for a session; 0 if none. Transactions have deadlines of their own. */
  get waitingMs(): number {
    const { first } = this.#waiting.shared;
    return first === undefined ? 0 : performance.now() - first.since;
  }

  /** Lets running and waiting work end for up to 5 s, then cuts what is left. Later work fails. */
  close(): Promise<void> {
    this.#closed ??= this.#drain();
    return this.#closed;
  }

  /**
   * Unprepared statements are never pipelined: postgres.js sends them in two steps, and PgBouncer hands the server on between
   * them when the answer to an earlier one ends a transaction.
   */
  #weightOf(use: Use): number {
    return use === "shared" && this.#options.prepare ? 1 : SHARES;
  }

  /** Takes a session unless others are to have it. One of its own is better than a share, while there is room for more. */
  #takeAtOnce(use: Use): Slot | undefined {
    if (this.#next() !== undefined || (use === "exclusive" && this.#exclusives >= this.#maxExclusive)) return undefined;
    return this.#take(use, this.#room <= 0 || this.#retry !== undefined);
  }

  /** Takes an idle session, or for a share one in use where `mayJoin`. */
  #take(use: Use, mayJoin: boolean): Slot | undefined {
    const weight = this.#weightOf(use);
    const slot = this.#idle.pop() ?? (mayJoin && weight < SHARES ? this.#leastShared() : undefined);
    if (slot === undefined) return undefined;
    this.#setTaken(slot, slot.taken + weight);
    if (use === "exclusive") this.#exclusives += 1;
    return slot;
  }

  /** A session in use that takes another share. One past its lifetime takes none, so that it ends. */
  #leastShared(): Slot | undefined {
    const now = performance.now();
    for (const slots of this.#shared) {
      for (const slot of slots) if (slot.retireAt > now) return slot;
    }
    return undefined;
  }

  #setTaken(slot: Slot, taken: number): void {
    this.#shared[slot.taken]?.delete(slot);
    slot.taken = taken;
    if (taken > 0 && !slot.isEnding) this.#shared[taken]?.add(slot);
  }

  /** The waiting work that comes next. */
  #next(): Use | undefined {
    const { shared, exclusive } = this.#waiting;
    const transaction = this.#exclusives < this.#maxExclusive ? exclusive.first : undefined;
    if (transaction === undefined) return shared.first && "shared";
    return shared.first === undefined || transaction.arrival < shared.first.arrival ? "exclusive" : "shared";
  }

  #wait(use: Use): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const { acquireTimeoutMs } = this.#options;
      const queue = this.#waiting[use];
      const timer = setTimeout(() => {
        queue.remove(place);
        const message = `No database session was free within ${acquireTimeoutMs} ms`;
        reject(connectionError("CONNECTION_TIMEOUT", message, this.#lastFailure));
        this.#serve();
        this.#checkDrained();
      }, acquireTimeoutMs);
      const arrival = this.#arrivals++;
      const place = queue.add({ arrival, since: performance.now(), timer, resolve, reject });
      this.#grow();
    });
  }

  /** Gives what is free to those who wait, and opens more sessions where they do not suffice. */
  #serve(): void {
    for (let use = this.#next(); use !== undefined; use = this.#next()) {
      const slot = this.#take(use, true);
      if (slot === undefined) break;
      const waiter = this.#waiting[use].shift();
      clearTimeout(waiter?.timer);
      waiter?.resolve(slot);
    }
    this.#grow();
    if (this.#isClosing && !this.#isAwaited) while (this.#idle.length > 0) this.#end(this.#idle.pop());
  }

  /** Takes back what was lent. */
  #release(slot: Slot, use: Use): void {
    this.#setTaken(slot, slot.taken - this.#weightOf(use));
    if (use === "exclusive") this.#exclusives -= 1;
    if (slot.taken === 0 && !slot.isEnding) {
      if (performance.now() > slot.retireAt) this.#end(slot);
      else this.#idle.push(slot);
    }
    this.#serve();
  }

  #end(slot: Slot | undefined): void {
    if (slot === undefined) return;
    slot.isEnding = true;
    void slot.session.end();
  }

  get #room(): number {
    return this.#options.size - this.#slots.size - this.#opening;
  }

  get #isAwaited(): boolean {
    return this.#waiting.shared.size + this.#waiting.exclusive.size > 0;
  }

  #grow(): void {
    const { shared, exclusive } = this.#waiting;
    const wanted = shared.size + Math.min(exclusive.size, this.#maxExclusive - this.#exclusives);
    while (this.#retry === undefined && this.#room > 0 && this.#opening < wanted) void this.#open();
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const session = await PostgresSession.open(this.#options, (lost, error) => this.#forget(lost, error));
      this.#opening--;
      this.#reached();
      const retireAt = performance.now() + LIFETIME_MS * (1 + Math.random());
      const slot: Slot = { session, retireAt, taken: 0, isEnding: false };
      this.#slots.set(session, slot);
      this.#idle.push(slot);
      this.#serve();
    } catch (error) {
      this.#opening--;
      this.#refused(error);
    }
    this.#checkDrained();
  }

  #reached(): void {
    if (this.#isOut) {
      this.#options.onWarning("PostgreSQL is back", undefined);
      this.#options.onOutage?.ended();
    }
    this.#isOut = false;
    this.#failures = 0;
    this.#lastFailure = undefined;
  }

  #refused(error: unknown): void {
    if (this.#failures++ === 0) this.#options.onWarning("Cannot connect to PostgreSQL", error);
    this.#lastFailure = error;
    this.#checkOutage();
    if (this.#isClosing && !this.#isAwaited) return;
    const backoffMs = Math.min(25 * 2 ** Math.min(this.#failures, 10), MAX_BACKOFF_MS);
    this.#retry ??= setTimeout(() => this.#tryAgain(), backoffMs * (0.5 + Math.random() / 2)).unref();
  }

  /** After an outage without being asked: nobody waits, because all are refused. */
  #tryAgain(): void {
    this.#retry = undefined;
    if (this.#isOut) void this.#open();
    else this.#grow();
  }

  /** Refuses those who wait once no session is open and none is being opened after a failure. */
  #checkOutage(): void {
    if (this.#lastFailure === undefined || this.#slots.size > 0 || this.#opening > 0) return;
    if (!this.#options.waitsForServer) {
      if (!this.#isOut) this.#options.onOutage?.begun(this.#lastFailure);
      this.#isOut = true;
      this.#turnAway(this.#outage());
    } else if (!isConnectionError(this.#lastFailure) && !isOverload(this.#lastFailure)) {
      // Waiting helps when the server is away or full, not when it says no.
      this.#turnAway(this.#lastFailure);
    }
  }

  #outage(): Error {
    return connectionError(OUTAGE, "PostgreSQL is out of reach", this.#lastFailure);
  }

  #forget(session: PostgresSession, error: unknown): void {
    const slot = this.#slots.get(session);
    this.#slots.delete(session);
    if (slot !== undefined) {
      if (!slot.isEnding) this.#reportLoss(error);
      slot.isEnding = true;
      this.#shared[slot.taken]?.delete(slot);
      const at = this.#idle.indexOf(slot);
      if (at >= 0) this.#idle.splice(at, 1);
    }
    // With no attempt due there would be none to end the outage: the waiting work makes one.
    if (this.#retry !== undefined) this.#checkOutage();
    this.#serve();
    this.#checkDrained();
  }

  #reportLoss(error: unknown): void {
    const now = performance.now();
    if (now - this.#lastLossAt > LOSSES_MS) this.#options.onWarning("A database session was lost", error);
    this.#lastLossAt = now;
  }

  #loseStalled(): void {
    const { stallTimeoutMs } = this.#options;
    if (stallTimeoutMs === 0) return;
    for (const session of this.#slots.keys()) {
      if (session.waitingMs < stallTimeoutMs) continue;
      session.lose(connectionError("CONNECTION_STALLED", `PostgreSQL did not answer within ${stallTimeoutMs} ms`));
    }
  }

  async #drain(): Promise<void> {
    this.#isClosing = true;
    const drained = new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
    const deadline = setTimeout(() => this.#onDrained(), CLOSE_TIMEOUT_MS);
    this.#serve();
    this.#checkDrained();
    await drained;

    clearTimeout(deadline);
    clearTimeout(this.#retry);
    clearInterval(this.#watchdog);
    const error = connectionError("CONNECTION_DESTROYED", "The database was closed before the work had ended");
    this.#turnAway(error);
    for (const session of [...this.#slots.keys()]) session.lose(error);
  }

  #turnAway(error: unknown): void {
    for (const queue of Object.values(this.#waiting)) {
      for (let waiter = queue.shift(); waiter !== undefined; waiter = queue.shift()) {
        clearTimeout(waiter.timer);
        waiter.reject(error);
      }
    }
  }

  #checkDrained(): void {
    if (this.#slots.size === 0 && this.#opening === 0 && !this.#isAwaited) this.#onDrained();
  }
}
