// Numbers the notifications of an account after they are committed: streams resume by these numbers. Readers number them first, so
// that none is lost when a process ends between a commit and the numbering.

import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { type Database, json, oneOf, type Transaction } from "../db/client.js";
import { writtenIfPossible } from "../db/failures.js";
import { notification, notificationCounter } from "../db/schema/index.js";
import { columnName } from "../db/selections.js";

/** The most notifications that are numbered in one transaction. */
const AT_ONCE = 1000;

/** Returns those of some accounts that have notifications without a number, in any workspace. */
async function uncountedOf(db: Database, accountIds: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectDistinct({ accountId: notification.accountId })
    .from(notification)
    .where(
      and(
        acrossWorkspaces("notifications of an account", oneOf(notification.accountId, accountIds)),
        isNull(notification.seq),
      ),
    );
  return rows.map(({ accountId }) => accountId);
}

/** The last number of an account, whose counter is locked: of several processes one counts at a time. */
async function lockCounter(tx: Transaction, accountId: number): Promise<number> {
  await tx.insert(notificationCounter).values({ accountId, seq: 0 }).onConflictDoNothing();
  const [counter] = await tx
    .select({ seq: notificationCounter.seq })
    .from(notificationCounter)
    .where(eq(notificationCounter.accountId, accountId))
    .for("update");
  if (counter === undefined) throw new Error("The counter of an account is gone");
  return counter.seq;
}

/** Numbers the earliest unnumbered notifications of an account; whether that was all. */
async function countSome(tx: Transaction, accountId: number): Promise<boolean> {
  const last = await lockCounter(tx, accountId);
  const { workspaceId, id, createdAt } = notification;
  const uncounted = await tx
    .select({ workspaceId, id })
    .from(notification)
    .where(
      and(
        acrossWorkspaces("notifications of an account", eq(notification.accountId, accountId)),
        isNull(notification.seq),
      ),
    )
    .orderBy(asc(createdAt), asc(workspaceId), asc(id))
    .limit(AT_ONCE);
  const numbered = uncounted.map((row, index) => ({ ...row, seq: last + 1 + index }));
  for (const key of new Set(uncounted.map((row) => row.workspaceId))) {
    const rows = numbered.filter((row) => row.workspaceId === key);
    await tx.run(sql`
      update ${notification} set ${columnName(notification.seq)} = numbered.seq
      from jsonb_to_recordset(${json(rows)}) as numbered(id bigint, seq bigint)
      where ${notification.workspaceId} = ${key}::bigint and ${notification.id} = numbered.id`);
  }
  await tx
    .update(notificationCounter)
    .set({ seq: last + uncounted.length })
    .where(eq(notificationCounter.accountId, accountId));
  return uncounted.length < AT_ONCE;
}

async function countAll(db: Database, accountId: number): Promise<void> {
  for (let isDone = false; !isDone; ) isDone = await db.transaction((tx) => countSome(tx, accountId));
}

/** Numbers notifications that have none, oldest first. While the database refuses writes, readers do not see them. */
export async function countNotifications(db: Database, accountIds: readonly number[]): Promise<void> {
  if (accountIds.length === 0) return;
  for (const accountId of await uncountedOf(db, accountIds)) {
    await writtenIfPossible(countAll(db, accountId));
  }
}
