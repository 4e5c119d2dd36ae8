// Whose account a sign-in at a provider opens (capabilities section 2): a new one, or that of a known identity.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { anAddress, expectError, type Fields, ok, testApp } from "../../helpers/app.js";
import { startIssuer } from "../../helpers/issuer.js";
import { aSubject, rolesOf, signInsOn } from "./signIns.js";

const issuer = await startIssuer();
const app = await testApp({ OIDC_PROVIDERS: rolesOf(issuer) });
const { as, anonymous, make, db, another } = app;
const { signIn, identitiesOf, tokenOf, disable, expectRefused, auditOf, invitation } = signInsOn(app);

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

  test.each([undefined, null, "", "ada", "ada lovelace@example.org", ["a@example.org"]])(
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

  test("who was an accountless guest has a picture from then on, as the events of its workspaces tell", async () => {
    const { publicId, owner } = (await make.workspace()).workspace;
    const { inviteCode } = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${publicId}/invites`));
    const accepted = await anonymous.post("/invites/accept", { inviteCode });
    const guest = { token: accepted.headers["x-access-token"] ?? "" };
    const { name } = ok(await as(guest).get<{ name: string }>("/users/me"));
    const picture = "https://example.org/ada.png";
    ok(await signIn({ sub: aSubject(), email: anAddress(), name, picture }, { by: guest }));
    const { items } = ok(await as(owner).get<{ items: Fields[] }>(`/workspaces/${publicId}/events`));
    const changes = { image: { from: null, to: picture } };
    expect(items.at(-1)).toMatchObject({ type: "member.updated", actor: { name }, data: { changes } });
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

test("a failed sign-in stands in the audit log", async () => {
  const failures = () => db.$count(sql`audit_entry`, sql`type = 'account.signInFailed'`);
  const before = await failures();
  expectError(await signIn({ sub: aSubject() }), "FORBIDDEN");
  expect(await failures()).toBe(before + 1);
});
