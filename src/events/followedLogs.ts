// Follows logs for the streams of this process: on each signal, a log is read once for all its followers, and each receives the
// entries that it may see. Signals come from the commit signal; regular checks replace lost ones.

import { setTimeout as sleep } from "node:timers/promises";
import { type Failure, failureOf, notFound } from "../api/errors.js";
import { type Follower, isBarrier, LastMarks, type Step } from "./followers.js";

/** The steps after a position in a log, oldest first. */
export interface Page<T> {
  steps: Step<T>[];
  /** The position up to which the log was read. */
  position: number;
  /** Whether this is the end of the log. */
  isWhole: boolean;
}

/** The steps that a source read for all followers of a log. */
export interface Read<T, Reader> extends Omit<Page<T>, "steps"> {
  stepsFor(reader: Reader): Step<T>[];
}

/** The source of a kind of log. */
interface LogSource<T, Reader> {
  /** Reads the log of a key after a position; null if it is gone. `checkAll`: new entries may have changed anybody's access. */
  read(key: number, after: number, readers: readonly Reader[], checkAll: boolean): Promise<Read<T, Reader> | null>;
  /** The ends of some logs, without those that no longer exist. */
  ends(keys: readonly number[]): Promise<Map<number, number>>;
}

const LOOK_MS = 500;

/** One log and its followers. */
class FollowedLog<T extends object, Reader> {
  readonly followers = new Map<Follower<T>, { reader: Reader; marks: LastMarks<T> }>();
  readonly #source: LogSource<T, Reader>;
  readonly #key: number;
  position: number;
  #isReading = false;
  #isWoken = false;
  #checkAll = false;

  constructor(source: LogSource<T, Reader>, key: number, position: number) {
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
      // Failures of the database are temporary: the next check comes soon. A defect ends the streams.
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
    const asked = new Set([...this.followers.values()].map(({ reader }) => reader));
    const read = await this.#source.read(this.#key, this.position, [...asked], checkAll);
    if (read === null) return this.#end(notFound());
    for (const [follower, { reader, marks }] of this.followers) {
      // The reading of the log left out followers who came meanwhile: their events and their access.
      if (!asked.has(reader)) follower.fallBehind(read.position);
      else for (const step of marks.of(read.stepsFor(reader), read.isWhole)) follower.push(step);
    }
    this.position = read.position;
    this.#isWoken ||= !read.isWhole;
  }

  #end(failure: Failure): void {
    for (const follower of this.followers.keys()) follower.end(failure);
  }
}

/** The logs of one kind that have followers now. */
export class FollowedLogs<T extends object, Reader> {
  readonly #source: LogSource<T, Reader>;
  readonly #logs = new Map<number, FollowedLog<T, Reader>>();
  #looks: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(source: LogSource<T, Reader>) {
    this.#source = source;
  }

  /** Continues to read the logs of these keys that have followers. */
  wake(keys: ReadonlySet<number>): void {
    for (const key of keys) this.#logs.get(key)?.wake();
  }

  /** Registers a follower for everything after the position that is returned. */
  attach(key: number, follower: Follower<T>, reader: Reader, position: number): number {
    const log = this.#logs.get(key) ?? new FollowedLog(this.#source, key, position);
    this.#logs.set(key, log);
    log.followers.set(follower, { reader, marks: new LastMarks() });
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

  /** Wakes the logs that have entries beyond their followers' positions; one statement for all. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const ends = await this.#source.ends([...this.#logs.keys()]);
      for (const [key, log] of this.#logs) if (ends.get(key) !== log.position) log.wake();
    } catch {
      // The next look finds what this one missed. Other queries report why the database fails.
    } finally {
      this.#isLooking = false;
    }
  }
}

/** A new stream: its follower, its log, and its start. */
interface Following<T extends object, Reader> {
  followedLogs: FollowedLogs<T, Reader>;
  key: number;
  reader: Reader;
  position: number;
  /** Reads a page for this follower alone while it is behind. */
  readPage: (after: number) => Promise<Page<T>>;
  follower: Follower<T>;
}

/** Reads a page as soon as the database is available, because its failures are temporary. */
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

/** Everything in a log after a position, without end, at the follower's pace. The last entry of an operation is marked. */
export async function* stepsAfter<T extends object, Reader>(following: Following<T, Reader>) {
  const { followedLogs, key, reader, follower } = following;
  let { position } = following;
  /** Reads up to the end of the log. */
  async function* readOn() {
    const marks = new LastMarks<T>();
    for (let isWhole = false; !isWhole && !follower.isEnded; ) {
      const page = await pageAfter(following, position);
      for (const step of marks.of(page.steps, page.isWhole)) if (!follower.isEnded) yield step;
      position = page.position;
      isWhole = page.isWhole;
    }
  }
  yield* readOn();
  let upTo = followedLogs.attach(key, follower, reader, position);
  try {
    for (;;) {
      while (position < upTo && !follower.isEnded) yield* readOn();
      const next = await follower.next();
      if (next.kind === "end") return;
      if (next.kind === "behind") upTo = follower.resume();
      else if (isBarrier(next.step)) yield next.step;
      else if (next.step.position > position) {
        yield next.step;
        position = next.step.position;
      }
    }
  } finally {
    followedLogs.detach(key, follower);
  }
}
