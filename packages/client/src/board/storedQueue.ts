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
}

/** The queue of one tab. */
interface Entry {
  /** The tab that sends these changes. */
  readonly holder: string;
  /** When the holder was last alive, in milliseconds; 0 once it is closed. */
  readonly aliveAt: number;
  readonly changes: readonly Change[];
  readonly refused: readonly Refused[];
  /** The keys of the changes that the holder took over. The tab that made them may only be frozen, and reads them here. */
  readonly takenOver?: readonly string[];
}

const RENEW_MS = 3000;
/** A tab that does not renew its entry for so long is gone. */
const GONE_MS = 10_000;
/** So long another tab may take between reading an entry and claiming it. */
const CLAIM_MS = 100;
/** A storage that takes longer is not waited for any more. */
const STORAGE_TIMEOUT_MS = 1000;
/** An empty entry is removed after so long. */
const EMPTY_MS = 24 * 60 * 60 * 1000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** An entry of the storage. Nothing but this class writes them. */
const entryOf = (value: unknown) => (value ?? null) as Entry | null;
const isEmpty = ({ changes, refused }: Pick<Entry, "changes" | "refused">) => changes.length + refused.length === 0;

export class StoredQueue {
  readonly #storage: BoardStorage;
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

  /**
   * @param about the service, the account and the board: nobody else finds the entries.
   * @param changed called after other tabs' changes came to the queue, and after own ones, by their keys, went over to another tab.
   */
  constructor(
    storage: BoardStorage,
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
      this.#isLeft = false;
      void this.save();
      void this.#do(() => this.#takeOverAll());
    };
    renew();
    this.#timer = setInterval(renew, RENEW_MS);
    globals.addEventListener?.("pagehide", this.#leave);
  }

  /** Leaves the queue to any other tab. */
  stop(): void {
    clearInterval(this.#timer);
    globals.removeEventListener?.("pagehide", this.#leave);
    void this.#do(async () => this.#leave());
  }

  #leave = (): void => {
    this.#isLeft = true;
    if (this.#isStored) void this.#set(this.#id, this.#entry()).catch(() => {});
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
    const late = pause(STORAGE_TIMEOUT_MS).then(() => true);
    return Promise.race([this.#work.then(() => false), late]).then((isLate) => {
      this.#isSlow ||= isLate;
    });
  }

  #entry(): Entry {
    const aliveAt = this.#isLeft ? 0 : Date.now();
    return { holder: this.#id, aliveAt, changes: this.#queue.unanswered, refused: this.#queue.refused };
  }

  #set = (id: string, entry: Entry) => this.#storage.set(`${this.#name} ${id}`, entry);

  async #get(id: string): Promise<Entry | null> {
    return entryOf(await this.#storage.get(`${this.#name} ${id}`));
  }

  /** The tabs that have entries. */
  async #ids(): Promise<readonly string[]> {
    return ((await this.#storage.get(this.#name)) ?? []) as readonly string[];
  }

  async #list(id: string, isThere: boolean): Promise<void> {
    const ids = await this.#ids();
    if (ids.includes(id) === isThere) return;
    await this.#storage.set(this.#name, isThere ? [...ids, id] : ids.filter((other) => other !== id));
  }

  async #write(): Promise<void> {
    this.#saving = null;
    const found = this.#isStored ? await this.#get(this.#id) : null;
    const lost = found?.takenOver ?? [];
    if (lost.length > 0) {
      this.#queue.drop(lost);
      this.#changed(lost);
    }
    const entry = this.#entry();
    this.#isStored = !isEmpty(entry);
    try {
      if (this.#isStored) await this.#set(this.#id, entry);
    } catch {
      // The entry as it was may hold a change as unsent that was made since.
      this.#isStored = false;
    }
    if (!this.#isStored) return this.#remove(this.#id);
    // Again each time: another tab may have written the list at the same moment.
    await this.#list(this.#id, true);
  }

  async #remove(id: string): Promise<void> {
    await this.#storage.delete(`${this.#name} ${id}`);
    await this.#list(id, false);
  }

  async #takeOverAll(): Promise<void> {
    for (const id of await this.#ids()) if (id !== this.#id) await this.#takeOver(id);
  }

  async #takeOver(id: string): Promise<void> {
    const found = await this.#get(id);
    // A clock that was wrong may have said that the holder is alive in the future.
    const age = Math.abs(Date.now() - (found?.aliveAt ?? 0));
    if (found === null || (isEmpty(found) && age > EMPTY_MS)) return this.#remove(id);
    if (isEmpty(found) || age <= GONE_MS) return;
    await this.#set(id, { ...found, holder: this.#id, aliveAt: Date.now() });
    await pause(CLAIM_MS);
    // The last of several tabs that claim an entry has it.
    if ((await this.#get(id))?.holder !== this.#id) return;
    this.#queue.takeOver(found);
    await this.#write();
    const takenOver = [...found.changes, ...found.refused].map(({ key }) => key);
    await this.#set(id, { holder: this.#id, aliveAt: Date.now(), changes: [], refused: [], takenOver });
    this.#changed([]);
  }
}
