// Runs the sweeps of all features: in one process at a time, from a minute after the start.

import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { forgetEndedTokens } from "./access/tokens.js";
import { forgetOldEntries } from "./admin/audit.js";
import { deleteOldResponses } from "./api/idempotency.js";
import type { Config } from "./config.js";
import type { Database } from "./db/client.js";
import { isDatabaseLost } from "./db/failures.js";
import type { RetentionDays, Sweep } from "./db/sweeps.js";
import { WorkspacesLeftOut } from "./db/sweptWorkspaces.js";
import { forgetOldMail } from "./mail/mailRetention.js";
import { remindersOf } from "./notification/reminders.js";
import { forgetExpiredLinks } from "./user/accountLinks.js";
import { closeAbandonedGuests } from "./user/guests.js";
import { forgetExpiredFlows } from "./user/oidc/flows.js";
import { forgetOldFailures } from "./user/signInAttempts.js";
import { forgetOldEvents } from "./webhook/oldEvents.js";
import { forgetOldDeliveries, forgetOldSecrets } from "./webhook/webhookRetention.js";
import { endExpiredInvitations } from "./workspace/expiry.js";

/** Every sweep of the service by what it removes, in the order in which they run: guests are abandoned once their tokens are gone. */
export const SWEEPS: Readonly<Record<string, Sweep>> = {
  "responses to an Idempotency-Key": deleteOldResponses,
  "audit entries": forgetOldEntries,
  events: forgetOldEvents,
  "webhook deliveries": forgetOldDeliveries,
  "webhook secrets": forgetOldSecrets,
  mail: forgetOldMail,
  "access tokens": forgetEndedTokens,
  "failed sign-ins": forgetOldFailures,
  "sign-ins at providers": forgetExpiredFlows,
  "links of accounts": forgetExpiredLinks,
  invitations: endExpiredInvitations,
  "accountless guests": closeAbandonedGuests,
};

/** The time from the start of a process to its first sweep, and from each sweep to the next. */
export const SWEEP_TIMES = { firstMs: 60_000, everyMs: 600_000 };
/** People expect reminders to the minute. */
export const REMINDER_TIMES = { firstMs: 5_000, everyMs: 60_000 };

const LEFT_OUT = "a sweep left out the workspaces that failed, and will repeat them";

/** The parts of a sweeper. */
interface SweeperParts {
  db: Database;
  retention: RetentionDays;
  log: FastifyBaseLogger;
  sweeps?: Readonly<Record<string, Sweep>>;
  /** Of several processes, one at a time sweeps under a name. */
  lock?: string;
  times?: typeof SWEEP_TIMES;
  /** Called after each round without an error, also if another process swept. */
  onSuccess?: () => void;
}

/** A running sweeper. */
interface Sweeper {
  /** Ends after the batch that runs, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Starts to sweep regularly. While another process sweeps the same database, this one does not. */
export function startSweeping({
  db,
  retention,
  log,
  sweeps = SWEEPS,
  lock = "work-board sweeps",
  times = SWEEP_TIMES,
  onSuccess,
}: SweeperParts): Sweeper {
  let isStopping = false;
  let hasFailed = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;

  async function sweepAll(): Promise<void> {
    for (const [what, sweep] of Object.entries(sweeps)) {
      let count = 0;
      try {
        for await (const removed of sweep(db, retention)) {
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
    if (error instanceof WorkspacesLeftOut) {
      const { cause: err, workspaceIds } = error;
      log.warn({ err, what, workspaceIds: workspaceIds.slice(0, 10), count: workspaceIds.length }, LEFT_OUT);
      return;
    }
    hasFailed = true;
    if (!isDatabaseLost(error)) log.warn({ err: error, what }, "a sweep failed and will be repeated");
  }

  async function round(): Promise<void> {
    hasFailed = false;
    await db.asOnlyProcess(lock, sweepAll).catch((error: unknown) => report(error, "all"));
    if (!hasFailed) onSuccess?.();
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

/** Starts to remind people of due dates, each minute. */
export const startReminding = ({
  db,
  log,
  config,
  onSuccess,
}: Pick<SweeperParts, "db" | "log" | "onSuccess"> & { config: Pick<Config, "retentionDays" | "mail"> }) =>
  startSweeping({
    db,
    retention: config.retentionDays,
    log,
    sweeps: { "reminders of due dates": remindersOf(config) },
    lock: "work-board reminders",
    times: REMINDER_TIMES,
    ...(onSuccess && { onSuccess }),
  });
