// A queue in which adding, taking and removing each take constant time. With JavaScript's arrays and sets, taking the first of many
// values takes time that grows with their number.

/** The position of a value in a queue, with which it can be removed. */
export interface Place<T> {
  readonly value: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
  isQueued: boolean;
}

/** Values in the order in which they were added. */
export class Fifo<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The value that was added first. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): Place<T> {
    const place: Place<T> = { value, before: this.#last, after: undefined, isQueued: true };
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    this.#size += 1;
    return place;
  }

  /** Takes the value that was added first. */
  shift(): T | undefined {
    const place = this.#first;
    if (place !== undefined) this.remove(place);
    return place?.value;
  }

  /** Removes a value from this queue; does nothing if it has left already. */
  remove(place: Place<T>): void {
    if (!place.isQueued) return;
    if (place.before === undefined) this.#first = place.after;
    else place.before.after = place.after;
    if (place.after === undefined) this.#last = place.before;
    else place.after.before = place.before;
    place.isQueued = false;
    this.#size -= 1;
  }
}
