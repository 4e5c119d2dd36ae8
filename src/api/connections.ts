// Connections: how long a client may take, how large the head of a request may be, how unreadable requests are answered, and how
// connections end when the service stops.

import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Server, Socket } from "node:net";
import { setImmediate as eventLoopTurn, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { VERSION } from "../version.js";
import { badRequest, encodedBody, type Failure, notFound, unreadable } from "./errors.js";

/** The limits of a connection. */
export const CONNECTION_LIMITS = {
  /** For the head of a request, counted from its first byte or, before the first request, from the connection. */
  headersTimeoutMs: 15_000,
  /** For the whole request: an import's 64 MiB at 5 Mbit/s. */
  requestTimeoutMs: 120_000,
  /** The interval at which the two timeouts above are checked. */
  checkIntervalMs: 5_000,
  /** Between two requests of a connection. */
  keepAliveTimeoutMs: 72_000,
  /** The longest time without progress while a client receives a generated file, or the response to a large body. */
  stalledMs: 60_000,
  /** While others wait, a transfer of a large body or its response is judged by its speed after this time. */
  slowClientMs: 5_000,
  /** Of a request's first line and headers together. */
  maxHeaderBytes: 16 * 1024,
};
export type ConnectionLimits = typeof CONNECTION_LIMITS;

/** The limits as Fastify and node take them. */
export const serverOptions = (limits: ConnectionLimits) => ({
  requestTimeout: limits.requestTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  http: {
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // Node would respond with a bare 400; `requireHostHeader` sends the error of the contract.
    requireHostHeader: false,
  },
});

/** Refuses requests without a `Host` header, as HTTP/1.1 requires. */
export function requireHostHeader({ raw }: FastifyRequest): void {
  if (raw.httpVersion === "1.1" && raw.headers.host === undefined) throw unreadable();
}

const CONTINUE = /^\s*100-continue\s*$/i;

/** Refuses expectations other than `100-continue`, and closes the connection, since no body may come. @throws BAD_REQUEST */
export function requireKnownExpectation({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { expect } = raw.headers;
  if (expect === undefined || CONTINUE.test(expect)) return;
  reply.header("connection", "close");
  throw badRequest("Only 100-continue is supported", "Expect");
}

/** Refuses bodies that are compressed. @throws UNSUPPORTED_MEDIA_TYPE */
export function mustBeUncompressed({ headers }: FastifyRequest, reply: FastifyReply): void {
  const { "content-encoding": encoding = "identity", "content-length": length = "0" } = headers;
  const hasBody = length !== "0" || headers["transfer-encoding"] !== undefined;
  if (!hasBody || encoding.trim().toLowerCase() === "identity") return;
  reply.header("accept-encoding", "identity");
  throw encodedBody();
}

/** Responds to requests that node would leave without a response or with a bare status: unknown expectations (`requireKnownExpectation`), and CONNECT. */
export function answerUnusualRequests(app: FastifyInstance): void {
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  app.server.on("connect", (_request, socket: Socket) => endWith(socket, notFound()));
}

/** Responds on a connection from which no request could be read, and closes it. */
function endWith(socket: Socket, { status, body: failure }: Failure): void {
  const body = JSON.stringify(failure);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `service-version: ${VERSION}`,
    "connection: close",
  ];
  socket.on("error", () => {});
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/**
 * Answers input that node could not read in time, or at all, and closes the connection, since it is unknown where the next request
 * would begin.
 */
export function refuseConnection(error: { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  endWith(socket, unreadable());
}

/**
 * Resolves once a response is over: it was sent, or its connection is closed. Node does not close a response that still waits behind
 * another one of its connection, nor does it report one that was closed before.
 */
export async function responseEnd({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): Promise<void> {
  if (raw.closed || socket.destroyed) return;
  // Any number of responses may wait in line on a connection.
  socket.setMaxListeners(0);
  await new Promise<void>((resolve) => {
    const done = () => {
      raw.off("close", done);
      socket.off("close", done);
      resolve();
    };
    raw.once("close", done);
    socket.once("close", done);
  });
}

/** Closes the connection of a response if the client receives nothing of it for `stalledMs`. */
export function endWhenStalled(raw: ServerResponse, stalledMs: number): void {
  raw.setTimeout(stalledMs, () => raw.destroy());
}

/** A listener without new connections for this long may close. */
const QUIET_MS = 50;
/** The longest time for which a steady stream of new connections may keep the listener open. */
const QUIET_LIMIT_MS = 2_000;
/** The longest time that a request may take to arrive on an open connection once the listener closes. */
const SILENCE_MS = 500;

/**
 * Closes the listener of a server once no connection has arrived for a while. A closing listener resets the connections that the
 * system has accepted and the process has not, so it closes in a moment without any.
 */
async function closeListener(server: Server): Promise<void> {
  let come = 0;
  server.on("connection", () => {
    come += 1;
  });
  const limitAt = performance.now() + QUIET_LIMIT_MS;
  for (let before = -1; before !== come && performance.now() < limitAt; ) {
    before = come;
    await sleep(QUIET_MS);
    // Timers run before connections are accepted, immediates after: a busy process would otherwise miss waiting connections.
    await eventLoopTurn();
  }
  server.close();
}

/**
 * When the server stops, keeps its listener open until no more connections arrive, then closes those without a request: node counts
 * them as busy until the headers' timeout. Requests that arrive meanwhile wait for the listener to close, because a client that is
 * refused immediately would retry immediately and keep the listener busy.
 */
export function endConnections(app: FastifyInstance): void {
  const silent = new Set<Socket>();
  let closing: Promise<void> | null = null;
  app.server.on("connection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  app.server.on("request", ({ socket }) => silent.delete(socket));
  app.addHook("onRequest", (_request, _reply, done) => {
    if (closing === null) done();
    else closing.then(() => done());
  });
  app.addHook("preClose", async () => {
    if (app.server.listening) closing = closeListener(app.server);
    await closing;
    setTimeout(() => {
      for (const socket of silent) socket.destroy();
    }, SILENCE_MS).unref();
  });
}
