// Who gets the slots of a process: each webhook a few, so that a receiver that is slow, dead or many-named delays no other.

import type { Place, Share, Waiting } from "./queue.js";

/** Attempts in flight at once in one process. */
export const SLOTS = 128;
/** Of these, for one webhook; and for one whose last attempt failed. */
const OF_WEBHOOK = 10;
const OF_FAILING_WEBHOOK = 2;
/** For all webhooks together whose last attempt failed, and for all that go to one host. */
const OF_FAILING = 64;
const OF_HOST = 64;
/**
 * For attempts beside another one of the same webhook: in all, of one workspace, and to one host. The rest is kept for webhooks that
 * have nothing in flight, so that none waits for receivers that do not answer.
 */
const FURTHER = 96;
const FURTHER_OF_WORKSPACE = 40;
const FURTHER_OF_HOST = 40;

/** An attempt in flight, as far as it counts. */
export type Flight = Pick<Waiting, "workspaceId" | "webhookId" | "url" | "isFailing">;

/** What tells a webhook from all others: keys are of their workspaces. */
export const webhookKeyOf = ({ workspaceId, webhookId }: Place) => `${workspaceId} ${webhookId}`;

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

/** Counts what is taken under each quota. */
class Ledger {
  readonly #taken = new Map<string, number>();

  /** How many attempts of a webhook are in flight. */
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
 * Deals the free slots to the webhooks for which something is due: one each a round, who has least in flight first, then who
 * has waited longest, until all are dealt or nobody may have more.
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
