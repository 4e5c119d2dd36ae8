// Checks passwords and counts wrong guesses per address, whoever calls, so that guessing one password from many places is as slow as
// from one.

import { and, count, eq, gte, lt, sql } from "drizzle-orm";
import { addressTarget, logAct } from "../access/audit.js";
import { verifyPassword } from "../access/passwords.js";
import type { Client } from "../api/context.js";
import { tooManyRequests } from "../api/errors.js";
import { networkOf } from "../api/limits.js";
import type { Database, Queries } from "../db/client.js";
import { signInFailure } from "../db/schema/index.js";

const MAX_FAILURES = 10;
const WINDOW = sql.raw("interval '15 minutes'");

/** An attempt to sign in, or to enter a password or code again. */
export interface Attempt {
  email: string;
  client: Client;
  /** The account of the session that the attempt is made in; null for a sign-in. */
  actorId: number | null;
}

/**
 * Refuses an attempt for which no guess is left.
 * @throws TOO_MANY_REQUESTS after 10 failures within 15 minutes.
 */
export async function mustHaveGuesses(db: Queries, { email }: Pick<Attempt, "email">): Promise<void> {
  const { failedAt } = signInFailure;
  const wait = sql<number>`coalesce(ceil(extract(epoch from min(${failedAt}) + ${WINDOW} - now())), 0)::int`;
  const [failures] = await db
    .select({ count: count(), wait })
    .from(signInFailure)
    .where(and(eq(signInFailure.email, email), gte(failedAt, sql`now() - ${WINDOW}`)));
  if (failures !== undefined && failures.count >= MAX_FAILURES) throw tooManyRequests(Math.max(1, failures.wait));
}

/**
 * Counts a wrong password or code; of many at once those beyond the tenth are refused like later ones.
 * @throws TOO_MANY_REQUESTS after 10 failures within 15 minutes.
 */
export async function noteFailure(db: Database, attempt: Attempt): Promise<void> {
  const { email, client, actorId } = attempt;
  await db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${email}::text, 0))`);
    await tx.delete(signInFailure).where(lt(signInFailure.failedAt, sql`now() - ${WINDOW}`));
    await mustHaveGuesses(tx, attempt);
    await tx.insert(signInFailure).values({ email, failedAt: sql`clock_timestamp()` });
    await logAct(tx, client, { type: "account.signInFailed", actorId, target: addressTarget(email) });
  });
}

/**
 * Whether a password is that of the account with an address. `hash` is null if there is no such account, or it has no password.
 * The failures are counted again after the comparison, so that many concurrent attempts learn no more than attempts in turn.
 * @throws TOO_MANY_REQUESTS after 10 failures within 15 minutes.
 */
export async function isPassword(
  db: Database,
  { hash, ...attempt }: Attempt & { hash: string | null },
  password: string,
): Promise<boolean> {
  await mustHaveGuesses(db, attempt);
  const { actorId, client } = attempt;
  const fits = await verifyPassword(hash, password, actorId ?? networkOf(client.address));
  if (fits) await mustHaveGuesses(db, attempt);
  else await noteFailure(db, attempt);
  return fits;
}
