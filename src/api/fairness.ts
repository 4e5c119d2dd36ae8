// Fairness: how many calls of one account run at the same time (capabilities.md section 0, Limits), so that an account slows down
// only its own calls. The counts are kept in this process.

import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.js";
import type { Database } from "../db/client.js";
import { type Entry, Fifo } from "../db/fifo.js";
import { unavailable } from "./errors.js";

/** How long calls wait, in milliseconds. */
export interface FairnessLimits {
  /** Until another call of the account ends. */
  callWaitMs: number;
  /** For heavy calls: until another call of the account, or a heavy call of another account, ends. */
  heavyWaitMs: number;
}

export const FAIRNESS_LIMITS: FairnessLimits = { callWaitMs: 5000, heavyWaitMs: 30_000 };

/** The embedded database has one session; it gets the same limit as a server with the default pool. */
const EMBEDDED_SESSIONS = 8;
const CALLS_PER_SESSION = 16;
const CALLS_WAITING = 256;
const CALL_RETRY_S = 1;

const HEAVY_CALLS = 2;
/** Each may hold a body of 64 MiB. */
const HEAVY_WAITING = 32;
const HEAVY_RETRY_S = 5;
/** A heavy call begins when other work has waited no longer than this for the database, or after YIELD_MAX_MS. */
const WAITING_MS = 20;
const YIELD_MAX_MS = 5000;
const YIELD_POLL_MS = 10;

interface Bounds {
  perAccount: number;
  inProcess: number;
  /** How many calls of an account may wait; further calls are refused immediately. */
  waiting: number;
  waitMs: number;
  retryS: number;
}

interface Account {
  readonly id: number;
  readonly waiting: Fifo<Waiter>;
  running: number;
  /** Its place among the accounts whose next call may run. */
  turn: Entry<Account> | undefined;
}

interface Waiter {
  readonly timer: NodeJS.Timeout;
  readonly begin: () => void;
}

/** Runs calls within limits. Waiting accounts take turns, and the calls of an account run in their order. */
class Gate {
  readonly #bounds: Bounds;
  readonly #accounts = new Map<number, Account>();
  /** Accounts with waiting calls whose own limit allows one more. */
  readonly #turns = new Fifo<Account>();
  #running = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Runs `work` in its turn. Throws SERVICE_UNAVAILABLE if it waits too long, or if too many calls wait already. */
  async run<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    const account = this.#accountOf(accountId);
    if (this.#hasRoomFor(account)) this.#begin(account);
    else await this.#wait(account);
    try {
      return await work();
    } finally {
      this.#end(account);
    }
  }

  #accountOf(id: number): Account {
    const known = this.#accounts.get(id);
    if (known !== undefined) return known;
    const account: Account = { id, waiting: new Fifo(), running: 0, turn: undefined };
    this.#accounts.set(id, account);
    return account;
  }

  #hasRoomFor({ running, waiting }: Account): boolean {
    return running < this.#bounds.perAccount && this.#running < this.#bounds.inProcess && waiting.size === 0;
  }

  #begin(account: Account): void {
    this.#running += 1;
    account.running += 1;
  }

  #wait(account: Account): Promise<void> {
    const { waiting, waitMs, retryS } = this.#bounds;
    if (account.waiting.size >= waiting) throw unavailable(retryS);
    return new Promise((begin, reject) => {
      const timer = setTimeout(() => {
        account.waiting.remove(place);
        this.#settle(account);
        reject(unavailable(retryS));
      }, waitMs);
      const place = account.waiting.add({ timer, begin });
      this.#settle(account);
    });
  }

  #end(account: Account): void {
    this.#running -= 1;
    account.running -= 1;
    this.#settle(account);
    while (this.#running < this.#bounds.inProcess) {
      const next = this.#turns.shift();
      if (next === undefined) break;
      next.turn = undefined;
      const waiter = next.waiting.shift();
      if (waiter !== undefined) {
        clearTimeout(waiter.timer);
        this.#begin(next);
        waiter.begin();
      }
      this.#settle(next);
    }
  }

  /** Puts an account at the end of the queue if its next call may run, and removes it if it has none. */
  #settle(account: Account): void {
    const isReady = account.waiting.size > 0 && account.running < this.#bounds.perAccount;
    if (isReady) {
      account.turn ??= this.#turns.add(account);
    } else if (account.turn !== undefined) {
      this.#turns.remove(account.turn);
      account.turn = undefined;
    }
    if (account.waiting.size === 0 && account.running === 0) this.#accounts.delete(account.id);
  }
}

/** A call that waits for its turn. */
export interface TurnOf {
  accountId: number;
  isHeavy: boolean;
  /** Whether the client is gone. */
  hasHungUp: () => boolean;
}

/**
 * The limits of a process: the calls of one account use a quarter of its capacity, and heavy calls have a few slots of their own.
 */
export class Fairness {
  readonly #db: Pick<Database, "waitingMs">;
  readonly #calls: Gate;
  readonly #heavy: Gate;

  constructor(
    db: Pick<Database, "waitingMs">,
    { databaseUrl, databasePoolSize }: Config,
    { callWaitMs, heavyWaitMs }: FairnessLimits,
  ) {
    this.#db = db;
    const sessions = databaseUrl === undefined ? EMBEDDED_SESSIONS : databasePoolSize;
    this.#calls = new Gate({
      perAccount: (sessions * CALLS_PER_SESSION) / 4,
      inProcess: Number.POSITIVE_INFINITY,
      waiting: CALLS_WAITING,
      waitMs: callWaitMs,
      retryS: CALL_RETRY_S,
    });
    this.#heavy = new Gate({
      perAccount: 1,
      inProcess: HEAVY_CALLS,
      waiting: HEAVY_WAITING,
      waitMs: heavyWaitMs,
      retryS: HEAVY_RETRY_S,
    });
  }

  /** Runs a call in its turn, unless its client has disconnected. Throws SERVICE_UNAVAILABLE. */
  inTurn<T>({ accountId, isHeavy, hasHungUp }: TurnOf, work: () => Promise<T>): Promise<T> {
    const begin = () => {
      if (hasHungUp()) throw unavailable(CALL_RETRY_S);
      return work();
    };
    if (!isHeavy) return this.#calls.run(accountId, begin);
    return this.#heavy.run(accountId, async () => {
      await this.#letOthersGoFirst();
      return begin();
    });
  }

  /**
   * Without this, heavy calls that follow each other on the one session of the embedded database would keep others waiting for longer
   * and longer.
   */
  async #letOthersGoFirst(): Promise<void> {
    const end = performance.now() + YIELD_MAX_MS;
    while (this.#db.waitingMs() > WAITING_MS && performance.now() < end) await sleep(YIELD_POLL_MS);
  }
}
