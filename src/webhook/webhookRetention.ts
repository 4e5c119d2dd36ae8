// Deletes webhook data after a time (contract section 6): finished deliveries, and secrets from before a rotation.

import { and, eq, inArray, lt, ne, sql } from "drizzle-orm";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { type Database, oneOf } from "../db/client.js";
import { webhook, webhookDelivery } from "../db/schema/index.js";
import { SWEPT_AT_ONCE, type Sweep } from "../db/sweeps.js";
import { sweptByWorkspace } from "../db/sweptWorkspaces.js";

const RETENTION = sql.raw("interval '30 days'");

/** Runs under the workspace's lock, so that nobody sends one of them again meanwhile. Returns how many were deleted. */
const removeEnded = (db: Database, workspaceId: number, rows: readonly { id: number }[]): Promise<number> =>
  db.change(workspaceId, { accountId: null }, async (unit) => {
    const ids = rows.map(({ id }) => id);
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
export const forgetOldDeliveries: Sweep = (db) => {
  const { workspaceId, id, status, createdAt } = webhookDelivery;
  return sweptByWorkspace(db, {
    limit: SWEPT_AT_ONCE,
    // The status stands in the text, so that the partial index of what ended is known to hold it.
    find: (isAsked) =>
      db
        .select({ workspaceId, id })
        .from(webhookDelivery)
        .where(
          acrossWorkspaces(
            "expired rows",
            sql`${status} <> 'pending' and ${createdAt} < now() - ${RETENTION} and ${isAsked(workspaceId)}`,
          ),
        )
        .orderBy(createdAt)
        .limit(SWEPT_AT_ONCE),
    handle: (key, rows) => removeEnded(db, key, rows),
  });
};

/** Sweep: deletes secrets that no longer sign. */
export const forgetOldSecrets: Sweep = (db) => {
  const { workspaceId, id, previousSecretUntil } = webhook;
  const isOver = lt(previousSecretUntil, sql`now()`);
  return sweptByWorkspace(db, {
    limit: SWEPT_AT_ONCE,
    find: (isAsked) =>
      db
        .select({ workspaceId, id })
        .from(webhook)
        .where(acrossWorkspaces("expired rows", sql`${isOver} and ${isAsked(workspaceId)}`))
        .orderBy(previousSecretUntil)
        .limit(SWEPT_AT_ONCE),
    handle: async (key, rows) => {
      const ids = rows.map((one) => one.id);
      const cleared = await db
        .update(webhook)
        .set({ previousSecret: null, previousSecretUntil: null })
        .where(and(eq(workspaceId, key), oneOf(id, ids), isOver))
        .returning({ id });
      return cleared.length;
    },
  });
};
