// Load shedding: new calls are refused with SERVICE_UNAVAILABLE while running calls wait too long, so that accepted calls finish
// and clients know immediately that they should retry.

import underPressure from "@fastify/under-pressure";
import type { FastifyInstance } from "fastify";
import type { Database } from "../db/client.js";
import { unavailable } from "./errors.js";

/** When a process counts as overloaded, in milliseconds. */
export interface OverloadLimits {
  /** How long a query may wait for a database session. */
  waitMs: number;
  /** The maximum delay of the event loop, on average over `loopSampleMs`; 0: no limit. */
  loopDelayMs: number;
  /** Long enough that one large import, which blocks the loop for a second, does not count as overload. */
  loopSampleMs: number;
}

export const OVERLOAD_LIMITS: OverloadLimits = { waitMs: 2000, loopDelayMs: 500, loopSampleMs: 5000 };

const RETRY_S = 1;

/** Watches an application; returns a function that throws SERVICE_UNAVAILABLE while it is overloaded. */
export async function overloadGuard(
  app: FastifyInstance,
  db: Database,
  { waitMs, loopDelayMs, loopSampleMs }: OverloadLimits,
): Promise<() => void> {
  await app.register(underPressure, {
    maxEventLoopDelay: loopDelayMs,
    sampleInterval: loopSampleMs,
    // Probes and the document are always served; only calls are refused.
    pressureHandler: () => {},
  });
  return () => {
    if (db.waitingMs() > waitMs || app.isUnderPressure()) throw unavailable(RETRY_S);
  };
}
