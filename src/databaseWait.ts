// Reports on standard error that the database is unreachable: during the start one plain line every ten seconds instead of many log
// lines, later one line when an outage begins and one when it ends.

import type { Logger } from "pino";
import { isConnectionError, isRejection, reasonOf } from "./db/failures.js";
import type { OutageListener } from "./db/postgres/pool.js";

const REPEAT_MS = 10_000;

/** Receives the database's warnings. Until the start is complete, failed connections are reported as plain lines. */
export class DatabaseWait implements OutageListener {
  readonly #log: Logger;
  #isOver = false;
  #isOut = false;
  #reason = "";
  #repeating: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  warn(message: string, error: unknown): void {
    // The start ends on it, and says so in one line.
    if (!this.#isOver && isRejection(error)) return;
    if (this.#isOver || !(error instanceof Error) || !isConnectionError(error)) {
      this.#log.warn({ err: error }, message);
      return;
    }
    this.#reason = reasonOf(error);
    if (this.#repeating !== undefined) return;
    this.#say();
    this.#repeating = setInterval(() => this.#say(), REPEAT_MS).unref();
  }

  /** Calls are refused from now on. */
  begun(reason: unknown): void {
    if (!this.#isOver) return;
    this.#isOut = true;
    const text = reason instanceof Error ? reasonOf(reason) : String(reason);
    process.stderr.write(`work-board lost its database: ${text}\n`);
  }

  /** Calls are no longer refused. */
  ended(): void {
    if (!this.#isOut) return;
    this.#isOut = false;
    process.stderr.write("work-board has its database back\n");
  }

  /** The database was reached for the first time. */
  over(): void {
    this.#isOver = true;
    clearInterval(this.#repeating);
  }

  #say(): void {
    process.stderr.write(`work-board is waiting for its database: ${this.#reason}\n`);
  }
}
