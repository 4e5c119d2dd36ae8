// Reports on standard error that the database is unreachable during the start: one plain line every ten seconds instead of many log
// lines.

import type { Logger } from "pino";
import { isConnectionError, reasonOf } from "./db/failures.js";

const REPEAT_MS = 10_000;

/** Receives the database's warnings. Until the start is complete, failed connections are reported as plain lines. */
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
    process.stderr.write(`work-board is waiting for its database: ${this.#reason}\n`);
  }
}
