// Puts work that shares the one session in order.

/** Work in the order it is added, one after the other. */
export class Queue {
  #tail: Promise<unknown> = Promise.resolve();

  add<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => {});
    return done;
  }

  async empty(): Promise<void> {
    await this.#tail;
  }
}
