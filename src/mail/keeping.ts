// How long mail that ended is kept: for an operator to look at, and for limits to count.

import { and, asc, eq, inArray, lt, ne, sql } from "drizzle-orm";
import type { Queries } from "../db/client.js";
import { mail } from "../db/schema/index.js";
import { SWEPT_AT_ONCE, type Sweep, untilFewerThan } from "../db/sweeps.js";

/** Forgets all mail to an account, sent or not. */
export async function forgetMailTo(db: Queries, accountId: number): Promise<void> {
  await db.delete(mail).where(eq(mail.accountId, accountId));
}

/** Sweep: forgets mail that ended and is older than 30 days. */
export const forgetOldMail: Sweep = (db) =>
  untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
    const old = db
      .select({ id: mail.id })
      .from(mail)
      .where(and(ne(mail.status, "pending"), lt(mail.createdAt, sql`now() - interval '30 days'`)))
      .orderBy(asc(mail.createdAt))
      .limit(limit);
    return (await db.delete(mail).where(inArray(mail.id, old)).returning({ id: mail.id })).length;
  });
