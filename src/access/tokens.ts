// Access tokens: made, stored as a hash, and turned back into the caller they stand for (contract section 2, Token).

import { createHash, randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Caller, Person } from "../api/context.js";
import { unauthorized } from "../api/errors.js";
import { bigints, type Queries } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { accessToken } from "../db/schema/index.js";
import { SWEPT_AT_ONCE, type Sweep, untilFewerThan } from "../db/sweeps.js";
import type { UnitOfWork } from "../db/unitOfWork.js";

/** Session tokens live this long from their last use. */
export const SESSION_DAYS = 30;

const DAY_MS = 86_400_000;
/** `lastUsedAt`, and with it the end of a session, is kept to the minute: a request that reads should not write. */
const USE_GRANULARITY_MS = 60_000;
/** How many tokens a process remembers at once; beyond that the longest remembered is forgotten. */
const REMEMBERED_TOKENS = 10_000;

const TOKEN = /^Bearer +(wb_[0-9A-Za-z_-]{43})$/i;

const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

const sessionEnd = () => new Date(Date.now() + SESSION_DAYS * DAY_MS).toISOString();

interface NewToken {
  accountId: number;
  kind: "session" | "personal";
  name: string;
  scope: "read" | "write";
  boundWorkspaceId: number | null;
  expiresAt: string | null;
}

/** A new token, and the row by which it is known: the token itself is shown once and stored nowhere. */
function newToken(fields: NewToken) {
  const token = `wb_${randomBytes(32).toString("base64url")}`;
  return { token, row: { ...fields, publicId: newPublicId(), tokenHash: hashOf(token) } };
}

/** Stores a new token and gives what is shown once. */
export async function issueToken(db: Queries, fields: NewToken) {
  const { token, row } = newToken(fields);
  await db.insert(accessToken).values(row);
  return { publicId: row.publicId, accessToken: token, expiresAt: fields.expiresAt };
}

const sessionOf = (accountId: number, expiresAt: string): NewToken => ({
  accountId,
  kind: "session",
  name: "Session",
  scope: "write",
  boundWorkspaceId: null,
  expiresAt,
});

/** A token of a sign-in, with the instant at which it ends unless it is used. */
export async function issueSession(db: Queries, accountId: number) {
  const expiresAt = sessionEnd();
  const issued = await issueToken(db, sessionOf(accountId, expiresAt));
  return { accessToken: issued.accessToken, expiresAt };
}

/** The same within the change of a workspace; the token. */
export function addSession(unit: Pick<UnitOfWork, "add">, accountId: number): string {
  const { token, row } = newToken(sessionOf(accountId, sessionEnd()));
  unit.add(accessToken, row);
  return token;
}

/** A token that is valid now, where `t` and `a` are it and its account. */
const isValid = sql.raw("a.deleted_at is null and (t.expires_at is null or t.expires_at > now())");

/** Those of some tokens that are valid still. They count as used, and a session lives on: streams call this while they are open. */
export async function useTokens(db: Queries, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db.rows<Pick<TokenRow, "tokenId" | "lastUsedAt">>(sql`
    select t.id as "tokenId", t.last_used_at as "lastUsedAt" from access_token t
    join account a on a.id = t.account_id
    where t.id = any(${bigints(ids)}) and ${isValid}`);
  await noteUses(db, rows);
  return new Set(rows.map(({ tokenId }) => tokenId));
}

interface TokenRow extends Person {
  tokenId: number;
  kind: Caller["token"]["kind"];
  scope: Caller["token"]["scope"];
  boundWorkspaceId: number | null;
  boundWorkspacePublicId: string | null;
  lastUsedAt: string | null;
}

/** Whether an `Authorization` header holds what may be a token. */
export const holdsToken = (authorization: string | undefined): boolean =>
  authorization !== undefined && TOKEN.test(authorization);

/** The hash under which the token of an `Authorization` header is stored; null where it holds none. */
function hashIn(authorization: string | undefined): string | null {
  const token = authorization === undefined ? undefined : TOKEN.exec(authorization)?.[1];
  return token === undefined ? null : hashOf(token);
}

/** Looks a token up by its hash, which counts as a use. */
async function lookUp(db: Queries, tokenHash: string): Promise<Remembered | null> {
  const [row] = await db.rows<TokenRow>(sql`
    select t.id as "tokenId", t.kind, t.scope, t.last_used_at as "lastUsedAt",
      t.bound_workspace_id as "boundWorkspaceId", w.public_id as "boundWorkspacePublicId",
      a.id as "accountId", a.public_id as "publicId", a.name, a.email, a.image, a.is_guest as "isGuest",
      a.created_at as "createdAt"
    from access_token t
    join account a on a.id = t.account_id
    left join workspace w on w.id = t.bound_workspace_id
    where t.token_hash = ${tokenHash}::text and ${isValid}`);
  if (row === undefined) return null;
  const usedAt = (await noteUses(db, [row])) ?? Date.parse(row.lastUsedAt ?? "");
  const { tokenId, kind, scope, boundWorkspaceId, boundWorkspacePublicId, lastUsedAt: _, ...person } = row;
  const caller = { ...person, token: { id: tokenId, kind, scope, boundWorkspaceId, boundWorkspacePublicId } };
  return { caller, until: usedAt + USE_GRANULARITY_MS };
}

/** A caller as it was looked up, and until when (in milliseconds) its next use need not be noted. */
interface Remembered {
  caller: Omit<Caller, "claim">;
  until: number;
}

/**
 * Turns `Authorization` headers into callers. A token that was found valid less than a minute ago is believed at first: the guard
 * that a request comes to finds it in its own statement (`callerKey` in `guards.ts`), and whatever comes to none verifies it after
 * all. What a caller is believed to be never changes while its token lives: its account, scope and workspace.
 */
export class Tokens {
  readonly #db: Queries;
  readonly #remembered = new Map<string, Remembered>();

  constructor(db: Queries) {
    this.#db = db;
  }

  /** The account of a header's token as this process remembers it, without looking the token up; null where it does not. */
  rememberedAccountOf(authorization: string | undefined): number | null {
    const tokenHash = hashIn(authorization);
    return (tokenHash === null ? undefined : this.#remembered.get(tokenHash))?.caller.accountId ?? null;
  }

  /** Who a header stands for, certainly; null for none, or a token that is unknown, expired or revoked. */
  async callerOf(authorization: string | undefined): Promise<Caller | null> {
    const tokenHash = hashIn(authorization);
    return tokenHash === null ? null : this.#lookUp(tokenHash);
  }

  /** Who a header stands for, unless its token has ended within the last minute, which the caller's claim leaves open. */
  async believedCallerOf(authorization: string | undefined): Promise<Caller | null> {
    const tokenHash = hashIn(authorization);
    if (tokenHash === null) return null;
    const remembered = this.#remembered.get(tokenHash);
    if (remembered === undefined || remembered.until <= Date.now()) return this.#lookUp(tokenHash);
    return { ...remembered.caller, claim: { tokenHash, isVerified: false } };
  }

  /**
   * A caller whose token is valid for certain, as its account is now.
   * @throws UNAUTHORIZED when the token has ended.
   */
  async verify(caller: Caller): Promise<Caller> {
    const { claim } = caller;
    if (claim.isVerified) return caller;
    const found = await this.#lookUp(claim.tokenHash);
    if (found === null) throw unauthorized();
    claim.isVerified = true;
    return { ...found, claim };
  }

  async #lookUp(tokenHash: string): Promise<Caller | null> {
    const found = await lookUp(this.#db, tokenHash);
    // Set anew, so that the map's order is that of age.
    this.#remembered.delete(tokenHash);
    if (found === null) return null;
    this.#remembered.set(tokenHash, found);
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= REMEMBERED_TOKENS) break;
      this.#remembered.delete(oldest);
    }
    return { ...found.caller, claim: { tokenHash, isVerified: true } };
  }
}

/** The account of a token, by the token's hash; null where the token is not valid. */
export const accountOf = (tokenHash: string) => sql`(
  select t.account_id from access_token t join account a on a.id = t.account_id
  where t.token_hash = ${tokenHash}::text and ${isValid})`;

/** Notes that tokens were used, where that was not noted within the last minute; when, if any was. */
async function noteUses(
  db: Queries,
  tokens: readonly Pick<TokenRow, "tokenId" | "lastUsedAt">[],
): Promise<number | undefined> {
  const isNoted = (lastUsedAt: string | null) =>
    lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < USE_GRANULARITY_MS;
  const used = tokens.filter(({ lastUsedAt }) => !isNoted(lastUsedAt)).map(({ tokenId }) => tokenId);
  if (used.length === 0) return undefined;
  await db.rows(sql`
    update access_token set last_used_at = now(),
      expires_at = case when kind = 'session' then ${sessionEnd()}::timestamptz else expires_at end
    where id = any(${bigints(used)})`);
  return Date.now();
}

/** Sweep: forgets tokens that have ended. */
export const forgetEndedTokens: Sweep = (db) =>
  untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
    const forgotten = await db.rows(sql`
      delete from access_token where expires_at <= now() and id = any(array(
        select id from access_token where expires_at <= now() order by expires_at limit ${limit}::int))
      returning id`);
    return forgotten.length;
  });
