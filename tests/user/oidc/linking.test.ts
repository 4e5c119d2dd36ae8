// To which account somebody who comes back from a provider belongs (capabilities section 2): every rule, against a provider that states
// what each test asks for.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  contentsOf,
  expectError,
  type Fields,
  ok,
  type Person,
  testApp,
  unique,
} from "../../helpers/app.js";
import { CALLBACK, type Claims, comeBack, type Faults, startIssuer } from "../../helpers/issuer.js";
import type { Bearer, Client } from "../../helpers/requests.js";

const issuer = await startIssuer();
/** The same issuer in four roles; the first as it is without settings. */
const OIDC_PROVIDERS = JSON.stringify([
  issuer.provider({ id: "plain", name: "Plain" }),
  issuer.provider({ id: "linking", name: "Linking", linkByEmail: true }),
  issuer.provider({ id: "domain", name: "Domain", allowedDomains: ["example.org"] }),
]);
const app = await testApp({ OIDC_PROVIDERS });
const { as, anonymous, make, db, another } = app;

interface Session {
  accessToken: string;
  expiresAt: string;
  user: Fields & { publicId: string };
}
interface Flow {
  authorizationUrl: string;
  flowToken: string;
}
interface Identity {
  publicId: string;
  providerId: string;
  email: string | null;
  createdAt: string;
  lastUsedAt: string | null;
}

const aSubject = () => unique("subject");
const anAddress = () => `${unique("someone").replace(" ", ".")}@example.org`;

interface SignIn {
  providerId?: string;
  faults?: Faults;
  inviteCode?: string;
  /** Who calls, and whether to attach the identity. */
  by?: Bearer;
  link?: boolean;
  on?: { as: (person: Bearer) => Client; anonymous: Client };
}

/** A whole sign-in at a provider; the answer to its end. */
async function signIn(claims: Claims, { providerId = "plain", faults, inviteCode, by, link, on = app }: SignIn = {}) {
  const client = by === undefined ? on.anonymous : on.as(by);
  const base = `/auth/oidc/${providerId}`;
  const flow = ok(await client.post<Flow>(`${base}/start`, { redirectUri: CALLBACK, ...(link && { link }) }));
  const callbackUrl = await comeBack(flow.authorizationUrl, claims, faults);
  const body = { flowToken: flow.flowToken, callbackUrl, ...(inviteCode !== undefined && { inviteCode }) };
  return client.post<Session>(`${base}/finish`, body);
}

const identitiesOf = async (person: Bearer) => ok(await as(person).get<Identity[]>("/users/me/identities"));
const tokenOf = (res: Answer<Session>): Bearer => ({ token: ok(res).accessToken });

/** Somebody whose address this service has verified. */
async function verified(): Promise<Person> {
  const person = await make.user();
  await db.rows(sql`update account set email_verified_at = now() where public_id = ${person.publicId}::text`);
  return person;
}

async function verifiedAt(publicId: string): Promise<string | null> {
  const [row] = await db.rows<{ at: string | null }>(
    sql`select email_verified_at as at from account where public_id = ${publicId}::text`,
  );
  return row?.at ?? null;
}

const disable = (publicId: string) =>
  db.rows(sql`update account set disabled_at = now() where public_id = ${publicId}::text`);

/** What is stored, but for the audit log, in which failures stand too. */
async function stored(): Promise<Record<string, number>> {
  return { ...(await contentsOf(db)), audit_entry: 0 };
}

/** Asserts that a sign-in is refused and changes nothing. */
async function expectRefused(
  run: () => Promise<Answer<Session>>,
  ...error: [Parameters<typeof expectError>[1], string?]
) {
  const before = await stored();
  const res = await run();
  expectError(res, ...error);
  expect(await stored()).toEqual(before);
  return res;
}

/** The types in the audit log of an account, in order. */
async function auditOf(publicId: string): Promise<string[]> {
  const rows = await db.rows<{ type: string }>(sql`
    select e.type from audit_entry e join account a on a.id = e.actor_id
    where a.public_id = ${publicId}::text order by e.id`);
  return rows.map(({ type }) => type);
}

describe("somebody new", () => {
  test("gets an account of what the provider states, and a session", async () => {
    const claims = {
      sub: aSubject(),
      email: anAddress(),
      name: " Ada Lovelace ",
      picture: "https://example.org/a.png",
    };
    const { accessToken, user } = ok(await signIn(claims));
    expect(user).toMatchObject({ name: "Ada Lovelace", email: claims.email, image: claims.picture, isGuest: false });
    expect(ok(await as({ token: accessToken }).get("/users/me"))).toEqual(user);
    expect(await identitiesOf({ token: accessToken })).toEqual([
      {
        publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
        providerId: "plain",
        email: claims.email,
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
      },
    ]);
    expect(await auditOf(user.publicId)).toEqual(["account.signedUp", "identity.linked", "account.signedIn"]);
  });

  test("is named by the address where the provider states no name, or none that accounts take", async () => {
    for (const name of [undefined, "", "a\u0000b", "x".repeat(300), 7]) {
      const email = anAddress();
      const { user } = ok(await signIn({ sub: aSubject(), email, ...(name !== undefined && { name }) }));
      expect(user.name).toBe(email.split("@")[0]);
    }
  });

  test("is asked about at the provider where the ID token has no address", async () => {
    const email = anAddress();
    const userInfo = { email, email_verified: true, name: "Ada" };
    const { user } = ok(await signIn({ sub: aSubject() }, { faults: { userInfo } }));
    expect(user).toMatchObject({ email, name: "Ada" });
  });

  test.each([undefined, null, "", "ada", "ädä@example.org", ["a@example.org"]])(
    "with the address %j is FORBIDDEN",
    async (email) => {
      const claims = { sub: aSubject(), ...(email !== undefined && { email }) };
      await expectRefused(() => signIn(claims), "FORBIDDEN", undefined);
    },
  );

  test("is FORBIDDEN where sign-up is closed, also with an invitation", async () => {
    const closed = await another({ SIGN_UP: "closed" });
    const inviteCode = await invitation();
    for (const code of [undefined, inviteCode]) {
      const claims = { sub: aSubject(), email: anAddress() };
      await expectRefused(
        () => signIn(claims, { on: closed, ...(code !== undefined && { inviteCode: code }) }),
        "FORBIDDEN",
      );
    }
  });

  test("needs an invitation where sign-up is for the invited", async () => {
    const invited = await another({ SIGN_UP: "invited" });
    const claims = { sub: aSubject(), email: anAddress() };
    await expectRefused(() => signIn(claims, { on: invited }), "FORBIDDEN", "inviteCode");
    const { user } = ok(await signIn(claims, { on: invited, inviteCode: await invitation() }));
    expect(user.email).toBe(claims.email);
  });

  test("joins by the invitation; a code that is not valid makes no account", async () => {
    const claims = { sub: aSubject(), email: anAddress() };
    await expectRefused(() => signIn(claims, { inviteCode: "A".repeat(24) }), "BAD_REQUEST", "inviteCode");
    const session = await signIn(claims, { inviteCode: await invitation() });
    expect(ok(await as(tokenOf(session)).get("/workspaces"))).toHaveLength(1);
  });

  test("who is an accountless guest becomes a full account and keeps its memberships", async () => {
    const accepted = await anonymous.post("/invites/accept", { inviteCode: await invitation() });
    const guest = { token: accepted.headers["x-access-token"] ?? "" };
    const { publicId } = ok(await as(guest).get("/users/me"));
    const session = await signIn({ sub: aSubject(), email: anAddress(), name: "Ada" }, { by: guest });
    expect(ok(session).user).toMatchObject({ publicId, name: "Ada", isGuest: false });
    expectError(await as(guest).get("/users/me"), "UNAUTHORIZED");
    expect(ok(await as(tokenOf(session)).get("/workspaces"))).toHaveLength(1);
  });

  test("does not sign up with the token of an account", async () => {
    const ada = await make.user();
    await expectRefused(() => signIn({ sub: aSubject(), email: anAddress() }, { by: ada }), "BAD_REQUEST");
  });

  test("twice at once is one account with two sessions", async () => {
    const claims = { sub: aSubject(), email: anAddress() };
    const [one, two] = await Promise.all([signIn(claims), signIn(claims)]);
    expect(ok(one).user).toEqual(ok(two).user);
    expect(await identitiesOf(tokenOf(one))).toHaveLength(1);
  });
});

/** The code of a new workspace's link. */
async function invitation(): Promise<string> {
  const { workspace, owner } = await make.workspace();
  return ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`)).inviteCode;
}

describe("allowedDomains", () => {
  const providerId = "domain";

  test("admits verified addresses of its domains", async () => {
    const claims = { sub: aSubject(), email: anAddress().toUpperCase(), email_verified: true };
    ok(await signIn(claims, { providerId }));
  });

  test.each(["ada@example.com", "ada@sub.example.org", "ada@example.org.evil.com", "ada@notexample.org"])(
    "keeps %s out",
    async (email) => {
      const claims = { sub: aSubject(), email, email_verified: true };
      await expectRefused(() => signIn(claims, { providerId }), "FORBIDDEN");
    },
  );

  test.each([undefined, false, "true", 1])("keeps addresses out whose email_verified is %j", async (email_verified) => {
    const claims = { sub: aSubject(), email: anAddress(), email_verified };
    await expectRefused(() => signIn(claims, { providerId }), "FORBIDDEN");
  });

  test("is about new accounts alone: who has an identity signs in", async () => {
    const claims = { sub: aSubject(), email: "ada@elsewhere.example.com" };
    const first = ok(await signIn(claims));
    expect(ok(await signIn(claims, { providerId })).user).toEqual(first.user);
  });
});

describe("a known identity", () => {
  test("signs in by issuer and subject, whatever its address has become", async () => {
    const sub = aSubject();
    const first = ok(await signIn({ sub, email: anAddress() }));
    const [email, taken] = [anAddress(), (await make.user()).email];
    for (const address of [email, taken]) {
      const session = await signIn({ sub, email: address, name: "Renamed" });
      expect(ok(session).user).toEqual(first.user);
      expect(await identitiesOf(tokenOf(session))).toMatchObject([{ email: address }]);
    }
    expect(ok(await signIn({ sub })).user).toEqual(first.user);
  });

  test("signs in where sign-up is closed", async () => {
    const claims = { sub: aSubject(), email: anAddress() };
    const first = ok(await signIn(claims));
    const closed = await another({ SIGN_UP: "closed" });
    expect(ok(await signIn(claims, { on: closed })).user).toEqual(first.user);
  });

  test("joins by an invitation as it signs in", async () => {
    const claims = { sub: aSubject(), email: anAddress() };
    ok(await signIn(claims));
    const session = await signIn(claims, { inviteCode: await invitation() });
    expect(ok(await as(tokenOf(session)).get("/workspaces"))).toHaveLength(1);
  });

  test("of a disabled account is UNAUTHORIZED", async () => {
    const claims = { sub: aSubject(), email: anAddress() };
    const { user } = ok(await signIn(claims));
    await disable(user.publicId);
    await expectRefused(() => signIn(claims), "UNAUTHORIZED");
  });

  test("is free again once its account is deleted", async () => {
    const claims = { sub: aSubject(), email: anAddress() };
    const session = await signIn(claims);
    ok(await as(tokenOf(session)).post("/users/me/delete", {}));
    expect(ok(await signIn(claims)).user.publicId).not.toBe(ok(session).user.publicId);
  });

  test("leaves out the second factor, which is of passwords", async () => {
    const claims = { sub: aSubject(), email: anAddress() };
    const { user } = ok(await signIn(claims));
    await db.rows(sql`
      insert into two_factor (account_id, secret, confirmed_at, created_at)
      select id, 'x', now(), now() from account where public_id = ${user.publicId}::text`);
    ok(await signIn(claims));
  });
});

describe("link", () => {
  test("attaches the identity to the caller, whatever its address, also where sign-up is closed", async () => {
    const ada = await make.user();
    const claims = { sub: aSubject(), email: (await make.user()).email };
    const closed = await another({ SIGN_UP: "closed" });
    expect(ok(await signIn(claims, { by: ada, link: true, on: closed })).user.publicId).toBe(ada.publicId);
    expect(ok(await signIn(claims)).user.publicId).toBe(ada.publicId);
    expect(await identitiesOf(ada)).toMatchObject([{ providerId: "plain", email: claims.email }]);
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
    const start = await as(ada).post<Flow>("/auth/oidc/plain/start", { redirectUri: CALLBACK, link: true });
    const { authorizationUrl, flowToken } = ok(start);
    const callbackUrl = await comeBack(authorizationUrl, { sub: aSubject(), email: ada.email });
    expectError(await by.post("/auth/oidc/plain/finish", { flowToken, callbackUrl }), "FORBIDDEN");
    expect(await identitiesOf(ada)).toEqual([]);
  });

  test("ends with its session", async () => {
    const ada = await make.user();
    const session = tokenOf(await passwordSession(ada));
    const start = await as(session).post<Flow>("/auth/oidc/plain/start", { redirectUri: CALLBACK, link: true });
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
    const ada = await verified();
    const claims = { sub: aSubject(), email: ada.email.toUpperCase(), email_verified: true };
    expect(ok(await signIn(claims, { providerId })).user.publicId).toBe(ada.publicId);
    expect(await identitiesOf(ada)).toMatchObject([{ providerId, email: ada.email }]);
    expect(ok(await signIn({ sub: claims.sub }, { providerId })).user.publicId).toBe(ada.publicId);
    expect(await auditOf(ada.publicId)).toContain("identity.linked");
  });

  test.each([undefined, null, false, "true", "false", 1, [true]])(
    "is CONFLICT where email_verified is %j",
    async (email_verified) => {
      const ada = await verified();
      const claims = { sub: aSubject(), email: ada.email, ...(email_verified !== undefined && { email_verified }) };
      const res = await expectRefused(() => signIn(claims, { providerId }), "CONFLICT");
      expect(JSON.stringify(res.body)).toContain("link");
    },
  );

  test("is CONFLICT where this service has not verified it", async () => {
    const ada = await make.user();
    const claims = { sub: aSubject(), email: ada.email, email_verified: true };
    await expectRefused(() => signIn(claims, { providerId }), "CONFLICT");
  });

  test("is CONFLICT where the provider has no linkByEmail", async () => {
    const ada = await verified();
    const claims = { sub: aSubject(), email: ada.email, email_verified: true };
    const res = await expectRefused(() => signIn(claims), "CONFLICT");
    expect(JSON.stringify(res.body)).toContain("`link`");
  });

  test("is CONFLICT where the address is the ID token's and the verification that of another answer", async () => {
    const ada = await verified();
    const faults = { userInfo: { email_verified: true }, idToken: { email: ada.email } };
    await expectRefused(() => signIn({ sub: aSubject() }, { providerId, faults }), "CONFLICT");
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
    const ada = await verified();
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

test("a failed sign-in stands in the audit log", async () => {
  const failures = () => db.$count(sql`audit_entry`, sql`type = 'account.signInFailed'`);
  const before = await failures();
  expectError(await signIn({ sub: aSubject() }), "FORBIDDEN");
  expect(await failures()).toBe(before + 1);
});
