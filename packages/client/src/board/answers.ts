// Whoever waits for the answers to changes, by the keys of these.

interface Waiting {
  resolve(result: never): void;
  reject(error: unknown): void;
}

export class Answers {
  readonly #waiting = new Map<string, Waiting[]>();

  /** Waits for the answer to a change, and so does whoever waited for that to the change that it replaces. */
  wait(key: string, replaced: string | null, one: Waiting): void {
    this.#waiting.set(key, [...this.take(replaced ?? ""), one]);
  }

  /** Ends the waiting for the answer to a change, which the caller gives. */
  take(key: string): Waiting[] {
    const waiting = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    return waiting;
  }
}
