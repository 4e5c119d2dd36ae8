// A follower of a growing log: a small queue of entries that it has not taken yet. If too many arrive, the follower only remembers
// its position and reads on from the log at its own pace.

import type { Failure } from "../api/errors.js";
import { encoded } from "../api/streams.js";

/** The most that may wait for a follower, in characters of JSON. */
const MAX_WAITING = 64 * 1024;

/** An item of a log with its number; its subject decides who receives it. */
export interface Entry<T> {
  position: number;
  about: readonly (string | number)[];
  item: T;
  /** The operation that wrote it, if streams mark the last item of each. */
  operation?: string;
}

/** A follower has lost access to a subject. */
export interface Barrier {
  position: number;
  subject: string;
  failure: Failure;
}

/** A step of a follower through a log. */
export type Step<T> = Entry<T> | Barrier;

export const isBarrier = <T>(step: Step<T>): step is Barrier => "failure" in step;

const lasts = new WeakMap<object, object>();

/** An item marked as the last one of its operation: one object for all followers, because its JSON is cached. */
function asLast<T extends object>(item: T): T {
  const marked = lasts.get(item) ?? { ...item, isLast: true };
  lasts.set(item, marked);
  return marked as T;
}

/**
 * Marks the last entry of each operation among those that one follower gets. An entry is held back until the next one is known, or
 * the log was read up to its end: an operation is written in one transaction, and its entries follow each other.
 */
export class LastMarks<T extends object> {
  #held: Entry<T> | null = null;

  *of(steps: readonly Step<T>[], isWhole: boolean): Iterable<Step<T>> {
    for (const step of steps) {
      if (isBarrier(step)) yield step;
      else {
        yield* this.#release(step.operation);
        if (step.operation === undefined) yield step;
        else this.#held = step;
      }
    }
    if (isWhole) yield* this.#release(undefined);
  }

  *#release(nextOperation: string | undefined): Iterable<Entry<T>> {
    const held = this.#held;
    this.#held = null;
    if (held === null) return;
    yield held.operation === nextOperation ? held : { ...held, item: asLast(held.item) };
  }
}

/** The next thing for a follower: a step; the instruction to read the log itself; or the end. */
type Next<T> = { kind: "step"; step: Step<T> } | { kind: "behind" } | { kind: "end" };

const sizeOf = <T extends object>(step: Step<T>) => (isBarrier(step) ? 0 : encoded(step.item).length);

export class Follower<T extends object> {
  #waiting: Step<T>[] = [];
  #size = 0;
  /** The number up to which entries were dropped; null if none were. */
  #droppedUpTo: number | null = null;
  #end: { failure: Failure | undefined } | undefined;
  #onNews = () => {};

  /** Ends when `signal` is aborted. */
  constructor(signal: AbortSignal | undefined) {
    if (signal?.aborted) this.end();
    signal?.addEventListener("abort", () => this.end(), { once: true });
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  push(step: Step<T>): void {
    if (this.#end !== undefined) return;
    this.#size += this.#droppedUpTo === null ? sizeOf(step) : 0;
    if (this.#droppedUpTo !== null || this.#size > MAX_WAITING) {
      this.fallBehind(step.position);
      return;
    }
    this.#waiting.push(step);
    this.#onNews();
  }

  /** Drops the queue: the follower has to read the log itself, up to a number. */
  fallBehind(upTo: number): void {
    this.#droppedUpTo = Math.max(this.#droppedUpTo ?? 0, upTo);
    this.#waiting = [];
    this.#size = 0;
    this.#onNews();
  }

  /** Ends the stream and drops the queue: the follower has lost access or disconnected. */
  end(failure?: Failure): void {
    this.#end ??= { failure };
    this.#waiting = [];
    this.#onNews();
  }

  /** Waits for the next thing. Throws the error that it ended with. */
  async next(): Promise<Next<T>> {
    while (this.#end === undefined && this.#waiting.length === 0 && this.#droppedUpTo === null) {
      await new Promise<void>((resolve) => {
        this.#onNews = resolve;
      });
    }
    if (this.#end?.failure !== undefined) throw this.#end.failure;
    if (this.#droppedUpTo !== null) return { kind: "behind" };
    const step = this.#waiting.shift();
    if (step === undefined) return { kind: "end" };
    this.#size -= sizeOf(step);
    return { kind: "step", step };
  }

  /** Accepts entries again; returns the number up to which the follower has to read the log itself. */
  resume(): number {
    const upTo = this.#droppedUpTo ?? 0;
    this.#droppedUpTo = null;
    return upTo;
  }
}
