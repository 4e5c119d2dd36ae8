// Everything that is stored, as one number a table: alike before and after where nothing was changed.

import { type SQL, sql } from "drizzle-orm";
import { type Database, texts } from "../../src/db/client.js";

// That a token was used is noted also where the call is refused; and notifications are numbered for whoever follows them.
const COLUMNS: Record<string, SQL> = {
  notification: sql`row(workspace_id, id, public_id, account_id, type, actor_id, card_id, created_at, read_at)`,
  access_token: sql`row(id, public_id, account_id, kind, name, scope, bound_workspace_id, token_hash)`,
};

/** Tables that differ after a refusal too: what counts failures and records them, and the numbers of notifications. */
const UNCOMPARED = ["notification_counter", "sign_in_failure", "audit_entry"];

export async function stateOf(db: Database): Promise<Record<string, unknown>> {
  const tables = await db.rows<{ name: string }>(
    sql`select tablename as name from pg_tables
      where schemaname = 'public' and tablename <> all(${texts(UNCOMPARED)}) order by tablename`,
  );
  const digests = tables.map(
    ({ name }) => sql`
      select ${name}::text as name, count(*) || ' ' || coalesce(sum(hashtextextended((${COLUMNS[name] ?? sql`t`})::text, 0)), 0) as digest
      from ${sql.identifier(name)} t`,
  );
  const rows = await db.rows<{ name: string; digest: string }>(sql.join(digests, sql` union all `));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
