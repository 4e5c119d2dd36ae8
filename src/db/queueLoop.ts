// The loop of the workers of queues in tables: it claims due rows, attempts them and writes the results, many at a time. A claimed row
// stays leased to its worker in the table; when a process dies, the lease ends.

import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { Counter, Gauge, type Registry } from "prom-client";
import type { Database } from "./client.js";

/** The interval at which a queue is polled if nothing wakes its worker. */
export const POLL_MS = 1000;
/** Events within this time are handled together. */
const GATHER_MS = 30;

/** The parts of a loop. */
interface QueueLoopParts<Result> {
  log: { warn(details: { err: unknown }, message: string): void };
  /** The contents of the queue, such as "webhook deliveries", for the log. */
  what: string;
  /** Claims what is due and begins an attempt of each. */
  take(): Promise<void>;
  /** Called after each round without an error. */
  onSuccess?: (() => void) | undefined;
  /** Writes the results of attempts, and calls `onWritten` after each part. */
  write(results: readonly Result[], onWritten: (part: readonly Result[]) => void): Promise<void>;
}

/** The parts of a worker that every queue needs. */
export interface WorkerParts {
  db: Database;
  log: FastifyBaseLogger;
  /** The registry of its metrics. */
  registry?: Registry | undefined;
  /** Called after each round without an error. */
  onSuccess?: () => void;
}

/** A worker that runs. */
export interface QueueWorker {
  /** Something may be due; never waits and never throws. */
  wake(): void;
  /** Takes nothing more, gives what is in flight this long to end, and leaves the rest to its lease. */
  stop(graceMs: number): Promise<void>;
}

interface Attempt<Flight, Result> {
  flight: Flight;
  limit: AbortController;
  /** Undefined until it ended. */
  result?: Result;
}

/** The loop of one worker. `Flight` is what it needs to know of an attempt between the claim and the writing of its result. */
export class QueueLoop<Flight, Result extends object> implements QueueWorker {
  readonly #parts: QueueLoopParts<Result>;
  readonly #attempts = new Set<Attempt<Flight, Result>>();
  #running: Promise<void> = Promise.resolve();
  #isStopping = false;
  #isWoken = false;
  #awaken = () => {};

  constructor(parts: QueueLoopParts<Result>) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  wake(): void {
    this.#isWoken = true;
    this.#awaken();
  }

  /** The attempts that run, or that ended and are not yet written. */
  get flights(): Flight[] {
    return [...this.#attempts].map(({ flight }) => flight);
  }

  /** Begins an attempt, which never fails; its result is written soon after it ended. */
  begin(flight: Flight, attempt: (ending: AbortSignal) => Promise<Result>): void {
    const begun: Attempt<Flight, Result> = { flight, limit: new AbortController() };
    this.#attempts.add(begun);
    void attempt(begun.limit.signal).then((result) => {
      begun.result = result;
      this.wake();
    });
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.wake();
    await this.#running;
    const end = performance.now() + graceMs;
    while (this.#results().length < this.#attempts.size && performance.now() < end) await sleep(GATHER_MS);
    for (const { limit, result } of this.#attempts) if (result === undefined) limit.abort();
    await this.#write().catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, `results of ${this.#parts.what} could not be stored`),
    );
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#write();
        await this.#parts.take();
        this.#parts.onSuccess?.();
        await this.#pause();
      } catch (error) {
        this.#parts.log.warn({ err: error }, `${this.#parts.what} are delayed: the queue could not be read or written`);
        await sleep(POLL_MS);
      }
    }
  }

  #results(): Result[] {
    return [...this.#attempts].flatMap(({ result }) => result ?? []);
  }

  async #write(): Promise<void> {
    const results = this.#results();
    if (results.length === 0) return;
    await this.#parts.write(results, (part) => {
      const written = new Set(part);
      for (const attempt of this.#attempts) {
        if (attempt.result !== undefined && written.has(attempt.result)) this.#attempts.delete(attempt);
      }
    });
  }

  /** Until woken, or a second is over. */
  async #pause(): Promise<void> {
    if (!this.#isWoken) {
      const limit = new AbortController();
      const woken = new Promise<void>((resolve) => {
        this.#awaken = resolve;
      });
      await Promise.race([woken, sleep(POLL_MS, undefined, { signal: limit.signal }).catch(() => {})]);
      limit.abort();
    }
    await sleep(GATHER_MS);
    this.#isWoken = false;
  }
}

/** The figures of a queue: `name` begins their names, `noun` stands in their descriptions. */
export function queueFigures(
  registry: Registry | undefined,
  { name, noun, outcomes }: { name: string; noun: string; outcomes: string },
  inFlight: () => number,
) {
  const registers = registry === undefined ? [] : [registry];
  new Gauge({
    name: `${name}_attempts_in_flight`,
    help: `${noun} that are running in this process`,
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  return {
    attempts: new Counter({
      name: `${name}_attempts_total`,
      help: `Finished ${noun.toLowerCase()}, by outcome: ${outcomes}`,
      labelNames: ["outcome"],
      registers,
    }),
    oldest: new Gauge({
      name: `${name}_oldest_due_seconds`,
      help: `How long the oldest of the waiting ${noun.toLowerCase()} was overdue when the queue was last read`,
      registers,
    }),
  };
}
