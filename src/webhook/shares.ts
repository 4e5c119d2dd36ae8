// Distributes the slots of a process: each webhook gets a few, so that a receiver that is slow, down or has many names delays no
// other.

import type { Share, Waiting, WebhookKey } from "./deliveryQueue.js";

/** The maximum number of running attempts in a process. */
export const SLOTS = 128;
/** The maximum for one webhook; and for one whose last attempt failed. */
const OF_WEBHOOK = 10;
const OF_FAILING_WEBHOOK = 2;
/** The maximum for all webhooks together whose last attempt failed, and for all that go to one host. */
const OF_FAILING = 64;
const OF_HOST = 64;
/**
 * The maximum for additional attempts of webhooks that already have one: in total, for one workspace, and for one host. The rest is
 * reserved for webhooks without a running attempt, so that none waits for receivers that do not respond.
 */
const FURTHER = 96;
const FURTHER_OF_WORKSPACE = 40;
const FURTHER_OF_HOST = 40;

/** A running attempt, by the keys under which it counts. */
export type Flight = Pick<Waiting, "workspaceId" | "webhookId" | "url" | "isFailing">;

/** Identifies a webhook: its key is unique only in its workspace. */
export const webhookKeyOf = ({ workspaceId, webhookId }: WebhookKey) => `${workspaceId} ${webhookId}`;

type Quota = [key: string, limit: number];

function quotasOf(flight: Flight, isFurther: boolean): Quota[] {
  const { workspaceId, url, isFailing } = flight;
  const host = new URL(url).hostname;
  const quotas: Quota[] = [
    ["all", SLOTS],
    [`webhook ${webhookKeyOf(flight)}`, isFailing ? OF_FAILING_WEBHOOK : OF_WEBHOOK],
    [`host ${host}`, OF_HOST],
  ];
  if (isFailing) quotas.push(["failing", OF_FAILING]);
  if (!isFurther) return quotas;
  return [
    ...quotas,
    ["further", FURTHER],
    [`further of workspace ${workspaceId}`, FURTHER_OF_WORKSPACE],
    [`further of host ${host}`, FURTHER_OF_HOST],
  ];
}

/** Counts the slots in use under each quota. */
class Ledger {
  readonly #taken = new Map<string, number>();

  /** The number of attempts of a webhook that are in flight. */
  flying(flight: Flight): number {
    return this.#countOf(`webhook ${webhookKeyOf(flight)}`);
  }

  add(flight: Flight): void {
    for (const [key] of this.#quotasOf(flight)) this.#taken.set(key, this.#countOf(key) + 1);
  }

  allows(flight: Flight): boolean {
    return this.#quotasOf(flight).every(([key, limit]) => this.#countOf(key) < limit);
  }

  #quotasOf(flight: Flight): Quota[] {
    return quotasOf(flight, this.flying(flight) > 0);
  }

  #countOf(key: string): number {
    return this.#taken.get(key) ?? 0;
  }
}

/**
 * Distributes the free slots among webhooks with due deliveries: one per round each, first to those with the fewest running
 * attempts, then to those that have waited longest, until all slots are used or no webhook may have more.
 */
export function shareOut(inFlight: readonly Flight[], due: readonly Waiting[]): Share[] {
  const ledger = new Ledger();
  for (const flight of inFlight) ledger.add(flight);
  const shares = new Map<Waiting, number>();
  let queue = [...due].sort((a, b) => ledger.flying(a) - ledger.flying(b) || b.dueSeconds - a.dueSeconds);
  while (queue.length > 0) {
    queue = queue.filter((webhook) => {
      if (!ledger.allows(webhook)) return false;
      ledger.add(webhook);
      shares.set(webhook, (shares.get(webhook) ?? 0) + 1);
      return true;
    });
  }
  return [...shares].map(([{ workspaceId, webhookId }, take]) => ({ workspaceId, webhookId, take }));
}
