// Builds the HTTP application from its parts. It never listens and never reads the environment.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import cors from "@fastify/cors";
import rateLimit from "@fastify/rate-limit";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import { SessionCookies } from "./access/sessionCookies.js";
import { isBearer, Tokens, useTokens } from "./access/tokens.js";
import { admit } from "./admission.js";
import { readBodiesInTurn } from "./api/bodyTurns.js";
import {
  answerUnusualRequests,
  CONNECTION_LIMITS,
  type ConnectionLimits,
  endConnections,
  endWhenStalled,
  refuseConnection,
  responseEnd,
  serverOptions,
} from "./api/connections.js";
import type { Caller, Context, RequestOptions } from "./api/context.js";
import { serveDocs } from "./api/docs.js";
import { type Failure, failureOf, methodNotFound, notFound, unavailable, yieldsToToken } from "./api/errors.js";
import { FAIRNESS_LIMITS, Fairness, type FairnessLimits } from "./api/fairness.js";
import { serveGuides } from "./api/guides.js";
import { LargeBodies } from "./api/largeBodies.js";
import { callerKeyOf, SteadyWindows } from "./api/limits.js";
import { serveMetrics } from "./api/metrics.js";
import type { Documented } from "./api/operationGuides.js";
import { OVERLOAD_LIMITS, type OverloadGuard, type OverloadLimits, overloadGuard } from "./api/overload.js";
import { isBelow, UNCOUNTED } from "./api/paths.js";
import { MEMORY_LIMITS, ResponseCache } from "./api/rendered.js";
import { bindRest, type Invoke, type Operation, operationsOf, readJsonBodies } from "./api/rest.js";
import { RoutedMethods } from "./api/routedMethods.js";
import { setSecurityHeaders } from "./api/security.js";
import { Streams } from "./api/streams.js";
import { trpcErrorShape } from "./api/trpc.js";
import { callsOf, serveTrpc, serveTrpcStreams, TRPC_BASE } from "./api/trpcOverHttp.js";
import { WebPage } from "./api/webPage.js";
import { WorkerHealth } from "./api/workerHealth.js";
import { attachWriters } from "./attachedWriters.js";
import type { Config } from "./config.js";
import type { Database } from "./db/client.js";
import { RESERVED_BYTES } from "./db/embedded/disk.js";
import type { Reads } from "./db/replicas.js";
import { ServerWatch } from "./db/servers.js";
import { appRouter } from "./router.js";
import { VERSION } from "./version.js";
import { type Resolve, resolver } from "./webhook/addresses.js";

declare module "fastify" {
  interface FastifyInstance {
    /** `leaving`: calls still get responses, each the last one of its connection; `draining`: only running calls continue. */
    phase: "starting" | "ready" | "leaving" | "draining";
    /** The metrics of `/metrics`; undefined if METRICS is off. */
    figures: Registry | undefined;
    /** The workers of the process. */
    workers: WorkerHealth;
  }
}

/** The parts that the application is built from. */
export interface Parts {
  config: Config;
  db: Database;
  /** For reads that may lag; `db` by default. */
  replica?: Reads;
  log: FastifyBaseLogger;
  /** Resolves host names for webhooks; by default as the settings require. */
  resolve?: Resolve;
  /** The interval of heartbeats and token checks of open streams, in milliseconds; by default as documented. */
  heartbeatMs?: number;
  /** Limits that differ from those of the service. */
  limits?: Partial<Limits>;
}

/** The headers of the contract that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  "Content-Disposition",
  "Deprecation",
  "ETag",
  "Event-Id",
  "Idempotent-Replayed",
  "Operation-Id",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "Service-Version",
  "Sunset",
  "X-Access-Token",
  "X-Request-Id",
];

/** The file of the worker thread, next to this file in the source and in the build. */
const BODY_WORKER = new URL(import.meta.url.endsWith(".ts") ? "./bodyWorker.ts" : "./bodyWorker.js", import.meta.url);

const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The committed document. */
const openApiDocument: Documented = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"));

/** The folder of the installation. */
const ROOT = new URL("../", import.meta.url);

const operations = operationsOf(appRouter);
const inputs = new Map<object | undefined, Operation["input"]>(
  operations.map(({ procedure, input }) => [procedure._def.meta, input]),
);

type Limits = typeof MEMORY_LIMITS & ConnectionLimits & OverloadLimits & FairnessLimits;

/** Builds the application; the caller makes it listen, or injects requests, and sets the phase when the database is ready. */
export async function buildApp(parts: Parts): Promise<FastifyInstance> {
  const { config, db } = parts;
  const limits = { ...MEMORY_LIMITS, ...CONNECTION_LIMITS, ...OVERLOAD_LIMITS, ...FAIRNESS_LIMITS, ...parts.limits };
  const app = newServer(parts, limits);
  const tokens = new Tokens(db);
  const cookies = new SessionCookies(config);
  const fairness = new Fairness(db, config, limits);
  const contextOf = contexts(app, parts, { tokens, cookies, fairness, limits });
  const methods = new RoutedMethods(app);
  endConnections(app);
  answerUnusualRequests(app);
  app.decorate("phase", "starting");
  app.decorateRequest("caller", null);

  const page = config.web ? WebPage.in(new URL("dist/web/", ROOT), app) : null;
  answerFailures(app, { tokens, page, methods });
  const bodies = new LargeBodies(app, BODY_WORKER, limits);
  readBodiesInTurn(app, fairness);
  readJsonBodies(app, { readLarge: (request) => bodies.prepare(request) });
  setSecurityHeaders(app, config.publicUrl.startsWith("https:"));
  await allowOrigins(app, config);
  await app.register(rateLimit, { global: false, store: SteadyWindows });
  const mustNotBeOverloaded = await overloadGuard(app, db, fairness, limits);
  admit(app, { operations, config, tokens, cookies, bodies, page, fairness, mustNotBeOverloaded });
  logRequests(app);

  const figures = serveMetrics(app, config);
  app.decorate("figures", figures);
  app.decorate("workers", new WorkerHealth(figures));
  const servers = config.databaseDistributed ? new ServerWatch(db) : null;
  app.addHook("preClose", async () => servers?.close());
  serveProbes(app, db, servers, mustNotBeOverloaded);
  await serveDocs(app, openApiDocument, new URL(config.publicUrl));
  app.get("/", UNCOUNTED, async (request, reply) =>
    page?.isFor(request) ? page.send(request, reply) : reply.redirect("/docs"),
  );
  serveGuides(app, ROOT, openApiDocument);
  attachWriters(db);
  serveOperations(app, parts, { contextOf, bodies, limits });
  return app;
}

/** The HTTP server, without hooks and routes. */
function newServer({ config, log }: Parts, limits: Limits): FastifyInstance {
  return Fastify({
    loggerInstance: log,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy,
    genReqId: ({ headers }) => {
      const sent = headers["x-request-id"];
      return typeof sent === "string" && REQUEST_ID.test(sent) ? sent : randomUUID();
    },
    ...serverOptions(limits),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id).header("service-version", VERSION);
      sendFailure(reply, failureOf(error));
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket),
  });
}

/** Lets scripts of the configured origins call the service. */
async function allowOrigins(app: FastifyInstance, { corsOrigins }: Config): Promise<void> {
  if (corsOrigins.length === 0) return;
  await app.register(cors, {
    origin: corsOrigins,
    methods: ["GET", "POST", "PUT", "DELETE"],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 7200,
    // The plugin would respond with plain text to an OPTIONS request that is not a preflight.
    strictPreflight: false,
  });
}

/** A context whose `user` is there for procedures that require a caller (`CallContext`). */
interface RequestContext extends Context {
  user: Caller | null;
}

type ContextOf = (request: FastifyRequest, reply: FastifyReply, requestOptions: RequestOptions) => RequestContext;

/** Gives the function that makes the context of a call from its request. */
function contexts(
  app: FastifyInstance,
  { config, db, replica = db, resolve = resolver(config.webhookAllowPrivate) }: Parts,
  {
    tokens,
    cookies,
    fairness,
    limits,
  }: { tokens: Tokens; cookies: SessionCookies; fairness: Fairness; limits: Limits },
): ContextOf {
  const boards = new ResponseCache(limits.cachedBoardsBytes);
  const ending = new AbortController();
  app.addHook("preClose", async () => ending.abort());
  const verify: Context["verify"] = (caller) => tokens.verify(caller);
  const inputOf: Context["inputOf"] = (meta) => inputs.get(meta);
  return (request, reply, requestOptions) => {
    const key = callerKeyOf(request);
    const hasHungUp = () => request.raw.socket.destroyed;
    const untilAnswered = () => {
      endWhenStalled(reply.raw, limits.stalledMs);
      return responseEnd(request, reply);
    };
    const hasCredentials = isBearer(request.headers.authorization) || request.caller !== null;
    return {
      db,
      replica,
      config,
      caller: request.caller,
      user: request.caller,
      verify,
      hasCredentials,
      cookie: cookies.of(request, reply),
      client: { address: request.ip, userAgent: request.headers["user-agent"] ?? null },
      requestOptions,
      boards,
      resolve,
      inTurn: (weight, work, taken) => {
        if (weight === 1) return fairness.inTurn({ key, weight, hasHungUp }, work);
        // The calls of a batch would wait for each other, since their answers are sent together.
        const isBatch = (callsOf(request, operations)?.length ?? 1) > 1;
        const untilTaken = isBatch ? undefined : taken === undefined ? untilAnswered : () => taken;
        return fairness.inTurn({ key, weight, hasHungUp, taken: untilTaken }, work);
      },
      ending: ending.signal,
      inputOf,
    };
  };
}

interface Served {
  contextOf: ContextOf;
  bodies: LargeBodies;
  limits: Limits;
}

/** The operations over REST and tRPC. */
function serveOperations(
  app: FastifyInstance,
  { db, log, heartbeatMs }: Parts,
  { contextOf, bodies, limits }: Served,
): void {
  const call: Invoke = (request, reply, { procedure }, { input, requestOptions, signal }) => {
    const made = { getRawInput: async () => input, ctx: contextOf(request, reply, requestOptions) };
    return procedure(signal === undefined ? made : { ...made, signal });
  };
  const streams = new Streams({
    log,
    liveTokens: (ids) => useTokens(db, ids),
    ...(heartbeatMs && { tickMs: heartbeatMs }),
  });
  app.addHook("preClose", () => streams.close());
  bindRest(app, operations, call, { streams, stalledMs: limits.stalledMs });
  serveTrpcStreams(app, operations, call, streams);
  serveTrpc(app, { router: appRouter, operations, createContext: contextOf, invoke: call, log, bodies });
}

/** Sends an error in the format of the protocol that was called. */
function sendFailure(reply: FastifyReply, failure: Failure): void {
  const isTrpc = isBelow(reply.request, TRPC_BASE);
  reply.status(failure.status).send(isTrpc ? { error: trpcErrorShape(failure) } : failure.body);
}

interface Answering {
  tokens: Tokens;
  page: WebPage | null;
  methods: RoutedMethods;
}

/** Answers every error with one form of body, or the page where no route fits. An ended token comes before other errors. */
function answerFailures(app: FastifyInstance, { tokens, page, methods }: Answering): void {
  app.setNotFoundHandler(async (request, reply) => {
    if (page?.isFor(request)) return page.send(request, reply);
    throw notFound();
  });
  app.setErrorHandler(async (error, request, reply) => {
    let cause: unknown = error;
    if (request.caller?.claim.isVerified === false && yieldsToToken(cause)) {
      await tokens.verify(request.caller).catch((ended: unknown) => (cause = ended));
    }
    let failure = failureOf(cause);
    const routed = request.is404 && failure.code === "NOT_FOUND" ? methods.at(request) : [];
    if (routed.length > 0) {
      reply.header("allow", routed.join(", "));
      failure = methodNotFound(routed);
    }
    if (failure.isFault) request.log.error({ err: failure }, "request failed");
    if (failure.retryAfter !== undefined) reply.header("retry-after", failure.retryAfter);
    sendFailure(reply, failure);
    return reply;
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

/** `/health`: the process is alive. `/ready`: it also reaches its database, has capacity, and is neither starting nor stopping. */
function serveProbes(
  app: FastifyInstance,
  db: Database,
  servers: ServerWatch | null,
  mustNotBeOverloaded: OverloadGuard,
): void {
  app.get("/health", UNCOUNTED, async () => ({ status: "ok" }));
  app.get("/ready", UNCOUNTED, async () => {
    if (app.phase !== "ready") throw unavailable(1);
    mustNotBeOverloaded();
    await db.ping();
    // Calls do not need the workers, and most need one server alone: a process still gets them where some of either have stopped.
    // The endpoint is public, so it does not reveal their addresses.
    const ofServers = servers === null ? {} : { unreachableServers: servers.unreachable };
    // Reads need no room.
    const ofDisk = db.freeBytes() < RESERVED_BYTES ? { lowDiskSpace: true } : {};
    return { status: "ok", stoppedWorkers: app.workers.stopped(), ...ofServers, ...ofDisk };
  });
}
