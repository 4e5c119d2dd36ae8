// The end of accountless guests who can never come back: their token is all that they sign in with.

import { and, eq, exists, gt, isNull, sql } from "drizzle-orm";
import type { Database, Queries } from "../db/client.js";
import { isDatabaseLost } from "../db/failures.js";
import { accessToken, account } from "../db/schema/index.js";
import { SWEPT_AT_ONCE } from "../db/sweeps.js";
import { changeAllAsSystem } from "./accountChanges.js";
import { departuresOf, endAccount, workspacesOfEnding } from "./closing.js";

/** Whether an account has a token that is valid. */
const hasToken = exists(sql`(
  select from ${accessToken} where ${accessToken.accountId} = ${account.id}
    and (${accessToken.expiresAt} is null or ${accessToken.expiresAt} > now()))`);

/** Some accountless guests, by their keys. */
const guestsBehind = (db: Queries, after: number) =>
  db
    .select({ accountId: account.id, hasToken })
    .from(account)
    .where(and(sql`${account.isGuest}`, isNull(account.deletedAt), gt(account.id, after)))
    .orderBy(account.id)
    .limit(SWEPT_AT_ONCE);

/**
 * Closes a guest's account as its owner would, unless it is no longer abandoned. One who is the last admin of a workspace, or alone
 * in it, stays: closing it would take the workspace from other people with a right to it.
 */
const closeAbandoned = (db: Database, accountId: number): Promise<boolean> =>
  changeAllAsSystem(
    db,
    (tx) => workspacesOfEnding(tx, accountId),
    async (tx, unitOf) => {
      const [guest] = await tx
        .select({ isGuest: account.isGuest })
        .from(account)
        .where(and(eq(account.id, accountId), isNull(account.deletedAt)))
        .for("update");
      if (guest?.isGuest !== true) return false;
      const [locked] = await tx.select({ hasToken }).from(account).where(eq(account.id, accountId));
      const departures = await departuresOf(tx, accountId);
      const isNeeded = departures.some(({ isAlone, isLastAdmin }) => isAlone || isLastAdmin);
      if (locked?.hasToken !== false || isNeeded) return false;
      await endAccount(tx, unitOf, accountId, departures);
      return true;
    },
  );

/** Sweep: closes accountless guests whose last token has ended. */
export async function* closeAbandonedGuests(db: Database): AsyncGenerator<number> {
  let failure: unknown;
  const closed = (accountId: number) =>
    closeAbandoned(db, accountId).catch((error: unknown) => {
      if (isDatabaseLost(error)) throw error;
      failure = error;
      return false;
    });
  let guests = await guestsBehind(db, 0);
  for (;;) {
    for (const { accountId, hasToken } of guests) {
      if (!hasToken) yield (await closed(accountId)) ? 1 : 0;
    }
    const last = guests.at(-1);
    if (last === undefined || guests.length < SWEPT_AT_ONCE) break;
    yield 0;
    guests = await guestsBehind(db, last.accountId);
  }
  // A guest of a workspace that fails does not prevent others from being closed.
  if (failure !== undefined) throw failure;
}
