// What a start says while its database is out of reach: a plain line for whoever looks on, where a log would be full of it.

import type { Logger } from "pino";
import { isConnectionError, reasonOf } from "./db/failures.js";

const REPEAT_MS = 10_000;

/** Takes the database's warnings; until the start is over, those of a failed connection become a line now and then. */
export class DatabaseWait {
  readonly #log: Logger;
  #isOver = false;
  #reason = "";
  #repeating: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  warn(message: string, error: unknown): void {
    if (this.#isOver || !(error instanceof Error) || !isConnectionError(error)) {
      this.#log.warn({ err: error }, message);
      return;
    }
    this.#reason = reasonOf(error);
    if (this.#repeating !== undefined) return;
    this.#say();
    this.#repeating = setInterval(() => this.#say(), REPEAT_MS).unref();
  }

  /** The database was reached. */
  over(): void {
    this.#isOver = true;
    clearInterval(this.#repeating);
  }

  #say(): void {
    process.stderr.write(`work-board waits for its database: ${this.#reason}\n`);
  }
}
