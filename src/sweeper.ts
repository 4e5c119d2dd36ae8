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

/** Sweeps regularly. While another process sweeps the same database, this one does not. */
class Sweeper {
  readonly #parts: Required<Omit<SweeperParts, "onSuccess">> & Pick<SweeperParts, "onSuccess">;
  #isStopping = false;
  #hasFailed = false;
  #running: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SweeperParts) {
    this.#parts = { sweeps: SWEEPS, lock: "work-board sweeps", times: SWEEP_TIMES, ...parts };
    this.#schedule(this.#parts.times.firstMs);
  }

  /** Ends after the batch that runs, or after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const limit = new AbortController();
    await Promise.race([this.#running, sleep(graceMs, undefined, { signal: limit.signal }).catch(() => {})]);
    limit.abort();
  }

  #schedule(inMs: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#round();
    }, inMs).unref();
  }

  async #round(): Promise<void> {
    const { db, lock, onSuccess, times } = this.#parts;
    this.#hasFailed = false;
    await db.asOnlyProcess(lock, () => this.#sweepAll()).catch((error: unknown) => this.#report(error, "all"));
    if (!this.#hasFailed) onSuccess?.();
    if (!this.#isStopping) this.#schedule(times.everyMs);
  }

  async #sweepAll(): Promise<void> {
    const { db, sweeps, retention, log } = this.#parts;
    for (const [what, sweep] of Object.entries(sweeps)) {
      let count = 0;
      try {
        for await (const removed of sweep(db, retention)) {
          count += removed;
          if (this.#isStopping) break;
        }
      } catch (error) {
        this.#report(error, what);
      }
      if (count > 0) log.info({ what, count }, "swept");
      if (this.#isStopping) return;
    }
  }

  /** A failed sweep does not stop the others. The log has an outage of the database already. */
  #report(error: unknown, what: string): void {
    const { log } = this.#parts;
    if (error instanceof WorkspacesLeftOut) {
      const { cause: err, workspaceIds } = error;
      log.warn({ err, what, workspaceIds: workspaceIds.slice(0, 10), count: workspaceIds.length }, LEFT_OUT);
      return;
    }
    this.#hasFailed = true;
    if (!isDatabaseLost(error)) log.warn({ err: error, what }, "a sweep failed and will be repeated");
  }
}

/** Starts to sweep regularly. */
export const startSweeping = (parts: SweeperParts): Sweeper => new Sweeper(parts);

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
