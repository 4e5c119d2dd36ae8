// What an operator opens for people who are locked out.

import { eq, isNull } from "drizzle-orm";
import { expect, test } from "vitest";
import { COMMAND_LINE, personAt } from "../../src/admin/administeredAccounts.js";
import { makeResetLink, removeTwoFactor } from "../../src/admin/operatorRecovery.js";
import { readConfig } from "../../src/config.js";
import { account, accountLink, auditEntry } from "../../src/db/schema/index.js";
import { expectError, ok, type Person, testApp } from "../helpers/app.js";
import { mailsTo, RECOVERY_ENVIRONMENT, switchOn } from "../helpers/recovery.js";

const { as, anonymous, db, make } = await testApp(RECOVERY_ENVIRONMENT);
const config = readConfig(RECOVERY_ENVIRONMENT);
const PASSWORD = "a password that is new";

const resetLinkFor = (email: string) =>
  db.transaction(async (tx) => makeResetLink(tx, config, COMMAND_LINE, await personAt(tx, email)));
const withoutFactor = (email: string) =>
  db.transaction(async (tx) => removeTwoFactor(tx, config, COMMAND_LINE, await personAt(tx, email)));
const tokenOf = (url: string) => decodeURIComponent(new URL(url).hash.replace("#token=", ""));
const signIn = ({ email, password }: Pick<Person, "email" | "password">) =>
  anonymous.post("/auth/sign-in", { email, password });

async function recorded({ email, publicId }: Person) {
  const notices = (await mailsTo(db, email, "notice")).map(({ data }) => data);
  const byCommands = await db.select().from(auditEntry).where(isNull(auditEntry.actorId));
  const acts = byCommands.filter(({ target }) => target?.publicId === publicId);
  return { notices, acts: acts.map(({ type }) => type), text: JSON.stringify(acts) };
}

test("the link of an operator sets a new password once; the person is notified, and the log holds no token", async () => {
  const person = await make.user();
  const { url, expiresAt } = await resetLinkFor(person.email);
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());

  const token = tokenOf(url);
  ok(await anonymous.post("/auth/password-reset/confirm", { token, password: PASSWORD }));
  ok(await signIn({ email: person.email, password: PASSWORD }));
  expectError(
    await anonymous.post("/auth/password-reset/confirm", { token, password: PASSWORD }),
    "BAD_REQUEST",
    "token",
  );

  const { notices, acts, text } = await recorded(person);
  expect(notices).toContainEqual({ about: "resetLinkMade" });
  expect(acts).toEqual(["account.resetLinkMade"]);
  expect(text).not.toContain(token);
});

test("an instance admin makes no link for their own account: a session alone must not replace its password", async () => {
  const admin = await make.instanceAdmin();
  const { publicId } = await make.user();
  const at = (userPublicId: string) => `/admin/users/${userPublicId}/reset-link`;
  const before = await db.$count(accountLink);
  expectError(await as(admin).post(at(admin.publicId)), "BAD_REQUEST", "userPublicId");
  expect(await db.$count(accountLink)).toBe(before);
  ok(await as(admin).post(at(publicId)));
});

test("the link of an operator does not stand in for a second factor", async () => {
  const person = await make.user();
  const { recoveryCodes } = await switchOn({ as }, person);
  const token = tokenOf((await resetLinkFor(person.email)).url);
  expectError(
    await anonymous.post("/auth/password-reset/confirm", { token, password: PASSWORD }),
    "UNAUTHORIZED",
    "code",
  );
  ok(await anonymous.post("/auth/password-reset/confirm", { token, password: PASSWORD, code: recoveryCodes[0] }));
});

test("without its second factor an account signs in by its password alone; the person is notified", async () => {
  const person = await make.user();
  await switchOn({ as }, person);
  expectError(await signIn(person), "UNAUTHORIZED", "code");

  await withoutFactor(person.email);
  ok(await signIn(person));
  const { notices, acts } = await recorded(person);
  expect(notices).toContainEqual({ about: "twoFactorRemoved" });
  expect(acts).toEqual(["twoFactor.disabled"]);
});

test("an unknown address, a disabled account and an account without a factor are refused, and nobody is notified", async () => {
  const person = await make.user();
  await expect(withoutFactor(person.email)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await expect(withoutFactor("nobody@example.org")).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await expect(resetLinkFor("nobody@example.org")).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await db.update(account).set({ disabledAt: new Date().toISOString() }).where(eq(account.publicId, person.publicId));
  await expect(resetLinkFor(person.email)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  expect(await recorded(person)).toMatchObject({ notices: [], acts: [] });
});
