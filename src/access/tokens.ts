// Access tokens: made, stored as a hash, and turned back into the caller they stand for (contract section 2, Token).

import { createHash, randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Caller } from "../api/context.js";
import { bigints, type Queries } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { accessToken } from "../db/schema/index.js";

/** Session tokens live this long from their last use. */
export const SESSION_DAYS = 30;

const DAY_MS = 86_400_000;
/** `lastUsedAt`, and with it the end of a session, is kept to the minute: a request that reads should not write. */
const USE_GRANULARITY_MS = 60_000;

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

/** Stores a new token and gives what is shown once. */
export async function issueToken(db: Queries, fields: NewToken) {
  const token = `wb_${randomBytes(32).toString("base64url")}`;
  const [row] = await db
    .insert(accessToken)
    .values({ ...fields, publicId: newPublicId(), tokenHash: hashOf(token) })
    .returning({ publicId: accessToken.publicId });
  if (row === undefined) throw new Error("The insert of a token returned no row");
  return { publicId: row.publicId, accessToken: token, expiresAt: fields.expiresAt };
}

/** A token of a sign-in, with the instant at which it ends unless it is used. */
export async function issueSession(db: Queries, accountId: number) {
  const expiresAt = sessionEnd();
  const issued = await issueToken(db, {
    accountId,
    kind: "session",
    name: "Session",
    scope: "write",
    boundWorkspaceId: null,
    expiresAt,
  });
  return { accessToken: issued.accessToken, expiresAt };
}

/** Those of some tokens that are valid still. They count as used, and a session lives on: streams call this while they are open. */
export async function useTokens(db: Queries, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db.rows<Pick<TokenRow, "tokenId" | "lastUsedAt">>(sql`
    select t.id as "tokenId", t.last_used_at as "lastUsedAt" from access_token t
    join account a on a.id = t.account_id
    where t.id = any(${bigints(ids)}) and a.deleted_at is null and (t.expires_at is null or t.expires_at > now())`);
  await noteUses(db, rows);
  return new Set(rows.map(({ tokenId }) => tokenId));
}

interface TokenRow extends Omit<Caller, "token"> {
  tokenId: number;
  kind: Caller["token"]["kind"];
  scope: Caller["token"]["scope"];
  boundWorkspaceId: number | null;
  boundWorkspacePublicId: string | null;
  lastUsedAt: string | null;
}

/** Who a request's `Authorization` header stands for; null for none, or one that is unknown, expired or revoked. */
export async function callerOf(db: Queries, authorization: string | undefined): Promise<Caller | null> {
  const token = authorization === undefined ? undefined : TOKEN.exec(authorization)?.[1];
  if (token === undefined) return null;
  const [row] = await db.rows<TokenRow>(sql`
    select t.id as "tokenId", t.kind, t.scope, t.last_used_at as "lastUsedAt",
      t.bound_workspace_id as "boundWorkspaceId", w.public_id as "boundWorkspacePublicId",
      a.id as "accountId", a.public_id as "publicId", a.name, a.email, a.image, a.is_guest as "isGuest",
      a.created_at as "createdAt"
    from access_token t
    join account a on a.id = t.account_id
    left join workspace w on w.id = t.bound_workspace_id
    where t.token_hash = ${hashOf(token)}::text and a.deleted_at is null
      and (t.expires_at is null or t.expires_at > now())`);
  if (row === undefined) return null;
  await noteUses(db, [row]);
  const { tokenId, kind, scope, boundWorkspaceId, boundWorkspacePublicId, lastUsedAt: _, ...person } = row;
  return { ...person, token: { id: tokenId, kind, scope, boundWorkspaceId, boundWorkspacePublicId } };
}

async function noteUses(db: Queries, tokens: readonly Pick<TokenRow, "tokenId" | "lastUsedAt">[]): Promise<void> {
  const isNoted = (lastUsedAt: string | null) =>
    lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < USE_GRANULARITY_MS;
  const used = tokens.filter(({ lastUsedAt }) => !isNoted(lastUsedAt)).map(({ tokenId }) => tokenId);
  if (used.length === 0) return;
  await db.rows(sql`
    update access_token set last_used_at = now(),
      expires_at = case when kind = 'session' then ${sessionEnd()}::timestamptz else expires_at end
    where id = any(${bigints(used)})`);
}
