// LISTEN and NOTIFY on one connection of its own, which comes back by itself. Never inside the transaction of a change: NOTIFY
// makes all commits of the database wait for each other.

import type { Channel } from "../driver.js";
import { connectionError } from "../failures.js";
import { PostgresSession, type SessionOptions } from "./sessions.js";

/** Settings of a channel. */
interface ChannelOptions extends Omit<SessionOptions, "onNotify"> {
  /** An identifier of SQL, unquoted. */
  name: string;
  onMessage: (payload: string) => void;
  /** Called when the connection is lost, and at the first failed try to get it back. */
  onWarning: (message: string, error: unknown) => void;
}

const STALL_TIMEOUT_MS = 5000;
const MAX_BACKOFF_MS = 5000;
/** The time for which an answer to "do others listen?" stays valid. A process that begins to within it may miss what is sent. */
const COUNTED_MS = 1000;

const NOTIFY = "select pg_notify($1::text, $2::text)";
/** With each NOTIFY the server wakes this very session too, which costs as much as the rest of a small change. */
const NOTIFY_AND_COUNT = `${NOTIFY}, (
  select count(*)::int from pg_stat_activity
  where datname = current_database() and application_name = current_setting('application_name')) as listeners`;

export class NotifyChannel implements Channel {
  readonly #options: ChannelOptions;
  #session: PostgresSession | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #hasOthers = true;
  #countedUntil = 0;
  #isClosed = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
    void this.#open();
  }

  send(payload: string): void {
    const session = this.#session;
    if (session === undefined) return;
    if (session.waitingMs > STALL_TIMEOUT_MS) {
      session.lose(connectionError("CONNECTION_STALLED", "PostgreSQL did not answer a NOTIFY"));
      return;
    }
    this.#notify(session, payload).catch((error: unknown) => this.#options.onWarning("A NOTIFY failed", error));
  }

  /** Sends a message, and once a second counts who listens; where nobody else does, nothing is sent until the next count. */
  async #notify(session: PostgresSession, payload: string): Promise<void> {
    const now = performance.now();
    const isCounted = now < this.#countedUntil;
    if (isCounted && !this.#hasOthers) return;
    if (!isCounted) this.#countedUntil = now + COUNTED_MS;
    const text = isCounted ? NOTIFY : NOTIFY_AND_COUNT;
    const [row] = await session.statement(text, [this.#options.name, payload], "object", false);
    const listeners = Object(row).listeners;
    if (typeof listeners === "number") this.#hasOthers = listeners > 1;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    void this.#session?.end();
  }

  async #open(): Promise<void> {
    const { name, onMessage, onWarning, ...options } = this.#options;
    try {
      const session = await PostgresSession.open(
        { ...options, onNotify: (_channel, payload) => onMessage(payload) },
        (_lost, error) => this.#lost(error),
      );
      await session.control(`listen ${name}`);
      if (this.#isClosed) return void session.end();
      this.#session = session;
      this.#failures = 0;
    } catch (error) {
      if (this.#failures++ === 0 && !this.#isClosed) onWarning("Cannot listen on PostgreSQL", error);
      this.#reopen();
    }
  }

  #lost(error: unknown): void {
    if (this.#session === undefined) return;
    this.#session = undefined;
    if (!this.#isClosed) this.#options.onWarning("The listening database session was lost", error);
    this.#reopen();
  }

  #reopen(): void {
    if (this.#isClosed) return;
    const backoffMs = Math.min(100 * 2 ** Math.min(this.#failures, 10), MAX_BACKOFF_MS);
    this.#retry = setTimeout(() => void this.#open(), backoffMs * (0.5 + Math.random() / 2)).unref();
  }
}
