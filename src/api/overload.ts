// Load shedding: while running calls wait too long, new calls of those who use most are refused with SERVICE_UNAVAILABLE, so that
// accepted calls finish and clients know immediately that they should retry.

import underPressure from "@fastify/under-pressure";
import type { FastifyInstance } from "fastify";
import type { Database } from "../db/client.js";
import { unavailable } from "./errors.js";
import type { CallerKey, Fairness } from "./fairness.js";

/** The limits beyond which a process counts as overloaded. */
export const OVERLOAD_LIMITS = {
  /** The longest time that a query may wait for a database session. */
  waitMs: 2000,
  /** The maximum delay of the event loop, on average over `loopSampleMs`; 0: no limit. */
  loopDelayMs: 500,
  /** Long enough that one large import, which blocks the loop for a second, does not count as overload. */
  loopSampleMs: 5000,
};
export type OverloadLimits = typeof OVERLOAD_LIMITS;

const RETRY_S = 1;

/** Throws SERVICE_UNAVAILABLE while a process is overloaded; for a call, if its caller is among those who use most. */
export type OverloadGuard = (caller?: CallerKey) => void;

/** Watches an application. */
export async function overloadGuard(
  app: FastifyInstance,
  db: Database,
  fairness: Pick<Fairness, "isAmongHeaviest">,
  { waitMs, loopDelayMs, loopSampleMs }: OverloadLimits,
): Promise<OverloadGuard> {
  await app.register(underPressure, {
    maxEventLoopDelay: loopDelayMs,
    sampleInterval: loopSampleMs,
    // Probes and the document are always served; only calls are refused.
    pressureHandler: () => {},
  });
  return (caller) => {
    const isOverloaded = db.waitingMs() > waitMs || app.isUnderPressure();
    if (isOverloaded && (caller === undefined || fairness.isAmongHeaviest(caller))) throw unavailable(RETRY_S);
  };
}
