// The parts of a worker's work, such as workspaces: one that fails is logged and left alone for a time, and the others go on.

import { isDatabaseLost } from "./failures.js";

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

interface Setback {
  since: number;
  pauseMs: number;
  until: number;
}

/** Remembers which parts of some work failed, each by its key. */
export class Backoff<Key> {
  readonly #log: { warn(details: object, message: string): void };
  /** Begins the line in the log, such as "webhook deliveries of a workspace". */
  readonly #what: string;
  readonly #setbacks = new Map<Key, Setback>();

  constructor(log: { warn(details: object, message: string): void }, what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** Whether a part is left alone now. */
  isPaused(key: Key): boolean {
    return (this.#setbacks.get(key)?.until ?? 0) > performance.now();
  }

  /** The parts that are left alone now. */
  paused(): Key[] {
    return [...this.#setbacks.keys()].filter((key) => this.isPaused(key));
  }

  /** For how many milliseconds a part has failed; 0 where it succeeded last. */
  failingMs(key: Key): number {
    const setback = this.#setbacks.get(key);
    return setback === undefined ? 0 : performance.now() - setback.since;
  }

  /** Runs the work of a part; null if it is paused or fails, which pauses it 1 s to 1 min. Throws if the whole database is lost. */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T | null> {
    if (this.isPaused(key)) return null;
    try {
      const result = await work();
      this.#setbacks.delete(key);
      return result;
    } catch (error) {
      if (isDatabaseLost(error)) throw error;
      const now = performance.now();
      this.#forget(now);
      const { since, pauseMs } = this.#setbacks.get(key) ?? { since: now, pauseMs: FIRST_PAUSE_MS / 2 };
      const next = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      this.#setbacks.set(key, { since, pauseMs: next, until: now + next });
      this.#log.warn({ err: error, key, pauseMs: next }, `${this.#what} failed and will be repeated`);
      return null;
    }
  }

  /** Forgets the parts that were not tried again: a later failure has nothing to do with their last one. */
  #forget(now: number): void {
    for (const [key, { until }] of this.#setbacks) if (now - until > LONGEST_PAUSE_MS) this.#setbacks.delete(key);
  }
}
