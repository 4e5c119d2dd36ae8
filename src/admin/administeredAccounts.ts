// The accounts of an instance as those who run it see and change them: instance admins and commands (capabilities section 4).

import { and, asc, count, eq, gt, ilike, isNotNull, isNull, max, or, type SQL, sql } from "drizzle-orm";
import { isOpen } from "../access/openAccounts.js";
import { endTokens } from "../access/tokens.js";
import type { Client } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { oneOf, type Queries, type Transaction } from "../db/client.js";
import { containing } from "../db/patterns.js";
import { accessToken, account, member } from "../db/schema/index.js";
import { endLinks } from "../user/accountLinks.js";
import { type AuditType, logAct, personTarget } from "../user/auditLog.js";
import { lastInstanceAdmin, lockedAdmins } from "../user/instanceAdmins.js";
import type { AdminUser, PersonStatus } from "./adminShapes.js";

/** The operator of the instance: an instance admin who calls, or nobody known, by a command. */
export interface Operator {
  accountId: number | null;
  client: Client | null;
}

/** The user of the command line. */
export const COMMAND_LINE: Operator = { accountId: null, client: null };

const ofStatus: Record<PersonStatus, SQL | undefined> = {
  active: and(isOpen(), eq(account.isGuest, false)),
  disabled: isNotNull(account.disabledAt),
  guest: and(isOpen(), eq(account.isGuest, true)),
};

const lastUse = (db: Queries) =>
  sql`(${db
    .select({ at: max(accessToken.lastUsedAt) })
    .from(accessToken)
    .where(eq(accessToken.accountId, account.id))})`;

/** The columns that are read of an account. */
const fieldsOf = (db: Queries) => ({
  id: account.id,
  publicId: account.publicId,
  name: account.name,
  email: account.email,
  isGuest: account.isGuest,
  isAdmin: account.isAdmin,
  disabledAt: account.disabledAt,
  createdAt: account.createdAt,
  lastSeenAt: sql<string | null>`greatest(${account.lastSignInAt}, ${lastUse(db)})`,
});

interface PersonRow extends Omit<AdminUser, "status" | "workspaceCount"> {
  id: number;
  isGuest: boolean;
  disabledAt: string | null;
}

const statusOf = ({ isGuest, disabledAt }: Pick<PersonRow, "isGuest" | "disabledAt">): PersonStatus =>
  disabledAt !== null ? "disabled" : isGuest ? "guest" : "active";

/** The number of workspaces per account. A statement of its own, because Citus would have to join the other one to every shard. */
async function workspaceCounts(db: Queries, accountIds: number[]): Promise<Map<number | null, number>> {
  const rows = await db
    .select({ accountId: member.accountId, count: count() })
    .from(member)
    .where(acrossWorkspaces("workspaces of an account", oneOf(member.accountId, accountIds)))
    .groupBy(member.accountId);
  return new Map(rows.map(({ accountId, count }) => [accountId, count]));
}

async function adminUsersOf(db: Queries, rows: PersonRow[]): Promise<AdminUser[]> {
  const ids = rows.map(({ id }) => id);
  const counts = await workspaceCounts(db, ids);
  return rows.map(({ id, isGuest, disabledAt, ...person }) => ({
    ...person,
    workspaceCount: counts.get(id) ?? 0,
    status: statusOf({ isGuest, disabledAt }),
  }));
}

/** An account by its key, as an operator sees it. @throws NOT_FOUND */
export async function adminUserOf(db: Queries, accountId: number): Promise<AdminUser> {
  const [row] = await adminUsersOf(db, await db.select(fieldsOf(db)).from(account).where(eq(account.id, accountId)));
  if (row === undefined) throw notFound();
  return row;
}

/** The accounts to list. */
interface PeopleFilter {
  /** Part of a name or an address, in any case of letters. */
  search?: string | undefined;
  status?: PersonStatus | undefined;
  /** The identifier of the last one before. */
  after: string | null;
  limit: number;
}

/** Accounts in the order in which they were made; deleted ones are left out. */
export async function listPeople(db: Queries, { search, status, after, limit }: PeopleFilter): Promise<AdminUser[]> {
  const pattern = search === undefined ? undefined : containing(search);
  const before = db
    .select({ id: account.id })
    .from(account)
    .where(eq(account.publicId, after ?? ""));
  const rows = await db
    .select(fieldsOf(db))
    .from(account)
    .where(
      and(
        isNull(account.deletedAt),
        after === null ? undefined : gt(account.id, sql`(${before})`),
        pattern === undefined ? undefined : or(ilike(account.name, pattern), ilike(account.email, pattern)),
        status === undefined ? undefined : ofStatus[status],
      ),
    )
    .orderBy(asc(account.id))
    .limit(limit);
  return adminUsersOf(db, rows);
}

/** No account has an address. */
export const noPersonAt = () => badRequest("No account has this email address", "email");

/** The identifier of the account with an address. */
export async function personAt(db: Queries, email: string): Promise<string> {
  const [row] = await db.select({ publicId: account.publicId }).from(account).where(eq(account.email, email));
  if (row === undefined) throw noPersonAt();
  return row.publicId;
}

/** The changes of an account. */
export interface PersonChanges {
  disabled?: boolean | undefined;
  isAdmin?: boolean | undefined;
}

/** The entries of the audit log that a change causes. */
function actsOf(from: { disabled: boolean; isAdmin: boolean }, to: PersonChanges): AuditType[] {
  const acts: AuditType[] = [];
  if (to.disabled !== undefined && to.disabled !== from.disabled)
    acts.push(to.disabled ? "account.disabled" : "account.enabled");
  if (to.isAdmin !== undefined && to.isAdmin !== from.isAdmin)
    acts.push(to.isAdmin ? "admin.granted" : "admin.revoked");
  return acts;
}

/** Ends the tokens of an account, and its open streams. Its links have no effect while it is disabled. */
async function endAccess(tx: Transaction, accountId: number): Promise<void> {
  await endTokens(tx, accountId);
  tx.touched.accounts.add(accountId);
}

/** Ends the links that were made before an account was disabled: enabling the account again does not restore them. */
async function endOldLinks(tx: Transaction, accountId: number): Promise<void> {
  await tx.update(account).set({ pendingEmail: null }).where(eq(account.id, accountId));
  await endLinks(tx, accountId, ["passwordReset", "emailChange", "emailVerification"]);
}

/** Refuses an operator who is no longer an instance admin: the call may have waited meanwhile. @throws NOT_FOUND */
export async function mustStillOperate(db: Queries, { accountId }: Operator): Promise<void> {
  if (accountId === null) return;
  const isIt = and(eq(account.id, accountId), eq(account.isAdmin, true), isOpen());
  if ((await db.$count(account, isIt)) === 0) throw notFound();
}

/** Disables or enables an account, or changes its admin right. @throws NOT_FOUND; BAD_REQUEST for the last admin, or a guest. */
export async function updatePerson(
  tx: Transaction,
  operator: Operator,
  publicId: string,
  changes: PersonChanges,
): Promise<AdminUser> {
  const { accountId: actorId, client } = operator;
  const admins = await lockedAdmins(tx);
  await mustStillOperate(tx, operator);
  const [row] = await tx
    .select({ id: account.id, name: account.name, ...stateColumns })
    .from(account)
    .where(and(eq(account.publicId, publicId), isNull(account.deletedAt)))
    .for("update");
  if (row === undefined) throw notFound();
  const { id, name, isGuest, isAdmin, disabledAt } = row;
  const staysAdmin = changes.disabled !== true && changes.isAdmin !== false;
  if (admins.includes(id) && admins.length === 1 && !staysAdmin)
    throw lastInstanceAdmin(changes.disabled === true ? "disabled" : "isAdmin");
  if (changes.isAdmin === true && isGuest) throw badRequest("A guest cannot be an instance admin", "isAdmin");

  const acts = actsOf({ disabled: disabledAt !== null, isAdmin }, changes);
  if (acts.length > 0) {
    const target = personTarget({ publicId, name });
    const { disabled, ...own } = changes;
    const since = disabled === undefined ? {} : { disabledAt: disabled ? (disabledAt ?? nowOf()) : null };
    const values = { ...own, ...since };
    await tx.update(account).set(values).where(eq(account.id, id));
    if (disabled === true) await endAccess(tx, id);
    if (acts.includes("account.enabled")) await endOldLinks(tx, id);
    for (const type of acts) await logAct(tx, client, { type, actorId, target });
  }
  return adminUserOf(tx, id);
}

const stateColumns = { isGuest: account.isGuest, isAdmin: account.isAdmin, disabledAt: account.disabledAt };
const nowOf = () => new Date().toISOString();
