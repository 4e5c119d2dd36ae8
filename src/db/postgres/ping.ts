// Asks whether PostgreSQL answers, on a session of its own: probes never wait for the sessions that calls use.

import { connectionError, OUTAGE } from "../failures.js";
import { PostgresSession, type SessionOptions } from "./sessions.js";

/** Settings of a ping. */
export interface PingOptions extends Omit<SessionOptions, "connectTimeoutMs"> {
  /** Called at the first of several failures in a row. */
  onWarning: (message: string, error: unknown) => void;
}

/** To connect, and again to answer: a ping ends within two seconds. */
const STEP_TIMEOUT_MS = 1000;

export class Ping {
  readonly #options: PingOptions;
  #session: PostgresSession | undefined;
  #running: Promise<void> | undefined;
  #hasFailed = false;
  #isClosed = false;

  constructor(options: PingOptions) {
    this.#options = options;
  }

  /** Resolves when PostgreSQL has answered. Concurrent calls share the answer; throws as an outage does. */
  ask(): Promise<void> {
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#session?.end();
  }

  async #ask(): Promise<void> {
    try {
      if (this.#isClosed) throw connectionError("CONNECTION_ENDED", "The database is closed");
      await (this.#session === undefined ? this.#open() : this.#answer(this.#session));
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed && !this.#isClosed) this.#options.onWarning("PostgreSQL does not answer", error);
      this.#hasFailed = true;
      throw connectionError(OUTAGE, "PostgreSQL is out of reach", error);
    }
  }

  /** A session is open once a statement was answered on it. */
  async #open(): Promise<void> {
    const options = { ...this.#options, connectTimeoutMs: STEP_TIMEOUT_MS };
    const session = await PostgresSession.open(options, () => {
      this.#session = undefined;
    });
    if (this.#isClosed) return session.end();
    this.#session = session;
  }

  async #answer(session: PostgresSession): Promise<void> {
    const stalled = connectionError("CONNECTION_STALLED", `PostgreSQL did not answer within ${STEP_TIMEOUT_MS} ms`);
    const timer = setTimeout(() => session.lose(stalled), STEP_TIMEOUT_MS);
    try {
      await session.control("select 1");
    } finally {
      clearTimeout(timer);
    }
  }
}
