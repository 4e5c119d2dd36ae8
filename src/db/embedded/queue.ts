// Puts work that shares the one session in order.

/** Work in the order it is added, one after the other. */
export class Queue {
  #tail: Promise<unknown> = Promise.resolve();
  /** What waits, oldest first. */
  readonly #waiting = new Set<{ since: number }>();

  add<T>(work: () => Promise<T>): Promise<T> {
    const waiting = { since: performance.now() };
    this.#waiting.add(waiting);
    const done = this.#tail.then(() => {
      this.#waiting.delete(waiting);
      return work();
    });
    this.#tail = done.catch(() => {});
    return done;
  }

  /** For how many milliseconds the work that comes next has waited; 0 where none waits. */
  get waitingMs(): number {
    const [next] = this.#waiting;
    return next === undefined ? 0 : performance.now() - next.since;
  }

  async empty(): Promise<void> {
    await this.#tail;
  }
}
