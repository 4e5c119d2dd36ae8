// Follows logs for the streams of this process: each log is read once a wake for all who follow it, by its own numbers, and what
// it says is handed to each as far as it may see it. Wakes come from the commit signal; a look from time to time makes up for lost ones.

import { setTimeout as sleep } from "node:timers/promises";
import { type Failure, failureOf, notFound } from "../api/errors.js";
import type { Follower } from "./followers.js";

/** An item of a log with its number there; what it is about decides who is handed it. */
export interface Entry<T> {
  position: number;
  about: readonly (string | number)[];
  item: T;
}

/** What came after a place in a log, oldest first. */
export interface Page<T> {
  entries: Entry<T>[];
  /** The place up to which the log was read. */
  position: number;
  /** Whether that is its end. */
  isWhole: boolean;
}

/** What a source found for all followers of a log: also those who may not follow it any longer, and why. */
export interface Found<T, Reader> extends Page<T> {
  barred: Map<Reader, Failure>;
}

/** Where a kind of log is read from. */
export interface Source<T, Reader> {
  /**
   * Reads the log of a key after a place; null when it is there no longer. Whoever reads may be barred by anything new, and
   * everyone's access is looked at when `checkAll` is set.
   */
  read(key: number, after: number, readers: readonly Reader[], checkAll: boolean): Promise<Found<T, Reader> | null>;
  /** Whether a reader is to be handed an entry. */
  isFor(entry: Entry<T>, reader: Reader): boolean;
  /** The ends of some logs, those that are gone left out. */
  ends(keys: readonly number[]): Promise<Map<number, number>>;
}

const LOOK_MS = 500;

/** One log and its followers. */
class FollowedLog<T extends object, Reader> {
  readonly followers = new Map<Follower<T>, Reader>();
  readonly #source: Source<T, Reader>;
  readonly #key: number;
  position: number;
  #isReading = false;
  #isWoken = false;
  #checkAll = false;

  constructor(source: Source<T, Reader>, key: number, position: number) {
    this.#source = source;
    this.#key = key;
    this.position = position;
  }

  wake({ checkAll = false } = {}): void {
    this.#isWoken = true;
    this.#checkAll ||= checkAll;
    if (!this.#isReading) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isWoken && this.followers.size > 0) {
        this.#isWoken = false;
        await this.#readOn();
      }
    } catch (error) {
      // What the database cannot do now it can later: the next look comes soon. A defect ends the streams.
      const failure = failureOf(error);
      this.#checkAll = true;
      if (failure.code !== "SERVICE_UNAVAILABLE") this.#end(failure);
    } finally {
      this.#isReading = false;
    }
  }

  async #readOn(): Promise<void> {
    const checkAll = this.#checkAll;
    this.#checkAll = false;
    const asked = new Set(this.followers.values());
    const found = await this.#source.read(this.#key, this.position, [...asked], checkAll);
    if (found === null) return this.#end(notFound());
    for (const [follower, reader] of this.followers) {
      const failure = found.barred.get(reader);
      if (failure !== undefined) follower.end(failure);
      // Who came while the log was read was not asked for: neither its events nor its access.
      else if (!asked.has(reader)) follower.fallBehind(found.position);
      else for (const entry of found.entries) if (this.#source.isFor(entry, reader)) follower.push(entry);
    }
    this.position = found.position;
    this.#isWoken ||= !found.isWhole;
  }

  #end(failure: Failure): void {
    for (const follower of this.followers.keys()) follower.end(failure);
  }
}

/** The logs of one kind that somebody follows now. */
export class FollowedLogs<T extends object, Reader> {
  readonly #source: Source<T, Reader>;
  readonly #logs = new Map<number, FollowedLog<T, Reader>>();
  #looks: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(source: Source<T, Reader>) {
    this.#source = source;
  }

  /** Reads on in the logs of those of these keys that somebody follows. */
  wake(keys: ReadonlySet<number>): void {
    for (const key of keys) this.#logs.get(key)?.wake();
  }

  /** Hands a follower everything of a log that comes after the place that is returned. */
  attach(key: number, follower: Follower<T>, reader: Reader, position: number): number {
    const log = this.#logs.get(key) ?? new FollowedLog(this.#source, key, position);
    this.#logs.set(key, log);
    log.followers.set(follower, reader);
    log.wake({ checkAll: true });
    this.#looks ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    return log.position;
  }

  detach(key: number, follower: Follower<T>): void {
    const log = this.#logs.get(key);
    log?.followers.delete(follower);
    if (log?.followers.size === 0) this.#logs.delete(key);
    if (this.#logs.size > 0) return;
    clearInterval(this.#looks);
    this.#looks = undefined;
  }

  /** Wakes the logs that are not where their followers are; one statement for all. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const ends = await this.#source.ends([...this.#logs.keys()]);
      for (const [key, log] of this.#logs) if (ends.get(key) !== log.position) log.wake();
    } catch {
      // The next look will tell, and whoever else asks the database has said why already.
    } finally {
      this.#isLooking = false;
    }
  }
}

/** A stream to be: whose, of which log, and from where. */
interface Following<T extends object, Reader> {
  followedLogs: FollowedLogs<T, Reader>;
  key: number;
  reader: Reader;
  position: number;
  /** Reads a page for this reader alone, as one who is behind does; throws when it may no longer. */
  readPage: (after: number) => Promise<Page<T>>;
  follower: Follower<T>;
}

/** A page as soon as the database can give one: what it cannot do now it can later. */
async function pageAfter<T extends object, Reader>(following: Following<T, Reader>, after: number): Promise<Page<T>> {
  for (;;) {
    try {
      return await following.readPage(after);
    } catch (error) {
      if (following.follower.isEnded || failureOf(error).code !== "SERVICE_UNAVAILABLE") throw error;
      await sleep(LOOK_MS);
    }
  }
}

/** Everything of a log after a place, for ever: page by page at the reader's pace while it is behind, then as it comes. */
export async function* entriesAfter<T extends object, Reader>(following: Following<T, Reader>) {
  const { followedLogs, key, reader, follower } = following;
  let { position } = following;
  for (let isBehind = true; isBehind && !follower.isEnded; ) {
    const page = await pageAfter(following, position);
    for (const entry of page.entries) if (!follower.isEnded) yield entry;
    position = page.position;
    isBehind = !page.isWhole;
  }
  let upTo = followedLogs.attach(key, follower, reader, position);
  try {
    for (;;) {
      while (position < upTo && !follower.isEnded) {
        const page = await pageAfter(following, position);
        for (const entry of page.entries) if (!follower.isEnded) yield entry;
        position = page.position;
      }
      const next = await follower.next();
      if (next.kind === "end") return;
      if (next.kind === "behind") upTo = follower.resume();
      else if (next.entry.position > position) {
        yield next.entry;
        position = next.entry.position;
      }
    }
  } finally {
    followedLogs.detach(key, follower);
  }
}
