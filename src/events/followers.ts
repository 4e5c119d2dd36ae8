// A reader of a log as it grows: a few entries that came and were not taken yet. A reader for whom more waits holds its number in
// the log alone, and reads on from there at its own pace.

import { tracked } from "@trpc/server";
import type { Failure } from "../api/errors.js";
import { encoded, type Stream } from "../api/streams.js";
import type { Entry } from "./followedLogs.js";

/** How much may wait for a reader, in characters of JSON. */
const MAX_WAITING = 64 * 1024;

/** What comes next for a reader: an entry; that it is to read the log itself; or nothing more. */
export type Next<T> = { kind: "entry"; entry: Entry<T> } | { kind: "behind" } | { kind: "end" };

export class Follower<T extends object> {
  #waiting: Entry<T>[] = [];
  #size = 0;
  /** The number up to which entries were dropped; null where none was. */
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

  /** Drops what waits: the reader is to read the log itself, up to a number. */
  fallBehind(upTo: number): void {
    this.#droppedUpTo = upTo;
    this.#waiting = [];
    this.#size = 0;
    this.#onNews();
  }

  /** Nothing more comes, and what waits is dropped: the reader may not see it, or is not there. */
  end(failure?: Failure): void {
    this.#end ??= { failure };
    this.#waiting = [];
    this.#onNews();
  }

  /** What comes next, once there is something. Throws the failure that it ended with. */
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

  /** Takes entries again; gives the number up to which the reader has to read the log itself. */
  resume(): number {
    const upTo = this.#droppedUpTo ?? 0;
    this.#droppedUpTo = null;
    return upTo;
  }
}

/** A stream of entries, each tracked by its place in the log. */
export function streamOf<T extends object>(position: number, entries: () => AsyncIterable<Entry<T>>): Stream<T> {
  async function* items() {
    for await (const entry of entries()) yield tracked(String(entry.position), entry.item);
  }
  return { position: String(position), [Symbol.asyncIterator]: items };
}
