// Server-Sent Events over REST and tRPC (contract section 3, Live): the limit of streams per user, heartbeats with a check of the
// token, slow readers, and the end of all streams when the process stops.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TrackedEnvelope } from "@trpc/server";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { responseEnd } from "./connections.js";
import type { Caller } from "./context.js";
import { type Failure, failureOf, tooManyRequests, unauthorized, unavailable } from "./errors.js";
import { Rendered } from "./rendered.js";

/** A message of a stream. */
export interface Message {
  /** The id to resume from for a reader that has received it. */
  id: string;
  /** The kind of message; null in streams with one kind. */
  type: string | null;
  /** A JSON object; one that is rendered has a `field`. */
  json: string | Rendered;
  /** The field that holds the object over tRPC, where each item has a `type`; left out if its own fields stand beside that. */
  field?: string;
}

/** A message with an item of a stream that has one kind. */
export const itemMessage = (position: number, item: object): Message => ({
  id: String(position),
  type: null,
  json: encoded(item),
});

/** A subscription: the position at the start, and all later messages. */
export interface Stream extends AsyncIterable<Message, void, undefined> {
  /** The id to resume from for a reader that has received nothing yet; null if the first message has it. */
  readonly position: string | null;
  /** The reason why it begins at its end, not where the reader asked for; left out if it does. */
  readonly reset?: Failure;
}

/** A stream as clients over tRPC get it: items of a type, each with its id. */
export const subscribed = <T extends object>(stream: Stream) =>
  stream as unknown as AsyncIterable<TrackedEnvelope<T>, void, undefined>;

/** The form in which one of the two protocols writes the messages of a stream. */
export interface Dialect {
  opening(position: string | null): string;
  /** Tells a reader that it missed items, and from where it may resume; null: it is refused instead. */
  reset: ((position: string | null) => string) | null;
  /** The parts of a message, in order. */
  message(message: Message): (string | Rendered)[];
  heartbeat: string;
  /** The last message, to a reader that should not reconnect. */
  end(failure: Failure): string;
}

const json = new WeakMap<object, string>();

/** An item of a stream as JSON, serialized once for all readers. */
export function encoded(item: object): string {
  const known = json.get(item) ?? JSON.stringify(item);
  json.set(item, known);
  return known;
}

/** The maximum number of open streams per account. */
export const MAX_STREAMS = 20;
const FULL_RETRY_S = 5;
/** A second less than documented, because a check takes time. */
const TICK_MS = 14_000;
/** The most bytes that may wait in the response before the reader's own queue is used. */
const HIGH_WATER = 64 * 1024;
/** The time that open streams have for their last messages when the process stops. */
const FLUSH_MS = 1000;
const RECONNECT_MS = 500;

/** Tells proxies and browsers to pass data on immediately. */
export const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "x-accel-buffering": "no",
};

interface Options {
  log: FastifyBaseLogger;
  /** Returns those of some tokens that are still valid; for a session this counts as a use. */
  liveTokens: (ids: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Milliseconds between heartbeats. */
  tickMs?: number;
}

/** One open stream. */
class Connection {
  readonly raw: ServerResponse;
  readonly caller: Caller;
  readonly #log: FastifyBaseLogger;
  readonly #socket: Socket;
  readonly #leaving = new AbortController();
  #failure: Failure | undefined;
  #taken = -1;

  constructor(request: FastifyRequest, reply: FastifyReply, caller: Caller) {
    this.raw = reply.raw;
    this.caller = caller;
    this.#log = request.log;
    this.#socket = request.raw.socket;
    void responseEnd(request, reply).then(() => this.#leaving.abort());
    // `over` reports a reader that has disconnected.
    reply.raw.on("error", () => {});
  }

  /** Aborted when the reader has left or has to leave. */
  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Ends the stream, with an error if the reader should not reconnect. */
  leave(failure?: Failure): void {
    this.#failure ??= failure;
    this.#leaving.abort();
  }

  /** Closes the stream of a reader that is too slow; it can resume. */
  cut(): void {
    if (!this.raw.destroyed) this.#log.info("closed a stream because its reader was too slow");
    this.raw.destroy();
  }

  /** Writes a heartbeat, or closes the stream if the reader has received nothing since the last one. */
  beat(heartbeat: string): void {
    if (!this.raw.writableNeedDrain) this.raw.write(heartbeat);
    else if (this.raw.socket?.bytesWritten === this.#taken) this.cut();
    this.#taken = this.raw.socket?.bytesWritten ?? -1;
  }

  /** Writes a stream until it ends; returns the error that it ended with. */
  async write(stream: Stream, dialect: Dialect): Promise<Failure | undefined> {
    try {
      for await (const message of stream) {
        for (const chunk of chunksOf(dialect.message(message))) this.raw.write(chunk);
        // A stream may be silent for days, and a variable would hold a board as long.
        message.json = "";
        if (this.raw.writableLength > HIGH_WATER) await this.#drained();
        if (this.signal.aborted) break;
      }
    } catch (error) {
      return failureOf(error);
    }
    return this.#failure;
  }

  #drained(): Promise<void> {
    if (this.#socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.raw.off("drain", done);
        this.#socket.off("close", done);
        resolve();
      };
      this.raw.once("drain", done);
      this.#socket.once("close", done);
    });
  }
}

/** The open streams of an application. They are counted per process, like rate limits. */
export class Streams {
  readonly #options: Options;
  readonly #open = new Map<Connection, Dialect>();
  readonly #ticks: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    this.#ticks = setInterval(() => void this.#tick(), options.tickMs ?? TICK_MS).unref();
  }

  /** Answers with the stream of `subscribe`; throws errors before it opens. @throws TOO_MANY_REQUESTS for a stream too many. */
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
      const { position, reset } = stream;
      // A stream without a position begins with a snapshot, which says the same as a reset.
      if (reset !== undefined && dialect.reset === null && position !== null) throw reset;
      reply.hijack();
      connection.raw.writeHead(200, { ...sentHeaders(reply), ...STREAM_HEADERS });
      if (request.method === "HEAD") {
        connection.raw.end();
        return;
      }
      connection.raw.write(`retry: ${RECONNECT_MS + Math.floor(Math.random() * RECONNECT_MS)}\n`);
      connection.raw.write(dialect.opening(position));
      if (reset !== undefined) connection.raw.write(dialect.reset?.(position) ?? "");
      const failure = await connection.write(stream, dialect);
      if (failure?.isFault) request.log.error({ err: failure }, "a stream failed");
      const { socket } = connection.raw;
      // While the service stops, nothing waits for further requests on a keep-alive connection.
      connection.raw.end(failure === undefined ? "" : dialect.end(failure), () => {
        if (this.#isClosed) socket?.destroySoon();
      });
    } finally {
      this.#open.delete(connection);
    }
  }

  /** Ends all streams; their readers resume on another process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#ticks);
    const connections = [...this.#open.keys()];
    for (const connection of connections) connection.leave();
    setTimeout(() => {
      for (const connection of connections) if (!connection.raw.closed) connection.cut();
    }, FLUSH_MS).unref();
  }

  #enter(request: FastifyRequest, reply: FastifyReply, dialect: Dialect): Connection {
    const { caller } = request;
    if (this.#isClosed) throw unavailable(1);
    if (caller === null) throw unauthorized();
    let own = 0;
    for (const { caller: other } of this.#open.keys()) if (other.accountId === caller.accountId) own += 1;
    if (own >= MAX_STREAMS) throw tooManyRequests(FULL_RETRY_S);
    const connection = new Connection(request, reply, caller);
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

/** The chunks in which a message is written: texts are joined, and what is rendered is not copied. */
function chunksOf(parts: (string | Rendered)[]): (string | Buffer)[] {
  if (!parts.some((part) => part instanceof Rendered)) return [parts.join("")];
  return parts.flatMap<string | Buffer>((part) => (part instanceof Rendered ? part.chunks() : part));
}

/** The headers that hooks have set: of CORS, limits, the request's identifier. */
export function sentHeaders(reply: FastifyReply) {
  return Object.fromEntries(Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined));
}

/** Whether a procedure returned a stream, whose items are objects. */
function isStream(answer: unknown): answer is Stream {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer && "position" in answer;
}

/** The line with an id; nothing for null. */
export const idLine = (id: string | null) => (id === null ? "" : `id: ${id}\n`);

/** Plain Server-Sent Events: a message with only an id sets the reader's position and is not an event. */
export const plain: Dialect = {
  opening: (position) => `${idLine(position)}\n`,
  reset: (position) => `event: reset\n${idLine(position)}data: {}\n\n`,
  message: ({ id, type, json }) => [`${type === null ? "" : `event: ${type}\n`}${idLine(id)}data: `, json, "\n\n"],
  heartbeat: ": heartbeat\n\n",
  end: (failure) => `event: end\ndata: ${JSON.stringify(failure.body)}\n\n`,
};
