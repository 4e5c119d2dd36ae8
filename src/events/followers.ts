// A reader of a log as it grows: what came and was not taken yet, bounded in bytes.

import { tracked } from "@trpc/server";
import type { Failure } from "../api/errors.js";
import { encoded, type Stream } from "../api/streams.js";
import type { Entry } from "./tails.js";

/** How much may wait for a reader, in characters of JSON. */
const MAX_WAITING = 1024 * 1024;

export class Follower<T extends object> {
  readonly #overflow = new AbortController();
  #waiting: Entry<T>[] = [];
  #size = 0;
  #end: { failure: Failure | undefined } | undefined;
  #onNews = () => {};

  /** Ends when `signal` is aborted. */
  constructor(signal: AbortSignal | undefined) {
    if (signal?.aborted) this.end();
    signal?.addEventListener("abort", () => this.end(), { once: true });
  }

  /** Aborted when more waits than may; nothing is handed out any longer. */
  get overflow(): AbortSignal {
    return this.#overflow.signal;
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  push(entry: Entry<T>): void {
    if (this.#end !== undefined) return;
    this.#size += encoded(entry.item).length;
    this.#waiting.push(entry);
    if (this.#size > MAX_WAITING) {
      this.end();
      this.#overflow.abort();
    }
    this.#onNews();
  }

  /** Nothing more comes, and what waits is dropped: the reader may not see it, or is not there. */
  end(failure?: Failure): void {
    this.#end ??= { failure };
    this.#waiting = [];
    this.#onNews();
  }

  /** The next entry, once there is one; null at an end without a failure. Throws the failure that it ended with. */
  async next(): Promise<Entry<T> | null> {
    while (this.#end === undefined && this.#waiting.length === 0) {
      await new Promise<void>((resolve) => {
        this.#onNews = resolve;
      });
    }
    if (this.#end?.failure !== undefined) throw this.#end.failure;
    const entry = this.#waiting.shift();
    if (entry !== undefined) this.#size -= encoded(entry.item).length;
    return entry ?? null;
  }
}

/** A stream of entries, each tracked by its place in the log. */
export function streamOf<T extends object>(
  position: number,
  follower: Follower<T>,
  entries: () => AsyncIterable<Entry<T>>,
): Stream<T> {
  async function* items() {
    for await (const entry of entries()) yield tracked(String(entry.position), entry.item);
  }
  return { position: String(position), overflow: follower.overflow, [Symbol.asyncIterator]: items };
}
