// The end of an account (contract section 2, Accounts): what goes with it, and the tombstone that stays.

import { eq, sql } from "drizzle-orm";
import type { Signed } from "../api/context.js";
import { badRequest, unauthorized } from "../api/errors.js";
import { bigints, type Transaction } from "../db/client.js";
import { accessToken } from "../db/schema/index.js";
import { recordLeaving } from "./memberships.js";

interface Membership {
  workspaceId: number;
  role: "admin" | "member" | "guest";
  others: number;
  otherAdmins: number;
}

/**
 * Whether an account is open, which it then stays until the transaction ends. Whoever puts a person somewhere asks first: the row of a
 * closed account is still there, and no foreign key would tell.
 */
export async function staysOpen(db: Transaction, { accountId }: { accountId: number }): Promise<boolean> {
  const found = await db.rows(
    sql`select id from account where id = ${accountId}::bigint and deleted_at is null for key share`,
  );
  return found.length > 0;
}

/**
 * Closes the caller's account, whose password was just proven by its hash; null for a guest, who has none.
 * @throws BAD_REQUEST when the password was changed meanwhile, or when it is the last admin of a workspace with other members.
 */
export async function closeAccount(tx: Signed<Transaction>, passwordHash: string | null): Promise<void> {
  const { accountId } = tx.user;
  const [current] = await tx.db.rows<{ passwordHash: string | null }>(sql`
    select password_hash as "passwordHash" from account where id = ${accountId}::bigint and deleted_at is null for update`);
  if (current === undefined) throw unauthorized();
  if (current.passwordHash !== passwordHash) throw badRequest("Is not the password", "password");
  await tx.db.rows(sql`
    select w.id from workspace w where w.id in (select workspace_id from member where account_id = ${accountId}::bigint)
    order by w.id for no key update`);
  const memberships = await tx.db.rows<Membership>(sql`
    select m.workspace_id as "workspaceId", m.role, count(o.id) as others,
      count(o.id) filter (where o.role = 'admin') as "otherAdmins"
    from member m
    left join member o on o.workspace_id = m.workspace_id and o.id <> m.id and o.account_id is not null
    where m.account_id = ${accountId}::bigint
    group by m.workspace_id, m.role`);
  if (memberships.some(({ role, others, otherAdmins }) => role === "admin" && others > 0 && otherAdmins === 0)) {
    throw badRequest("The last admin of a workspace with other members cannot leave it");
  }

  const deserted = memberships.filter(({ others }) => others === 0).map(({ workspaceId }) => workspaceId);
  // Boards before their workspace, in the order in which everyone who writes locks them.
  await tx.db.rows(sql`select id from board where workspace_id = any(${bigints(deserted)}) order by id for update`);
  for (const workspaceId of deserted) tx.db.touched.workspaces.add(workspaceId);
  tx.db.touched.accounts.add(accountId);
  await tx.db.rows(sql`delete from workspace where id = any(${bigints(deserted)})`);
  await recordLeaving(tx);
  await tx.db.rows(sql`delete from member where account_id = ${accountId}::bigint`);
  await tx.db.rows(sql`delete from invite where created_by = ${accountId}::bigint`);
  await tx.db.rows(sql`delete from board_favourite where account_id = ${accountId}::bigint`);
  await tx.db.delete(accessToken).where(eq(accessToken.accountId, accountId));
  await tx.db.rows(sql`
    update account set name = 'Deleted user', email = null, password_hash = null, image = null, deleted_at = now()
    where id = ${accountId}::bigint`);
}
