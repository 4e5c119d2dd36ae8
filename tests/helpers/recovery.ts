// What tests of accounts need beyond HTTP: codes as an authenticator application makes them, and the links that mails would hold.

import { and, desc, eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import type { Database } from "../../src/db/client.js";
import { account, mail } from "../../src/db/schema/index.js";
import { type LinkKind, makeLink } from "../../src/user/accountLinks.js";
import type { TestApp } from "./app.js";
import { type Bearer, ok } from "./requests.js";

/** A server that sends mail, which nobody takes, and encrypts. */
export const RECOVERY_ENVIRONMENT = {
  MAIL_URL: "smtp://127.0.0.1:9",
  MAIL_FROM: "boards@example.org",
  SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
};

/** The code of a secret, now or some steps of 30 seconds later: each works once, and one step ahead is accepted. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

export async function switchOn(
  { as }: Pick<TestApp, "as">,
  person: Bearer & { password: string },
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const body = { currentPassword: person.password };
  const { secret } = ok(await as(person).post<{ secret: string }>("/users/me/two-factor", body));
  const confirmed = await as(person).post<{ recoveryCodes: string[] }>("/users/me/two-factor/confirm", {
    code: codeOf(secret),
  });
  return { secret, recoveryCodes: ok(confirmed).recoveryCodes };
}

export async function accountIdOf(db: Database, { publicId }: { publicId: string }): Promise<number> {
  const [found] = await db.select({ id: account.id }).from(account).where(eq(account.publicId, publicId));
  return found?.id ?? 0;
}

export const linkFor = async (
  db: Database,
  person: { publicId: string },
  kind: LinkKind,
  email?: string,
): Promise<string> =>
  makeLink(db, { accountId: await accountIdOf(db, person), kind, ...(email !== undefined && { email }) });

export const mailsTo = (db: Database, address: string, kind: (typeof mail.$inferSelect)["kind"]) =>
  db
    .select({ status: mail.status, data: mail.data })
    .from(mail)
    .where(and(eq(mail.address, address), eq(mail.kind, kind)))
    .orderBy(desc(mail.id));

/** The token that the newest mail of a kind to an address holds. */
export async function mailedToken(
  db: Database,
  address: string,
  kind: (typeof mail.$inferSelect)["kind"],
): Promise<string> {
  const [newest] = await mailsTo(db, address, kind);
  const token = newest?.data?.token;
  if (typeof token !== "string") throw new Error(`No mail ${kind} to ${address} holds a token`);
  return token;
}
