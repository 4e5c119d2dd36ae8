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
}

/** The queue of one tab. */
interface Entry {
  /** When the tab was last alive, or another one took over its changes, in milliseconds; 0 once it is closed. */
  readonly aliveAt: number;
  readonly changes: readonly Change[];
  readonly refused: readonly Refused[];
  /** The keys of the changes that another tab took over. The tab that made them may only be frozen, and reads them here. */
  readonly takenOver?: readonly string[];
}

const RENEW_MS = 3000;
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
  readonly #storage: Required<BoardStorage>;
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
    storage: Required<BoardStorage>,
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
    if (this.#isStored) void this.#storage.set(this.#keyOf(this.#id), this.#entry()).catch(() => {});
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
    return { aliveAt, changes: this.#queue.unanswered, refused: this.#queue.refused };
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
    for (const id of ids) if (id !== this.#id) await this.#takeOver(id);
  }

  async #takeOver(id: string): Promise<void> {
    const now = Date.now();
    // A clock that was wrong may have said that the holder is alive in the future.
    const isSilent = (entry: Entry) => Math.abs(now - entry.aliveAt) > (isEmpty(entry) ? EMPTY_MS : GONE_MS);
    const found = await this.#replace(id, (entry) => {
      const takenOver = [...entry.changes, ...entry.refused].map(({ key }) => key);
      return isSilent(entry) ? { ...entry, aliveAt: now, takenOver } : entry;
    });
    if (!isSilent(found)) return;
    if (isEmpty(found)) return this.#remove(id);
    this.#queue.takeOver(found);
    // The other tab's entry has the changes until this one's has them. That tab may be back by then, and have written its own.
    await this.#write();
    await this.#replace(id, (entry) => (entry.takenOver ? { ...entry, changes: [], refused: [] } : entry));
    this.#changed([]);
  }
}
