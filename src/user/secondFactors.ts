// The second factor of an account (capabilities section 3): codes of an authenticator application, and recovery codes that stand in
// for a lost one. Whatever lets somebody in by a password or a reset link asks `passSecondFactor`.

import { randomInt } from "node:crypto";
import { and, eq, isNotNull, lt, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { z } from "zod";
import { hashOf } from "../api/digests.js";
import { preconditionFailed, unauthorized } from "../api/errors.js";
import type { Config } from "../config.js";
import type { Queries, Transaction } from "../db/client.js";
import { recoveryCode, twoFactor } from "../db/schema/index.js";
import { decrypt, encrypt } from "./encryption.js";

const PERIOD_SECONDS = 30;
/** The number of steps that a clock may be early or late. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** No characters that look alike; 16 of these 31 hold 79 bits, which a stored hash does not give away. */
const RECOVERY_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const RECOVERY_LENGTH = 16;

/** A code as input: six digits, or a recovery code, whose hyphens and case do not matter. */
export const Code = z
  .string()
  .trim()
  .toLowerCase()
  .max(40)
  .regex(/^(?:\d{3} ?\d{3}|[2-9a-hjkmnp-z]{4}(?:-?[2-9a-hjkmnp-z]{4}){3})$/, "Must be six digits or a recovery code")
  .meta({
    description: "Six digits of the authenticator application, or a recovery code.",
    pattern: "^(?:\\d{3} ?\\d{3}|[2-9a-hjkmnp-zA-HJKMNP-Z]{4}(?:-?[2-9a-hjkmnp-zA-HJKMNP-Z]{4}){3})$",
    examples: ["492039"],
  });

type Settings = Pick<Config, "secretKeys" | "publicUrl">;

const purposeOf = (accountId: number) => `second factor of account ${accountId}`;

const generatorOf = (base32: string, label: string) =>
  new TOTP({ issuer: "work-board", label, period: PERIOD_SECONDS, secret: Secret.fromBase32(base32) });

/** A new secret, encrypted for an account, and as the person enters it. @throws PRECONDITION_FAILED without SECRET_KEY. */
export function newSecret({ secretKeys }: Settings, { accountId, label }: { accountId: number; label: string }) {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  const encrypted = encrypt(secretKeys, secret, purposeOf(accountId));
  if (encrypted === null) throw preconditionFailed("This server offers no second factor: SECRET_KEY is not set");
  return { secret, encrypted, otpauthUrl: generatorOf(secret, label).toString() };
}

/** A stored secret that no key of SECRET_KEY decrypts: the log tells the operator what to do. */
class UnreadableSecret extends Error {
  constructor(accountId: number) {
    super(
      `No key of SECRET_KEY decrypts the second factor of account ${accountId}. Set the key that it was encrypted with, or remove the factor: work-board user remove-two-factor EMAIL`,
    );
  }
}

/**
 * Uses a code of an authenticator application up: it is accepted if it belongs to a step after the last accepted one. Of many at once
 * one is accepted. `confirmed`: whether the factor must be in use, or is being set up.
 * @throws PRECONDITION_FAILED where no key decrypts the secret.
 */
export async function spendGeneratedCode(
  tx: Transaction,
  { secretKeys }: Settings,
  { accountId, confirmed }: { accountId: number; confirmed: boolean },
  code: string,
): Promise<boolean> {
  const [stored] = await tx
    .select({ secret: twoFactor.secret, confirmedAt: twoFactor.confirmedAt })
    .from(twoFactor)
    .where(eq(twoFactor.accountId, accountId));
  if (stored === undefined || (stored.confirmedAt !== null) !== confirmed) return false;
  const read = decrypt(secretKeys, stored.secret, purposeOf(accountId));
  if (read === null) {
    throw preconditionFailed(
      "The server cannot verify codes now: use a recovery code, or ask its operator",
      new UnreadableSecret(accountId),
    );
  }
  const timestamp = Date.now();
  const delta = generatorOf(read.text, "").validate({ token: code, timestamp, window: WINDOW });
  if (delta === null) return false;
  const step = Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
  const secret = read.isNewest ? null : encrypt(secretKeys, read.text, purposeOf(accountId));
  const used = await tx
    .update(twoFactor)
    .set({ lastStep: step, ...(secret !== null && { secret }) })
    .where(and(eq(twoFactor.accountId, accountId), eq(twoFactor.secret, stored.secret), lt(twoFactor.lastStep, step)))
    .returning({ accountId: twoFactor.accountId });
  return used.length > 0;
}

const plainCode = (code: string) => code.replace(/[^0-9a-z]/g, "");
const codeHashOf = (code: string) => hashOf(plainCode(code));

/** Replaces the recovery codes of an account by new ones, which are shown once. */
export async function makeRecoveryCodes(tx: Transaction, accountId: number): Promise<string[]> {
  const characters = () =>
    Array.from({ length: RECOVERY_LENGTH }, () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)]).join("");
  const codes = Array.from({ length: RECOVERY_CODES }, () => characters().replace(/.{4}(?!$)/g, "$&-"));
  await tx.delete(recoveryCode).where(eq(recoveryCode.accountId, accountId));
  await tx.insert(recoveryCode).values(codes.map((code) => ({ accountId, codeHash: codeHashOf(code) })));
  return codes;
}

async function spendRecoveryCode(tx: Transaction, accountId: number, code: string): Promise<boolean> {
  const used = await tx
    .delete(recoveryCode)
    .where(and(eq(recoveryCode.accountId, accountId), eq(recoveryCode.codeHash, codeHashOf(code))))
    .returning({ id: recoveryCode.id });
  return used.length > 0;
}

/** Whether an account has a second factor in use. */
export async function hasSecondFactor(db: Queries, accountId: number): Promise<boolean> {
  const isInUse = and(eq(twoFactor.accountId, accountId), isNotNull(twoFactor.confirmedAt));
  return (await db.$count(twoFactor, isInUse)) > 0;
}

/** The number of second factors in use, and of those that no key of SECRET_KEY decrypts. */
export async function countSecondFactors(
  db: Queries,
  { secretKeys }: Pick<Settings, "secretKeys">,
): Promise<{ all: number; unreadable: number }> {
  const stored = await db
    .select({ accountId: twoFactor.accountId, secret: twoFactor.secret })
    .from(twoFactor)
    .where(isNotNull(twoFactor.confirmedAt));
  const unreadable = stored.filter(
    ({ accountId, secret }) => decrypt(secretKeys, secret, purposeOf(accountId)) === null,
  );
  return { all: stored.length, unreadable: unreadable.length };
}

/** The outcome of a second factor: there is none, or the code was right and is used up; no code was sent; or a wrong one. */
type SecondFactorOutcome = "passed" | "missing" | "wrong";

/**
 * Asks for the second factor of an account that has one, in a transaction that holds the account's lock. The code is used up with
 * that transaction: after a rollback the code works again. The caller counts wrong codes.
 * @throws PRECONDITION_FAILED where no key of SECRET_KEY decrypts the factor; recovery codes work all the same.
 */
export async function passSecondFactor(
  tx: Transaction,
  config: Settings,
  accountId: number,
  code: string | undefined,
): Promise<SecondFactorOutcome> {
  if (!(await hasSecondFactor(tx, accountId))) return "passed";
  if (code === undefined) return "missing";
  const plain = plainCode(code);
  const isRight = /^\d{6}$/.test(plain)
    ? await spendGeneratedCode(tx, config, { accountId, confirmed: true }, plain)
    : await spendRecoveryCode(tx, accountId, plain);
  return isRight ? "passed" : "wrong";
}

/** A sign-in or reset that lacks the code of the second factor. */
export const codeNeeded = () => unauthorized("Required: two-factor authentication is on", "code");

/** A sign-in or reset with a code that is wrong, or was used before. */
export const wrongCode = () => unauthorized("Is not a valid code", "code");

/** Takes the second factor of an account away, with its recovery codes; whether there was one in use. */
export async function removeSecondFactor(tx: Transaction, accountId: number): Promise<boolean> {
  const removed = await tx
    .delete(twoFactor)
    .where(eq(twoFactor.accountId, accountId))
    .returning({ isInUse: sql<boolean>`${twoFactor.confirmedAt} is not null` });
  await tx.delete(recoveryCode).where(eq(recoveryCode.accountId, accountId));
  return removed.some(({ isInUse }) => isInUse);
}
