// Rate limits (contract section 2): per user, per address without a token; sign-in, sign-up and acceptance per address as well;
// and per address before a token is looked up. A tRPC batch counts as many requests as it holds calls. The counts are kept in
// this process.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import type { Config } from "../config.js";
import { tooManyRequests } from "./errors.js";
import type { CallerKey } from "./fairness.js";

const MINUTE_MS = 60_000;
/** The most users or addresses that are counted; beyond that, the one unseen for longest is dropped. */
const COUNTED_KEYS = 50_000;

/** The multiple of the normal limit that an address may call before token lookup; an unknown token counts as that many calls. */
const LOOKUP_FACTOR = 10;

declare module "fastify" {
  interface FastifyRequest {
    /** The account that the request counts for; null: its address. */
    countedAccountId: number | null;
  }
}

interface Limit {
  perMinute: number;
  count: (request: FastifyRequest) => Promise<Awaited<ReturnType<ReturnType<FastifyInstance["createRateLimit"]>>>>;
}

/** The counters to which a request adds. */
export interface Load {
  calls: number;
  /** The number of the calls that are sign-ins, sign-ups or acceptances. */
  authCalls: number;
}

/** Counts requests; each method throws TOO_MANY_REQUESTS. */
export interface RateLimiter {
  /** Counts a call against the limits of its account or address. */
  count(request: FastifyRequest, reply: FastifyReply, load: Load): Promise<void>;
  /** Counts a call by its address before its token is looked up. */
  countLookup(request: FastifyRequest, reply: FastifyReply, load: Load): Promise<void>;
  /** Counts a looked-up token that is unknown. */
  countUnknown(request: FastifyRequest): Promise<void>;
}

/** Calls that are counted in a window of time. */
interface Window {
  calls: number;
  endMs: number;
}

/** The windows of @fastify/rate-limit by a steady clock: its own store refuses everybody for as long as the system's was set back. */
export class SteadyWindows {
  /** In the order of their last calls. */
  readonly #windows = new Map<string, Window>();

  child(): SteadyWindows {
    return new SteadyWindows();
  }

  incr(key: string, done: (error: null, window: { current: number; ttl: number }) => void, timeWindowMs: number): void {
    const now = performance.now();
    const last = this.#windows.get(key);
    const window = last === undefined || last.endMs <= now ? { calls: 0, endMs: now + timeWindowMs } : last;
    window.calls += 1;
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > COUNTED_KEYS && oldest !== undefined) this.#windows.delete(oldest);
    done(null, { current: window.calls, ttl: window.endMs - now });
  }
}

/** Needs @fastify/rate-limit registered with `global: false` and `store: SteadyWindows`. */
export function rateLimiter(app: FastifyInstance, config: Config): RateLimiter {
  app.decorateRequest("countedAccountId", null);
  const addressOf = (request: FastifyRequest) => `address ${networkOf(request.ip)}`;
  const callerOf = (request: FastifyRequest) =>
    request.countedAccountId === null ? addressOf(request) : `user ${request.countedAccountId}`;
  const limited = (perMinute: number, keyGenerator = addressOf): Limit => ({
    perMinute,
    count: app.createRateLimit({ max: perMinute, timeWindow: MINUTE_MS, keyGenerator }),
  });
  const general = limited(config.rateLimitPerMinute, callerOf);
  const lookups = limited(config.rateLimitPerMinute * LOOKUP_FACTOR);
  const auth = limited(config.authRateLimitPerMinute);

  return {
    count: async (request, reply, load) => {
      await apply(general, load.calls, request, reply);
      await apply(auth, load.authCalls, request, reply);
    },
    countLookup: (request, reply, load) => apply(lookups, load.calls, request, reply),
    countUnknown: async (request) => {
      if (lookups.perMinute === 0) return;
      // The call itself was counted once.
      for (let times = 1; times < LOOKUP_FACTOR; times += 1) await lookups.count(request);
    },
  };
}

/** The key under which an address is counted: an IPv6 subscriber has 2^64 addresses in one network; IPv4 may be written as IPv6. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(":") : address.toString();
}

/** The caller whose turn a request takes: the account of its token, or its address if it has none or it is not looked up yet. */
export const callerKeyOf = ({ countedAccountId, ip }: FastifyRequest): CallerKey => countedAccountId ?? networkOf(ip);

async function apply(limit: Limit, times: number, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (limit.perMinute === 0) return;
  for (let call = 0; call < times; call += 1) {
    const result = await limit.count(request);
    if (result.isAllowed) return;
    reply
      .header("ratelimit-limit", result.max)
      .header("ratelimit-remaining", result.remaining)
      .header("ratelimit-reset", result.ttlInSeconds);
    if (result.isExceeded) throw tooManyRequests(Math.max(1, result.ttlInSeconds));
  }
}
