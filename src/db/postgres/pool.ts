// Hands sessions out: opens them when needed, replaces lost, old and stalled ones, and never waits without an end.

import { connectionError, isConnectionError, isOverload } from "../failures.js";
import { Session, type SessionOptions } from "./sessions.js";

/** Settings of a pool. Zero `stallTimeoutMs`: statements may take for ever. */
export interface PoolOptions extends SessionOptions {
  size: number;
  acquireTimeoutMs: number;
  stallTimeoutMs: number;
  onWarning: (message: string, error: unknown) => void;
}

/** `whole`: the session is the holder's alone; `share`: statements of several holders are pipelined on it. */
export type Part = "whole" | "share";

/** How an open session is used: `taken` of its SHARES, and whether it is on its way out. */
interface Slot {
  taken: number;
  ending: boolean;
  retireAt: number;
}

interface Waiter {
  part: Part;
  resolve: (session: Session) => void;
  reject: (error: unknown) => void;
  since: number;
  timer: NodeJS.Timeout;
}

const SHARES = 4;
const CLOSE_TIMEOUT_MS = 5000;
const LIFETIME_MS = 30 * 60_000;
const MAX_BACKOFF_MS = 1000;
const WATCH_INTERVAL_MS = 500;

export class Pool {
  readonly #options: PoolOptions;
  readonly #slots = new Map<Session, Slot>();
  readonly #queue: Waiter[] = [];
  readonly #watchdog: NodeJS.Timeout;
  #opening = 0;
  #failures = 0;
  #lastFailure: unknown;
  #retry: NodeJS.Timeout | undefined;
  #closing = false;
  #closed: Promise<void> | undefined;
  #onDrained = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#watchdog = setInterval(() => this.#loseStalled(), WATCH_INTERVAL_MS).unref();
  }

  /**
   * Lends a session to `work` until it settles. Throws a connection error when none is free in time, or the server's refusal
   * when it lets nobody in.
   */
  async use<T>(part: Part, work: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#take(part) ?? (await this.#wait(part));
    try {
      return await work(session);
    } finally {
      this.#serve(session, this.#weightOf(part));
    }
  }

  /** For how many milliseconds the work that comes next has waited; 0 where none waits. */
  get waitingMs(): number {
    const [next] = this.#queue;
    return next === undefined ? 0 : performance.now() - next.since;
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
  #weightOf(part: Part): number {
    return part === "share" && this.#options.prepare ? 1 : SHARES;
  }

  #take(part: Part): Session | undefined {
    if (this.#closing) throw connectionError("CONNECTION_ENDED", "The database is closed");
    if (this.#queue.length > 0) return undefined;
    const now = performance.now();
    let best: [Session, Slot] | undefined;
    for (const [session, slot] of this.#slots) {
      const open = slot.taken === 0 || (slot.taken + this.#weightOf(part) <= SHARES && slot.retireAt > now);
      if (open && !slot.ending && slot.taken < (best?.[1].taken ?? SHARES)) best = [session, slot];
    }
    // A session of one's own is better than a share, while there is room for more.
    if (!best || (best[1].taken > 0 && this.#room > 0)) return undefined;
    best[1].taken += this.#weightOf(part);
    return best[0];
  }

  #wait(part: Part): Promise<Session> {
    return new Promise((resolve, reject) => {
      const { acquireTimeoutMs } = this.#options;
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        const message = `No database session was free within ${acquireTimeoutMs} ms`;
        reject(connectionError("CONNECTION_TIMEOUT", message, this.#lastFailure));
        this.#checkDrained();
      }, acquireTimeoutMs);
      const waiter: Waiter = { part, resolve, reject, since: performance.now(), timer };
      this.#queue.push(waiter);
      this.#grow();
    });
  }

  /** Takes `returned` back, and gives what is free of the session to those who wait, first come first served. */
  #serve(session: Session, returned: number): void {
    const slot = this.#slots.get(session);
    if (!slot || slot.ending) return;
    slot.taken -= returned;
    const retired = performance.now() > slot.retireAt;
    for (let next = this.#queue[0]; next && !retired; next = this.#queue[0]) {
      if (slot.taken + this.#weightOf(next.part) > SHARES) break;
      this.#queue.shift();
      clearTimeout(next.timer);
      slot.taken += this.#weightOf(next.part);
      next.resolve(session);
    }
    if (slot.taken > 0 || !(retired || this.#closing)) return;
    slot.ending = true;
    void session.end();
  }

  get #room(): number {
    return this.#options.size - this.#slots.size - this.#opening;
  }

  #grow(): void {
    while (!this.#retry && this.#room > 0 && this.#opening < this.#queue.length) void this.#open();
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const session = await Session.open(this.#options, (lost, error) => this.#forget(lost, error));
      this.#opening--;
      this.#failures = 0;
      this.#lastFailure = undefined;
      const retireAt = performance.now() + LIFETIME_MS * (1 + Math.random());
      this.#slots.set(session, { taken: 0, ending: false, retireAt });
      this.#serve(session, 0);
    } catch (error) {
      this.#opening--;
      this.#refused(error);
    }
    this.#checkDrained();
  }

  #refused(error: unknown): void {
    if (this.#failures++ === 0) this.#options.onWarning("Cannot connect to PostgreSQL", error);
    this.#lastFailure = error;
    // Waiting helps when the server is away or full, not when it says no.
    if (this.#slots.size === 0 && !isConnectionError(error) && !isOverload(error)) this.#turnAway(error);
    const backoffMs = Math.min(25 * 2 ** Math.min(this.#failures, 10), MAX_BACKOFF_MS);
    this.#retry ??= setTimeout(
      () => {
        this.#retry = undefined;
        this.#grow();
      },
      backoffMs * (0.5 + Math.random() / 2),
    );
  }

  #forget(session: Session, error: unknown): void {
    const ending = this.#slots.get(session)?.ending;
    this.#slots.delete(session);
    if (!ending) this.#options.onWarning("A database session was lost", error);
    this.#grow();
    this.#checkDrained();
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
    this.#closing = true;
    const drained = new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
    const deadline = setTimeout(() => this.#onDrained(), CLOSE_TIMEOUT_MS);
    for (const session of this.#slots.keys()) this.#serve(session, 0);
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
    for (const waiter of this.#queue.splice(0)) {
      clearTimeout(waiter.timer);
      waiter.reject(error);
    }
  }

  #checkDrained(): void {
    if (this.#slots.size === 0 && this.#opening === 0 && this.#queue.length === 0) this.#onDrained();
  }
}
