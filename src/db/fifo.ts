// A queue in which adding, taking and removing each take constant time. With JavaScript's arrays and sets, taking the first of many
// values takes time that grows with their number.

/** The position of a value in a queue, with which it can be removed. */
export interface Entry<T> {
  readonly value: T;
  before: Entry<T> | undefined;
  after: Entry<T> | undefined;
  isQueued: boolean;
}

/** Values in the order in which they were added. */
export class Fifo<T> {
  #first: Entry<T> | undefined;
  #last: Entry<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The value that was added first. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): Entry<T> {
    const entry: Entry<T> = { value, before: this.#last, after: undefined, isQueued: true };
    if (this.#last === undefined) this.#first = entry;
    else this.#last.after = entry;
    this.#last = entry;
    this.#size += 1;
    return entry;
  }

  /** Takes the value that was added first. */
  shift(): T | undefined {
    const entry = this.#first;
    if (entry !== undefined) this.remove(entry);
    return entry?.value;
  }

  /** Removes a value from this queue; does nothing if it has left already. */
  remove(entry: Entry<T>): void {
    if (!entry.isQueued) return;
    if (entry.before === undefined) this.#first = entry.after;
    else entry.before.after = entry.after;
    if (entry.after === undefined) this.#last = entry.before;
    else entry.after.before = entry.before;
    entry.isQueued = false;
    this.#size -= 1;
  }
}
