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

/**
 * `whole`: the session is the holder's alone; `share`: statements of several holders are pipelined on it. A lane is work that would
 * wait for the same locks: it is pipelined as well, on one session at a time, which meanwhile does nothing else.
 */
export type Part = "whole" | "share" | { lane: string };

/** How an open session is used: `taken` of its SHARES, by which lane if it is one, and whether it is on its way out. */
interface Slot {
  taken: number;
  lane: string | null;
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
  /** The session on which a lane runs. */
  readonly #lanes = new Map<string, Session>();
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
    if (this.#closing) throw connectionError("CONNECTION_ENDED", "The database is closed");
    const session = this.#freeFor(part) ?? (await this.#wait(part));
    try {
      return await work(session);
    } finally {
      this.#release(session, part);
    }
  }

  /** For how many milliseconds the work that comes next has waited for a session; 0 where none waits but for its own lane. */
  get waitingMs(): number {
    const next = this.#queue.find(({ part }) => !this.#isBehindItsOwn(part));
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
    return part !== "whole" && this.#options.prepare ? 1 : SHARES;
  }

  /** The open session that takes work next, if there is one. */
  #sessionFor(part: Part): Session | undefined {
    const now = performance.now();
    const hasRoom = ({ taken, retireAt }: Slot) => taken + this.#weightOf(part) <= SHARES && retireAt > now;
    const running = typeof part === "object" ? this.#lanes.get(part.lane) : undefined;
    const itsOwn = running && this.#slots.get(running);
    if (itsOwn) return hasRoom(itsOwn) ? running : undefined;
    let best: [Session, Slot] | undefined;
    for (const [session, slot] of this.#slots) {
      const isOpen = slot.taken === 0 || (part === "share" && slot.lane === null && hasRoom(slot));
      if (isOpen && !slot.ending && slot.taken < (best?.[1].taken ?? SHARES)) best = [session, slot];
    }
    return best?.[0];
  }

  /** Takes a session at once, unless others wait for one. */
  #freeFor(part: Part): Session | undefined {
    if (this.#wanted > 0) return undefined;
    const session = this.#sessionFor(part);
    const slot = session && this.#slots.get(session);
    // A session of one's own is better than a share, while there is room for more.
    if (!slot || (part === "share" && slot.taken > 0 && this.#room > 0)) return undefined;
    return this.#take(session, part);
  }

  /** Whether work waits for its own lane, and not for a session. */
  #isBehindItsOwn(part: Part): boolean {
    return typeof part === "object" && this.#lanes.has(part.lane);
  }

  #take(session: Session, part: Part): Session {
    const slot = this.#slots.get(session);
    if (slot === undefined) return session;
    slot.taken += this.#weightOf(part);
    slot.lane = typeof part === "object" ? part.lane : null;
    if (slot.lane !== null) this.#lanes.set(slot.lane, session);
    return session;
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

  /** Gives what is free to those who wait, first come first served; who waits for its own lane lets others past. */
  #serve(): void {
    const waiting = this.#queue.splice(0);
    for (const [index, waiter] of waiting.entries()) {
      const session = this.#sessionFor(waiter.part);
      if (session !== undefined) {
        clearTimeout(waiter.timer);
        waiter.resolve(this.#take(session, waiter.part));
      } else if (this.#isBehindItsOwn(waiter.part)) {
        this.#queue.push(waiter);
      } else {
        this.#queue.push(...waiting.slice(index));
        break;
      }
    }
    if (!this.#closing || this.#queue.length > 0) return;
    for (const [session, slot] of this.#slots) if (slot.taken === 0) this.#end(session, slot);
  }

  /** Takes back what was lent. */
  #release(session: Session, part: Part): void {
    const slot = this.#slots.get(session);
    if (!slot || slot.ending) return;
    slot.taken -= this.#weightOf(part);
    if (slot.taken === 0) {
      this.#leaveLane(slot);
      if (performance.now() > slot.retireAt) this.#end(session, slot);
    }
    this.#serve();
  }

  #leaveLane(slot: Slot): void {
    if (slot.lane !== null) this.#lanes.delete(slot.lane);
    slot.lane = null;
  }

  #end(session: Session, slot: Slot): void {
    slot.ending = true;
    void session.end();
  }

  get #room(): number {
    return this.#options.size - this.#slots.size - this.#opening;
  }

  /** How many wait for a session. */
  get #wanted(): number {
    if (this.#queue.length === 0) return 0;
    return this.#queue.filter(({ part }) => !this.#isBehindItsOwn(part)).length;
  }

  #grow(): void {
    while (!this.#retry && this.#room > 0 && this.#opening < this.#wanted) void this.#open();
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const session = await Session.open(this.#options, (lost, error) => this.#forget(lost, error));
      this.#opening--;
      this.#failures = 0;
      this.#lastFailure = undefined;
      const retireAt = performance.now() + LIFETIME_MS * (1 + Math.random());
      this.#slots.set(session, { taken: 0, lane: null, ending: false, retireAt });
      this.#serve();
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
    const slot = this.#slots.get(session);
    this.#slots.delete(session);
    if (slot) this.#leaveLane(slot);
    if (!slot?.ending) this.#options.onWarning("A database session was lost", error);
    this.#serve();
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
    for (const waiter of this.#queue.splice(0)) {
      clearTimeout(waiter.timer);
      waiter.reject(error);
    }
  }

  #checkDrained(): void {
    if (this.#slots.size === 0 && this.#opening === 0 && this.#queue.length === 0) this.#onDrained();
  }
}
