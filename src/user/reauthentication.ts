// Confirms the caller's identity before a change of an account's credentials or its end (capabilities section 2): by the password,
// or for an account without one a session that has just begun.

import { and, eq, gt, sql } from "drizzle-orm";
import type { AccountHolder, Client, Signed, VerifiedCaller } from "../api/context.js";
import { badRequest, forbidden } from "../api/errors.js";
import type { Config } from "../config.js";
import type { Database } from "../db/client.js";
import { accessToken, account } from "../db/schema/index.js";
import { isPassword } from "./signInAttempts.js";

/** The time after a sign-in in which its session may do what otherwise requires the password. */
const FRESH_SESSION_MINUTES = 10;

/** The description of the field for the current password, in every operation. */
export const CURRENT_PASSWORD_TEXT = `An account without a password leaves it out, as does everybody where passwords are switched off; the session must then be younger than ${FRESH_SESSION_MINUTES} minutes, otherwise the call is FORBIDDEN with the issue \`currentPassword\`.`;

const notFresh = () =>
  forbidden(`Sign in again: the session must be younger than ${FRESH_SESSION_MINUTES} minutes`, "currentPassword");

async function isFresh(db: Database, tokenId: number): Promise<boolean> {
  const isYoung = gt(accessToken.createdAt, sql`now() - make_interval(mins => ${FRESH_SESSION_MINUTES}::int)`);
  return (await db.$count(accessToken, and(eq(accessToken.id, tokenId), isYoung))) > 0;
}

/**
 * Verifies that the caller of a session is who signed in: by `password`, or, where the account has none or passwords are
 * switched off, by the age of the session. Gives the hash that the account has, null where there is none; the change that follows
 * must find the same (`hasHash`), because another may have replaced it meanwhile. `field` is what the operation calls the password.
 * @throws BAD_REQUEST on `field` where the password is missing or wrong; FORBIDDEN with the issue `currentPassword` where the session
 * is too old; TOO_MANY_REQUESTS after too many wrong passwords or codes in the sessions of the account.
 */
export async function reauthenticate(
  { db, user, config, client }: Signed<Database, VerifiedCaller> & { client: Client },
  password: string | undefined,
  field = "currentPassword",
): Promise<string | null> {
  const [row] = await db.select({ hash: account.passwordHash }).from(account).where(eq(account.id, user.accountId));
  const hash = row?.hash ?? null;
  if (hash === null || user.email === null || !config.passwordSignIn) {
    if (password !== undefined) throw badRequest("Leave it out: the account signs in without a password", field);
    if (!(await isFresh(db, user.token.id))) throw notFresh();
    return hash;
  }
  if (password === undefined) throw badRequest("Required", field);
  const attempt = { email: user.email, client, actorId: user.accountId };
  if (!(await isPassword(db, { ...attempt, hash }, password))) throw notPassword(field);
  return hash;
}

/** @throws FORBIDDEN where `PASSWORD_SIGN_IN` is off and there is a provider to sign in with. */
export function passwordsMustBeOn({ passwordSignIn }: Config): void {
  if (!passwordSignIn) throw forbidden("Passwords are switched off: sign in with a provider of `GET /auth/methods`");
}

/**
 * Credentials that sign an account in, or act for it without a session, need an address that the account has verified: otherwise
 * somebody who signed up with a stranger's address keeps access after the stranger gets the account back (capabilities section 1).
 * @throws FORBIDDEN with the issue `email` where the service sends mail and the address is not verified.
 */
export function addressMustBeVerified(
  { mail }: Pick<Config, "mail">,
  { emailVerifiedAt }: Pick<AccountHolder, "emailVerifiedAt">,
): void {
  if (mail !== null && emailVerifiedAt === null)
    throw forbidden("Verify the address of the account first: `POST /users/me/email/verify` sends a link", "email");
}

/** The description of the operations to which `addressMustBeVerified` applies. */
export const VERIFIED_ADDRESS_TEXT =
  "Where the server sends mail, an account whose address is not verified gets FORBIDDEN with the issue `email`.";

/** The password is not, or no longer, that of the account. */
export const notPassword = (field = "currentPassword") => badRequest("Is not the current password", field);
