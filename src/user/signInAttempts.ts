// Checks passwords and counts wrong guesses: of sign-ins per address, from any caller, so that guessing one password from many places is
// as slow as from one; and inside of sessions per account, so that guesses from outside keep nobody from protecting their account.

import { and, between, count, eq, lt, sql } from "drizzle-orm";
import type { Client } from "../api/context.js";
import { tooManyRequests } from "../api/errors.js";
import { networkOf } from "../api/limits.js";
import type { Database, Queries } from "../db/client.js";
import { signInFailure } from "../db/schema/index.js";
import { forgetting } from "../db/sweeps.js";
import { addressTarget, logAct } from "./auditLog.js";
import { verifyPassword } from "./passwords.js";

const MAX_FAILURES = 10;
const WINDOW = sql.raw("interval '15 minutes'");

/** The description of wrong passwords and codes, in every operation of a session. */
export const GUESSES_TEXT = `After ${MAX_FAILURES} wrong passwords or codes in the sessions of an account within 15 minutes, such calls of the account get TOO_MANY_REQUESTS; failed sign-ins do not count among them.`;

/** An attempt to sign in, or to enter a password or code again. */
export interface Attempt {
  email: string;
  client: Client;
  /** The account of the session that the attempt is made in; null for a sign-in. */
  actorId: number | null;
}

/** Refuses if more failures than `most` count against an attempt. */
async function mustNotExceed(
  db: Queries,
  { email, actorId }: Pick<Attempt, "email" | "actorId">,
  most: number,
): Promise<void> {
  const { failedAt, accountId } = signInFailure;
  const counts = actorId === null ? eq(signInFailure.email, email) : eq(accountId, actorId);
  const wait = sql<number>`coalesce(ceil(extract(epoch from min(${failedAt}) + ${WINDOW} - now())), 0)::int`;
  const [failures] = await db
    .select({ count: count(), wait })
    .from(signInFailure)
    .where(and(counts, between(failedAt, sql`now() - ${WINDOW}`, sql`clock_timestamp()`)));
  if (failures !== undefined && failures.count > most) throw tooManyRequests(Math.max(1, failures.wait));
}

/** Refuses an attempt for which no guess is left. @throws TOO_MANY_REQUESTS after 10 failures within 15 minutes. */
export const mustHaveGuesses = (db: Queries, attempt: Pick<Attempt, "email" | "actorId">): Promise<void> =>
  mustNotExceed(db, attempt, MAX_FAILURES - 1);

/** Counts a wrong guess, without a lock: stored first, so that of many at once ten learn it. @throws TOO_MANY_REQUESTS */
export async function noteFailure(db: Database, attempt: Attempt): Promise<void> {
  const { email, client, actorId } = attempt;
  await db.transaction(async (tx) => {
    const counted = actorId === null ? { email } : { accountId: actorId };
    await tx.insert(signInFailure).values({ ...counted, failedAt: sql`clock_timestamp()` });
    await logAct(tx, client, { type: "account.signInFailed", actorId, target: addressTarget(email) });
  });
  await mustNotExceed(db, attempt, MAX_FAILURES);
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

/** Sweep: forgets failures that no longer count. */
export const forgetOldFailures = forgetting(signInFailure, signInFailure.failedAt, () =>
  lt(signInFailure.failedAt, sql`now() - ${WINDOW}`),
);
