// Tokens that have ended are forgotten, in batches.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { forgetEndedTokens } from "../../src/access/tokens.js";
import { ok, testApp } from "../helpers/app.js";
import { swept } from "../helpers/sweeping.js";

const { as, make, db } = await testApp();

test("a token goes once it has ended, at most a thousand at a time; live tokens and those without an end stay", async () => {
  const ada = await make.user();
  const endless = await make.token(ada);
  const ending = await make.token(ada, { expiresAt: "2100-01-01T00:00:00.000Z" });
  const ended = await make.token(ada, { expiresAt: "2100-01-01T00:00:00.000Z" });
  await db.rows(sql`
    update access_token set expires_at = now() - interval '1 second' where public_id = ${ended.publicId}::text`);
  await db.rows(sql`
    insert into access_token (public_id, account_id, kind, name, scope, token_hash, expires_at)
    select 'swept' || lpad(n::text, 7, '0'), a.id, 'session', 'Session', 'write', md5(n::text), now() - interval '1 day'
    from account a, generate_series(1, 2100) n where a.public_id = ${ada.publicId}::text`);

  expect(await swept(forgetEndedTokens, db)).toEqual([1000, 1000, 101]);

  const left = ok(await as(ada).get<{ publicId: string }[]>("/tokens"));
  expect(left.map(({ publicId }) => publicId)).toEqual([endless.publicId, ending.publicId]);
  expect(await swept(forgetEndedTokens, db)).toEqual([]);
});
