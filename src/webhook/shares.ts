// Who gets the slots of a process: each webhook a few, so that a receiver that is slow, dead or many-named delays no other.

import type { Share, Waiting } from "./queue.js";

/** Attempts in flight at once in one process. */
export const SLOTS = 128;
/** Of these, for one webhook; and for one whose last attempt failed. */
const OF_WEBHOOK = 10;
const OF_FAILING_WEBHOOK = 2;
/** For all that go to one host, and for all of one workspace. */
const OF_HOST = 32;
const OF_WORKSPACE = 32;
/** For all webhooks together whose last attempt failed. */
const OF_FAILING = 64;

/** An attempt in flight, as far as it counts. */
export type Flight = Pick<Waiting, "workspaceId" | "webhookId" | "url" | "isFailing">;

type Quota = [key: string, limit: number];

function quotasOf({ workspaceId, webhookId, url, isFailing }: Flight): Quota[] {
  const own: Quota[] = [
    ["all", SLOTS],
    [`workspace ${workspaceId}`, OF_WORKSPACE],
    [`host ${new URL(url).hostname}`, OF_HOST],
    [`webhook ${webhookId}`, isFailing ? OF_FAILING_WEBHOOK : OF_WEBHOOK],
  ];
  return isFailing ? [...own, ["failing", OF_FAILING]] : own;
}

/** Counts what is taken under each quota. */
class Ledger {
  readonly #taken = new Map<string, number>();

  countOf(key: string): number {
    return this.#taken.get(key) ?? 0;
  }

  add(flight: Flight): void {
    for (const [key] of quotasOf(flight)) this.#taken.set(key, this.countOf(key) + 1);
  }

  allows(flight: Flight): boolean {
    return quotasOf(flight).every(([key, limit]) => this.countOf(key) < limit);
  }
}

/**
 * Deals the free slots to the webhooks for which something is due: one each a round, who has least in flight first, then who
 * has waited longest, until all are dealt or nobody may have more.
 */
export function shareOut(inFlight: readonly Flight[], due: readonly Waiting[]): Share[] {
  const ledger = new Ledger();
  for (const flight of inFlight) ledger.add(flight);
  const flying = ({ webhookId }: Flight) => ledger.countOf(`webhook ${webhookId}`);
  const shares = new Map<Waiting, number>();
  let queue = [...due].sort((a, b) => flying(a) - flying(b) || b.dueSeconds - a.dueSeconds);
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
