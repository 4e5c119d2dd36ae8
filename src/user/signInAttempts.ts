// Checks passwords and counts wrong ones per address, whoever calls, so that guessing one password from many places is as slow as
// from one.

import { sql } from "drizzle-orm";
import { verifyPassword } from "../access/passwords.js";
import { tooManyRequests } from "../api/errors.js";
import type { Database, Queries } from "../db/client.js";

const MAX_FAILURES = 10;
const WINDOW = sql.raw("interval '15 minutes'");

/** @throws TOO_MANY_REQUESTS after 10 failures within 15 minutes. */
async function mustHaveGuesses(db: Queries, email: string): Promise<void> {
  const [failures] = await db.rows<{ count: number; wait: number }>(sql`
    select count(*) as count, coalesce(ceil(extract(epoch from min(failed_at) + ${WINDOW} - now())), 0)::int as wait
    from sign_in_failure where email = ${email}::text and failed_at >= now() - ${WINDOW}`);
  if (failures !== undefined && failures.count >= MAX_FAILURES) throw tooManyRequests(Math.max(1, failures.wait));
}

/** Counts a failure; of many at once those beyond the tenth are refused like later ones. */
async function noteFailure(db: Database, email: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${email}::text, 0))`);
    await tx.rows(sql`delete from sign_in_failure where failed_at < now() - ${WINDOW}`);
    await mustHaveGuesses(tx, email);
    await tx.rows(sql`insert into sign_in_failure (email, failed_at) values (${email}::text, clock_timestamp())`);
  });
}

/**
 * Whether a password is that of the account with an address and a hash; null: there is no such account, or it has none. A check that
 * still runs counts as nothing. Its answer is told only if the failures that ended meanwhile leave a guess: many at once tell no
 * more than as many in turn.
 * @throws TOO_MANY_REQUESTS after 10 failures within 15 minutes.
 */
export async function isPassword(
  db: Database,
  { email, hash }: { email: string; hash: string | null },
  password: string,
): Promise<boolean> {
  await mustHaveGuesses(db, email);
  const fits = await verifyPassword(hash, password);
  if (fits) await mustHaveGuesses(db, email);
  else await noteFailure(db, email);
  return fits;
}
