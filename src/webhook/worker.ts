// The worker of a process: looks after commits, and each second anyway, for deliveries that are due, attempts them within its
// share of slots, and writes their results, many at a time.

import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { Backoff } from "../db/backoff.js";
import type { Database } from "../db/client.js";
import { POLL_MS, QueueLoop, type QueueWorker, queueFigures, type WorkerParts } from "../db/queueLoop.js";
import { byWorkspace } from "../db/records.js";
import { commitSignalOf } from "../events/commitSignal.js";
import type { Outside } from "./addresses.js";
import {
  type Claimed,
  claimIn,
  dismiss,
  finishIn,
  isGone,
  type Lost,
  type Result,
  START,
  switchOff,
  type Waiting,
  type WebhookKey,
  waitingBehind,
  waitingIn,
} from "./deliveryQueue.js";
import { deliveryRetryInSeconds } from "./schedule.js";
import { type AttemptResult, bodyOf, send } from "./sending.js";
import { type Flight, SLOTS, shareOut, webhookKeyOf } from "./shares.js";

/** The pause after a look at all webhooks, as a multiple of the time that the look took. */
const LOOK_SHARE = 20;

/** Results of a workspace that cannot be written for so long are given up: the deliveries are sent again when their leases are over. */
const GIVEN_UP_AFTER_MS = 60_000;

/** The parts of a worker. */
interface DelivererParts extends WorkerParts {
  outside: Outside;
}

/** Starts to deliver what is due, and soon after each commit what it queued (contract section 6). */
export function startDelivering(parts: DelivererParts): QueueWorker {
  const worker = new Worker(parts);
  worker.loop.start();
  const unsubscribe = commitSignalOf(parts.db).subscribe(({ queued }) => {
    if (queued.size > 0) worker.lookAt(queued);
  });
  return {
    wake: () => worker.lookAtAll(),
    stop: async (graceMs) => {
      unsubscribe();
      const end = performance.now() + graceMs;
      await worker.loop.stop(graceMs);
      const restMs = Math.max(0, end - performance.now());
      await Promise.race([worker.switchedOff(), sleep(restMs, undefined, { ref: false })]);
    },
  };
}

class Worker {
  readonly loop: QueueLoop<Flight, Result>;
  readonly #db: Database;
  readonly #outside: Outside;
  readonly #figures: ReturnType<typeof queueFigures>;
  #next: WebhookKey = START;
  readonly #log: FastifyBaseLogger;
  readonly #workspaces: Backoff<number>;
  /** Webhooks that are being switched off, by key and reason. */
  readonly #switching = new Map<string, Promise<void>>();
  /** Workspaces where something may have become due since the last look. */
  #touched = new Set<number>();
  /** The time from which the next look is at all of them. */
  #wholeLookAt = 0;

  constructor({ db, log, outside, registry, onSuccess }: DelivererParts) {
    this.#db = db;
    this.#log = log;
    this.#workspaces = new Backoff(log, "webhook deliveries of a workspace");
    this.#outside = outside;
    this.loop = new QueueLoop({
      log,
      what: "webhook deliveries",
      onSuccess,
      take: () => this.#take(),
      write: (results, onWritten) => this.#write(results, onWritten),
    });
    const texts = { name: "webhook", noun: "Delivery attempts", outcomes: "delivered, retried or failed permanently" };
    this.#figures = queueFigures(registry, texts, () => this.loop.flights.length);
  }

  lookAt(workspaceIds: Iterable<number>): void {
    for (const id of workspaceIds) this.#touched.add(id);
    this.loop.wake();
  }

  lookAtAll(): void {
    this.#wholeLookAt = 0;
    this.loop.wake();
  }

  async #write(all: readonly Result[], onWritten: (part: readonly Result[]) => void): Promise<void> {
    for (const [workspaceId, results] of byWorkspace(all)) {
      const lost = await this.#workspaces.run(workspaceId, () => finishIn(this.#db, workspaceId, results));
      if (lost !== null || this.#workspaces.failingMs(workspaceId) > GIVEN_UP_AFTER_MS) onWritten(results);
      if (lost === null) continue;
      for (const { status } of results)
        this.#figures.attempts.inc({ outcome: status === "pending" ? "retried" : status });
      for (const webhook of lost) this.#switchOff(webhook);
    }
  }

  /** Does not wait for the turn in the webhook's workspace, which may be long. If it fails, the next delivery repeats it. */
  #switchOff(webhook: Lost): void {
    const key = `${webhookKeyOf(webhook)} ${webhook.isGone} ${webhook.url}`;
    if (this.#switching.has(key)) return;
    const done = switchOff(this.#db, webhook)
      .catch((error: unknown) => this.#log.warn({ err: error }, "a webhook could not be switched off"))
      .finally(() => this.#switching.delete(key));
    this.#switching.set(key, done);
  }

  /** Resolves when no webhook is being switched off; each takes as long as a change may wait. */
  async switchedOff(): Promise<void> {
    await Promise.all(this.#switching.values());
  }

  async #take(): Promise<void> {
    const waiting = (await this.#look()).filter(({ workspaceId }) => !this.#workspaces.isPaused(workspaceId));
    for (const webhook of waiting.filter(({ active }) => !active)) {
      await this.#workspaces.run(webhook.workspaceId, () => dismiss(this.#db, webhook));
    }
    const due = waiting.filter(({ active, dueSeconds }) => active && dueSeconds >= 0);
    const shares = shareOut(this.loop.flights, due);
    if (shares.length === 0) return;
    for (const [workspaceId, own] of byWorkspace(shares)) {
      const claimed = await this.#workspaces.run(workspaceId, () => claimIn(this.#db, workspaceId, own));
      for (const delivery of claimed ?? []) this.#attempt(delivery, due);
    }
    // Webhooks without a slot are not remembered: the next look is at all of them.
    if (this.loop.flights.length >= SLOTS) this.#wholeLookAt = 0;
  }

  /** At what was touched; each second, at all, or as many as one look takes. */
  async #look(): Promise<Waiting[]> {
    const touched = [...this.#touched];
    this.#touched = new Set();
    const there = touched.length === 0 ? [] : await waitingIn(this.#db, touched);
    if (performance.now() < this.#wholeLookAt) return there;
    const since = performance.now();
    const { waiting, next } = await waitingBehind(this.#db, this.#next);
    this.#next = next;
    // However many webhooks there are, looking at all of them is a small part of the work.
    this.#wholeLookAt = Math.max(since + POLL_MS, performance.now() + LOOK_SHARE * (performance.now() - since));
    this.#figures.oldest.set(Math.max(0, ...waiting.map(({ dueSeconds }) => dueSeconds)));
    const known = new Set(there.map(webhookKeyOf));
    return [...there, ...waiting.filter((webhook) => !known.has(webhookKeyOf(webhook)))];
  }

  #attempt(delivery: Claimed, due: readonly Waiting[]): void {
    const { workspaceId, webhookId, publicId, url, secrets, event } = delivery;
    const isFailing = due.some((webhook) => webhookKeyOf(webhook) === webhookKeyOf(delivery) && webhook.isFailing);
    const body = bodyOf(delivery.deliveryType, event?.createdAt ?? delivery.queuedAt, event);
    const message = { id: publicId, url, secrets, body };
    this.loop.begin({ workspaceId, webhookId, url, isFailing }, async (ending) => {
      const outcome = await send(message, this.#outside, ending);
      this.#touched.add(workspaceId);
      return resultOf(delivery, outcome);
    });
  }
}

function resultOf(delivery: Claimed, outcome: AttemptResult): Result {
  const { workspaceId, webhookId, deliveryId, url, attempts, leasedUntil } = delivery;
  const { status: code, error, retryAfterSeconds } = outcome;
  const retry = error === null || isGone(code) ? null : deliveryRetryInSeconds(attempts, retryAfterSeconds);
  const status = error === null ? "delivered" : retry === null ? "failed" : "pending";
  return { workspaceId, webhookId, deliveryId, url, leasedUntil, status, code, error, retryInSeconds: retry };
}
