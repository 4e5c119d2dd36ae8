// The objects that commits changed and that somebody may be waiting for.

/** The objects that a transaction changed and that somebody may be waiting for, by database key. */
export interface Touched<Keys extends ReadonlySet<number> = ReadonlySet<number>> {
  /** Workspaces whose log grew, or that are gone. */
  readonly workspaces: Keys;
  /** Accounts that were notified, or that are gone. */
  readonly accounts: Keys;
  /** Workspaces with new work for the workers of the webhooks: something was queued, or a webhook changed. */
  readonly queued: Keys;
}

export const untouched = (): Touched<Set<number>> => ({
  workspaces: new Set(),
  accounts: new Set(),
  queued: new Set(),
});

/** Adds what one commit changed to what others did. */
export function addTouched(to: Touched<Set<number>>, { workspaces, accounts, queued }: Touched): void {
  for (const id of workspaces) to.workspaces.add(id);
  for (const id of accounts) to.accounts.add(id);
  for (const id of queued) to.queued.add(id);
}

/** Whether anybody waits for anything of it. */
export const isTouched = (touched: Touched): boolean => Object.values(touched).some(({ size }) => size > 0);
