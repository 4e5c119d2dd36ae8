// Runs the sweeps of all features: in one process at a time, from a minute after the start.

import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { forgetEndedTokens } from "./access/tokens.js";
import { forgetOldAnswers } from "./api/idempotency.js";
import type { Database } from "./db/client.js";
import { isConnectionError } from "./db/failures.js";
import type { Sweep } from "./db/sweeps.js";
import { closeAbandonedGuests } from "./user/guests.js";
import { forgetOldDeliveries, forgetOldSecrets } from "./webhook/keeping.js";
import { endExpiredInvitations } from "./workspace/expiry.js";

/** Every sweep of the service by what it removes, in the order in which they run: guests are abandoned once their tokens are gone. */
export const SWEEPS: Readonly<Record<string, Sweep>> = {
  "answers to an Idempotency-Key": forgetOldAnswers,
  "webhook deliveries": forgetOldDeliveries,
  "webhook secrets": forgetOldSecrets,
  "access tokens": forgetEndedTokens,
  invitations: endExpiredInvitations,
  "accountless guests": closeAbandonedGuests,
};

/** When a process first sweeps after its start, and how long after each sweep the next. */
export const SWEEP_TIMES = { firstMs: 60_000, everyMs: 600_000 };
const LOCK = "work-board sweeps";

/** What a sweeper is made of. */
export interface SweeperParts {
  db: Database;
  log: FastifyBaseLogger;
  times?: typeof SWEEP_TIMES;
}

/** A running sweeper. */
export interface Sweeper {
  /** Ends after the batch that runs, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Starts to sweep regularly. While another process sweeps the same database, this one does not. */
export function startSweeping({ db, log, times = SWEEP_TIMES }: SweeperParts): Sweeper {
  let isStopping = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;

  async function sweepAll(): Promise<void> {
    for (const [what, sweep] of Object.entries(SWEEPS)) {
      let count = 0;
      try {
        for await (const removed of sweep(db)) {
          count += removed;
          if (isStopping) break;
        }
      } catch (error) {
        report(error, what);
      }
      if (count > 0) log.info({ what, count }, "swept");
      if (isStopping) return;
    }
  }

  /** One sweep that fails keeps none of the others from running. The log has an outage of the database already. */
  function report(error: unknown, what: string): void {
    if (!isConnectionError(error)) log.warn({ err: error, what }, "a sweep failed, and will be tried again");
  }

  async function round(): Promise<void> {
    await db.asOnlyProcess(LOCK, sweepAll).catch((error: unknown) => report(error, "all"));
    if (!isStopping) schedule(times.everyMs);
  }

  function schedule(inMs: number): void {
    timer = setTimeout(() => {
      running = round();
    }, inMs).unref();
  }

  schedule(times.firstMs);
  return {
    stop: async (graceMs) => {
      isStopping = true;
      clearTimeout(timer);
      const limit = new AbortController();
      await Promise.race([running, sleep(graceMs, undefined, { signal: limit.signal }).catch(() => {})]);
      limit.abort();
    },
  };
}
