// The end of old events, which pending deliveries still need.

import { and, eq, isNotNull, min } from "drizzle-orm";
import { webhookDelivery } from "../db/schema/index.js";
import { forgettingEvents } from "../events/oldEvents.js";

/** Sweep: forgets events that are older than `EVENT_DAYS`, up to the first one that a pending delivery needs. */
export const forgetOldEvents = forgettingEvents(async (db, workspaceId) => {
  const [pending] = await db
    .select({ seq: min(webhookDelivery.eventSeq) })
    .from(webhookDelivery)
    .where(
      and(
        eq(webhookDelivery.workspaceId, workspaceId),
        eq(webhookDelivery.status, "pending"),
        isNotNull(webhookDelivery.eventSeq),
      ),
    );
  return pending?.seq ?? null;
});
