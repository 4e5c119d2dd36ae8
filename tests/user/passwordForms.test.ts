// The same password in two Unicode forms: macOS and iOS type letters with accents decomposed where other systems compose them.

import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { account } from "../../src/db/schema/index.js";
import { anAddress, expectError, ok, testApp } from "../helpers/app.js";

const { as, anonymous, db } = await testApp();

const COMPOSED = "Übergröße für Zoë".normalize("NFC");
const DECOMPOSED = COMPOSED.normalize("NFD");
const OTHER = "Ubergrosse fur Zoe";

const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

async function signedUp(password: string) {
  const email = anAddress();
  const fields = { name: "Zoë", email, password };
  return { email, token: ok(await anonymous.post<{ accessToken: string }>("/auth/sign-up", fields)).accessToken };
}

const signIn = (email: string, password: string) => anonymous.post("/auth/sign-in", { email, password });

test.each([
  ["composed", COMPOSED, DECOMPOSED],
  ["decomposed", DECOMPOSED, COMPOSED],
])("a password that was chosen %s fits in both forms, wherever it is asked for", async (_form, chosen, typed) => {
  const { email, token } = await signedUp(chosen);
  ok(await signIn(email, chosen));
  ok(await signIn(email, typed));
  expectError(await signIn(email, OTHER), "UNAUTHORIZED");
  const change = { currentPassword: typed, newPassword: `${chosen} 2` };
  ok(await as({ token }).put("/users/me/password", change));
  ok(await signIn(email, `${typed} 2`));
  expectError(await signIn(email, typed), "UNAUTHORIZED");
  ok(await as({ token }).post("/users/me/delete", { password: `${typed} 2` }));
});

test.each([
  ["composed", COMPOSED],
  ["decomposed", DECOMPOSED],
])("a hash of before, of the %s form as it was sent, still fits that form", async (_form, chosen) => {
  const { email } = await signedUp(OTHER);
  const passwordHash = await hash(chosen, OPTIONS);
  await db.update(account).set({ passwordHash }).where(eq(account.email, email));
  ok(await signIn(email, chosen));
  expectError(await signIn(email, OTHER), "UNAUTHORIZED");
  if (chosen === COMPOSED) ok(await signIn(email, DECOMPOSED));
});

test("a hash of now is compared in the normal form alone", async () => {
  const { email } = await signedUp(OTHER);
  const [row] = await db.select({ stored: account.passwordHash }).from(account).where(eq(account.email, email));
  const [, now = ""] = /(,keyid=[^$]+)\$/.exec(row?.stored ?? "") ?? [];
  expect(now).not.toBe("");
  const passwordHash = (await hash(DECOMPOSED, OPTIONS)).replace("p=1", `p=1${now}`);
  await db.update(account).set({ passwordHash }).where(eq(account.email, email));
  expectError(await signIn(email, DECOMPOSED), "UNAUTHORIZED");
});
