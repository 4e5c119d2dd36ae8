// The queue of a replica in a storage that all tabs share: what is neither answered nor dismissed survives a reload. Each tab has an
// entry of its own, which says that the tab is alive. The queue of a tab that is gone goes over to another one.

import { globals, newKey } from "../client.js";
import type { Change, Queue, Refused } from "./queue.js";

/** An asynchronous storage of plain JSON, such as `indexedDb()`. It may fail: changes then do not survive a reload. */
export interface BoardStorage {
  /** The value of a key; null or undefined if there is none. */
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /**
   * Sets a key to what `to` makes of its value, in one transaction: no tab writes the key in between. Without it, no tab can take over
   * the changes of another one: they are made, but do not survive a reload.
   */
  update?(key: string, to: (value: unknown) => unknown): Promise<unknown>;
  /** Marks a key while its tab is closed or left, at once: some browsers drop what a page writes then by an asynchronous storage. */
  leave?(key: string): void;
  /** Takes the mark off a key. Returns whether it had one. */
  takeLeft?(key: string): boolean;
}

/** A storage from which tabs can take over changes of others. */
export type SharedStorage = BoardStorage & Required<Pick<BoardStorage, "update">>;

/** The queue of one tab. */
interface Entry {
  /** When the tab was last alive, or another one took over its changes, in milliseconds; 0 once it is closed. */
  readonly aliveAt: number;
  /** Whether the tab has a lock of the browser, by the key of the entry. It ends with the tab, also if that crashes. */
  readonly hasLock?: boolean;
  readonly changes: readonly Change[];
  readonly refused: readonly Refused[];
  /** The keys of the changes that another tab took over. The tab that made them may only be frozen, and reads them here. */
  readonly takenOver?: readonly string[];
}

/** The part of browsers that is used: this package is compiled without their types. Insecure origins have no locks. */
interface Browser {
  navigator?: {
    locks?: {
      request(name: string, options: object, run: () => Promise<unknown>): Promise<unknown>;
      query(): Promise<{ held: readonly { name: string }[] }>;
    };
  };
}
const browser: Browser = Object(globalThis);

const RENEW_MS = 3000;
/** A tab that does not renew its entry for so long may be gone: what waits there is counted here. */
const DOUBT_MS = 4000;
/** A tab that does not renew its entry for so long is gone. */
const GONE_MS = 10_000;
/** A storage that takes longer is not waited for any more. */
const STORAGE_TIMEOUT_MS = 1000;
/** An empty entry is removed after so long. */
const EMPTY_MS = 24 * 60 * 60 * 1000;

const EMPTY: Entry = { aliveAt: 0, changes: [], refused: [] };
/** An entry of the storage. Nothing but this class writes them. */
const entryOf = (value: unknown) => (value ?? EMPTY) as Entry;
/** The tabs that have entries, likewise. */
const idsOf = (value: unknown) => (value ?? []) as readonly string[];
const isEmpty = ({ changes, refused }: Pick<Entry, "changes" | "refused">) => changes.length + refused.length === 0;

export class StoredQueue {
  readonly #storage: SharedStorage;
  readonly #queue: Queue;
  readonly #name: string;
  readonly #changed: (lost: readonly string[]) => void;
  readonly #id = newKey();
  /** Whether there may be an own entry. */
  #isStored = false;
  #work: Promise<unknown> = Promise.resolve();
  #saving: Promise<void> | null = null;
  #isSlow = false;
  /** Whether the tab is closed, or a page that is being left and may come back. */
  #isLeft = false;
  #timer: ReturnType<typeof setInterval> | undefined;
  #hasLock = false;
  readonly #stopping = new AbortController();

  /**
   * @param about the service, the account and the board: nobody else finds the entries.
   * @param changed called after other tabs' changes came to the queue or are counted there, and after own ones, by their keys, went
   * over to another tab.
   */
  constructor(
    storage: SharedStorage,
    about: readonly string[],
    queue: Queue,
    changed: (lost: readonly string[]) => void,
  ) {
    this.#storage = storage;
    this.#queue = queue;
    this.#name = `work-board ${JSON.stringify(about)}`;
    this.#changed = changed;
  }

  /** Takes over the queues of tabs that are gone, now and from time to time, and says that this one is alive. */
  start(): void {
    const renew = () => {
      if (this.#isLeft) this.#storage.takeLeft?.(this.#keyOf(this.#id));
      this.#isLeft = false;
      void this.save();
      void this.#do(() => this.#takeOverAll());
    };
    this.#lock();
    renew();
    this.#timer = setInterval(renew, RENEW_MS);
    globals.addEventListener?.("pagehide", this.#leave);
  }

  /** Leaves the queue to any other tab. */
  stop(): void {
    clearInterval(this.#timer);
    globals.removeEventListener?.("pagehide", this.#leave);
    void this.#do(async () => {
      this.#leave();
      this.#stopping.abort();
    });
  }

  #lock(): void {
    const { signal } = this.#stopping;
    const locked = () => {
      this.#hasLock = true;
      void this.save();
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    browser.navigator?.locks?.request(this.#keyOf(this.#id), { signal }, locked).catch(() => {});
  }

  #leave = (): void => {
    this.#isLeft = true;
    if (!this.#isStored) return;
    const key = this.#keyOf(this.#id);
    this.#storage.leave?.(key);
    void this.#storage.set(key, this.#entry()).catch(() => {});
  };

  /** Writes the queue as it is, unless nothing of it is to be stored. Resolves also where that fails or takes too long. */
  save(): Promise<void> {
    if (!this.#isStored && isEmpty(this.#entry())) return Promise.resolve();
    this.#saving ??= this.#do(() => this.#write());
    return this.#saving;
  }

  /** Works on the storage, one thing behind the other. */
  #do(run: () => Promise<unknown>): Promise<void> {
    const done = () => {
      this.#isSlow = false;
    };
    this.#work = this.#work.then(run).then(done, done);
    if (this.#isSlow) return Promise.resolve();
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, STORAGE_TIMEOUT_MS, true));
    return Promise.race([this.#work.then(() => false), late]).then((isLate) => {
      this.#isSlow ||= isLate;
    });
  }

  #entry(): Entry {
    const aliveAt = this.#isLeft ? 0 : Date.now();
    return { aliveAt, hasLock: this.#hasLock, changes: this.#queue.unanswered, refused: this.#queue.refused };
  }

  #keyOf = (id: string) => `${this.#name} ${id}`;

  /** Replaces an entry. Returns it as it was. */
  async #replace(id: string, by: (found: Entry) => Entry): Promise<Entry> {
    let found = EMPTY;
    await this.#storage.update(this.#keyOf(id), (value) => {
      found = entryOf(value);
      return by(found);
    });
    return found;
  }

  #list = (id: string, isThere: boolean) =>
    this.#storage.update(this.#name, (value) => {
      const others = idsOf(value).filter((other) => other !== id);
      return isThere ? [...others, id] : others;
    });

  async #write(): Promise<void> {
    this.#saving = null;
    // The page may be left before the storage answers.
    this.#isStored ||= !isEmpty(this.#entry());
    let lost: readonly string[] = [];
    try {
      await this.#replace(this.#id, ({ takenOver = [] }) => {
        lost = takenOver;
        this.#queue.drop(lost);
        return this.#entry();
      });
      this.#isStored = !isEmpty(this.#entry());
    } catch {
      // The entry as it was may hold a change as unsent that was made since.
      this.#isStored = false;
    }
    if (lost.length > 0) this.#changed(lost);
    if (!this.#isStored) return this.#remove(this.#id);
    // Again each time: another tab may have removed it before there was an entry.
    await this.#list(this.#id, true);
  }

  async #remove(id: string): Promise<void> {
    await this.#storage.delete(this.#keyOf(id));
    await this.#list(id, false);
  }

  async #takeOverAll(): Promise<void> {
    const ids = idsOf(await this.#storage.get(this.#name));
    const locks = await browser.navigator?.locks?.query().catch(() => undefined);
    const isLocked = (key: string) => locks?.held.some(({ name }) => name === key);
    let unadopted = 0;
    for (const id of ids) if (id !== this.#id) unadopted += await this.#takeOver(id, isLocked(this.#keyOf(id)));
    if (unadopted === this.#queue.unadopted) return;
    this.#queue.unadopted = unadopted;
    this.#changed([]);
  }

  /**
   * Takes over the queue of another tab, if that is gone. Returns how many changes stay there although it may be gone.
   * @param isLocked whether the other tab has its lock; undefined where nobody knows.
   */
  async #takeOver(id: string, isLocked: boolean | undefined): Promise<number> {
    const now = Date.now();
    const isLeft = this.#storage.takeLeft?.(this.#keyOf(id)) === true;
    // A clock that was wrong may have said that the holder is alive in the future.
    const isSilent = ({ aliveAt }: Entry, ms: number) => Math.abs(now - aliveAt) > ms;
    const isGone = (entry: Entry) => {
      if (isEmpty(entry)) return isSilent(entry, EMPTY_MS);
      const hasEnded = isLeft || (entry.hasLock === true && isLocked === false);
      // A tab that takes it over at this moment has said so.
      return isSilent(entry, GONE_MS) || (hasEnded && entry.takenOver === undefined);
    };
    const found = await this.#replace(id, (entry) => {
      const takenOver = [...entry.changes, ...entry.refused].map(({ key }) => key);
      return isGone(entry) ? { ...entry, aliveAt: now, takenOver } : entry;
    });
    if (!isGone(found)) return isLocked !== true && isSilent(found, DOUBT_MS) ? found.changes.length : 0;
    if (isEmpty(found)) await this.#remove(id);
    else await this.#adopt(id, found);
    return 0;
  }

  async #adopt(id: string, found: Entry): Promise<void> {
    this.#queue.takeOver(found);
    // The other tab's entry has the changes until this one's has them. That tab may be back by then, and have written its own.
    await this.#write();
    await this.#replace(id, (entry) => (entry.takenOver ? { ...entry, changes: [], refused: [] } : entry));
    this.#changed([]);
  }
}
