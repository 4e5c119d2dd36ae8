// The retention of mail that ended: for an operator to look at, and for limits to count.

import { and, eq, isNotNull, lt, ne, sql } from "drizzle-orm";
import type { Queries } from "../db/client.js";
import { mail } from "../db/schema/index.js";
import { forgetting } from "../db/sweeps.js";
import { digestOf } from "./mailLimits.js";

/**
 * Forgets all mail to an account, sent or not. Of each address remains what limits count, as a digest: otherwise closing an account, and
 * signing up again, would begin to count anew.
 */
export async function forgetMailTo(db: Queries, accountId: number): Promise<void> {
  const ofAccount = eq(mail.accountId, accountId);
  const addressed = await db
    .selectDistinct({ address: mail.address })
    .from(mail)
    .where(and(ofAccount, isNotNull(mail.address)));
  for (const { address } of addressed) {
    await db
      .update(mail)
      .set({
        accountId: null,
        address: digestOf(address ?? ""),
        data: null,
        lastError: null,
        nextAttemptAt: null,
        status: sql`case when ${mail.status} = 'pending' then 'dropped' else ${mail.status} end`,
      })
      .where(and(ofAccount, eq(mail.address, address ?? "")));
  }
  await db.delete(mail).where(ofAccount);
}

/** Sweep: forgets mail that ended and is older than 30 days. */
export const forgetOldMail = forgetting(mail, mail.createdAt, () =>
  and(ne(mail.status, "pending"), lt(mail.createdAt, sql`now() - interval '30 days'`)),
);
