// The callers that wait for the answers to their changes, by the keys of the changes.

interface Waiting {
  resolve(result: never): void;
  reject(error: unknown): void;
}

export class Answers {
  readonly #waiting = new Map<string, Waiting[]>();

  /** Notes a caller that waits for a change. The callers of the change that it replaces wait for this one, too. */
  wait(key: string, replaced: string | null, one: Waiting): void {
    this.#waiting.set(key, [...this.take(replaced ?? ""), one]);
  }

  /** Returns the callers that wait for a change, and forgets them. */
  take(key: string): Waiting[] {
    const waiting = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    return waiting;
  }
}
