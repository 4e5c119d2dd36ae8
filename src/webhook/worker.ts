// The worker of a process: looks after commits, and each second anyway, for deliveries that are due, attempts them within its
// share of slots, and writes what became of them, many at a time.

import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { Counter, Gauge, type Registry } from "prom-client";
import type { Database } from "../db/client.js";
import { byWorkspace } from "../db/records.js";
import { commitSignalOf } from "../events/commitSignal.js";
import type { Outside } from "./addresses.js";
import {
  type Claimed,
  claim,
  dismiss,
  finishIn,
  isGone,
  type Place,
  type Result,
  START,
  switchOff,
  type Waiting,
  waitingBehind,
  waitingIn,
} from "./queue.js";
import { retryInSeconds } from "./schedule.js";
import { bodyOf, type Outcome, send } from "./sending.js";
import { type Flight, SLOTS, shareOut, webhookKeyOf } from "./shares.js";

const POLL_MS = 1000;
/** What happens this close together is done together. */
const GATHER_MS = 30;
/** A look at all webhooks is not followed by another for so many times as long as it took. */
const LOOK_SHARE = 20;

/** What a worker is made of. */
export interface WorkerParts {
  db: Database;
  log: FastifyBaseLogger;
  outside: Outside;
  /** Where its figures go. */
  registry?: Registry | undefined;
}

/** A running worker. */
export interface DeliveryWorker {
  /** Something may be due; never waits and never throws. */
  wake(): void;
  /** Takes nothing more, gives what is in flight this long to end, and leaves the rest to its lease. */
  stop(graceMs: number): Promise<void>;
}

/** Starts to deliver what is due, and soon after each commit what it queued (contract section 6). */
export function startDelivering(parts: WorkerParts): DeliveryWorker {
  const worker = new Worker(parts);
  const running = worker.run();
  const unsubscribe = commitSignalOf(parts.db).subscribe((workspaceIds) => {
    if (workspaceIds.size > 0) worker.lookAt(workspaceIds);
  });
  return {
    wake: () => worker.lookAtAll(),
    stop: async (graceMs) => {
      unsubscribe();
      worker.takeNoMore();
      await running;
      await worker.end(graceMs);
    },
  };
}

const keyOf = ({ workspaceId, deliveryId }: { workspaceId: number; deliveryId: number }) =>
  `${workspaceId} ${deliveryId}`;

interface Attempt extends Flight {
  limit: AbortController;
}

class Worker {
  readonly #db: Database;
  readonly #log: FastifyBaseLogger;
  readonly #outside: Outside;
  readonly #figures: ReturnType<typeof figuresIn>;
  /** From the claim until what became of it is written. */
  readonly #inFlight = new Map<string, Attempt>();
  #results: Result[] = [];
  #next: Place = START;
  /** Workspaces where something may have become due since the last look. */
  #touched = new Set<number>();
  /** When the next look is at all of them. */
  #wholeLookAt = 0;
  #isStopping = false;
  #isWoken = false;
  #awaken = () => {};

  constructor({ db, log, outside, registry }: WorkerParts) {
    this.#db = db;
    this.#log = log;
    this.#outside = outside;
    this.#figures = figuresIn(registry, () => this.#inFlight.size);
  }

  lookAt(workspaceIds: Iterable<number>): void {
    for (const id of workspaceIds) this.#touched.add(id);
    this.#isWoken = true;
    this.#awaken();
  }

  lookAtAll(): void {
    this.#wholeLookAt = 0;
    this.lookAt([]);
  }

  async run(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#write();
        await this.#take();
        await this.#pause();
      } catch (error) {
        this.#log.warn({ err: error }, "deliveries of webhooks wait: the queue could not be read or written");
        await sleep(POLL_MS);
      }
    }
  }

  takeNoMore(): void {
    this.#isStopping = true;
    this.lookAt([]);
  }

  async end(graceMs: number): Promise<void> {
    const end = Date.now() + graceMs;
    while (this.#inFlight.size > this.#results.length && Date.now() < end) await sleep(GATHER_MS);
    const ended = new Set(this.#results.map(keyOf));
    for (const [key, { limit }] of this.#inFlight) if (!ended.has(key)) limit.abort();
    await this.#write().catch((error: unknown) => this.#log.warn({ err: error }, "results of deliveries were lost"));
  }

  /** Until woken, or a second is over. */
  async #pause(): Promise<void> {
    if (!this.#isWoken) {
      const limit = new AbortController();
      const woken = new Promise<void>((resolve) => {
        this.#awaken = resolve;
      });
      await Promise.race([woken, sleep(POLL_MS, undefined, { signal: limit.signal }).catch(() => {})]);
      limit.abort();
    }
    await sleep(GATHER_MS);
    this.#isWoken = false;
  }

  async #write(): Promise<void> {
    for (const [workspaceId, results] of byWorkspace(this.#results)) {
      const lost = await finishIn(this.#db, workspaceId, results);
      const written = new Set<Result>(results);
      this.#results = this.#results.filter((result) => !written.has(result));
      for (const result of results) {
        this.#inFlight.delete(keyOf(result));
        this.#figures.attempts.inc({ outcome: result.status === "pending" ? "retried" : result.status });
      }
      for (const webhook of lost) await switchOff(this.#db, webhook);
    }
  }

  async #take(): Promise<void> {
    const waiting = await this.#look();
    for (const webhook of waiting.filter(({ active }) => !active)) await dismiss(this.#db, webhook);
    const due = waiting.filter(({ active, dueSeconds }) => active && dueSeconds >= 0);
    const shares = shareOut([...this.#inFlight.values()], due);
    if (shares.length === 0) return;
    for (const delivery of await claim(this.#db, shares)) this.#attempt(delivery, due);
    // Whoever got no slot is not remembered: the next look is at all of them.
    if (this.#inFlight.size >= SLOTS) this.#wholeLookAt = 0;
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
    const limit = new AbortController();
    this.#inFlight.set(keyOf(delivery), { workspaceId, webhookId, url, isFailing, limit });
    const body = bodyOf(delivery.deliveryType, event?.createdAt ?? delivery.queuedAt, event);
    const message = { id: publicId, url, secrets, body };
    send(message, this.#outside, limit.signal).then((outcome) => {
      this.#results = [...this.#results, resultOf(delivery, outcome)];
      this.lookAt([workspaceId]);
    });
  }
}

function resultOf(delivery: Claimed, outcome: Outcome): Result {
  const { workspaceId, webhookId, deliveryId, url, attempts, leasedUntil } = delivery;
  const { status: code, error, retryAfterSeconds } = outcome;
  const retry = error === null || isGone(code) ? null : retryInSeconds(attempts, retryAfterSeconds);
  const status = error === null ? "delivered" : retry === null ? "failed" : "pending";
  return { workspaceId, webhookId, deliveryId, url, leasedUntil, status, code, error, retryInSeconds: retry };
}

function figuresIn(registry: Registry | undefined, inFlight: () => number) {
  const registers = registry === undefined ? [] : [registry];
  new Gauge({
    name: "webhook_attempts_in_flight",
    help: "Deliveries that this process attempts now",
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  return {
    attempts: new Counter({
      name: "webhook_attempts_total",
      help: "Attempts to deliver that ended: delivered, to be retried, or failed for good",
      labelNames: ["outcome"],
      registers,
    }),
    oldest: new Gauge({
      name: "webhook_oldest_due_seconds",
      help: "How long the delivery has been due that waits longest, at the last look at the queue",
      registers,
    }),
  };
}
