// Runs the work on the only session in order.

/** Work in the order it is added, one after the other. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();
  /** The waiting work, oldest first. */
  readonly #waiting = new Set<{ since: number }>();

  #unfinished = 0;

  add<T>(work: () => Promise<T>): Promise<T> {
    this.#unfinished += 1;
    const waiting = { since: performance.now() };
    this.#waiting.add(waiting);
    const done = this.#last.then(() => {
      this.#waiting.delete(waiting);
      return work();
    });
    const end = () => {
      this.#unfinished -= 1;
    };
    this.#last = done.then(end, end);
    return done;
  }

  /** Whether nothing runs, and nothing waits. */
  get isIdle(): boolean {
    return this.#unfinished === 0;
  }

  /** For how many milliseconds the work that comes next has waited; 0 where none waits. */
  get waitingMs(): number {
    const [next] = this.#waiting;
    return next === undefined ? 0 : performance.now() - next.since;
  }

  async empty(): Promise<void> {
    await this.#last;
  }
}
