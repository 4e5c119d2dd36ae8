// Builds the HTTP application from its parts. It never listens and never reads the environment.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import cors from "@fastify/cors";
import rateLimit from "@fastify/rate-limit";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import { SessionCookies } from "./access/sessionCookies.js";
import { Tokens, tokenHashIn, tokenHashOf, useTokens } from "./access/tokens.js";
import { readBodiesInTurn } from "./api/bodyTurns.js";
import {
  answerAll,
  CONNECTION_LIMITS,
  type ConnectionLimits,
  endConnections,
  endWhenStalled,
  mustBeMet,
  mustNameHost,
  over,
  refuseConnection,
  serverOptions,
} from "./api/connections.js";
import type { Caller, Context, RequestOptions } from "./api/context.js";
import { serveDocs } from "./api/docs.js";
import { type Failure, failureOf, notFound, unauthorized, unavailable, yieldsToToken } from "./api/errors.js";
import { FAIRNESS_LIMITS, Fairness, type FairnessLimits } from "./api/fairness.js";
import { serveGuides } from "./api/guides.js";
import { LargeBodies } from "./api/largeBodies.js";
import { COUNTED_KEYS, callerKeyOf, type Load, rateLimiter } from "./api/limits.js";
import { serveMetrics } from "./api/metrics.js";
import { OVERLOAD_LIMITS, type OverloadGuard, type OverloadLimits, overloadGuard } from "./api/overload.js";
import { servePages } from "./api/pages.js";
import { MEMORY_LIMITS, type MemoryLimits, ResponseCache } from "./api/rendered.js";
import { bindRest, type Invoke, operationsOf, REST_BASE, readJsonBodies } from "./api/rest.js";
import { setSecurityHeaders } from "./api/security.js";
import { Streams } from "./api/streams.js";
import { runsInstance, trpcErrorShape } from "./api/trpc.js";
import { callsOf, serveTrpc, serveTrpcStreams, TRPC_BASE } from "./api/trpcOverHttp.js";
import { WebPage } from "./api/webPage.js";
import { WorkerHealth } from "./api/workerHealth.js";
import { attachWriters } from "./attachedWriters.js";
import type { Config } from "./config.js";
import type { Database } from "./db/client.js";
import type { Reads } from "./db/replicas.js";
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
  limits?: Partial<MemoryLimits & ConnectionLimits & OverloadLimits & FairnessLimits>;
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
const openApiDocument = readFileSync(new URL("../openapi.json", import.meta.url), "utf8");

/** The folder of the installation. */
const ROOT = new URL("../", import.meta.url);

const operations = operationsOf(appRouter);
const inputs = new Map(operations.map(({ path, input }) => [path, input]));

type Limits = MemoryLimits & ConnectionLimits & OverloadLimits & FairnessLimits;

/** Builds the application; the caller makes it listen, or injects requests, and sets the phase when the database is ready. */
export async function buildApp(parts: Parts): Promise<FastifyInstance> {
  const { config, db } = parts;
  const limits = { ...MEMORY_LIMITS, ...CONNECTION_LIMITS, ...OVERLOAD_LIMITS, ...FAIRNESS_LIMITS, ...parts.limits };
  const app = newServer(parts, limits);
  const tokens = new Tokens(db);
  const cookies = new SessionCookies(config);
  const fairness = new Fairness(db, config, limits);
  const contextOf = contexts(app, parts, { tokens, cookies, fairness, limits });
  endConnections(app);
  answerAll(app);
  app.decorate("phase", "starting");
  app.decorateRequest("caller", null);

  const page = config.web ? WebPage.in(new URL("dist/web/", ROOT), app) : null;
  answerFailures(app, tokens, page);
  const bodies = new LargeBodies(app, BODY_WORKER, limits);
  readBodiesInTurn(app, fairness);
  readJsonBodies(app, { readLarge: (request) => bodies.prepare(request) });
  setSecurityHeaders(app, config.publicUrl.startsWith("https:"));
  await allowOrigins(app, config);
  await app.register(rateLimit, { global: false, cache: COUNTED_KEYS });
  const mustNotBeOverloaded = await overloadGuard(app, db, fairness, limits);
  admit(app, { config, tokens, cookies, bodies, page, mustNotBeOverloaded });
  logRequests(app);

  const figures = serveMetrics(app, config);
  app.decorate("figures", figures);
  app.decorate("workers", new WorkerHealth(figures));
  serveProbes(app, db, mustNotBeOverloaded);
  await serveDocs(app, openApiDocument);
  app.get("/", async (request, reply) => (page?.isFor(request) ? page.send(request, reply) : reply.redirect("/docs")));
  serveGuides(app, ROOT);
  servePages(app);
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
      const given = headers["x-request-id"];
      return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
    },
    ...serverOptions(limits),
    exposeHeadRoutes: false,
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

/** Waits until an answer was taken; ends the connection of a client that takes nothing of it. */
const answeredWithin = (stalledMs: number) => (request: FastifyRequest, reply: FastifyReply) => () => {
  endWhenStalled(reply.raw, stalledMs);
  return over(request, reply);
};

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
  const answered = answeredWithin(limits.stalledMs);
  const ending = new AbortController();
  app.addHook("preClose", async () => ending.abort());
  const verify: Context["verify"] = (caller) => tokens.verify(caller);
  const inputOf: Context["inputOf"] = (path) => inputs.get(path);
  return (request, reply, requestOptions) => {
    const turn = {
      key: callerKeyOf(request),
      hasHungUp: () => request.raw.socket.destroyed,
      // The calls of a batch would wait for each other, since their answers are sent together.
      taken: (callsOf(request, operations)?.length ?? 1) > 1 ? undefined : answered(request, reply),
    };
    const hasCredentials = request.headers.authorization !== undefined || request.caller !== null;
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
      inTurn: (weight, work) => fairness.inTurn({ ...turn, weight }, work),
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
  const call: Invoke = (request, reply, { procedure, path, type }, { input, requestOptions, signal }) =>
    procedure({ path, type, getRawInput: async () => input, ctx: contextOf(request, reply, requestOptions), signal });
  const streams = new Streams({
    log,
    liveTokens: (ids) => useTokens(db, ids),
    ...(heartbeatMs && { tickMs: heartbeatMs }),
  });
  app.addHook("preClose", () => streams.close());
  bindRest(app, operations, call, { streams, stalledMs: limits.stalledMs });
  serveTrpcStreams(app, operations, call, streams);
  const large = { bodies, invoke: call };
  serveTrpc(app, { router: appRouter, operations, createContext: contextOf, log, large });
}

/** Sends an error in the format of the protocol that was called. */
function sendFailure(reply: FastifyReply, failure: Failure): void {
  const isTrpc = reply.request.url.startsWith(`${TRPC_BASE}/`);
  reply.status(failure.status).send(isTrpc ? { error: trpcErrorShape(failure) } : failure.body);
}

/**
 * One error body for every error, and the page where no route fits and it may have one. If the token of the caller has ended, the
 * caller only learns that.
 */
function answerFailures(app: FastifyInstance, tokens: Tokens, page: WebPage | null): void {
  app.setNotFoundHandler(async (request, reply) => {
    if (page?.isFor(request)) return page.send(request, reply);
    throw notFound();
  });
  app.setErrorHandler(async (error, request, reply) => {
    let cause: unknown = error;
    if (request.caller?.claim.isVerified === false && yieldsToToken(cause)) {
      await tokens.verify(request.caller).catch((ended: unknown) => (cause = ended));
    }
    const failure = failureOf(cause);
    if (failure.isFault) request.log.error({ err: failure }, "request failed");
    if (failure.retryAfter !== undefined) reply.header("retry-after", failure.retryAfter);
    sendFailure(reply, failure);
    return reply;
  });
}

/** The calls of a request. */
interface Intent extends Load {
  /** Whether any of the calls needs no token. */
  isOpen: boolean;
  ignoresActingAs: boolean;
}

function intentOf(request: FastifyRequest): Intent {
  const calls = callsOf(request, operations);
  const { open, authLimit, ignoresActingAs = false } = request.routeOptions.config;
  if (calls === null) return { calls: 1, authCalls: authLimit ? 1 : 0, isOpen: open === true, ignoresActingAs };
  return {
    calls: calls.length,
    authCalls: calls.filter((call) => call?.authLimit).length,
    isOpen: calls.some((call) => call === undefined || call.isPublic),
    ignoresActingAs: calls.every((call) => call?.ignoresActingAs),
  };
}

/** Whether a path, which need not be there, is one of instance admins. */
const isOfAdmins = ({ url }: FastifyRequest) => url.startsWith(`${REST_BASE}/admin/`);

interface Entrance {
  config: Config;
  tokens: Tokens;
  cookies: SessionCookies;
  bodies: LargeBodies;
  page: WebPage | null;
  mustNotBeOverloaded: OverloadGuard;
}

/** Looks up the token and counts the request, before its body is read. */
function admit(app: FastifyInstance, { config, tokens, cookies, bodies, page, mustNotBeOverloaded }: Entrance): void {
  const limiter = rateLimiter(app, config);

  /** The caller by header or, without one, by cookie. */
  async function callerOf(request: FastifyRequest, reply: FastifyReply, intent: Intent): Promise<Caller | null> {
    const cookie = cookies.tokenIn(request);
    if (cookie === null) return callerWith(tokenHashIn(request.headers.authorization), request, reply, intent);
    cookies.mustBeOfOwnPage(request);
    const caller = await callerWith(tokenHashOf(cookie), request, reply, intent);
    if (caller !== null && !intent.ignoresActingAs) cookies.mustActAs(request, caller);
    return caller;
  }

  /** The caller, counted before the token is looked up. */
  async function callerWith(
    tokenHash: string | null,
    request: FastifyRequest,
    reply: FastifyReply,
    intent: Intent,
  ): Promise<Caller | null> {
    request.countedAccountId = tokenHash === null ? null : tokens.rememberedAccountOf(tokenHash);
    mustNotBeOverloaded(callerKeyOf(request));
    if (tokenHash === null) {
      await limiter.count(request, reply, intent);
      return null;
    }
    // Operations without a token have no guard that would verify one.
    const isVerified = intent.isOpen || isOfAdmins(request);
    const lookUp = () => (isVerified ? tokens.callerOf(tokenHash) : tokens.believedCallerOf(tokenHash));
    if (request.countedAccountId !== null) {
      await limiter.count(request, reply, intent);
      return lookUp();
    }
    await limiter.countLookup(request, reply, intent);
    const caller = await lookUp();
    if (caller === null) await limiter.countUnknown(request);
    request.countedAccountId = caller?.accountId ?? null;
    await limiter.count(request, reply, intent);
    return caller;
  }

  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id).header("service-version", VERSION);
    // Clients that connect just before the listener closes should reconnect elsewhere, whatever they request.
    if (app.phase === "leaving" || app.phase === "draining") reply.header("connection", "close");
    mustNameHost(request);
    mustBeMet(request, reply);
    if (request.is404 && page?.isFor(request)) return;
    if (request.is404 && !isOfAdmins(request)) throw notFound();
    const isApi = request.url.startsWith(`${REST_BASE}/`) || request.url.startsWith(`${TRPC_BASE}/`);
    if (!isApi) return;
    if (app.phase === "starting") reply.header("connection", "close");
    if (app.phase === "starting" || app.phase === "draining") throw unavailable(1);
    const intent = intentOf(request);
    request.caller = await callerOf(request, reply, intent);
    if (request.caller === null && !intent.isOpen) throw unauthorized();
    // Before the body is read: whatever they send, admin paths are not there for anybody else.
    if (isOfAdmins(request)) {
      const verified = request.caller === null ? null : await tokens.verify(request.caller);
      if (verified === null || !runsInstance(verified)) throw notFound();
    }
    if (request.is404) throw notFound();
    bodies.admit(request, reply);
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
function serveProbes(app: FastifyInstance, db: Database, mustNotBeOverloaded: OverloadGuard): void {
  app.get("/health", async () => ({ status: "ok" }));
  app.get("/ready", async () => {
    if (app.phase !== "ready") throw unavailable(1);
    mustNotBeOverloaded();
    await db.ping();
    // Calls do not need the workers, so a process where one has stopped still gets them.
    return { status: "ok", stoppedWorkers: app.workers.stopped() };
  });
}
