// Overload: new calls are refused with SERVICE_UNAVAILABLE while those that are in wait too long, so that what was let in is
// answered, and a client hears at once that it should come again.

import underPressure from "@fastify/under-pressure";
import type { FastifyInstance } from "fastify";
import type { Database } from "../db/client.js";
import { unavailable } from "./errors.js";

/** When a process counts as overloaded, in milliseconds. */
export interface OverloadLimits {
  /** How long work may wait for a session of the database. */
  waitMs: number;
  /** By how much the event loop may be late, on average over `loopSampleMs`; 0: as much as it likes. */
  loopDelayMs: number;
  /** Long enough that one large import, which holds the loop up for a second, is no overload. */
  loopSampleMs: number;
}

export const OVERLOAD_LIMITS: OverloadLimits = { waitMs: 2000, loopDelayMs: 500, loopSampleMs: 5000 };

const RETRY_S = 1;

/** Watches an application, and gives what throws SERVICE_UNAVAILABLE while it is overloaded. */
export async function overloadGuard(
  app: FastifyInstance,
  db: Database,
  { waitMs, loopDelayMs, loopSampleMs }: OverloadLimits,
): Promise<() => void> {
  await app.register(underPressure, {
    maxEventLoopDelay: loopDelayMs,
    sampleInterval: loopSampleMs,
    // Probes and the document are answered whatever happens; calls are refused where they are let in.
    pressureHandler: () => {},
  });
  return () => {
    if (db.waitingMs() > waitMs || app.isUnderPressure()) throw unavailable(RETRY_S);
  };
}
