// Rate limits (contract section 2): per user, per address without a token; sign-in, sign-up and acceptance per address as well.
// A tRPC batch counts as many requests as it holds calls. The counts are kept in this process.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import type { Config } from "../config.js";
import { tooManyRequests } from "./errors.js";

const MINUTE_MS = 60_000;
/** How many users or addresses are counted at once; beyond that the longest unseen is forgotten. */
export const COUNTED_KEYS = 50_000;

interface Limit {
  perMinute: number;
  count: (request: FastifyRequest) => Promise<Awaited<ReturnType<ReturnType<FastifyInstance["createRateLimit"]>>>>;
}

/** What a request asks of the limits. */
export interface Load {
  calls: number;
  /** How many of the calls are sign-ins, sign-ups or acceptances. */
  authCalls: number;
}

/** Counts a request, or throws TOO_MANY_REQUESTS. Needs @fastify/rate-limit registered with `global: false` and `cache: COUNTED_KEYS`. */
export function rateLimiter(app: FastifyInstance, config: Config) {
  const addressOf = (request: FastifyRequest) => `address ${networkOf(request.ip)}`;
  const general: Limit = {
    perMinute: config.rateLimitPerMinute,
    count: app.createRateLimit({
      max: config.rateLimitPerMinute,
      timeWindow: MINUTE_MS,
      keyGenerator: (request) => (request.caller ? `user ${request.caller.accountId}` : addressOf(request)),
    }),
  };
  const auth: Limit = {
    perMinute: config.authRateLimitPerMinute,
    count: app.createRateLimit({
      max: config.authRateLimitPerMinute,
      timeWindow: MINUTE_MS,
      keyGenerator: addressOf,
    }),
  };

  return async (request: FastifyRequest, reply: FastifyReply, load: Load): Promise<void> => {
    await apply(general, load.calls, request, reply);
    await apply(auth, load.authCalls, request, reply);
  };
}

/** What an address is counted as: a subscriber of IPv6 has 2^64 of them, in one network; IPv4 may come written as IPv6. */
function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(":") : address.toString();
}

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
