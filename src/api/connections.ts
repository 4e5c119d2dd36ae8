// Connections: how long a client may take, how much a head may hold, and what becomes of those that say nothing, or nothing that
// can be read.

import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { unreadable } from "./errors.js";

/** What a client is given, in milliseconds and bytes. */
export interface ConnectionLimits {
  /** For the head of a request, counted from its first byte or, before the first request, from the connection. */
  headersTimeoutMs: number;
  /** For the whole request: an import's 64 MiB at 5 Mbit/s. */
  requestTimeoutMs: number;
  /** How often the two are looked at. */
  checkIntervalMs: number;
  /** Between two requests of a connection. */
  keepAliveTimeoutMs: number;
  /** Of a request's first line and headers together. */
  maxHeaderBytes: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 120_000,
  checkIntervalMs: 5_000,
  keepAliveTimeoutMs: 72_000,
  maxHeaderBytes: 16 * 1024,
};

/** The limits as Fastify and node take them. */
export const serverOptions = (limits: ConnectionLimits) => ({
  requestTimeout: limits.requestTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  http: {
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // Node's own answer would be a bare 400; `mustNameHost` gives the contract's.
    requireHostHeader: false,
  },
});

/** Refuses what HTTP/1.1 refuses: a request that does not say which host it is for. */
export function mustNameHost({ raw }: FastifyRequest): void {
  if (raw.httpVersion === "1.1" && raw.headers.host === undefined) throw unreadable();
}

/** Answers what node's parser could not read, or did not get in time; the connection ends, because nobody knows where the next request begins. */
export function refuseConnection(error: { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(unreadable().body);
  const head = [
    "HTTP/1.1 400 Bad Request",
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** How long a request may take to arrive on a connection that is open already when the service ends. */
const SILENCE_MS = 500;

/**
 * Ends connections that no request came on when the server ends. Node counts them as busy: one that a browser or a balancer
 * opened in advance, as clients of a stream do, would hold up the end of the process until the headers' timeout.
 */
export function endSilentConnections(app: FastifyInstance): void {
  const silent = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  app.server.on("request", ({ socket }) => silent.delete(socket));
  app.addHook("preClose", async () => {
    setTimeout(() => {
      for (const socket of silent) socket.destroy();
    }, SILENCE_MS).unref();
  });
}
