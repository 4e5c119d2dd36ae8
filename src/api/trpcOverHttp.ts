// tRPC over HTTP: the same procedures, errors and limits as REST, batched up to ten calls.

import type { AnyRouter } from "@trpc/server";
import { fastifyRequestHandler } from "@trpc/server/adapters/fastify";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context, Terms } from "./context.js";
import { failureOf } from "./errors.js";
import { BODY_LIMIT, type Operation, parseJson, readJsonBodies } from "./rest.js";

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
