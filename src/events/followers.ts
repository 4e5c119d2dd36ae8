// A follower of a growing log: a small queue of entries that it has not taken yet. If too many arrive, the follower only remembers
// its position and reads on from the log at its own pace.

import { tracked } from "@trpc/server";
import type { Failure } from "../api/errors.js";
import { encoded, type Stream } from "../api/streams.js";

/** The most that may wait for a follower, in characters of JSON. */
const MAX_WAITING = 64 * 1024;

/** An item of a log with its number; its subject decides who receives it. */
export interface Entry<T> {
  position: number;
  about: readonly (string | number)[];
  item: T;
}

/** The next step of a follower: an entry; the instruction to read the log itself; or the end. */
type Next<T> = { kind: "entry"; entry: Entry<T> } | { kind: "behind" } | { kind: "end" };

export class Follower<T extends object> {
  #waiting: Entry<T>[] = [];
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

  push(entry: Entry<T>): void {
    if (this.#end !== undefined) return;
    this.#size += this.#droppedUpTo === null ? encoded(entry.item).length : 0;
    if (this.#droppedUpTo !== null || this.#size > MAX_WAITING) {
      this.fallBehind(entry.position);
      return;
    }
    this.#waiting.push(entry);
    this.#onNews();
  }

  /** Drops the queue: the follower has to read the log itself, up to a number. */
  fallBehind(upTo: number): void {
    this.#droppedUpTo = upTo;
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

  /** Waits for the next step. Throws the error that it ended with. */
  async next(): Promise<Next<T>> {
    while (this.#end === undefined && this.#waiting.length === 0 && this.#droppedUpTo === null) {
      await new Promise<void>((resolve) => {
        this.#onNews = resolve;
      });
    }
    if (this.#end?.failure !== undefined) throw this.#end.failure;
    if (this.#droppedUpTo !== null) return { kind: "behind" };
    const entry = this.#waiting.shift();
    if (entry === undefined) return { kind: "end" };
    this.#size -= encoded(entry.item).length;
    return { kind: "entry", entry };
  }

  /** Accepts entries again; returns the number up to which the follower has to read the log itself. */
  resume(): number {
    const upTo = this.#droppedUpTo ?? 0;
    this.#droppedUpTo = null;
    return upTo;
  }
}

/** A stream of entries, each with its position in the log; `reset`: why it begins at its end instead of where it was to. */
export function streamOf<T extends object>(
  position: number,
  entries: () => AsyncIterable<Entry<T>>,
  reset?: Failure,
): Stream<T> {
  async function* items() {
    for await (const entry of entries()) yield tracked(String(entry.position), entry.item);
  }
  return { position: String(position), ...(reset && { reset }), [Symbol.asyncIterator]: items };
}
