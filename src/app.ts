// Builds the HTTP application from its parts. It never listens and never reads the environment.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import { sql } from "drizzle-orm";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { callerOf } from "./access/tokens.js";
import type { Context, Terms } from "./api/context.js";
import { serveDocs } from "./api/docs.js";
import { type Failure, failureOf, notFound, unauthorized, unavailable, unreadable } from "./api/errors.js";
import { once } from "./api/idempotency.js";
import { COUNTED_KEYS, type Load, rateLimiter } from "./api/limits.js";
import { serveMetrics } from "./api/metrics.js";
import { bindRest, operationsOf, REST_BASE, readJsonBodies } from "./api/rest.js";
import { createCallerFactory, trpcErrorShape } from "./api/trpc.js";
import { callsOf, serveTrpc, TRPC_BASE } from "./api/trpcOverHttp.js";
import type { Config } from "./config.js";
import type { Database } from "./db/client.js";
import { appRouter } from "./router.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Calls of the API are answered while `ready` alone; when draining, also what runs already. */
    phase: "starting" | "ready" | "draining";
  }
}

/** What the application is made of. */
export interface Parts {
  config: Config;
  db: Database;
  log: FastifyBaseLogger;
}

/** The headers of the contract that scripts of another origin may read. */
const EXPOSED_HEADERS = [
  "ETag",
  "Idempotent-Replayed",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "X-Access-Token",
  "X-Request-Id",
];

/** How long a client may take to send a request: an import's 64 MiB at 5 Mbit/s. */
const REQUEST_TIMEOUT_MS = 120_000;

const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The committed document, served as it is. */
const openApiDocument = readFileSync(new URL("../openapi.json", import.meta.url));

const operations = operationsOf(appRouter);
const inputs = new Map(operations.map(({ path, input }) => [path, input]));
const createCaller = createCallerFactory(appRouter);

/** Builds the application; the caller listens, or injects, and says when the database is ready. */
export async function buildApp({ config, db, log }: Parts): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy,
    genReqId: ({ headers }) => {
      const given = headers["x-request-id"];
      return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id);
      sendFailure(reply, failureOf(error));
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket),
  });
  app.decorate("phase", "starting");
  app.decorateRequest("caller", null);

  answerFailures(app);
  readJsonBodies(app);
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: config.publicUrl.startsWith("https:"),
  });
  if (config.corsOrigins.length > 0) {
    await app.register(cors, {
      origin: config.corsOrigins,
      methods: ["GET", "POST", "PUT", "DELETE"],
      exposedHeaders: EXPOSED_HEADERS,
      // Its answer to an OPTIONS that is no preflight would be plain text.
      strictPreflight: false,
    });
  }
  await app.register(rateLimit, { global: false, cache: COUNTED_KEYS });
  admit(app, { config, db });
  logRequests(app);

  serveMetrics(app, config);
  serveProbes(app, db);
  await serveDocs(app, openApiDocument);
  bindRest(app, operations, async (request, { path }, input, terms) => {
    const answer = await invoke(createCaller(contextOf(request, terms)), path, input);
    const { idempotency } = terms;
    if (idempotency === null || idempotency.isTaken) return answer;
    return db.transaction((tx) =>
      once(
        tx,
        idempotency,
        async () => answer,
        () => idempotency.boundWorkspaceId,
      ),
    );
  });
  serveTrpc(app, { router: appRouter, operations, createContext: contextOf, log });
  return app;

  function contextOf(request: FastifyRequest, terms: Terms): Context {
    const hasCredentials = request.headers.authorization !== undefined;
    return { db, config, caller: request.caller, hasCredentials, terms, inputOf: (path) => inputs.get(path) };
  }
}

/** Calls the procedure at a path of the router. */
function invoke(caller: object, path: string, input: unknown): Promise<unknown> {
  let found: unknown = caller;
  for (const name of path.split(".")) found = Reflect.get(Object(found), name);
  if (typeof found !== "function") throw notFound();
  return found(input);
}

/** Sends a failure as the face of the service that was asked sends it. */
function sendFailure(reply: FastifyReply, failure: Failure): void {
  const isTrpc = reply.request.url.startsWith(`${TRPC_BASE}/`);
  reply.status(failure.status).send(isTrpc ? { error: trpcErrorShape(failure) } : failure.body);
}

/** Answers what node's parser could not read; the connection ends, because nobody knows where the next request begins. */
function refuseConnection(error: { code?: string }, socket: Socket): void {
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

/** One error body for every failure, whoever raised it. */
function answerFailures(app: FastifyInstance): void {
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  app.setErrorHandler((error, request, reply) => {
    const failure = failureOf(error);
    if (failure.isFault) request.log.error({ err: failure }, "request failed");
    if (failure.retryAfter !== undefined) reply.header("retry-after", failure.retryAfter);
    sendFailure(reply, failure);
  });
}

/** What a request is about to do: how often it counts, and whether any of it can be done without a token. */
interface Intent extends Load {
  isOpen: boolean;
}

function intentOf(request: FastifyRequest): Intent {
  const calls = callsOf(request, operations);
  const { open, authLimit } = request.routeOptions.config;
  if (calls === null) return { calls: 1, authCalls: authLimit ? 1 : 0, isOpen: open === true };
  return {
    calls: calls.length,
    authCalls: calls.filter((call) => call?.authLimit).length,
    isOpen: calls.some((call) => call === undefined || call.isPublic),
  };
}

/** Who comes in: looks up the token and counts the request, before any body is read. */
function admit(app: FastifyInstance, { config, db }: Pick<Parts, "config" | "db">): void {
  const countRequest = rateLimiter(app, config);

  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    if (request.is404) throw notFound();
    const isApi = request.url.startsWith(`${REST_BASE}/`) || request.url.startsWith(`${TRPC_BASE}/`);
    if (!isApi) return;
    if (app.phase !== "ready") {
      reply.header("connection", "close");
      throw unavailable(1);
    }
    const intent = intentOf(request);
    request.caller = await callerOf(db, request.headers.authorization);
    await countRequest(request, reply, intent);
    if (request.caller === null && !intent.isOpen) throw unauthorized();
  });
}

function logRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    request.log.info({
      method: request.method,
      route: request.routeOptions.url ?? "none",
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    });
  });
}

/** `/health`: the process is alive. `/ready`: it also reaches its database and neither starts nor ends. */
function serveProbes(app: FastifyInstance, db: Database): void {
  app.get("/health", async () => ({ status: "ok" }));
  app.get("/ready", async () => {
    if (app.phase !== "ready") throw unavailable(1);
    await db.rows(sql`select 1`);
    return { status: "ok" };
  });
}
