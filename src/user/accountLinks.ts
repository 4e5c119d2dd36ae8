// Links that act for an account once (capabilities section 1): made for a mail or by an operator, used by POST alone, and known here
// by the hash of their token.

import { randomBytes } from "node:crypto";
import { and, eq, gt, inArray, isNotNull, lte, sql } from "drizzle-orm";
import { isOpen } from "../access/openAccounts.js";
import type { AccountHolder } from "../api/context.js";
import { hashOf } from "../api/digests.js";
import { badRequest } from "../api/errors.js";
import { Text } from "../api/shapes.js";
import type { Queries, Transaction } from "../db/client.js";
import { violates } from "../db/failures.js";
import { account, accountLink } from "../db/schema/index.js";
import { columnName } from "../db/selections.js";
import { forgetting } from "../db/sweeps.js";
import { LINK_LIFETIMES } from "../mail/linkLifetimes.js";

/** The purpose of a link. */
export type LinkKind = (typeof accountLink.$inferSelect)["kind"];

/** The token of a link, as input. */
export const LinkToken = Text(1, 200).meta({
  description: "The token of the link, which stands in its fragment.",
  examples: ["kR3fT9mZc2Xw7LqV5bN8yHjD4sGpA6uE1oKiWtQxMzI"],
});

/** A link to make. */
interface NewLink {
  /** The owner of a link. With null no link is made, in the same time, so that the time does not reveal which addresses are known. */
  accountId: number | null;
  kind: LinkKind;
  /** The address that it confirms or restores, or that a reset is mailed to. */
  email?: string;
  /** In milliseconds; that of the kind unless given. */
  lifetimeMs?: number;
}

const { accountId: ofAccount, kind: ofKind, tokenHash, email: ofEmail, expiresAt: until } = accountLink;
const newColumns = sql.join([ofAccount, ofKind, tokenHash, ofEmail, until].map(columnName), sql`, `);

/** Makes a link and gives its token, which is stored nowhere. */
export async function makeLink(
  db: Queries,
  { accountId, kind, email, lifetimeMs = LINK_LIFETIMES[kind].ms }: NewLink,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const expiresAt = sql`now() + ${lifetimeMs}::float8 * interval '1 millisecond'`;
  await db.run(sql`
    insert into ${accountLink} (${newColumns})
    select ${account.id}, ${kind}::text, ${hashOf(token)}::text, ${email ?? null}::text, ${expiresAt}
    from ${account} where ${account.id} = ${accountId}::bigint`);
  return token;
}

/** A link that works still, and its account, which is open. */
export interface OpenedLink {
  id: number;
  kind: LinkKind;
  email: string | null;
  failures: number;
  person: Pick<AccountHolder, "accountId" | "publicId" | "name" | "email" | "emailVerifiedAt" | "pendingEmail">;
}

const isLive = () => gt(accountLink.expiresAt, sql`clock_timestamp()`);

/** Opens the link of a token, and locks its account first. Null if it is unknown, used or expired, or the account not open. */
export async function openLink(tx: Transaction, token: string, kinds: readonly LinkKind[]): Promise<OpenedLink | null> {
  const isMeant = and(eq(accountLink.tokenHash, hashOf(token)), inArray(accountLink.kind, [...kinds]), isLive());
  const [row] = await tx.select({ accountId: accountLink.accountId }).from(accountLink).where(isMeant);
  if (row === undefined) return null;
  const [person] = await tx
    .select({
      accountId: account.id,
      publicId: account.publicId,
      name: account.name,
      email: account.email,
      emailVerifiedAt: account.emailVerifiedAt,
      pendingEmail: account.pendingEmail,
    })
    .from(account)
    .where(and(eq(account.id, row.accountId), isOpen()))
    .for("no key update");
  const { id, kind, email, failures } = accountLink;
  const [link] = await tx.select({ id, kind, email, failures }).from(accountLink).where(isMeant);
  return link === undefined || person === undefined ? null : { ...link, person };
}

/** The owner of the link with a token; null for a token that is unknown or used. */
export async function accountOfLink(db: Queries, token: string): Promise<number | null> {
  const isIt = eq(accountLink.tokenHash, hashOf(token));
  const [row] = await db.select({ accountId: accountLink.accountId }).from(accountLink).where(isIt);
  return row?.accountId ?? null;
}

/** Whether a token is that of a live link of a disabled account. */
export async function isOfDisabled(db: Queries, token: string): Promise<boolean> {
  const rows = await db
    .select({ id: accountLink.id })
    .from(accountLink)
    .innerJoin(account, eq(account.id, accountLink.accountId))
    .where(and(eq(accountLink.tokenHash, hashOf(token)), isLive(), isNotNull(account.disabledAt)));
  return rows.length > 0;
}

/** Ends the links of an account of some kinds. */
export async function endLinks(db: Queries, accountId: number, kinds: readonly LinkKind[]): Promise<void> {
  await db.delete(accountLink).where(and(eq(accountLink.accountId, accountId), inArray(accountLink.kind, [...kinds])));
}

/** The account that can still be restored to an address, which nobody else may take until then; null if there is none. */
export async function heldBy(db: Queries, email: string): Promise<number | null> {
  const isRestoring = and(eq(accountLink.kind, "emailRestore"), eq(accountLink.email, email), isLive());
  const [row] = await db.select({ accountId: accountLink.accountId }).from(accountLink).where(isRestoring);
  return row?.accountId ?? null;
}

const addressTaken = () => badRequest("An account with this address already exists", "email");

/** Stores an account with an address. @throws BAD_REQUEST, naming `email`, where another account has the address, or may restore it. */
export async function storeAt<T>(db: Transaction, email: string, store: () => Promise<T>): Promise<T> {
  const stored = await store().catch((error: unknown) => {
    throw violates(error, "account_email") ? addressTaken() : error;
  });
  // Asked afterwards: a change of the address that ran meanwhile was waited for.
  if ((await heldBy(db, email)) !== null) throw addressTaken();
  return stored;
}

/** Whether the last change of an account's address can be taken back still. */
export async function isRestorable(db: Queries, accountId: number): Promise<boolean> {
  const isRestoring = and(eq(accountLink.accountId, accountId), eq(accountLink.kind, "emailRestore"), isLive());
  return (await db.$count(accountLink, isRestoring)) > 0;
}

/** Sweep: forgets links that have expired. */
export const forgetExpiredLinks = forgetting(accountLink, accountLink.expiresAt, () =>
  lte(accountLink.expiresAt, sql`now()`),
);
