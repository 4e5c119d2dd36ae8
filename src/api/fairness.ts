// Fairness: how many calls of one account, or of one address without a token, run at the same time, by their weight (capabilities.md
// section 0, Limits), so that a caller slows down only its own calls. The counts are kept in this process.

import { setImmediate as nextTurnOfLoop, setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.js";
import type { Database } from "../db/client.js";
import { type Entry, Fifo } from "../db/fifo.js";
import { unavailable } from "./errors.js";

/** The longest time that calls wait. */
export const FAIRNESS_LIMITS = {
  /** For light calls: until another call of the same account ends. */
  callWaitMs: 5000,
  /** For weighted and heavy calls: until another call of the caller, or such a call of another one, ends. */
  heavyWaitMs: 30_000,
};
export type FairnessLimits = typeof FAIRNESS_LIMITS;

/** The embedded database has one session; it gets the same limit as a server with the default pool. */
const EMBEDDED_SESSIONS = 8;
const CALLS_PER_SESSION = 16;
const CALLS_WAITING = 256;
const CALL_RETRY_S = 1;
/** Calls of one caller that begin in a turn of the event loop, so that others wait for few when a thousand arrive at once. */
const BEGUN_PER_TURN = 16;

/** The weight of calls that run at once: the share of one caller, and that of a process. A light call weighs 1 and is not counted. */
const WEIGHT_PER_CALLER = 32;
const WEIGHT_IN_PROCESS = 40;

/** Bodies over 64 KiB of a caller that are received and parsed at once; a client that sends slowly holds up its own calls alone. */
const BODIES_PER_CALLER = 2;

/** As much as all light calls of one caller that may wait. */
const HEAVY_WEIGHT = 256;
const HEAVY_CALLS = 2;
/** Each may hold a body of 64 MiB. */
const HEAVY_WAITING = 32;
const HEAVY_RETRY_S = 5;
/** A heavy call begins when other work has waited no longer than this for the database, or after YIELD_MAX_MS. */
const WAITING_MS = 20;
const YIELD_MAX_MS = 5000;
const YIELD_POLL_MS = 10;

interface Bounds {
  /** The weight that runs at once. */
  perCaller: number;
  inProcess: number;
  /** The most calls of one caller that may wait; further calls are refused immediately. */
  waiting: number;
  waitMs: number;
  retryS: number;
}

/** A caller that takes turns: an account, or the address of calls without a token. */
export type CallerKey = number | string;

interface Line {
  readonly key: CallerKey;
  readonly waiting: Fifo<Waiter>;
  /** The weight of its calls that run, or whose answers were not taken yet. */
  weight: number;
  /** That weight, and the weight of its calls that wait. */
  wanted: number;
  /** Its place among the callers whose next call may run. */
  turn: Entry<Line> | undefined;
}

interface Waiter {
  readonly weight: number;
  readonly timer: NodeJS.Timeout;
  readonly begin: () => void;
}

/** A call that takes a part of what runs at once. */
interface Share {
  key: CallerKey;
  weight: number;
  /** Until when the caller's share is taken after the work is done: its answer was sent, or its client is gone. */
  taken?: (() => Promise<void>) | undefined;
}

/** Runs calls within limits. Waiting callers take turns, and the calls of a caller run in their order. */
export class Gate {
  readonly #bounds: Bounds;
  readonly #lines = new Map<CallerKey, Line>();
  /** Callers with waiting calls whose own limit allows the next one. */
  readonly #turns = new Fifo<Line>();
  #weight = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Runs `work` in its turn. Throws SERVICE_UNAVAILABLE if it waits too long, or if too many calls wait already. */
  async run<T>({ key, weight, taken }: Share, work: () => Promise<T>): Promise<T> {
    const line = this.#lineOf(key);
    if (line.waiting.size >= this.#bounds.waiting) throw unavailable(this.#bounds.retryS);
    line.wanted += weight;
    if (line.waiting.size === 0 && this.#fits(line, weight) && this.#hasRoomFor(weight)) this.#begin(line, weight);
    else await this.#wait(line, weight);
    let isMade = false;
    try {
      const result = await work();
      isMade = true;
      return result;
    } finally {
      // A client that is slow to take its answer holds up its own calls, and nobody else's.
      this.#weight -= weight;
      if (isMade && taken !== undefined) {
        void taken().then(() => this.#leave(line, weight));
        this.#startNext();
      } else this.#leave(line, weight);
    }
  }

  #leave(line: Line, weight: number): void {
    line.weight -= weight;
    line.wanted -= weight;
    this.#settle(line);
    this.#startNext();
  }

  /** Adds to `sums` what each caller's calls weigh that run or wait. */
  addTo(sums: Map<CallerKey, number>): void {
    for (const { key, wanted } of this.#lines.values()) sums.set(key, (sums.get(key) ?? 0) + wanted);
  }

  #lineOf(key: CallerKey): Line {
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const line: Line = { key, waiting: new Fifo(), weight: 0, wanted: 0, turn: undefined };
    this.#lines.set(key, line);
    return line;
  }

  readonly #fits = (line: Line, weight: number) => line.weight + weight <= this.#bounds.perCaller;
  readonly #hasRoomFor = (weight: number) => this.#weight + weight <= this.#bounds.inProcess;

  #begin(line: Line, weight: number): void {
    this.#weight += weight;
    line.weight += weight;
  }

  #wait(line: Line, weight: number): Promise<void> {
    const { waitMs, retryS } = this.#bounds;
    return new Promise((begin, reject) => {
      const timer = setTimeout(() => {
        line.waiting.remove(place);
        line.wanted -= weight;
        this.#settle(line);
        this.#startNext();
        reject(unavailable(retryS));
      }, waitMs);
      const place = line.waiting.add({ weight, timer, begin });
      this.#settle(line);
    });
  }

  /** Begins waiting calls while there is room. The next one is never passed by a lighter one, so it begins at last. */
  #startNext(): void {
    for (;;) {
      const next = this.#turns.first;
      const waiter = next?.waiting.first;
      if (next === undefined || waiter === undefined || !this.#hasRoomFor(waiter.weight)) return;
      this.#turns.shift();
      next.turn = undefined;
      next.waiting.shift();
      clearTimeout(waiter.timer);
      this.#begin(next, waiter.weight);
      waiter.begin();
      this.#settle(next);
    }
  }

  /** Puts a caller at the end of the queue if its next call may run, and removes it if it has none. */
  #settle(line: Line): void {
    const first = line.waiting.first;
    const isReady = first !== undefined && this.#fits(line, first.weight);
    if (isReady) {
      line.turn ??= this.#turns.add(line);
    } else if (line.turn !== undefined) {
      this.#turns.remove(line.turn);
      line.turn = undefined;
    }
    if (line.wanted === 0) this.#lines.delete(line.key);
  }
}

/** The weight of a call: 1 for a light one, at most 32; `heavy` calls take so long that few of them run at once. */
export type Weight = number | "heavy";

/** A call that waits for its turn. */
interface TurnOf {
  key: CallerKey;
  weight: Weight;
  /** Whether the client is gone. */
  hasHungUp: () => boolean;
  /** Of a weighted call: resolves when the answer was sent, or the client is gone; undefined if other calls share the answer. */
  taken?: (() => Promise<void>) | undefined;
}

/**
 * The limits of a process: the light calls of one caller use a quarter of its capacity, weighted calls share a bounded weight, and
 * heavy calls have a few slots of their own.
 */
export class Fairness {
  readonly #db: Pick<Database, "waitingMs">;
  readonly #begun: Gate;
  readonly #lookups: Gate;
  readonly #calls: Gate;
  readonly #weighted: Gate;
  readonly #heavy: Gate;
  readonly #bodies: Gate;

  constructor(
    db: Pick<Database, "waitingMs">,
    { databaseUrl, databasePoolSize }: Config,
    { callWaitMs, heavyWaitMs }: FairnessLimits,
  ) {
    this.#db = db;
    const sessions = databaseUrl === undefined ? EMBEDDED_SESSIONS : databasePoolSize;
    const inProcess = Number.POSITIVE_INFINITY;
    const usual = { inProcess, waiting: CALLS_WAITING, waitMs: heavyWaitMs, retryS: CALL_RETRY_S };
    this.#begun = new Gate({ ...usual, perCaller: BEGUN_PER_TURN, waiting: Number.POSITIVE_INFINITY });
    this.#lookups = new Gate({ ...usual, perCaller: Number.POSITIVE_INFINITY });
    this.#calls = new Gate({ ...usual, perCaller: (sessions * CALLS_PER_SESSION) / 4, waitMs: callWaitMs });
    this.#weighted = new Gate({ ...usual, perCaller: WEIGHT_PER_CALLER, inProcess: WEIGHT_IN_PROCESS });
    this.#heavy = new Gate({
      perCaller: HEAVY_WEIGHT,
      inProcess: HEAVY_CALLS * HEAVY_WEIGHT,
      waiting: HEAVY_WAITING,
      waitMs: heavyWaitMs,
      retryS: HEAVY_RETRY_S,
    });
    this.#bodies = new Gate({ ...usual, perCaller: BODIES_PER_CALLER });
  }

  /** Waits until a request of a caller, with so many calls, may begin. Throws SERVICE_UNAVAILABLE. */
  begin(key: CallerKey, calls: number): Promise<void> {
    return this.#begun.run({ key, weight: Math.min(calls, BEGUN_PER_TURN), taken: nextTurnOfLoop }, async () => {});
  }

  /** Looks up a token. Lookups do not wait for each other; they are what a caller uses before its call begins. */
  lookUp<T>(key: CallerKey, work: () => Promise<T>): Promise<T> {
    return this.#lookups.run({ key, weight: 1 }, work);
  }

  /** Runs a call in its turn, unless its client has disconnected. Throws SERVICE_UNAVAILABLE. */
  inTurn<T>({ key, weight, hasHungUp, taken }: TurnOf, work: () => Promise<T>): Promise<T> {
    const begin = () => {
      if (hasHungUp()) throw unavailable(CALL_RETRY_S);
      return work();
    };
    if (weight === 1) return this.#calls.run({ key, weight }, begin);
    if (weight !== "heavy") return this.#weighted.run({ key, weight, taken }, begin);
    return this.#heavy.run({ key, weight: HEAVY_WEIGHT }, async () => {
      await this.#letOthersGoFirst();
      return begin();
    });
  }

  /** Receives and parses a body over 64 KiB in the turn of its caller. Throws SERVICE_UNAVAILABLE. */
  readBody(key: CallerKey, read: () => Promise<void>): Promise<void> {
    return this.#bodies.run({ key, weight: 1 }, read);
  }

  /**
   * Whether a caller is refused first under load: those who use no more than it, with one more call, make up half of the total. A
   * caller who is alone is not: nobody waits for it.
   */
  isAmongHeaviest(key: CallerKey): boolean {
    const sums = new Map<CallerKey, number>();
    const gates = [this.#begun, this.#lookups, this.#calls, this.#weighted, this.#heavy, this.#bodies];
    for (const gate of gates) gate.addTo(sums);
    const own = sums.get(key) ?? 0;
    let [all, lighter] = [0, 0];
    for (const weight of sums.values()) {
      all += weight;
      if (weight <= own + 1) lighter += weight;
    }
    return all > own && 2 * lighter >= all;
  }

  /** Otherwise heavy calls in a row on the embedded database's one session would delay all others longer and longer. */
  async #letOthersGoFirst(): Promise<void> {
    const end = performance.now() + YIELD_MAX_MS;
    while (this.#db.waitingMs() > WAITING_MS && performance.now() < end) await sleep(YIELD_POLL_MS);
  }
}
