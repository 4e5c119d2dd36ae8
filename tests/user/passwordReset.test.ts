// Resetting a forgotten password (capabilities section 1).

import { eq, sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { account, accountLink, auditEntry, mail } from "../../src/db/schema/index.js";
import { forgetExpiredLinks } from "../../src/user/accountLinks.js";
import { anAddress, appOn, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { countingStatements, openTestDatabase } from "../helpers/databases.js";
import {
  accountIdOf,
  codeOf,
  linkFor,
  mailedToken,
  mailsTo,
  RECOVERY_ENVIRONMENT,
  switchOn,
} from "../helpers/recovery.js";

const app = await testApp(RECOVERY_ENVIRONMENT);
const { as, anonymous, make, db, another, logs } = app;

const NEW = "another horse battery";
const request = (email: string) => anonymous.post("/auth/password-reset", { email });
const reset = (token: string, password = NEW, code?: string) =>
  anonymous.post("/auth/password-reset/confirm", { token, password, ...(code !== undefined && { code }) });
const signIn = ({ email }: Pick<Person, "email">, password: string) =>
  anonymous.post<{ accessToken: string; user: object }>("/auth/sign-in", { email, password });
const countLinks = async (person: Person) =>
  db.$count(accountLink, eq(accountLink.accountId, await accountIdOf(db, person)));

describe("asking for a reset link", () => {
  test("mails a link whose token is stored as a hash alone, in the mail until it is sent", async () => {
    const ada = await make.user();
    expect(ok(await request(` ${ada.email.toUpperCase()}`))).toEqual({ success: true });
    const token = await mailedToken(db, ada.email, "passwordReset");
    expect(token).toMatch(/^[\w-]{43}$/);
    const links = await db
      .select()
      .from(accountLink)
      .where(eq(accountLink.accountId, await accountIdOf(db, ada)));
    expect(JSON.stringify(links)).not.toContain(token);
    expect(Date.parse(links[0]?.expiresAt ?? "") - Date.now()).toBeLessThanOrEqual(3_600_000);
  });

  test("answers the same for unknown, disabled and known addresses, to the byte, and mails the known one alone", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    await db.update(account).set({ disabledAt: new Date().toISOString() }).where(eq(account.email, bob.email));
    const unknown = anAddress();
    const answers = [await request(ada.email), await request(bob.email), await request(unknown)];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => Object.keys(headers).sort().join())).size).toBe(1);
    const status = async (email: string) => (await mailsTo(db, email, "passwordReset")).map((one) => one.status);
    expect(await status(ada.email)).toEqual(["pending"]);
    for (const email of [bob.email, unknown]) expect(await status(email)).toEqual(["dropped"]);
    expect(await countLinks(bob)).toBe(0);
  });

  test("asks the database as much whether the address is known or not", async () => {
    const counted = countingStatements();
    const database = await openTestDatabase(counted.through);
    onTestFinished(() => database.close());
    const other = await appOn(database.db, RECOVERY_ENVIRONMENT);
    const [known, disabled] = [await other.make.user(), await other.make.user()];
    await database.db
      .update(account)
      .set({ disabledAt: new Date().toISOString() })
      .where(eq(account.email, disabled.email));
    const costs = [];
    for (const email of [known.email, disabled.email, anAddress()]) {
      costs.push(await counted.costOf(async () => ok(await other.anonymous.post("/auth/password-reset", { email }))));
    }
    expect(costs).toEqual(Array(3).fill(costs[0]));
    expect(costs[0]?.statements).toBeGreaterThan(2);
  });

  test("queues three mails an hour at the most, and always answers ok", async () => {
    for (const email of [(await make.user()).email, anAddress()]) {
      for (let count = 0; count < 5; count += 1) ok(await request(email));
      expect(await mailsTo(db, email, "passwordReset")).toHaveLength(3);
      await db.update(mail).set({ createdAt: sql`now() - interval '61 minutes'` }).where(eq(mail.address, email));
      ok(await request(email));
      expect(await mailsTo(db, email, "passwordReset")).toHaveLength(4);
    }
  });

  test("mails a link to an account that has neither a password nor a provider: it has no other way in", async () => {
    const ada = await make.user();
    await db.update(account).set({ passwordHash: null }).where(eq(account.email, ada.email));
    ok(await request(ada.email));
    ok(await reset(await mailedToken(db, ada.email, "passwordReset")));
    ok(await signIn(ada, NEW));
  });

  test("is PRECONDITION_FAILED for everyone where the server sends no mail", async () => {
    const silent = await another({ MAIL_URL: "" });
    const answers = [];
    for (const email of [(await make.user()).email, anAddress()]) {
      answers.push(await silent.anonymous.post("/auth/password-reset", { email }));
    }
    for (const res of answers) expectError(res, "PRECONDITION_FAILED");
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(ok(await silent.anonymous.get("/auth/methods"))).toMatchObject({ passwordReset: false });
  });
});

describe("resetting a password", () => {
  test("ends all sessions and other links, keeps personal tokens, forgets failures and tells by mail", async () => {
    const ada = await make.user();
    const personal = await make.token(ada);
    const other = await linkFor(db, ada, "passwordReset");
    for (let attempt = 0; attempt < 10; attempt += 1) expectError(await signIn(ada, "wrong"), "UNAUTHORIZED");
    ok(await request(ada.email));

    expect(ok(await reset(await mailedToken(db, ada.email, "passwordReset")))).toEqual({ success: true });

    expectError(await as(ada).get("/users/me"), "UNAUTHORIZED");
    ok(await as(personal).get("/users/me"));
    expectError(await reset(other), "BAD_REQUEST", "token");
    ok(await signIn(ada, NEW));
    expectError(await signIn(ada, ada.password), "UNAUTHORIZED");
    const [notice] = await mailsTo(db, ada.email, "notice");
    expect(notice).toMatchObject({ data: { about: "passwordReset" } });
    const entries = await db
      .select()
      .from(auditEntry)
      .where(eq(auditEntry.actorId, await accountIdOf(db, ada)));
    expect(entries.map(({ type }) => type)).toContain("account.passwordReset");
  });

  test("a token works once, also when many use it at once", async () => {
    const token = await linkFor(db, await make.user(), "passwordReset");
    const all = await Promise.all(Array.from({ length: 6 }, () => reset(token)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  });

  test.each(["emailVerification", "emailChange", "emailRestore"] as const)(
    "a link of kind %s is refused",
    async (kind) => {
      const ada = await make.user();
      const token = await linkFor(db, ada, kind, ada.email);
      expectError(await reset(token), "BAD_REQUEST", "token");
      ok(await signIn(ada, ada.password));
    },
  );

  test("an expired and an unknown token are refused, and change nothing", async () => {
    const ada = await make.user();
    const expired = await linkFor(db, ada, "passwordReset");
    await db
      .update(accountLink)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(accountLink.accountId, await accountIdOf(db, ada)));
    const answers = [];
    for (const token of [expired, "A".repeat(43)]) answers.push(await reset(token));
    for (const res of answers) expectError(res, "BAD_REQUEST", "token");
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    ok(await signIn(ada, ada.password));
  });

  test("of a disabled account is UNAUTHORIZED; once it is enabled the link is over", async () => {
    const [admin, bob] = [await make.instanceAdmin(), await make.user()];
    const token = await linkFor(db, bob, "passwordReset");
    const set = (disabled: boolean) => as(admin).put(`/admin/users/${bob.publicId}`, { disabled });
    ok(await set(true));
    expectError(await reset(token), "UNAUTHORIZED");
    ok(await set(false));
    expectError(await reset(token), "BAD_REQUEST", "token");
    ok(await signIn(bob, bob.password));
  });

  test.each([
    ["a reset", async (ada: Person) => reset(await linkFor(db, ada, "passwordReset"))],
    [
      "a change of the password",
      (ada: Person) => as(ada).put("/users/me/password", { currentPassword: ada.password, newPassword: NEW }),
    ],
  ])("%s cancels a change of address that somebody asked for and did not confirm", async (_, renew) => {
    const ada = await make.user();
    const stolen = ok(await signIn(ada, ada.password)).accessToken;
    const email = anAddress();
    ok(await as({ token: stolen }).put("/users/me/email", { email, currentPassword: ada.password }));
    const change = await mailedToken(db, email, "emailChange");
    expect(ok(await as(ada).get("/users/me"))).toMatchObject({ pendingEmail: email });
    ok(await renew(ada));
    expectError(await anonymous.post("/auth/email/confirm", { token: change }), "BAD_REQUEST", "token");
    expect(ok(await signIn(ada, NEW)).user).toMatchObject({ email: ada.email, pendingEmail: null });
  });

  test("with a password too short is BAD_REQUEST, and the token stays usable", async () => {
    const token = await linkFor(db, await make.user(), "passwordReset");
    expectError(await reset(token, "short"), "BAD_REQUEST", "password");
    ok(await reset(token));
  });

  test("a scanner that opens the link uses nothing up", async () => {
    const token = await linkFor(db, await make.user(), "passwordReset");
    for (const method of ["GET", "HEAD"] as const) {
      const url = `/api/v1/auth/password-reset/confirm?token=${token}`;
      expect((await anonymous.send({ method, url })).status).toBe(404);
    }
    ok(await reset(token));
  });
});

describe("resetting a password with two-factor authentication", () => {
  test("needs a code; without it the token stays usable", async () => {
    const ada = await make.user();
    const { secret } = await switchOn(app, ada);
    const token = await linkFor(db, ada, "passwordReset");
    expectError(await reset(token), "UNAUTHORIZED", "code");
    expectError(await reset(token), "UNAUTHORIZED", "code");
    ok(await reset(token, NEW, codeOf(secret, 1)));
    expectError(await signIn(ada, NEW), "UNAUTHORIZED", "code");
  });

  test("five wrong codes end the token", async () => {
    const ada = await make.user();
    const { recoveryCodes } = await switchOn(app, ada);
    const token = await linkFor(db, ada, "passwordReset");
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expectError(await reset(token, NEW, "2222-2222-2222-2222"), "UNAUTHORIZED", "code");
    }
    expectError(await reset(token, NEW, recoveryCodes[0] ?? ""), "BAD_REQUEST", "token");
    expectError(await signIn(ada, ada.password), "UNAUTHORIZED", "code");
  });
});

test("expired links are swept, live ones stay", async () => {
  const ada = await make.user();
  await linkFor(db, ada, "passwordReset");
  await linkFor(db, ada, "emailVerification", ada.email);
  await db
    .update(accountLink)
    .set({ expiresAt: sql`now() - interval '1 second'` })
    .where(eq(accountLink.kind, "emailVerification"));
  let swept = 0;
  for await (const count of forgetExpiredLinks(db, { audit: 400, events: null })) swept += count;
  expect(swept).toBeGreaterThanOrEqual(1);
  expect(await countLinks(ada)).toBe(1);
});

test("no log line holds a token of a link", async () => {
  const ada = await make.user();
  ok(await request(ada.email));
  const token = await mailedToken(db, ada.email, "passwordReset");
  ok(await reset(token));
  expectError(await reset(token), "BAD_REQUEST", "token");
  expect(logs.join("\n")).not.toContain(token);
});
