// What is kept for a time is kept for that time, and goes after it.

import { type SQL, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { SWEEPS } from "../src/sweeper.js";
import { testApp } from "./helpers/app.js";
import { accountIdOf } from "./helpers/recovery.js";
import { swept } from "./helpers/sweeping.js";

const { db, make } = await testApp();
const accountId = await accountIdOf(db, await make.user());

interface Kept {
  /** The sweep. */
  what: string;
  table: string;
  /** The column that says which row it is. */
  mark: string;
  insert: (mark: string, at: SQL) => SQL;
  /** The time of a row that is just over; later ones are not. */
  over: string;
}

const KEPT: Kept[] = [
  {
    ...{ what: "responses to an Idempotency-Key", table: "idempotency_key", mark: "key", over: "-24 hours" },
    insert: (key, at) => sql`
      insert into idempotency_key (workspace_id, account_id, key, request_hash, answer, created_at)
      values (0, ${accountId}::bigint, ${key}::text, '', '{}', ${at})`,
  },
  {
    ...{ what: "audit entries", table: "audit_entry", mark: "type", over: "-400 days" },
    insert: (type, at) => sql`insert into audit_entry (type, created_at) values (${type}::text, ${at})`,
  },
  {
    ...{ what: "mail", table: "mail", mark: "public_id", over: "-30 days" },
    insert: (publicId, at) => sql`
      insert into mail (public_id, kind, status, created_at) values (${publicId}::text, 'notice', 'sent', ${at})`,
  },
  {
    ...{ what: "access tokens", table: "access_token", mark: "public_id", over: "0" },
    insert: (publicId, at) => sql`
      insert into access_token (public_id, account_id, kind, name, scope, token_hash, expires_at)
      values (${publicId}::text, ${accountId}::bigint, 'personal', 'Token', 'read', ${publicId}::text, ${at})`,
  },
  {
    ...{ what: "failed sign-ins", table: "sign_in_failure", mark: "email", over: "-15 minutes" },
    insert: (email, at) => sql`insert into sign_in_failure (email, failed_at) values (${email}::text, ${at})`,
  },
  {
    ...{ what: "sign-ins at providers", table: "oidc_flow", mark: "state", over: "0" },
    insert: (state, at) => sql`
      insert into oidc_flow (token_hash, provider_id, redirect_uri, state, nonce, code_verifier, expires_at)
      values (${state}::text, 'example', 'https://example.org', ${state}::text, '', '', ${at})`,
  },
  {
    ...{ what: "links of accounts", table: "account_link", mark: "token_hash", over: "0" },
    insert: (hash, at) => sql`
      insert into account_link (account_id, kind, token_hash, expires_at)
      values (${accountId}::bigint, 'passwordReset', ${hash}::text, ${at})`,
  },
];

test.each(KEPT)("$what: what is just over goes, and what is a minute younger stays", async (kept) => {
  const at = (seconds: number) => sql`now() + ${kept.over}::interval + ${seconds} * interval '1 second'`;
  await db.run(kept.insert("just over", at(-1)));
  await db.run(kept.insert("kept still", at(60)));
  const sweep = SWEEPS[kept.what] ?? expect.fail(kept.what);

  await swept(sweep, db);

  const [table, mark] = [sql.identifier(kept.table), sql.identifier(kept.mark)];
  const left = await db.rows<{ mark: string }>(sql`
    select ${mark} as mark from ${table} where ${mark} in ('just over', 'kept still')`);
  expect(left).toEqual([{ mark: "kept still" }]);
});
