// Verifying, changing and restoring the address of an account (capabilities section 1).

import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { accountLink, auditEntry, mail } from "../../src/db/schema/index.js";
import { anAddress, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { accountIdOf, linkFor, mailedToken, mailsTo, RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";

const { as, anonymous, make, db, another } = await testApp(RECOVERY_ENVIRONMENT);

const confirm = (token: string) => anonymous.post<{ email: string }>("/auth/email/confirm", { token });
const change = (person: Person, email: string, currentPassword: string | undefined = person.password) =>
  as(person).put("/users/me/email", { email, currentPassword });
const meOf = async (person: Person) => ok(await as(person).get("/users/me"));

/** Changes the address of somebody, and gives the new one with the token that restores the old one. */
async function changed(ada: Person) {
  const email = anAddress();
  ok(await change(ada, email));
  ok(await confirm(await mailedToken(db, email, "emailChange")));
  return { email, restoring: await mailedToken(db, ada.email, "emailChanged") };
}

describe("verifying an address", () => {
  test("by the mailed link marks it verified, once", async () => {
    const ada = await make.unverified();
    ok(await as(ada).post("/users/me/email/verify"));
    const token = await mailedToken(db, ada.email, "emailVerification");
    expect((await meOf(ada)).emailVerifiedAt).toBeNull();
    expect(ok(await confirm(token))).toEqual({ email: ada.email });
    expect((await meOf(ada)).emailVerifiedAt).toMatch(/^\d{4}-/);
    expectError(await confirm(token), "BAD_REQUEST", "token");
    expectError(await as(ada).post("/users/me/email/verify"), "BAD_REQUEST");
  });

  test("sends five mails a day, then TOO_MANY_REQUESTS with a time to wait", async () => {
    const ada = await make.unverified();
    for (let sent = 0; sent < 5; sent += 1) ok(await as(ada).post("/users/me/email/verify"));
    const res = await as(ada).post("/users/me/email/verify");
    expectError(res, "TOO_MANY_REQUESTS");
    expect(Number(res.headers["retry-after"])).toBeGreaterThan(86_000);
    expectError(await change(ada, anAddress()), "TOO_MANY_REQUESTS");
    await db.update(mail).set({ createdAt: sql`now() - interval '25 hours'` }).where(eq(mail.address, ada.email));
    ok(await as(ada).post("/users/me/email/verify"));
  });

  test("is PRECONDITION_FAILED without mail", async () => {
    const silent = await another({ MAIL_URL: "" });
    const ada = await make.unverified();
    expectError(await silent.as(ada).post("/users/me/email/verify"), "PRECONDITION_FAILED");
    const body = { email: anAddress(), currentPassword: ada.password };
    expectError(await silent.as(ada).put("/users/me/email", body), "PRECONDITION_FAILED");
    expect(ok(await silent.anonymous.get("/auth/methods"))).toMatchObject({ emailVerification: false });
  });

  test("a link of a reset, or to an address that the account no longer has, confirms nothing", async () => {
    const ada = await make.unverified();
    const stale = await linkFor(db, ada, "emailVerification", anAddress());
    for (const token of [await linkFor(db, ada, "passwordReset"), stale, "A".repeat(43)]) {
      expectError(await confirm(token), "BAD_REQUEST", "token");
    }
    expect((await meOf(ada)).emailVerifiedAt).toBeNull();
  });
});

describe("changing an address", () => {
  test("waits for the new address, which then signs in, verified", async () => {
    const ada = await make.user();
    const email = anAddress();
    expect(ok(await change(ada, email.toUpperCase()))).toEqual({ pendingEmail: email });
    expect(await meOf(ada)).toMatchObject({ email: ada.email, pendingEmail: email });
    expect(ok(await confirm(await mailedToken(db, email, "emailChange")))).toEqual({ email });
    expect(await meOf(ada)).toMatchObject({ email, pendingEmail: null, emailVerifiedAt: expect.any(String) });
    ok(await anonymous.post("/auth/sign-in", { email, password: ada.password }));
    const entries = await db
      .select()
      .from(auditEntry)
      .where(eq(auditEntry.actorId, await accountIdOf(db, ada)));
    const types = entries.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["account.emailChangeRequested", "account.emailChanged"]));
  });

  test("is refused to the present address, to a taken one and with a wrong password, and mails nobody", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    expectError(await change(ada, ada.email), "BAD_REQUEST", "email");
    expectError(await change(ada, bob.email), "CONFLICT", "email");
    const email = anAddress();
    expectError(await change(ada, email, "wrong"), "BAD_REQUEST", "currentPassword");
    expectError(await as(ada).put("/users/me/email", { email }), "BAD_REQUEST", "currentPassword");
    for (const address of [ada.email, bob.email, email]) expect(await mailsTo(db, address, "emailChange")).toEqual([]);
    expect(await meOf(ada)).toMatchObject({ pendingEmail: null });
  });

  test("to an address that somebody took meanwhile is CONFLICT", async () => {
    const ada = await make.user();
    const email = anAddress();
    ok(await change(ada, email));
    await make.user({ email });
    expectError(await confirm(await mailedToken(db, email, "emailChange")), "CONFLICT", "email");
    expect(await meOf(ada)).toMatchObject({ email: ada.email });
  });

  test("a second change ends the link of the first", async () => {
    const ada = await make.user();
    const [first, second] = [anAddress(), anAddress()];
    ok(await change(ada, first));
    ok(await change(ada, second));
    expectError(await confirm(await mailedToken(db, first, "emailChange")), "BAD_REQUEST", "token");
    ok(await confirm(await mailedToken(db, second, "emailChange")));
  });
});

describe("the old address", () => {
  test("gets a link that restores it and ends all sessions and reset links", async () => {
    const ada = await make.user();
    const { email, restoring } = await changed(ada);
    const reset = await linkFor(db, ada, "passwordReset");

    expect(ok(await confirm(restoring))).toEqual({ email: ada.email });

    expectError(await as(ada).get("/users/me"), "UNAUTHORIZED");
    const body = { token: reset, password: "another horse battery" };
    expectError(await anonymous.post("/auth/password-reset/confirm", body), "BAD_REQUEST", "token");
    ok(await anonymous.post("/auth/sign-in", { email: ada.email, password: ada.password }));
    expectError(await anonymous.post("/auth/sign-in", { email, password: ada.password }), "UNAUTHORIZED");
    expectError(await confirm(restoring), "BAD_REQUEST", "token");
    expect(await mailsTo(db, ada.email, "notice")).toMatchObject([{ data: { about: "emailRestored" } }]);
  });

  test("keeps resets from the new one for seven days", async () => {
    const ada = await make.user();
    const { email } = await changed(ada);
    const request = () => anonymous.post("/auth/password-reset", { email });
    ok(await request());
    expect(await mailsTo(db, email, "passwordReset")).toEqual([{ status: "dropped", data: null }]);
    await db
      .update(accountLink)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(accountLink.accountId, await accountIdOf(db, ada)));
    ok(await request());
    expect(await mailsTo(db, email, "passwordReset")).toMatchObject([{ status: "pending" }, { status: "dropped" }]);
  });

  test("is nobody else's as long as it can be restored", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const { restoring } = await changed(ada);
    const body = { name: "Other", email: ada.email, password: "correct horse battery" };
    expectError(await anonymous.post("/auth/sign-up", body), "BAD_REQUEST", "email");
    expectError(await change(bob, ada.email), "CONFLICT", "email");
    ok(await confirm(restoring));
  });

  test("is anybody's once it can be restored no longer", async () => {
    const ada = await make.user();
    const { restoring } = await changed(ada);
    await db
      .update(accountLink)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(accountLink.accountId, await accountIdOf(db, ada)));
    ok(await anonymous.post("/auth/sign-up", { name: "Other", email: ada.email, password: "correct horse battery" }));
    expectError(await confirm(restoring), "BAD_REQUEST", "token");
  });

  test("restored, ends the links of addresses that came after it, and none of an earlier one", async () => {
    const ada = await make.user();
    const first = await changed(ada);
    const second = await changed({ ...ada, email: first.email });
    ok(await confirm(second.restoring));
    ok(await confirm(first.restoring));
    const signedIn = await anonymous.post("/auth/sign-in", { email: ada.email, password: ada.password });
    expect(ok(signedIn)).toMatchObject({ user: { email: ada.email } });

    const bob = await make.user();
    const earlier = await changed(bob);
    const later = await changed({ ...bob, email: earlier.email });
    ok(await confirm(earlier.restoring));
    expectError(await confirm(later.restoring), "BAD_REQUEST", "token");
  });
});
