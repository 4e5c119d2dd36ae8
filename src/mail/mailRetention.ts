// How long mail that ended is kept: for an operator to look at, and for limits to count.

import { and, eq, lt, ne, sql } from "drizzle-orm";
import type { Queries } from "../db/client.js";
import { mail } from "../db/schema/index.js";
import { forgetting } from "../db/sweeps.js";

/** Forgets all mail to an account, sent or not. */
export async function forgetMailTo(db: Queries, accountId: number): Promise<void> {
  await db.delete(mail).where(eq(mail.accountId, accountId));
}

/** Sweep: forgets mail that ended and is older than 30 days. */
export const forgetOldMail = forgetting(mail, mail.createdAt, () =>
  and(ne(mail.status, "pending"), lt(mail.createdAt, sql`now() - interval '30 days'`)),
);
