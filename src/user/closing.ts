// The end of an account (contract section 2, Accounts): what goes with it, and the tombstone that stays.

import { and, eq, isNull, sql } from "drizzle-orm";
import { accountOf } from "../access/tokens.js";
import type { Acting } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { badRequest, unauthorized } from "../api/errors.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Queries, Transaction } from "../db/client.js";
import { accessToken, account, invite } from "../db/schema/index.js";
import { leave } from "./leaving.js";
import { countsOf, type Membership, membershipsOf } from "./memberships.js";

/**
 * Whether an account is open, which it then stays until the transaction ends. Whoever puts a person somewhere asks first: the row of a
 * closed account is still there, and no foreign key would tell.
 */
export async function staysOpen(db: Queries, { accountId }: { accountId: number }): Promise<boolean> {
  const found = await db.rows(
    sql`select id from account where id = ${accountId}::bigint and deleted_at is null for key share`,
  );
  return found.length > 0;
}

/** The same of the account of a token, which must be valid as well. */
export async function staysValid(db: Queries, tokenHash: string): Promise<boolean> {
  const found = await db.rows(
    sql`select id from account where id = ${accountOf(tokenHash)} and deleted_at is null for key share`,
  );
  return found.length > 0;
}

/** The keys of the workspaces that an account belongs to or has invited somebody to. */
export async function workspacesTouchedBy(db: Queries, accountId: number): Promise<number[]> {
  const rows = await db.rows<{ workspaceId: number }>(
    acrossWorkspaces(
      "workspaces of an account",
      sql`select workspace_id as "workspaceId" from member where account_id = ${accountId}::bigint
        union select workspace_id from invite where created_by = ${accountId}::bigint`,
    ),
  );
  return rows.map(({ workspaceId }) => workspaceId);
}

const lastAdmin = () => badRequest("The last admin of a workspace with other members cannot leave it");

/** An account's place in a workspace, and what would become of the workspace without it. */
interface Place extends Membership {
  isAlone: boolean;
  isLastAdmin: boolean;
}

/** The places of an account in its workspaces. */
export async function placesOf(db: Queries, accountId: number): Promise<Place[]> {
  const places: Place[] = [];
  for (const membership of await membershipsOf(db, accountId)) {
    const { members, admins } = await countsOf(db, membership.workspaceId);
    places.push({ ...membership, isAlone: members === 1, isLastAdmin: membership.role === "admin" && admins === 1 });
  }
  return places;
}

/** Ends what an account issued in a workspace. Its pending members go with the next sweep, as those of other expired invitations. */
async function endInvitations(tx: Acting, accountId: number): Promise<void> {
  const issued = await tx.db
    .select({ id: invite.id })
    .from(invite)
    .where(and(eq(invite.workspaceId, tx.workspaceId), eq(invite.createdBy, accountId)));
  if (issued.length > 0)
    tx.setEach(
      invite,
      issued.map(({ id }) => ({ id, expiresAt: tx.now })),
    );
}

/** Ends an account, whose row is locked: it leaves its workspaces, those where nobody else is go with it, and a tombstone stays. */
export async function endAccount(
  db: Transaction,
  unitOf: (workspaceId: number) => Acting,
  accountId: number,
  places: readonly Place[],
): Promise<void> {
  const deserted = new Set<number>();
  for (const { workspaceId, isAlone, ...membership } of places) {
    if (isAlone) {
      deserted.add(workspaceId);
      unitOf(workspaceId).removeWorkspace();
    } else {
      await leave(unitOf(workspaceId), { ...membership, accountId });
    }
  }
  for (const workspaceId of await workspacesTouchedBy(db, accountId)) {
    if (!deserted.has(workspaceId)) await endInvitations(unitOf(workspaceId), accountId);
  }
  db.touched.accounts.add(accountId);
  await db.delete(accessToken).where(eq(accessToken.accountId, accountId));
  await db
    .update(account)
    .set({ name: "Deleted user", email: null, passwordHash: null, image: null, deletedAt: new Date().toISOString() })
    .where(eq(account.id, accountId));
}

/**
 * Closes the caller's account, whose password was just verified by its hash; null for a guest, who has none.
 * @throws BAD_REQUEST when the password was changed meanwhile, or when it is the last admin of a workspace with other members.
 */
export async function closeAccount(
  tx: Signed<Transaction>,
  unitOf: (workspaceId: number) => Acting,
  passwordHash: string | null,
): Promise<void> {
  const { accountId } = tx.user;
  const [current] = await tx.db
    .select({ passwordHash: account.passwordHash })
    .from(account)
    .where(and(eq(account.id, accountId), isNull(account.deletedAt)))
    .for("update");
  if (current === undefined) throw unauthorized();
  if (current.passwordHash !== passwordHash) throw badRequest("Is not the password", "password");
  const places = await placesOf(tx.db, accountId);
  if (places.some(({ isAlone, isLastAdmin }) => !isAlone && isLastAdmin)) throw lastAdmin();
  await endAccount(tx.db, unitOf, accountId, places);
}
