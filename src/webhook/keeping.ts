// What is kept of webhooks for a time only (contract section 6): deliveries that ended, and secrets from before a rotation.

import { and, eq, inArray, ne, sql } from "drizzle-orm";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { bigints, type Database } from "../db/client.js";
import { byWorkspace } from "../db/records.js";
import { webhookDelivery } from "../db/schema/index.js";
import { SWEPT_AT_ONCE, type Sweep, untilFewerThan } from "../db/sweeps.js";

const KEPT = sql.raw("interval '30 days'");

/** A row of a workspace by its key. */
interface Found {
  workspaceId: number;
  id: number;
}

/** Under the workspace's lock, where nobody sends one of them again meanwhile. Gives how many were removed. */
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

/** Sweep: forgets deliveries that ended and are older than 30 days. */
export const forgetOldDeliveries: Sweep = (db) =>
  untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
    const old = await db.rows<Found>(
      acrossWorkspaces(
        "what is over",
        sql`select workspace_id as "workspaceId", id from webhook_delivery
          where status <> 'pending' and created_at < now() - ${KEPT} order by created_at limit ${limit}::int`,
      ),
    );
    let removed = 0;
    for (const [workspaceId, found] of byWorkspace(old)) removed += await removeEnded(db, workspaceId, found);
    return removed;
  });

/** Sweep: forgets secrets that no longer sign. */
export const forgetOldSecrets: Sweep = (db) =>
  untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
    const old = await db.rows<Found>(
      acrossWorkspaces(
        "what is over",
        sql`select workspace_id as "workspaceId", id from webhook
          where previous_secret_until < now() order by previous_secret_until limit ${limit}::int`,
      ),
    );
    let removed = 0;
    for (const [workspaceId, found] of byWorkspace(old)) {
      const cleared = await db.rows(sql`
        update webhook set previous_secret = null, previous_secret_until = null
        where workspace_id = ${workspaceId}::bigint and id = any(${bigints(found.map(({ id }) => id))})
          and previous_secret_until < now()
        returning id`);
      removed += cleared.length;
    }
    return removed;
  });
