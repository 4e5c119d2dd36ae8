// Access tokens: made, stored as a hash, and turned back into the caller they stand for (contract section 2, Token).

import { randomBytes } from "node:crypto";
import { and, eq, lte, ne, type SQL, sql } from "drizzle-orm";
import { type Caller, Claim, type Client, type Signed, type VerifiedCaller } from "../api/context.js";
import { hashOf } from "../api/digests.js";
import { notFound, unauthorized } from "../api/errors.js";
import { type Database, oneOf, type Queries } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { accessToken, account, twoFactor, workspace } from "../db/schema/index.js";
import { orNull, selection } from "../db/selections.js";
import { arrayLiteral, type Value, writtenOnce } from "../db/statements.js";
import { forgetting } from "../db/sweeps.js";
import type { UnitOfWork } from "../db/unitOfWork.js";
import { isOpen } from "./openAccounts.js";
import { noteUse, sessionEnd, sessionEndFrom, USE_GRANULARITY_MS } from "./tokenUses.js";

/** The most tokens that a process remembers; beyond that the longest remembered is dropped. */
const REMEMBERED_TOKENS = 10_000;

const TOKEN = /^wb_[0-9A-Za-z_-]{43}$/;
const BEARER = /^Bearer +(\S+)$/i;

interface NewToken {
  accountId: number;
  kind: "session" | "personal";
  name: string;
  scope: "read" | "write";
  boundWorkspaceId: number | null;
  userAgent?: string | null;
  createdAt?: string;
}

/** A new token, and the row by which it is known: the token itself is shown once and stored nowhere. */
function newToken<Fields extends NewToken>(fields: Fields) {
  const token = `wb_${randomBytes(32).toString("base64url")}`;
  return { token, row: { ...fields, publicId: newPublicId(), tokenHash: hashOf(token) } };
}

/** Stores a new token; the result contains the token itself, which is shown once. */
export async function issueToken(db: Queries, fields: NewToken & { expiresAt: SQL<string> | string | null }) {
  const { token, row } = newToken(fields);
  const [stored] = await db.insert(accessToken).values(row).returning({ expiresAt: accessToken.expiresAt });
  return { publicId: row.publicId, accessToken: token, expiresAt: stored?.expiresAt ?? null };
}

/** The stored length of a `User-Agent`: enough to distinguish devices. */
const USER_AGENT_LENGTH = 500;

const sessionOf = (accountId: number, { userAgent }: Client): NewToken => ({
  accountId,
  kind: "session",
  name: "Session",
  scope: "write",
  boundWorkspaceId: null,
  userAgent: userAgent?.slice(0, USER_AGENT_LENGTH) ?? null,
});

/** Issues the token of a sign-in, and says when it ends unused. `createdAt`: the sign-in of a session that it continues. */
export async function issueSession(db: Queries, accountId: number, client: Client, createdAt?: string) {
  const session = { ...sessionOf(accountId, client), expiresAt: sessionEnd };
  const { accessToken: token, expiresAt } = await issueToken(
    db,
    createdAt === undefined ? session : { ...session, createdAt },
  );
  if (expiresAt === null) throw new Error("A session was stored without an end");
  return { accessToken: token, expiresAt };
}

/** Adds a session within a change of a workspace, and returns its token. */
export function addSession(unit: Pick<UnitOfWork, "add" | "now">, accountId: number, client: Client): string {
  const { token, row } = newToken({ ...sessionOf(accountId, client), expiresAt: sessionEndFrom(unit.now) });
  unit.add(accessToken, row);
  return token;
}

/** Whether a token, which was joined with its account, is valid now. */
const isValid = sql<boolean>`${isOpen()} and (${accessToken.expiresAt} is null or ${accessToken.expiresAt} > now())`;

/** Returns those of some tokens that are still valid. They count as used, so that an open stream keeps its session alive. */
export async function useTokens(db: Database, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .select({ tokenId: accessToken.id, lastUsedAt: accessToken.lastUsedAt })
    .from(accessToken)
    .innerJoin(account, eq(account.id, accessToken.accountId))
    .where(and(oneOf(accessToken.id, ids), isValid));
  for (const row of rows) noteUse(db, row);
  return new Set(rows.map(({ tokenId }) => tokenId));
}

/** A token with its account. */
const tokenFields = {
  tokenId: accessToken.id,
  tokenHash: accessToken.tokenHash,
  kind: accessToken.kind,
  scope: accessToken.scope,
  lastUsedAt: accessToken.lastUsedAt,
  boundWorkspaceId: accessToken.boundWorkspaceId,
  ...orNull({ boundWorkspacePublicId: workspace.publicId }),
  accountId: account.id,
  publicId: account.publicId,
  name: account.name,
  email: account.email,
  image: account.image,
  isGuest: account.isGuest,
  isAdmin: account.isAdmin,
  hasPassword: sql<boolean>`${account.passwordHash} is not null`,
  hasTwoFactor: sql<boolean>`exists (
    select from ${twoFactor} where ${twoFactor.accountId} = ${account.id} and ${twoFactor.confirmedAt} is not null)`,
  emailVerifiedAt: account.emailVerifiedAt,
  pendingEmail: account.pendingEmail,
  timeZone: account.timeZone,
  createdAt: account.createdAt,
};
const tokenRow = selection(tokenFields);
/** OFFSET has PostgreSQL look each account up by its key: it takes an array for ten tokens, and may read all accounts instead. */
const validTokens = writtenOnce(sql`
  select ${tokenRow} from ${accessToken}
  join lateral (select * from ${account} where ${account.id} = ${accessToken.accountId} offset 0) ${account} on true
  left join ${workspace} on ${workspace.id} = ${accessToken.boundWorkspaceId}
  where ${accessToken.tokenHash} = any(${sql.placeholder("tokenHashes")}::text::text[]) and ${isValid}`);

/** The hash under which a token is stored; null for a text that cannot be one. */
export const tokenHashOf = (token: string): string | null => (TOKEN.test(token) ? hashOf(token) : null);

/** Whether an `Authorization` header, valid or not, is for the service: proxies in front of it ask for other schemes, such as Basic. */
export const isBearer = (authorization: string | undefined): boolean => /^Bearer(?: |$)/i.test(authorization ?? "");

/** The hash of the token in an `Authorization` header; none if it holds none. */
export function tokenHashesIn(authorization: string | undefined): string[] {
  const hash = tokenHashOf(BEARER.exec(authorization ?? "")?.[1] ?? "");
  return hash === null ? [] : [hash];
}

/** Looks tokens up by their hashes and chooses one (`Tokens.callerAmong`), which counts as a use of that one. */
async function lookUp(db: Database, tokenHashes: readonly string[], preferred?: string): Promise<LookedUp | null> {
  const rows = await db.read(tokenRow, validTokens({ tokenHashes: arrayLiteral(tokenHashes) }));
  const valid = tokenHashes.flatMap((hash) => rows.filter((row) => row.tokenHash === hash));
  const row = valid.findLast(({ publicId }) => publicId === preferred) ?? valid.at(-1);
  if (row === undefined) return null;
  const usedAt = noteUse(db, row);
  const { tokenId, tokenHash, kind, scope, boundWorkspaceId, boundWorkspacePublicId, lastUsedAt: _, ...person } = row;
  const token = { id: tokenId, kind, scope, boundWorkspaceId, boundWorkspacePublicId };
  const claim = new Claim(tokenHash);
  claim.confirm();
  return { caller: { ...person, token, claim }, until: usedAt + USE_GRANULARITY_MS };
}

/** A caller as it was looked up, and until when (in milliseconds) its next use need not be noted. */
interface LookedUp {
  caller: VerifiedCaller;
  until: number;
}

/** The fields of a token that a process remembers: nothing that its account can change. */
interface Remembered {
  caller: Omit<Caller, "claim">;
  until: number;
}

/** Whether a caller was looked up for this request. */
const isLookedUp = (caller: Caller): caller is VerifiedCaller => "isAdmin" in caller && caller.claim.isVerified;

/**
 * Turns tokens, by their hashes, into callers. A token that was valid less than a minute ago is accepted without a lookup: the guard of
 * the request verifies it in its own statement (`callerKey` in `guards.ts`), and operations without a guard verify it separately. The
 * account, scope and workspace of a token never change.
 */
export class Tokens {
  readonly #db: Database;
  readonly #remembered = new Map<string, Remembered>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** The account of a token as this process remembers it, without looking the token up; null where it does not. */
  rememberedAccountOf(tokenHash: string): number | null {
    return this.#remembered.get(tokenHash)?.caller.accountId ?? null;
  }

  /** Looks a token up, possibly in memory: it may have ended within the last minute, so the caller's claim is unverified. */
  async believedCallerOf(tokenHash: string): Promise<Caller | null> {
    const remembered = this.#remembered.get(tokenHash);
    if (remembered === undefined || remembered.until <= Date.now()) return this.callerOf(tokenHash);
    return { claim: new Claim(tokenHash), ...remembered.caller };
  }

  /** A caller whose token is valid for certain, as its account is now. @throws UNAUTHORIZED when the token has ended. */
  async verify(caller: Caller): Promise<VerifiedCaller> {
    if (isLookedUp(caller)) return caller;
    const verified = await this.callerOf(caller.claim.tokenHash);
    if (verified === null) throw unauthorized();
    caller.claim.confirm();
    return { ...verified, claim: caller.claim };
  }

  /** Looks a token up in the database. Returns null if it is unknown, expired or revoked. */
  callerOf(tokenHash: string): Promise<VerifiedCaller | null> {
    return this.callerAmong([tokenHash]);
  }

  /**
   * Looks several tokens up in one statement: the caller of the last valid one, or of the last one of the account with the public
   * identifier `preferred`, if there is one. Returns null if all are unknown, expired or revoked.
   */
  async callerAmong(tokenHashes: readonly string[], preferred?: string): Promise<VerifiedCaller | null> {
    const current = await lookUp(this.#db, tokenHashes, preferred);
    // Set anew, so that the map's order is that of age.
    for (const tokenHash of tokenHashes) this.#remembered.delete(tokenHash);
    if (current === null) return null;
    const { accountId, publicId, isGuest, token, claim } = current.caller;
    this.#remembered.set(claim.tokenHash, { caller: { accountId, publicId, isGuest, token }, until: current.until });
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= REMEMBERED_TOKENS) break;
      this.#remembered.delete(oldest);
    }
    return current.caller;
  }
}

const accountOfToken = sql`select ${accessToken.accountId} from ${accessToken}
  join ${account} on ${account.id} = ${accessToken.accountId} where ${isValid} and ${accessToken.tokenHash}`;

/** The account of a token, by the token's hash; null where the token is not valid. */
export const accountOf = (tokenHash: Value<string>) => sql<number>`(${accountOfToken} = ${tokenHash}::text)`;

/**
 * Locks the caller's account and returns its row. The token is looked up under the lock: a call that waited while the token was ended
 * is refused. `update` also blocks changes that are about to refer to the account.
 * @throws UNAUTHORIZED where the account was closed or disabled, or the token has ended.
 */
export async function lockedAccount(
  { db, user }: Pick<Signed, "db" | "user">,
  strength: "no key update" | "update" = "no key update",
): Promise<typeof account.$inferSelect> {
  const [row] = await db
    .select()
    .from(account)
    .where(and(eq(account.id, user.accountId), isOpen()))
    .for(strength);
  const tokens = await db.select({ id: accessToken.id }).from(accessToken).where(eq(accessToken.id, user.token.id));
  if (row === undefined || tokens.length === 0) throw unauthorized();
  return row;
}

/** Ends one token of an account, and gives what it was called. @throws NOT_FOUND where the account has none of that kind. */
export async function endOwnToken(
  db: Queries,
  accountId: number,
  { kind, publicId }: { kind: NewToken["kind"]; publicId: string },
): Promise<{ publicId: string; name: string }> {
  const [ended] = await db
    .delete(accessToken)
    .where(and(eq(accessToken.publicId, publicId), eq(accessToken.accountId, accountId), eq(accessToken.kind, kind)))
    .returning({ publicId: accessToken.publicId, name: accessToken.name });
  if (ended === undefined) throw notFound();
  return ended;
}

/** Ends tokens by their hashes, and returns the accounts that had one of them. */
export async function endTokensOf(db: Queries, tokenHashes: readonly string[]) {
  const { accountId } = accessToken;
  const ended = await db.delete(accessToken).where(oneOf(accessToken.tokenHash, tokenHashes)).returning({ accountId });
  const isTheirs = oneOf(
    account.id,
    ended.map((token) => token.accountId),
  );
  return db
    .select({ accountId: account.id, publicId: account.publicId, name: account.name })
    .from(account)
    .where(isTheirs);
}

/** Ends all tokens of an account, personal ones included. */
export async function endTokens(db: Queries, accountId: number): Promise<void> {
  await db.delete(accessToken).where(eq(accessToken.accountId, accountId));
}

/** Ends the sessions of an account, all but the one of a token. */
export async function endSessions(db: Queries, accountId: number, { except }: { except?: number } = {}): Promise<void> {
  const isOther = except === undefined ? undefined : ne(accessToken.id, except);
  await db
    .delete(accessToken)
    .where(and(eq(accessToken.accountId, accountId), eq(accessToken.kind, "session"), isOther));
}

/** Sweep: forgets tokens that have ended. */
export const forgetEndedTokens = forgetting(accessToken, accessToken.expiresAt, () =>
  lte(accessToken.expiresAt, sql`now()`),
);
