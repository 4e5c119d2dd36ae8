// Attaching an identity asks again who the caller is, since the identity signs in from then on (capabilities section 2).

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { expectError, ok, type Person, testApp } from "../../helpers/app.js";
import { CALLBACK, startIssuer } from "../../helpers/issuer.js";
import { codeOf, RECOVERY_ENVIRONMENT, switchOn } from "../../helpers/recovery.js";
import type { Client } from "../../helpers/requests.js";
import { rolesOf, signInsOn } from "./signIns.js";

const issuer = await startIssuer();
const app = await testApp({ ...RECOVERY_ENVIRONMENT, OIDC_PROVIDERS: rolesOf(issuer) });
const { as, make, db, another } = app;
const { signIn, identitiesOf } = signInsOn(app);

const start = (client: Client, proof: { currentPassword?: string; code?: string | undefined } = {}) =>
  client.post("/auth/oidc/plain/start", { redirectUri: CALLBACK, link: true, ...proof });

const countFlows = async () => (await db.rows<{ count: number }>(sql`select count(*)::int as count from oidc_flow`))[0];

/** Asserts that a start is refused, and stores no flow. */
async function expectNoFlow(
  run: () => ReturnType<typeof start>,
  code: Parameters<typeof expectError>[1],
  at?: string,
): Promise<void> {
  const before = await countFlows();
  expectError(await run(), code, at);
  expect(await countFlows()).toEqual(before);
}

/** Makes the sessions of a person begin some minutes ago. */
const age = ({ publicId }: Person, minutes: number) =>
  db.rows(sql`
    update access_token set created_at = now() - make_interval(mins => ${minutes}::int)
    where account_id = (select id from account where public_id = ${publicId}::text)`);

const withoutPassword = async () => {
  const ada = await make.user();
  await db.rows(sql`update account set password_hash = null where public_id = ${ada.publicId}::text`);
  return ada;
};

test("an account without a password links in a session younger than 10 minutes, not in an older one", async () => {
  const ada = await withoutPassword();
  await age(ada, 11);
  await expectNoFlow(() => start(as(ada)), "FORBIDDEN", "currentPassword");
  await age(ada, 9);
  ok(await signIn({ sub: ada.publicId }, { by: { token: ada.token }, link: true }));
  expect(await identitiesOf(ada)).toHaveLength(1);
});

test("where passwords are switched off a session older than 10 minutes links nothing, whatever password it has", async () => {
  const off = await another({ PASSWORD_SIGN_IN: "off" });
  const ada = await make.user();
  await age(ada, 11);
  await expectNoFlow(() => start(off.as(ada)), "FORBIDDEN", "currentPassword");
  await expectNoFlow(() => start(off.as(ada), { currentPassword: ada.password }), "BAD_REQUEST", "currentPassword");
  await age(ada, 9);
  ok(await start(off.as(ada)));
});

test("an account with a password gives it, however young the session is", async () => {
  const ada = await make.user();
  await expectNoFlow(() => start(as(ada)), "BAD_REQUEST", "currentPassword");
  await expectNoFlow(() => start(as(ada), { currentPassword: "not my password" }), "BAD_REQUEST", "currentPassword");
  ok(await start(as(ada), { currentPassword: ada.password }));
});

describe("where a second factor is on", () => {
  test("a code is asked for, with the password and without one, and works once", async () => {
    const ada = await make.user();
    const { secret, recoveryCodes } = await switchOn(app, ada);
    const currentPassword = ada.password;
    await expectNoFlow(() => start(as(ada), { currentPassword }), "BAD_REQUEST", "code");
    await expectNoFlow(() => start(as(ada), { currentPassword, code: "000000" }), "BAD_REQUEST", "code");
    const code = codeOf(secret, 1);
    ok(await start(as(ada), { currentPassword, code }));
    await expectNoFlow(() => start(as(ada), { currentPassword, code }), "BAD_REQUEST", "code");
    await db.rows(sql`update account set password_hash = null where public_id = ${ada.publicId}::text`);
    await expectNoFlow(() => start(as(ada)), "BAD_REQUEST", "code");
    const [recovery] = recoveryCodes;
    ok(await start(as(ada), { code: recovery }));
    await expectNoFlow(() => start(as(ada), { code: recovery }), "BAD_REQUEST", "code");
  });

  test("wrong codes count as failures: after ten even a right one is refused", async () => {
    const ada = await make.user();
    const { recoveryCodes } = await switchOn(app, ada);
    const proof = { currentPassword: ada.password };
    for (let count = 0; count < 10; count += 1)
      expectError(await start(as(ada), { ...proof, code: "aaaa-aaaa-aaaa-aaaa" }), "BAD_REQUEST", "code");
    await expectNoFlow(() => start(as(ada), { ...proof, code: recoveryCodes[0] }), "TOO_MANY_REQUESTS");
  });
});
