// Deletes webhook data that is kept only for a time (contract section 6): finished deliveries, and secrets from before a rotation.

import { and, eq, inArray, lt, ne, sql } from "drizzle-orm";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { type Database, oneOf } from "../db/client.js";
import { byWorkspace } from "../db/records.js";
import { webhook, webhookDelivery } from "../db/schema/index.js";
import { SWEPT_AT_ONCE, type Sweep, untilFewerThan } from "../db/sweeps.js";

const KEPT = sql.raw("interval '30 days'");

/** A row of a workspace by its key. */
interface Found {
  workspaceId: number;
  id: number;
}

/** Runs under the workspace's lock, so that nobody sends one of them again meanwhile. Returns how many were deleted. */
const removeEnded = (db: Database, workspaceId: number, found: readonly Found[]): Promise<number> =>
  db.change(workspaceId, { accountId: null }, async (unit) => {
    const ids = found.map(({ id }) => id);
    const ended = await unit.db
      .select({ id: webhookDelivery.id })
      .from(webhookDelivery)
      .where(
        and(
          eq(webhookDelivery.workspaceId, workspaceId),
          inArray(webhookDelivery.id, ids),
          ne(webhookDelivery.status, "pending"),
        ),
      );
    if (ended.length > 0) unit.remove(webhookDelivery, { id: ended.map(({ id }) => id) });
    return ended.length;
  });

/** Sweep: deletes finished deliveries that are older than 30 days. */
export const forgetOldDeliveries: Sweep = (db) =>
  untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
    const { workspaceId, id, status, createdAt } = webhookDelivery;
    // The status stands in the text, so that the partial index of what ended is known to hold it.
    const isOver = sql`${status} <> 'pending' and ${createdAt} < now() - ${KEPT}`;
    const old = await db
      .select({ workspaceId, id })
      .from(webhookDelivery)
      .where(acrossWorkspaces("what is over", isOver))
      .orderBy(createdAt)
      .limit(limit);
    let removed = 0;
    for (const [key, found] of byWorkspace(old)) removed += await removeEnded(db, key, found);
    return removed;
  });

/** Sweep: deletes secrets that no longer sign. */
export const forgetOldSecrets: Sweep = (db) =>
  untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
    const { workspaceId, id, previousSecretUntil } = webhook;
    const isOver = lt(previousSecretUntil, sql`now()`);
    const old = await db
      .select({ workspaceId, id })
      .from(webhook)
      .where(acrossWorkspaces("what is over", isOver))
      .orderBy(previousSecretUntil)
      .limit(limit);
    let removed = 0;
    for (const [key, found] of byWorkspace(old)) {
      const ids = found.map((one) => one.id);
      const cleared = await db
        .update(webhook)
        .set({ previousSecret: null, previousSecretUntil: null })
        .where(and(eq(workspaceId, key), oneOf(id, ids), isOver))
        .returning({ id });
      removed += cleared.length;
    }
    return removed;
  });
