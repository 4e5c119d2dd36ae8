// Counts failed sign-ins per address, whoever calls, so that guessing one password from many places is as slow as from one.

import { sql } from "drizzle-orm";
import { tooManyRequests } from "../api/errors.js";
import type { Database } from "../db/client.js";

const MAX_FAILURES = 10;
const WINDOW = sql.raw("interval '15 minutes'");

/**
 * Notes a sign-in as failed until it is told otherwise, so that guesses made at the same time count as well.
 * @throws TOO_MANY_REQUESTS after 10 failures within 15 minutes.
 */
export async function signInAttempt(db: Database, email: string): Promise<{ succeeded(): Promise<void> }> {
  const id = await db.transaction(async (tx) => {
    await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${email}::text, 0))`);
    await tx.rows(sql`delete from sign_in_failure where failed_at < now() - ${WINDOW}`);
    const [failures] = await tx.rows<{ count: number; wait: number }>(sql`
      select count(*) as count, coalesce(ceil(extract(epoch from min(failed_at) + ${WINDOW} - now())), 0)::int as wait
      from sign_in_failure where email = ${email}::text`);
    if (failures !== undefined && failures.count >= MAX_FAILURES) throw tooManyRequests(Math.max(1, failures.wait));
    const [noted] = await tx.last<{ id: number }>(
      sql`insert into sign_in_failure (email, failed_at) values (${email}::text, clock_timestamp()) returning id`,
    );
    return noted?.id ?? null;
  });
  return {
    succeeded: async () => {
      await db.rows(sql`delete from sign_in_failure where id = ${id}::bigint`);
    },
  };
}
