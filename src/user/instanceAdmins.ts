// The accounts that run the instance (capabilities section 4): there is always one.

import { and, eq } from "drizzle-orm";
import { isOpen } from "../access/openAccounts.js";
import { badRequest } from "../api/errors.js";
import type { Transaction } from "../db/client.js";
import { account } from "../db/schema/index.js";

/** Locks the open instance admins, always in the same order, so that of two who leave at once one stays; returns their keys. */
export async function lockedAdmins(tx: Transaction): Promise<number[]> {
  const admins = await tx
    .select({ id: account.id })
    .from(account)
    .where(and(eq(account.isAdmin, true), isOpen()))
    .orderBy(account.id)
    .for("no key update");
  return admins.map(({ id }) => id);
}

/** The last instance admin is about to leave. */
export const lastInstanceAdmin = (...path: string[]) =>
  badRequest("The instance must have at least one admin", ...path);

/** Locks the instance admins if an account is one of them. @throws BAD_REQUEST where it is the last one. */
export async function mustNotBeLastInstanceAdmin(tx: Transaction, accountId: number): Promise<void> {
  const [own] = await tx.select({ isAdmin: account.isAdmin }).from(account).where(eq(account.id, accountId));
  if (own?.isAdmin !== true) return;
  const admins = await lockedAdmins(tx);
  if (admins.length === 1 && admins.includes(accountId)) throw lastInstanceAdmin();
}
