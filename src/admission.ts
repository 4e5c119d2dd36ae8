// Admits requests: looks up the caller by token or cookie, and counts the calls of each request, before its body is read.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SessionCookies } from "./access/sessionCookies.js";
import { type Tokens, tokenHashesIn } from "./access/tokens.js";
import { mustBeUncompressed, requireHostHeader, requireKnownExpectation } from "./api/connections.js";
import type { Caller } from "./api/context.js";
import { notFound, unauthorized, unavailable } from "./api/errors.js";
import type { Fairness } from "./api/fairness.js";
import type { LargeBodies } from "./api/largeBodies.js";
import { callerKeyOf, type Load, networkOf, type RateLimiter, rateLimiter } from "./api/limits.js";
import type { OverloadGuard } from "./api/overload.js";
import { isBelow } from "./api/paths.js";
import { headerOf } from "./api/requestOptions.js";
import { keepPrivate, type Operation, REST_BASE } from "./api/rest.js";
import { runsInstance } from "./api/trpc.js";
import { callsOf } from "./api/trpcOverHttp.js";
import type { WebPage } from "./api/webPage.js";
import type { Config } from "./config.js";
import { VERSION } from "./version.js";

/** The calls of a request. */
interface Intent extends Load {
  /** Whether any of the calls needs no token. */
  isOpen: boolean;
  ignoresActingAs: boolean;
  endsSession: boolean;
}

function intentOf(request: FastifyRequest, operations: readonly Operation[]): Intent {
  const { operation } = request.routeOptions.config;
  const calls = callsOf(request, operations) ?? (operation === undefined ? null : [operation]);
  if (calls === null) return { calls: 1, authCalls: 0, isOpen: false, ignoresActingAs: false, endsSession: false };
  return {
    calls: calls.length,
    authCalls: calls.filter((call) => call?.authLimit).length,
    isOpen: calls.some((call) => call === undefined || call.isPublic),
    ignoresActingAs: calls.every((call) => call?.ignoresActingAs),
    endsSession: calls.every((call) => call?.endsSession),
  };
}

/** The weight of a token lookup that no rate limit counts: few of one address run at once. */
const UNCOUNTED_WEIGHT = 8;

/** Whether a path, which need not be there, is one of instance admins. */
const isOfAdmins = (request: FastifyRequest) => isBelow(request, `${REST_BASE}/admin`);

/** The parts of the service that a request passes before its body is read. */
interface Entrance {
  operations: readonly Operation[];
  config: Config;
  tokens: Tokens;
  cookies: SessionCookies;
  bodies: LargeBodies;
  page: WebPage | null;
  fairness: Pick<Fairness, "begin" | "inTurn" | "lookUp">;
  mustNotBeOverloaded: OverloadGuard;
}

/** Finds the callers of requests, and counts their calls. */
class Callers {
  readonly #entrance: Entrance;
  readonly #limiter: RateLimiter;

  constructor(entrance: Entrance, limiter: RateLimiter) {
    this.#entrance = entrance;
    this.#limiter = limiter;
  }

  /** The caller by header or, without one, by cookie. */
  async of(request: FastifyRequest, reply: FastifyReply, intent: Intent): Promise<Caller | null> {
    const { cookies } = this.#entrance;
    const inCookies = cookies.tokenHashesIn(request);
    if (inCookies === null) return this.#with(tokenHashesIn(request.headers.authorization), request, reply, intent);
    cookies.mustBeOfOwnPage(request);
    const caller = await this.#with(inCookies, request, reply, intent);
    if (caller !== null && !intent.ignoresActingAs) cookies.mustActAs(request, caller);
    return caller;
  }

  /** The caller, counted before the token is looked up. Of several tokens, none is believed from memory. */
  async #with(
    tokenHashes: readonly string[],
    request: FastifyRequest,
    reply: FastifyReply,
    intent: Intent,
  ): Promise<Caller | null> {
    const { tokens, fairness, mustNotBeOverloaded } = this.#entrance;
    const limiter = this.#limiter;
    const [tokenHash, ...others] = tokenHashes;
    const isAlone = tokenHash !== undefined && others.length === 0;
    const preferred = headerOf(request, "acting-as");
    if (intent.endsSession && tokenHash !== undefined) {
      const turn = { key: networkOf(request.ip), weight: UNCOUNTED_WEIGHT, hasHungUp: () => false };
      const leaving = await fairness.inTurn(turn, () => tokens.callerAmong(tokenHashes, preferred));
      if (leaving !== null) return leaving;
    }
    request.countedAccountId = isAlone ? tokens.rememberedAccountOf(tokenHash) : null;
    mustNotBeOverloaded(callerKeyOf(request));
    await fairness.begin(callerKeyOf(request), intent.calls);
    if (tokenHash === undefined) {
      await limiter.count(request, reply, intent);
      return null;
    }
    // Operations without a token have no guard that would verify one.
    const isVerified = intent.isOpen || isOfAdmins(request) || !isAlone;
    const lookUp = () =>
      fairness.lookUp(callerKeyOf(request), () =>
        isVerified ? tokens.callerAmong(tokenHashes, preferred) : tokens.believedCallerOf(tokenHash),
      );
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
}

/** Looks up the token and counts the request, before its body is read. */
export function admit(app: FastifyInstance, entrance: Entrance): void {
  const { operations, tokens, bodies, page } = entrance;
  const callers = new Callers(entrance, rateLimiter(app, entrance.config));
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id).header("service-version", VERSION);
    // Clients that connect just before the listener closes should reconnect elsewhere, whatever they request.
    if (app.phase === "leaving" || app.phase === "draining") reply.header("connection", "close");
    requireHostHeader(request);
    requireKnownExpectation(request, reply);
    if (request.is404 && page?.isFor(request)) return;
    if (request.is404 && !isOfAdmins(request)) throw notFound();
    if (request.routeOptions.config.isUncounted) return;
    keepPrivate(reply);
    if (app.phase === "starting") reply.header("connection", "close");
    if (app.phase === "starting" || app.phase === "draining") throw unavailable(1);
    const intent = intentOf(request, operations);
    request.caller = await callers.of(request, reply, intent);
    if (request.caller === null && !intent.isOpen) throw unauthorized();
    // Before the body is read: whatever they send, admin paths are not there for anybody else.
    if (isOfAdmins(request)) {
      const verified = request.caller === null ? null : await tokens.verify(request.caller);
      if (verified === null || !runsInstance(verified)) throw notFound();
    }
    if (request.is404) throw notFound();
    mustBeUncompressed(request, reply);
    bodies.reserve(request, reply);
  });
}
