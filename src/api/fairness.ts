// Fairness: how many calls of one account run at once (capabilities.md section 0, Limits). What one account does delays its own
// calls and nobody else's. The counts are kept in this process.

import type { Config } from "../config.js";
import { Fifo, type Place } from "../db/fifo.js";
import { unavailable } from "./errors.js";

/** How long calls wait for their turn, in milliseconds. */
export interface FairnessLimits {
  /** For another call of the account to end. */
  callWaitMs: number;
  /** The same for heavy calls, which wait for those of other accounts as well. */
  heavyWaitMs: number;
}

export const FAIRNESS_LIMITS: FairnessLimits = { callWaitMs: 5000, heavyWaitMs: 30_000 };

/** The embedded database has one session, and is given as much as a server with the default pool. */
const EMBEDDED_SESSIONS = 8;
const CALLS_PER_SESSION = 16;
const CALLS_WAITING = 256;
const CALL_RETRY_S = 1;

const HEAVY_CALLS = 2;
/** Each may hold a body of 64 MiB. */
const HEAVY_WAITING = 32;
const HEAVY_RETRY_S = 5;

interface Bounds {
  perAccount: number;
  inProcess: number;
  /** How many calls of an account wait; more are refused at once. */
  waiting: number;
  waitMs: number;
  retryS: number;
}

interface Account {
  readonly id: number;
  readonly waiting: Fifo<Waiter>;
  running: number;
  /** Its place among those whose next call may run. */
  turn: Place<Account> | undefined;
}

interface Waiter {
  readonly timer: NodeJS.Timeout;
  readonly begin: () => void;
}

/** Lets calls run within bounds; those that wait have their turn account by account, and within an account as they came. */
class Gate {
  readonly #bounds: Bounds;
  readonly #accounts = new Map<number, Account>();
  /** Accounts that wait, and may run one more call as far as their own bound goes. */
  readonly #turns = new Fifo<Account>();
  #running = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Runs `work` when its turn comes. Throws SERVICE_UNAVAILABLE when it does not come in time, or too many wait already. */
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

  /** Puts an account behind the others where its next call may run, and forgets it where it has none. */
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

/** A call that is to have its turn. */
export interface TurnOf {
  accountId: number;
  isHeavy: boolean;
  /** Whether nobody waits for the answer any more. */
  hasHungUp: () => boolean;
}

/** The bounds of a process: an account's calls take a quarter of its capacity, heavy calls a few places of their own. */
export class Fairness {
  readonly #calls: Gate;
  readonly #heavy: Gate;

  constructor({ databaseUrl, databasePoolSize }: Config, { callWaitMs, heavyWaitMs }: FairnessLimits) {
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

  /** Runs a call when its turn comes, unless its client has hung up meanwhile. Throws SERVICE_UNAVAILABLE. */
  inTurn<T>({ accountId, isHeavy, hasHungUp }: TurnOf, work: () => Promise<T>): Promise<T> {
    const gate = isHeavy ? this.#heavy : this.#calls;
    return gate.run(accountId, async () => {
      if (hasHungUp()) throw unavailable(CALL_RETRY_S);
      return work();
    });
  }
}
