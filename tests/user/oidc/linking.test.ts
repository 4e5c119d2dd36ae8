// How identities of a provider come to an account that there is, and leave it (capabilities section 2): every rule, against a provider
// that states what each test asks for.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { anAddress, expectError, ok, type Person, testApp } from "../../helpers/app.js";
import { CALLBACK, comeBack, startIssuer } from "../../helpers/issuer.js";
import { linkFor, mailsTo, RECOVERY_ENVIRONMENT } from "../../helpers/recovery.js";
import type { Bearer } from "../../helpers/requests.js";
import { aSubject, type Flow, rolesOf, type Session, signInsOn } from "./signIns.js";

const issuer = await startIssuer();
const app = await testApp({ OIDC_PROVIDERS: rolesOf(issuer) });
const { as, anonymous, make, db, another } = app;
const { signIn, identitiesOf, tokenOf, disable, expectRefused, auditOf, invitation } = signInsOn(app);

const startLinking = ({ password }: Pick<Person, "password">) => ({
  redirectUri: CALLBACK,
  link: true,
  currentPassword: password,
});

async function verifiedAt(publicId: string): Promise<string | null> {
  const [row] = await db.rows<{ at: string | null }>(
    sql`select email_verified_at as at from account where public_id = ${publicId}::text`,
  );
  return row?.at ?? null;
}

describe("link", () => {
  test("attaches the identity to the caller, whatever its address, also where sign-up is closed", async () => {
    const ada = await make.user();
    const claims = { sub: aSubject(), email: (await make.user()).email };
    const closed = await another({ SIGN_UP: "closed" });
    expect(ok(await signIn(claims, { by: ada, link: true, on: closed })).user.publicId).toBe(ada.publicId);
    expect(ok(await signIn(claims)).user.publicId).toBe(ada.publicId);
    expect(await identitiesOf(ada)).toMatchObject([{ providerId: "plain", email: claims.email }]);
  });

  test("is told of by mail", async () => {
    const mailing = await another(RECOVERY_ENVIRONMENT);
    const ada = await make.user();
    ok(await signIn({ sub: aSubject() }, { by: ada, link: true, on: mailing }));
    expect(await mailsTo(db, ada.email, "notice")).toMatchObject([{ data: { about: "identityLinked" } }]);
  });

  test("gives no session that counts as younger than the one it was done in", async () => {
    const ada = await make.user();
    await db.rows(sql`update account set password_hash = null where public_id = ${ada.publicId}::text`);
    await db.rows(sql`update access_token set created_at = now() - interval '9 minutes'`);
    const { token } = ada;
    const session = { token: ok(await signIn({ sub: aSubject() }, { by: { token }, link: true })).accessToken };
    const all = ok(await as(session).get<{ createdAt: string }[]>("/users/me/sessions"));
    expect(all).toHaveLength(2);
    expect(new Set(all.map(({ createdAt }) => createdAt)).size).toBe(1);
  });

  test("of an identity without an address works, and again changes nothing", async () => {
    const ada = await make.user();
    const claims = { sub: aSubject() };
    for (const _ of [1, 2]) ok(await signIn(claims, { by: ada, link: true }));
    expect(await identitiesOf(ada)).toMatchObject([{ email: null }]);
  });

  test("of an identity that another account has is CONFLICT", async () => {
    const claims = { sub: aSubject(), email: anAddress() };
    ok(await signIn(claims));
    const ada = await make.user();
    await expectRefused(() => signIn(claims, { by: ada, link: true }), "CONFLICT");
    expect(await identitiesOf(ada)).toEqual([]);
  });

  test("wants a session: not nobody's, not a personal token's, not a guest's", async () => {
    const start = "/auth/oidc/plain/start";
    const body = { redirectUri: CALLBACK, link: true };
    expectError(await anonymous.post(start, body), "UNAUTHORIZED");
    expectError(await as({ token: `wb_${"x".repeat(43)}` }).post(start, body), "UNAUTHORIZED");
    const personal = await make.token(await make.user());
    expectError(await as(personal).post(start, body), "FORBIDDEN");
    const accepted = await anonymous.post("/invites/accept", { inviteCode: await invitation() });
    expectError(await as({ token: accepted.headers["x-access-token"] ?? "" }).post(start, body), "FORBIDDEN");
  });

  test.each([
    ["nobody", async () => anonymous],
    ["another session of the same account", async (ada: Person) => as(tokenOf(await passwordSession(ada)))],
    ["somebody else", async () => as(await make.user())],
    ["a personal token of the same account", async (ada: Person) => as(await make.token(ada))],
  ])("finished by %s is FORBIDDEN", async (_, finisher) => {
    const ada = await make.user();
    const by = await finisher(ada);
    const start = await as(ada).post<Flow>("/auth/oidc/plain/start", startLinking(ada));
    const { authorizationUrl, flowToken } = ok(start);
    const callbackUrl = await comeBack(authorizationUrl, { sub: aSubject(), email: ada.email });
    expectError(await by.post("/auth/oidc/plain/finish", { flowToken, callbackUrl }), "FORBIDDEN");
    expect(await identitiesOf(ada)).toEqual([]);
  });

  test("ends with its session", async () => {
    const ada = await make.user();
    const session = tokenOf(await passwordSession(ada));
    const start = await as(session).post<Flow>("/auth/oidc/plain/start", startLinking(ada));
    const { authorizationUrl, flowToken } = ok(start);
    const callbackUrl = await comeBack(authorizationUrl, { sub: aSubject() });
    ok(await as(session).post("/auth/sign-out"));
    expectError(await as(ada).post("/auth/oidc/plain/finish", { flowToken, callbackUrl }), "BAD_REQUEST", "flowToken");
  });
});

const passwordSession = ({ email, password }: Person) => anonymous.post<Session>("/auth/sign-in", { email, password });

describe("an address that has an account", () => {
  const providerId = "linking";

  test("is linked where the provider has linkByEmail and both sides have verified it", async () => {
    const ada = await make.user();
    const claims = { sub: aSubject(), email: ada.email.toUpperCase(), email_verified: true };
    expect(ok(await signIn(claims, { providerId })).user.publicId).toBe(ada.publicId);
    expect(await identitiesOf(ada)).toMatchObject([{ providerId, email: ada.email }]);
    expect(ok(await signIn({ sub: claims.sub }, { providerId })).user.publicId).toBe(ada.publicId);
    expect(await auditOf(ada.publicId)).toContain("identity.linked");
  });

  test.each([undefined, null, false, "true", "false", 1, [true]])(
    "is CONFLICT where email_verified is %j",
    async (email_verified) => {
      const ada = await make.user();
      const claims = { sub: aSubject(), email: ada.email, ...(email_verified !== undefined && { email_verified }) };
      const res = await expectRefused(() => signIn(claims, { providerId }), "CONFLICT");
      expect(JSON.stringify(res.body)).toContain("link");
    },
  );

  test("is CONFLICT where this service has not verified it", async () => {
    const ada = await make.unverified();
    const claims = { sub: aSubject(), email: ada.email, email_verified: true };
    await expectRefused(() => signIn(claims, { providerId }), "CONFLICT");
  });

  test("is CONFLICT where the provider has no linkByEmail", async () => {
    const ada = await make.user();
    const claims = { sub: aSubject(), email: ada.email, email_verified: true };
    const res = await expectRefused(() => signIn(claims), "CONFLICT");
    expect(JSON.stringify(res.body)).toContain("`link`");
  });

  test("is CONFLICT where the address is the ID token's and the verification that of another answer", async () => {
    const ada = await make.user();
    const faults = { userInfo: { email_verified: true }, idToken: { email: ada.email } };
    await expectRefused(() => signIn({ sub: aSubject() }, { providerId, faults }), "CONFLICT");
  });

  test("is CONFLICT as long as the account's change to it can be taken back", async () => {
    const ada = await make.user();
    await linkFor(db, ada, "emailRestore", anAddress());
    const claims = { sub: aSubject(), email: ada.email, email_verified: true };
    await expectRefused(() => signIn(claims, { providerId }), "CONFLICT");
  });

  test("is linked again once the account's change to it can no longer be taken back", async () => {
    const ada = await make.user();
    await linkFor(db, ada, "emailRestore", anAddress());
    await db.rows(sql`
      update account_link set expires_at = now() - interval '1 second'
      where account_id = (select id from account where public_id = ${ada.publicId}::text)`);
    const claims = { sub: aSubject(), email: ada.email, email_verified: true };
    expect(ok(await signIn(claims, { providerId })).user.publicId).toBe(ada.publicId);
  });

  test("is CONFLICT as long as its last owner can restore it", async () => {
    const ada = await make.user();
    const email = anAddress();
    await db.rows(sql`
      insert into account_link (account_id, kind, token_hash, email, created_at, expires_at)
      select id, 'emailRestore', ${email}::text, ${email}::text, now(), now() + interval '1 day'
      from account where public_id = ${ada.publicId}::text`);
    const claims = { sub: aSubject(), email, email_verified: true };
    await expectRefused(() => signIn(claims, { providerId }), "CONFLICT");
  });

  test("of a disabled account is UNAUTHORIZED", async () => {
    const ada = await make.user();
    await disable(ada.publicId);
    const claims = { sub: aSubject(), email: ada.email, email_verified: true };
    await expectRefused(() => signIn(claims, { providerId }), "UNAUTHORIZED");
  });
});

describe("emailVerifiedAt", () => {
  const signUp = async (email_verified: unknown, providerId: string) => {
    const claims = { sub: aSubject(), email: anAddress(), email_verified };
    const { user } = ok(await signIn(claims, { providerId }));
    return { claims, publicId: user.publicId };
  };

  test("is set by a provider with linkByEmail whose email_verified is exactly true", async () => {
    expect(await verifiedAt((await signUp(true, "linking")).publicId)).not.toBeNull();
  });

  test.each([
    [true, "plain"],
    ["true", "linking"],
    [1, "linking"],
    [false, "linking"],
    [null, "linking"],
  ])("is not set by email_verified %j of the provider %s", async (email_verified, providerId) => {
    expect(await verifiedAt((await signUp(email_verified, providerId)).publicId)).toBeNull();
  });

  test("is set by a later sign-in, and only for the account's own address", async () => {
    const { claims, publicId } = await signUp(false, "linking");
    ok(await signIn({ ...claims, email: anAddress(), email_verified: true }, { providerId: "linking" }));
    expect(await verifiedAt(publicId)).toBeNull();
    ok(await signIn({ ...claims, email_verified: true }, { providerId: "linking" }));
    expect(await verifiedAt(publicId)).not.toBeNull();
  });
});

describe("unlinking", () => {
  const unlink = (person: Bearer, publicId = "", on = app) => on.as(person).delete(`/users/me/identities/${publicId}`);

  test("takes an identity from an account with a password", async () => {
    const ada = await make.user();
    const claims = { sub: aSubject() };
    ok(await signIn(claims, { by: ada, link: true }));
    const [identity] = await identitiesOf(ada);
    expect(ok(await unlink(ada, identity?.publicId))).toEqual({ success: true });
    expect(await identitiesOf(ada)).toEqual([]);
    expectError(await signIn(claims), "FORBIDDEN");
    expect(await auditOf(ada.publicId)).toContain("identity.unlinked");
    expectError(await unlink(ada, identity?.publicId), "NOT_FOUND");
  });

  test("the last way to sign in is BAD_REQUEST, until there is a password", async () => {
    const session = tokenOf(await signIn({ sub: aSubject(), email: anAddress() }));
    const [identity] = await identitiesOf(session);
    expectError(await unlink(session, identity?.publicId), "BAD_REQUEST");
    expect(await identitiesOf(session)).toHaveLength(1);
    ok(await as(session).put("/users/me/password", { newPassword: "correct horse battery" }));
    ok(await unlink(session, identity?.publicId));
  });

  test("two at once that are the last ways leaves one", async () => {
    const session = tokenOf(await signIn({ sub: aSubject(), email: anAddress() }));
    ok(await signIn({ sub: aSubject() }, { by: session, link: true }));
    const both = await identitiesOf(session);
    const answers = await Promise.all(both.map(({ publicId }) => unlink(session, publicId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test("does not count an identity whose provider is gone, nor a password that is switched off", async () => {
    const ada = await make.user();
    ok(await signIn({ sub: aSubject() }, { by: ada, link: true }));
    ok(await signIn({ sub: aSubject() }, { by: ada, link: true, providerId: "linking" }));
    const [plain, linking] = await identitiesOf(ada);
    const one = JSON.stringify([issuer.provider({ id: "plain" })]);
    const off = await another({ OIDC_PROVIDERS: one, PASSWORD_SIGN_IN: "off" });
    expectError(await unlink(ada, plain?.publicId, off), "BAD_REQUEST");
    ok(await unlink(ada, linking?.publicId, off));
    const on = await another({ OIDC_PROVIDERS: one });
    ok(await unlink(ada, plain?.publicId, on));
  });

  test("somebody else's is NOT_FOUND", async () => {
    const session = tokenOf(await signIn({ sub: aSubject(), email: anAddress() }));
    const [identity] = await identitiesOf(session);
    expectError(await unlink(await make.user(), identity?.publicId), "NOT_FOUND");
    expect(await identitiesOf(session)).toHaveLength(1);
  });
});
