// tRPC over HTTP: the same procedures, errors and limits as REST, batched up to ten calls.

import type { AnyRouter } from "@trpc/server";
import { fastifyRequestHandler } from "@trpc/server/adapters/fastify";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context, Terms } from "./context.js";
import { failureOf } from "./errors.js";
import { BODY_LIMIT, type Invoke, type Operation, parseJson, readJsonBodies, resumption } from "./rest.js";
import { type Dialect, STREAM_HEADERS, type Streams } from "./streams.js";
import { trpcErrorShape } from "./trpc.js";

export const TRPC_BASE = "/trpc";
const MAX_BATCH = 10;

interface Options {
  router: AnyRouter;
  operations: readonly Operation[];
  createContext: (request: FastifyRequest, terms: Terms) => Context;
  log: FastifyBaseLogger;
}

/** The operations that a tRPC request calls, undefined for those that do not exist; null for any other request. */
export function callsOf(request: FastifyRequest, operations: readonly Operation[]): (Operation | undefined)[] | null {
  if (!request.url.startsWith(`${TRPC_BASE}/`)) return null;
  const { path } = request.params as { path?: string };
  const names = (path ?? request.routeOptions.url?.slice(TRPC_BASE.length + 1) ?? "").split(",");
  return names.slice(0, MAX_BATCH + 1).map((name) => operations.find((operation) => operation.path === name));
}

/** What tRPC's httpSubscriptionLink reads; the first message has an id too, from which its reader resumes. */
const trpcDialect: Dialect = {
  opening: (position) => `event: connected\ndata: {}\nid: ${position}\n\n`,
  item: (id, data) => `id: ${id}\ndata: ${data}\n\n`,
  heartbeat: "event: ping\ndata:\n\n",
  end: (failure) => `event: serialized-error\ndata: ${JSON.stringify(trpcErrorShape(failure))}\n\n`,
};

/** The input of a subscription: in the query, and where it is resumed in a header, which is newer. */
function subscriptionInput(request: FastifyRequest): unknown {
  const { input } = request.query as { input?: unknown };
  const given = typeof input === "string" ? parseJson(input) : {};
  return typeof given === "object" ? { ...given, ...resumption(request) } : given;
}

/**
 * Registers the subscriptions, which this service answers itself: tRPC's own streams have neither bounds nor an end. What fails
 * before the opening is told as tRPC tells it, as the only message of a stream.
 */
export function serveTrpcStreams(
  app: FastifyInstance,
  operations: readonly Operation[],
  invoke: Invoke,
  streams: Streams,
): void {
  for (const operation of operations.filter(({ type }) => type === "subscription")) {
    app.get(`${TRPC_BASE}/${operation.path}`, async (request, reply) => {
      const input = subscriptionInput(request);
      const terms = termsOf(reply);
      const subscribe = (signal: AbortSignal) => invoke(request, operation, { input, terms, signal });
      return streams.answer(request, reply, trpcDialect, subscribe).catch((error: unknown) => {
        const failure = failureOf(error);
        if (failure.isFault) request.log.error({ err: failure }, "request failed");
        return reply.headers(STREAM_HEADERS).send(trpcDialect.end(failure));
      });
    });
  }
}

/** Over tRPC requests are neither conditional nor repeated. */
const termsOf = (reply: FastifyReply): Terms => ({
  idempotency: null,
  ifMatch: null,
  setHeader: (name, value) => void reply.header(name, value),
});

/** Registers the tRPC endpoint. An import has a route of its own, because alone it may be larger than any batch. */
export function serveTrpc(app: FastifyInstance, { router, operations, createContext, log }: Options): void {
  const answer = (request: FastifyRequest, reply: FastifyReply, path: string) =>
    fastifyRequestHandler({
      router,
      req: request,
      res: reply,
      path,
      maxBatchSize: MAX_BATCH,
      createContext: () => createContext(request, termsOf(reply)),
      responseMeta: ({ errors }) => {
        const retryAfter = Math.max(0, ...errors.map((error) => failureOf(error).retryAfter ?? 0));
        return retryAfter === 0 ? {} : { headers: { "retry-after": String(retryAfter) } };
      },
      onError: ({ error }) => {
        const failure = failureOf(error);
        if (failure.isFault) log.error({ err: failure, reqId: request.id }, "request failed");
      },
    });

  app.register(async (scope) => {
    readJsonBodies(scope, (text) => {
      parseJson(text);
      return text;
    });
    for (const { path, bodyLimit } of operations.filter((operation) => operation.bodyLimit > BODY_LIMIT)) {
      scope.route({
        method: ["GET", "POST"],
        url: `${TRPC_BASE}/${path}`,
        bodyLimit,
        handler: (request, reply) => answer(request, reply, path),
      });
    }
    scope.route<{ Params: { path: string } }>({
      method: ["GET", "POST"],
      url: `${TRPC_BASE}/:path`,
      bodyLimit: BODY_LIMIT,
      handler: (request, reply) => answer(request, reply, request.params.path),
    });
  });
}
