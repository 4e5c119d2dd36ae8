// The end of an account (contract section 2, Accounts): what goes with it, and the tombstone that stays.

import { and, eq, type SQL } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import { isOpen } from "../access/openAccounts.js";
import { accountOf, lockedAccount } from "../access/tokens.js";
import type { Acting } from "../api/acting.js";
import type { Signed } from "../api/context.js";
import { badRequest } from "../api/errors.js";
import { byName } from "../api/shapes.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { oneOf, type Queries, type Transaction } from "../db/client.js";
import {
  accessToken,
  account,
  accountLink,
  identity,
  invite,
  member,
  notificationSettings,
  workspace,
} from "../db/schema/index.js";
import { forgetMailTo } from "../mail/mailRetention.js";
import { mustNotBeLastInstanceAdmin } from "./instanceAdmins.js";
import { leave } from "./leaving.js";
import { type Membership, memberCountsOf, membershipsOf } from "./memberships.js";
import { notPassword } from "./reauthentication.js";
import { removeSecondFactor } from "./secondFactors.js";

/**
 * Whether an account is open; if so, it stays open until the transaction ends. Call it before you refer to an account: closed and
 * disabled accounts keep their rows, so no foreign key fails. A shared lock would do, but Citus locks the whole table instead of the
 * row, and transactions that share such a lock deadlock when they write.
 */
export async function staysOpen(db: Queries, { accountId }: { accountId: number | SQL<number> }): Promise<boolean> {
  const rows = await db
    .select({ id: account.id })
    .from(account)
    .where(and(eq(account.id, accountId), isOpen()))
    .for("no key update");
  return rows.length > 0;
}

/** Whether the account of a token is open and the token valid; if so, the account stays open until the transaction ends. */
export const staysValid = (db: Queries, tokenHash: string): Promise<boolean> =>
  staysOpen(db, { accountId: accountOf(tokenHash) });

/** The keys of the workspaces that an account belongs to or has invited somebody to. */
async function workspacesTouchedBy(db: Queries, accountId: number): Promise<number[]> {
  const across = (isTouched: SQL) => acrossWorkspaces("workspaces of an account", isTouched);
  const rows = await union(
    db
      .select({ workspaceId: member.workspaceId })
      .from(member)
      .where(across(eq(member.accountId, accountId))),
    db
      .select({ workspaceId: invite.workspaceId })
      .from(invite)
      .where(across(eq(invite.createdBy, accountId))),
  );
  return rows.map(({ workspaceId }) => workspaceId);
}

/** Locks an account that is to end against new memberships; gives its workspaces. @throws BAD_REQUEST for the last admin. */
export async function workspacesOfEnding(db: Transaction, accountId: number): Promise<number[]> {
  await mustNotBeLastInstanceAdmin(db, accountId);
  await db.select({ id: account.id }).from(account).where(eq(account.id, accountId)).for("no key update");
  return workspacesTouchedBy(db, accountId);
}

/** @throws BAD_REQUEST naming the workspaces with other members that would be left without an admin. */
async function mustLeaveAdmins(db: Queries, departures: readonly Departure[]): Promise<void> {
  const barred = departures.filter(({ isAlone, isLastAdmin }) => !isAlone && isLastAdmin);
  if (barred.length === 0) return;
  const ids = barred.map(({ workspaceId }) => workspaceId);
  const { name, publicId } = workspace;
  const rows = await db.select({ name, publicId }).from(workspace).where(oneOf(workspace.id, ids));
  const names = rows.sort(byName).map((row) => `"${row.name}" (${row.publicId})`);
  throw badRequest(`The last admin of a workspace with other members cannot leave it: ${names.join(", ")}`);
}

/** A membership, and whether the workspace would be left without members or without an admin if it ended. */
interface Departure extends Membership {
  isAlone: boolean;
  isLastAdmin: boolean;
}

/** The consequences of leaving each of its workspaces, for an account. */
export async function departuresOf(db: Queries, accountId: number): Promise<Departure[]> {
  const departures: Departure[] = [];
  for (const membership of await membershipsOf(db, accountId)) {
    const { members, admins } = await memberCountsOf(db, membership.workspaceId);
    departures.push({
      ...membership,
      isAlone: members === 1,
      isLastAdmin: membership.role === "admin" && admins === 1,
    });
  }
  return departures;
}

/** Ends what an account issued in a workspace. Its pending members go with the next sweep, as those of other expired invitations. */
async function endInvitations(tx: Acting, accountId: number): Promise<void> {
  const issued = await tx.db
    .select({ id: invite.id })
    .from(invite)
    .where(and(eq(invite.workspaceId, tx.workspaceId), eq(invite.createdBy, accountId)));
  const ended = issued.map(({ id }) => ({ id, expiresAt: tx.now }));
  if (ended.length > 0) tx.setEach(invite, ended);
}

/** The values of a tombstone in place of a person's data. */
const NOBODY = {
  name: "Deleted user",
  email: null,
  emailVerifiedAt: null,
  pendingEmail: null,
  passwordHash: null,
  image: null,
  isAdmin: false,
  timeZone: "UTC",
};

/** Removes everything that signs an account in, or could do so again. */
async function endSignIns(db: Transaction, accountId: number): Promise<void> {
  for (const table of [accessToken, identity, accountLink])
    await db.delete(table).where(eq(table.accountId, accountId));
  await removeSecondFactor(db, accountId);
}

/** Ends an account, whose row was locked by `workspacesOfEnding` and is locked again: it leaves its workspaces, those where nobody else is go with it, and a tombstone stays. */
export async function endAccount(
  db: Transaction,
  unitOf: (workspaceId: number) => Acting,
  accountId: number,
  departures: readonly Departure[],
): Promise<void> {
  const deserted = new Set<number>();
  for (const { workspaceId, isAlone, ...membership } of departures) {
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
  await endSignIns(db, accountId);
  await db.delete(notificationSettings).where(eq(notificationSettings.accountId, accountId));
  await forgetMailTo(db, accountId);
  await db
    .update(account)
    .set({ ...NOBODY, deletedAt: new Date().toISOString() })
    .where(eq(account.id, accountId));
}

/** Ends an account on request. @throws BAD_REQUEST naming workspaces with other members whose last admin it is. */
export async function endAccountAsAsked(
  db: Transaction,
  unitOf: (workspaceId: number) => Acting,
  accountId: number,
): Promise<void> {
  const departures = await departuresOf(db, accountId);
  await mustLeaveAdmins(db, departures);
  await endAccount(db, unitOf, accountId, departures);
}

/** Closes the caller's account. @throws BAD_REQUEST if its password hash changed, or as `endAccountAsAsked` does. */
export async function closeAccount(
  tx: Signed<Transaction>,
  unitOf: (workspaceId: number) => Acting,
  passwordHash: string | null,
): Promise<void> {
  const { accountId } = tx.user;
  const current = await lockedAccount(tx, "update");
  if (current.passwordHash !== passwordHash) throw notPassword("password");
  await endAccountAsAsked(tx.db, unitOf, accountId);
}
