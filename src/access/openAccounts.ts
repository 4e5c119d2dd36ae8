// Which accounts are open: the one condition for whatever a person does (capabilities section 4). A closed account is a tombstone; a
// disabled one keeps its place everywhere, and is let in nowhere.

import { and, eq, isNull } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { unauthorized } from "../api/errors.js";
import type { Queries } from "../db/client.js";
import { account } from "../db/schema/index.js";

type AccountColumns = Record<"deletedAt" | "disabledAt", AnyPgColumn>;

/** That an account is neither closed nor disabled. */
export const isOpen = (of: AccountColumns = account) => and(isNull(of.deletedAt), isNull(of.disabledAt));

/** Locks the account of a caller, and gives its row. @throws UNAUTHORIZED where it was closed or disabled. */
export async function lockedAccount(db: Queries, accountId: number): Promise<typeof account.$inferSelect> {
  const [found] = await db
    .select()
    .from(account)
    .where(and(eq(account.id, accountId), isOpen()))
    .for("no key update");
  if (found === undefined) throw unauthorized();
  return found;
}
