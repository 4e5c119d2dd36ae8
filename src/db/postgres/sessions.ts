// One session of PostgreSQL: a postgres.js client that lives exactly as long as its one TCP connection. After a
// connection dies postgres.js may write to the dead socket (an uncaught error), leave queries unsettled, replay others on
// the next connection and keep stale bytes and errors, so a session is never reused: it is lost, and another is opened.

import { connect, type Socket } from "node:net";
import postgres from "postgres";
import type { Param, RowMode } from "../driver.js";
import { connectionError } from "../failures.js";
import { secured, type Tls, tlsOf } from "./tls.js";
import { types } from "./types.js";

/** The options of a new session. Values of `parameters` travel in the startup message. */
export interface SessionOptions {
  url: string;
  prepare: boolean;
  parameters: Record<string, string | number>;
  connectTimeoutMs: number;
  /** Called at every NOTIFY on a channel that the session listens to. */
  onNotify?: (channel: string, payload: string) => void;
}

/** The result of postgres.js: rows, and the command tag of the statement. */
type Answer = unknown[] & { command: string };

/** `once` is ours; the others are read by postgres.js. */
interface QuerySettings {
  prepare: boolean;
  simple: boolean;
  once: boolean;
}

/** The part of postgres.js's query class that `disableRetries` uses; the class is not exported. */
interface RetriedQuery {
  options: Partial<QuerySettings>;
  cancelled: unknown;
  reject: (error: unknown) => void;
}

interface Endpoints {
  host: string[];
  port: number[];
  path?: string | false;
}

const END_TIMEOUT_MS = 1000;
/** A longer text holds constants and is hardly sent twice: each session would keep it, prepared, until it ends. */
const LONGEST_PREPARED = 50_000;

/** The directory of the server's Unix socket, if the URL has one as its host, percent-encoded; postgres.js would take it for a name. */
function socketDirectoryOf(url: string): { host?: string } {
  const host = decodeURIComponent(new URL(url).hostname);
  return host.startsWith("/") ? { host } : {};
}

export class PostgresSession {
  readonly #prepare: boolean;
  readonly #tls: Tls;
  readonly #client: postgres.Sql;
  readonly #onLost: (session: PostgresSession, error: unknown) => void;
  readonly #unanswered = new Set<(error: unknown) => void>();
  #progressAt = 0;
  #attempts = 0;
  #opened = false;
  #socket: Socket | undefined;
  #lost: { error: unknown } | undefined;

  private constructor(options: SessionOptions, onLost: (session: PostgresSession, error: unknown) => void) {
    this.#prepare = options.prepare;
    this.#onLost = onLost;
    const { url, tls } = tlsOf(options.url);
    this.#tls = tls;
    const settings = {
      ssl: false,
      max: 1,
      prepare: options.prepare,
      connection: options.parameters,
      types,
      fetch_types: false,
      // Lifetimes, reconnecting and its delays are the pool's.
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: options.connectTimeoutMs / 1000,
      backoff: () => 0,
      onnotice: () => {},
      onclose: () => this.lose(connectionError("CONNECTION_CLOSED", "PostgreSQL closed the connection")),
      // Not in the types of postgres.js.
      ...(options.onNotify && { onnotify: options.onNotify }),
      ...socketDirectoryOf(options.url),
      // Neither, but in its README.
      socket: (endpoints: Endpoints) => this.#dial(endpoints),
    };
    this.#client = postgres(url, settings);
    disableRetries(Object.getPrototypeOf(this.#client.unsafe("")));
  }

  /**
   * Connects and authenticates. `onLost` is called once, when the open session ends for whatever reason.
   * Throws the server's refusal or a connection error, at the latest after `connectTimeoutMs`.
   */
  static async open(
    options: SessionOptions,
    onLost: (session: PostgresSession, error: unknown) => void,
  ): Promise<PostgresSession> {
    const session = new PostgresSession(options, onLost);
    const deadline = setTimeout(
      () => session.lose(connectionError("CONNECTION_TIMEOUT", "PostgreSQL did not answer while connecting")),
      options.connectTimeoutMs,
    );
    try {
      await session.control("select 1");
      session.#opened = true;
      return session;
    } catch (error) {
      session.lose(error);
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Milliseconds since the oldest unanswered statement was sent, or the one before it answered; 0 when none is waiting. */
  get waitingMs(): number {
    return this.#unanswered.size === 0 ? 0 : performance.now() - this.#progressAt;
  }

  /**
   * Runs one statement. `once`: fails where postgres.js would silently send it again (a cached plan that no longer fits),
   * because behind a pipelined COMMIT the second try runs outside the transaction.
   */
  statement(text: string, params: readonly Param[], mode: RowMode, once: boolean): Promise<unknown[]> {
    if (this.#lost) return Promise.reject(this.#lost.error);
    try {
      const prepare = this.#prepare && text.length <= LONGEST_PREPARED;
      const settings: QuerySettings = { prepare, simple: false, once };
      const query = this.#client.unsafe(text, params.map(asText), settings);
      return this.#answer<unknown[]>(mode === "array" ? query.values() : query);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Runs SQL without parameters, of one or many statements, unprepared. */
  control(text: string): Promise<Answer> {
    if (this.#lost) return Promise.reject(this.#lost.error);
    return this.#answer<Answer>(this.#client.unsafe(text));
  }

  /** Says goodbye to the server and closes; for a session that is not in use. */
  async end(): Promise<void> {
    await this.#client.end({ timeout: END_TIMEOUT_MS / 1000 });
    this.lose(connectionError("CONNECTION_ENDED", "The database connection is closed"));
  }

  /** Cuts the connection. Everything unanswered fails with `error`, and so does everything sent from now on. */
  lose(error: unknown): void {
    if (this.#lost) return;
    this.#lost = { error };
    this.#socket?.destroy();
    for (const reject of this.#unanswered) reject(error);
    this.#unanswered.clear();
    if (this.#opened) this.#onLost(this, error);
  }

  /** The answer of PostgreSQL, or the reason why there is none. */
  #answer<A>(query: PromiseLike<A>): Promise<A> {
    return new Promise((resolve, reject) => {
      if (this.#unanswered.size === 0) this.#progressAt = performance.now();
      this.#unanswered.add(reject);
      query.then(
        (answer) => {
          this.#answered(reject);
          resolve(answer);
        },
        (error: unknown) => {
          this.#answered(reject);
          reject(error);
          if (isBreakage(error)) this.lose(error);
        },
      );
    });
  }

  #answered(reject: (error: unknown) => void): void {
    this.#unanswered.delete(reject);
    this.#progressAt = performance.now();
  }

  /** Called by postgres.js to connect, and again to reconnect, which is refused once every host has been tried. */
  async #dial(endpoints: Endpoints): Promise<Socket> {
    let failure: unknown;
    while (!this.#lost && !this.#opened && this.#attempts < endpoints.host.length) {
      try {
        const attempt = this.#attempts++;
        const socket = await this.#connect(endpoints, attempt);
        if (endpoints.path) return socket;
        this.#socket = await secured(socket, endpoints.host[attempt] ?? "", this.#tls);
        return this.#socket;
      } catch (error) {
        failure = error;
      }
    }
    const refused = failure ?? connectionError("CONNECTION_CLOSED", "PostgreSQL closed the connection");
    this.lose(refused);
    throw refused;
  }

  #connect({ host, port, path }: Endpoints, attempt: number): Promise<Socket> {
    const at = { host: host[attempt], port: port[attempt] ?? 5432 };
    const socket = path ? connect(path) : connect(at);
    // Nagle's algorithm would hold a pipelined statement back until the server acknowledges the one before it.
    socket.setNoDelay(true);
    this.#socket = socket;
    return new Promise((resolve, reject) => {
      // The codes of a Unix socket that is missing or closed to this user are those of files.
      socket.once("error", (error) =>
        reject(path ? connectionError("CONNECTION_REFUSED", error.message, error) : error),
      );
      socket.once("close", () =>
        reject(connectionError("CONNECTION_CLOSED", "The connection was closed while opening")),
      );
      // postgres.js reads host and port from the socket for its error messages.
      socket.once("connect", () => resolve(Object.assign(socket.removeAllListeners(), at)));
    });
  }
}

/**
 * Whether an error leaves the session unusable: those of sockets and of postgres.js itself have a code and are not the
 * server's. A socket's error comes before its close, and until then postgres.js takes the connection for a good one.
 */
function isBreakage(error: unknown): boolean {
  return error instanceof Error && "code" in error && !(error instanceof postgres.PostgresError);
}

/**
 * Changes two properties of every query of postgres.js 3.4. `origin`: its stack cache would keep an entry for each `unsafe`
 * query that ever failed. `retried`: set just before a query is sent again, which `cancelled` turns into a no-op.
 */
function disableRetries(prototype: object): void {
  if (Object.hasOwn(prototype, "retried")) return;
  Object.defineProperty(prototype, "origin", { value: "" });
  Object.defineProperty(prototype, "retried", {
    configurable: true,
    set(this: RetriedQuery, error: unknown) {
      if (this.options.once) {
        this.cancelled = true;
        this.reject(error);
      } else {
        Object.defineProperty(this, "retried", { value: error });
      }
    },
  });
}

/**
 * A parameter in PostgreSQL's text format. Booleans too: postgres.js would declare their type, and so prepare one statement
 * for each mix of null and boolean. Throws here, because a throw inside postgres.js fails the wrong query.
 */
function asText(param: Param): string | null {
  switch (typeof param) {
    case "string":
      return param;
    case "number":
    case "boolean":
      return String(param);
    default:
      if (param === null) return null;
      throw new TypeError(`A bind parameter must be text, a number, a boolean or null, not ${typeof param}`);
  }
}
