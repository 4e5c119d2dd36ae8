// Statements that look up what an identifier names, together with the caller's membership there: the joins of all guards.

import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { workspaceOf } from "../db/ids.js";
import { board, boardMember, member, workspace } from "../db/schema/index.js";
import { type Compiled, type Value, type Values, writtenOnce } from "../db/statements.js";
import { accountOf } from "./tokens.js";

const accountBy = (accountId: Value<number | null>, tokenHash: Value<string>) =>
  sql`coalesce(${accountId}::bigint, ${accountOf(tokenHash)})`;

/** The caller who asks, and the workspace that is being changed, if one is. */
export type Asking = Pick<Signed, "user" | "workspaceId">;

/**
 * The caller's account. Until the request's token is verified, the statement itself looks the account up by the token: for a token
 * that has ended it finds no membership, and a membership that it finds verifies the token. A change always does so, because the token
 * may have ended while the change waited.
 */
const callerValues = ({ user: { accountId, claim }, workspaceId }: Asking) => ({
  accountId: claim.isVerified && workspaceId === undefined ? accountId : null,
  tokenHash: claim.tokenHash,
});

/** The key of the caller's account, as an expression. */
export function callerKey(ctx: Asking): SQL {
  const { accountId, tokenHash } = callerValues(ctx);
  return accountBy(accountId, tokenHash);
}

/** Joins the membership of a caller, who is given by `callerKey`, with a workspace. */
export const callerIn = (caller: SQL) =>
  sql`left join ${member} on ${member.workspaceId} = ${workspace.id} and ${member.accountId} = ${caller}`;

/** Joins with a board its workspace, the membership there of a caller, and that caller's place on the board. */
export const boardJoins = (caller: SQL, workspaceId: Value<number>) => sql`
  join ${workspace} on ${workspace.id} = ${workspaceId}::bigint
  left join ${member} on ${member.workspaceId} = ${workspaceId}::bigint and ${member.accountId} = ${caller}
  left join ${boardMember} on ${boardMember.workspaceId} = ${workspaceId}::bigint
    and ${boardMember.boardId} = ${board.id} and ${boardMember.memberId} = ${member.id}`;

/** A table of a workspace whose rows have keys of their own. */
type Keyed = PgTable & { workspaceId: PgColumn; id: PgColumn };

/**
 * The row of a table that another row names by its key, as an item of FROM. OFFSET has PostgreSQL look it up by the whole key: it
 * knows the workspace anyway, takes a workspace to hold one row of the kind, and would read all that there are.
 */
export const rowByKey = (table: Keyed, workspaceId: Value<number>, id: PgColumn) =>
  sql`lateral (
    select * from ${table} where ${table.workspaceId} = ${workspaceId}::bigint and ${table.id} = ${id} offset 0) ${table}`;

/** The workspace that is being changed, else the one that the identifier names. @throws NOT_FOUND if it names none. */
export function workspaceIdOf(ctx: Pick<Signed, "workspaceId">, publicId: string): number {
  const workspaceId = ctx.workspaceId ?? workspaceOf(publicId);
  if (workspaceId === null) throw notFound();
  return workspaceId;
}

/** The identifier by which a statement names a row, and the workspace in which it is looked up. */
export interface Target {
  workspaceId: Value<number>;
  publicId: Value<string>;
}

/** Whether a row is the one that is named. */
export const matchesId = (table: { workspaceId: PgColumn; publicId: PgColumn }, { workspaceId, publicId }: Target) =>
  sql`${table.workspaceId} = ${workspaceId}::bigint and ${table.publicId} = ${publicId}::text`;

/** Whether a workspace is the one that is named. */
export const isThatWorkspace = ({ workspaceId, publicId }: Target) =>
  sql`${workspace.id} = ${workspaceId}::bigint and ${workspace.publicId} = ${publicId}::text`;

/** The placeholders of a naming, in a statement whose text is built once. */
export const PLACEHOLDERS = { workspaceId: sql.placeholder("workspaceId"), publicId: sql.placeholder("publicId") };
const CALLER = accountBy(sql.placeholder("accountId"), sql.placeholder("tokenHash"));

/** Fills in a statement about what an identifier names; `values` are those of its further placeholders. */
export interface Lookup {
  (ctx: Asking, publicId: string, values?: Values): Compiled;
  readonly text: string;
}

/** A statement that looks up what an identifier names, with the caller's membership there. Its text is built once, since every call has a guard. */
export function lookup(statement: (caller: SQL, named: Target) => SQL): Lookup {
  const written = writtenOnce(statement(CALLER, PLACEHOLDERS));
  const filled = (ctx: Asking, publicId: string, values?: Values) => {
    return written({ workspaceId: workspaceIdOf(ctx, publicId), publicId, ...callerValues(ctx), ...values });
  };
  return Object.assign(filled, { text: written.text });
}
