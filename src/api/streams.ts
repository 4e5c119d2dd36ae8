// Answers that do not end: Server-Sent Events over REST and tRPC (contract section 3, Live). Here are their manners: how many a
// user may have, the heartbeat and the check of the token with it, readers too slow to wait for, and the end of the process.

import type { ServerResponse } from "node:http";
import type { TrackedEnvelope } from "@trpc/server";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "./context.js";
import { type Failure, failureOf, tooManyRequests, unauthorized, unavailable } from "./errors.js";

/** What a subscription gives: where its reader stands at the opening, and everything that comes after. */
export interface Stream<T = object> extends AsyncIterable<TrackedEnvelope<T>, void, undefined> {
  /** The id to resume from for one who has got nothing yet. */
  readonly position: string;
}

/** How a face of the service writes what happens on a stream. */
export interface Dialect {
  opening(position: string): string;
  item(id: string, json: string): string;
  heartbeat: string;
  /** The last words, to a reader that need not come back. */
  end(failure: Failure): string;
}

const json = new WeakMap<object, string>();

/** An object of a stream as JSON, made once for all who read it. */
export function encoded(item: object): string {
  const known = json.get(item) ?? JSON.stringify(item);
  json.set(item, known);
  return known;
}

const MAX_STREAMS = 20;
const FULL_RETRY_S = 5;
/** A second less than promised: a check takes its time. */
const TICK_MS = 14_000;
/** How much waits in the response, in bytes, before the reader's own queue has to. */
const HIGH_WATER = 64 * 1024;
/** How long streams get to be written to their end when the process ends. */
const FLUSH_MS = 1000;
const RECONNECT_MS = 500;

/** What proxies and browsers are told: pass it on at once, and keep nothing. */
export const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

interface Options {
  log: FastifyBaseLogger;
  /** Which of some tokens are valid still; a session's counts as used. */
  liveTokens: (ids: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Milliseconds between heartbeats. */
  tickMs?: number;
}

/** One open stream. */
class Connection {
  readonly raw: ServerResponse;
  readonly caller: Caller;
  readonly #log: FastifyBaseLogger;
  readonly #leaving = new AbortController();
  #failure: Failure | undefined;
  #taken = -1;

  constructor(raw: ServerResponse, caller: Caller, log: FastifyBaseLogger) {
    this.raw = raw;
    this.caller = caller;
    this.#log = log;
    raw.once("close", () => this.#leaving.abort());
    // A reader that is gone is told of by `close`.
    raw.on("error", () => {});
  }

  /** Aborted when the reader has left, or is to. */
  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Ends the stream: with a failure where the reader need not come back. */
  leave(failure?: Failure): void {
    this.#failure ??= failure;
    this.#leaving.abort();
  }

  /** Cuts off a reader that is too slow; it may resume. */
  cut(): void {
    if (!this.raw.destroyed) this.#log.info("cut off the reader of a stream, which was too slow");
    this.raw.destroy();
  }

  /** Writes a heartbeat, or cuts off a reader that took nothing since the last one. */
  beat(heartbeat: string): void {
    if (!this.raw.writableNeedDrain) this.raw.write(heartbeat);
    else if (this.raw.socket?.bytesWritten === this.#taken) this.cut();
    this.#taken = this.raw.socket?.bytesWritten ?? -1;
  }

  /** Writes a stream to its end; gives the failure that it ended with. */
  async write(stream: Stream, dialect: Dialect): Promise<Failure | undefined> {
    try {
      for await (const [id, item] of stream) {
        this.raw.write(dialect.item(id, encoded(item)));
        if (this.raw.writableLength > HIGH_WATER) await this.#drained();
        if (this.signal.aborted) break;
      }
    } catch (error) {
      return failureOf(error);
    }
    return this.#failure;
  }

  #drained(): Promise<void> {
    if (this.raw.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.raw.off("drain", done).off("close", done);
        resolve();
      };
      this.raw.once("drain", done).once("close", done);
    });
  }
}

/** The open streams of an application. Counted in this process, as rate limits are. */
export class Streams {
  readonly #options: Options;
  readonly #open = new Map<Connection, Dialect>();
  readonly #ticks: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    this.#ticks = setInterval(() => void this.#tick(), options.tickMs ?? TICK_MS).unref();
  }

  /**
   * Answers a request with the stream that `subscribe` gives; what fails before it is open is thrown.
   * @throws TOO_MANY_REQUESTS when the caller has as many as a user may.
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    dialect: Dialect,
    subscribe: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const connection = this.#enter(request, reply, dialect);
    try {
      const stream = await subscribe(connection.signal);
      if (!isStream(stream)) throw new TypeError("A subscription answered with something else than a stream");
      reply.hijack();
      connection.raw.writeHead(200, { ...sentHeaders(reply), ...STREAM_HEADERS });
      connection.raw.write(`retry: ${RECONNECT_MS + Math.floor(Math.random() * RECONNECT_MS)}\n`);
      connection.raw.write(dialect.opening(stream.position));
      const failure = await connection.write(stream, dialect);
      if (failure?.isFault) request.log.error({ err: failure }, "a stream failed");
      const { socket } = connection.raw;
      // While the service ends nobody waits for what else may come on a connection that is kept alive.
      connection.raw.end(failure === undefined ? "" : dialect.end(failure), () => {
        if (this.#isClosed) socket?.destroySoon();
      });
    } finally {
      this.#open.delete(connection);
    }
  }

  /** Ends all streams; their readers resume elsewhere. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#ticks);
    const connections = [...this.#open.keys()];
    for (const connection of connections) connection.leave();
    setTimeout(() => {
      for (const connection of connections) if (!connection.raw.closed) connection.cut();
    }, FLUSH_MS).unref();
  }

  #enter({ caller, log }: FastifyRequest, { raw }: FastifyReply, dialect: Dialect): Connection {
    if (this.#isClosed) throw unavailable(1);
    if (caller === null) throw unauthorized();
    let own = 0;
    for (const { caller: other } of this.#open.keys()) if (other.accountId === caller.accountId) own += 1;
    if (own >= MAX_STREAMS) throw tooManyRequests(FULL_RETRY_S);
    const connection = new Connection(raw, caller, log);
    this.#open.set(connection, dialect);
    return connection;
  }

  async #tick(): Promise<void> {
    if (this.#open.size === 0) return;
    for (const [connection, { heartbeat }] of this.#open) if (connection.raw.headersSent) connection.beat(heartbeat);
    const checked = [...this.#open.keys()];
    try {
      const live = await this.#options.liveTokens([...new Set(checked.map(({ caller }) => caller.token.id))]);
      for (const connection of checked) if (!live.has(connection.caller.token.id)) connection.leave(unauthorized());
    } catch (error) {
      this.#options.log.warn({ err: error }, "the tokens of open streams could not be checked");
    }
  }
}

/** The headers that hooks have set: of CORS, limits, the request's identifier. */
function sentHeaders(reply: FastifyReply) {
  return Object.fromEntries(Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined));
}

/** Whether a procedure answered with a stream; what it sends are objects. */
function isStream(answer: unknown): answer is Stream {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer && "position" in answer;
}

/** Plain Server-Sent Events: an id alone sets the reader's position and is no event. */
export const plain: Dialect = {
  opening: (position) => `id: ${position}\n\n`,
  item: (id, data) => `id: ${id}\ndata: ${data}\n\n`,
  heartbeat: ": heartbeat\n\n",
  end: (failure) => `event: end\ndata: ${JSON.stringify(failure.body)}\n\n`,
};
