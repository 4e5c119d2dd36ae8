// Webhooks and their deliveries; the delivery table is the queue (contract section 6).

import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { belongsTo, createdAt, id, instant, publicId, ref, workspaceId } from "./columns.js";
import { workspace } from "./workspaces.js";

export const webhook = pgTable(
  "webhook",
  {
    workspaceId: workspaceId().references(() => workspace.id, { onDelete: "cascade" }),
    id: id(),
    publicId: publicId(),
    name: text("name").notNull(),
    url: text("url").notNull(),
    /** Event types or prefixes (`card.*`, `*`). */
    events: jsonb("events").$type<string[]>().notNull(),
    active: boolean("active").notNull().default(true),
    secret: text("secret").notNull(),
    /** The secret before the last rotation, which still signs until `previousSecretUntil`. */
    previousSecret: text("previous_secret"),
    previousSecretUntil: instant("previous_secret_until"),
    lastStatus: integer("last_status"),
    failingSince: instant("failing_since"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex("webhook_public_id").on(t.publicId, t.workspaceId),
    index("webhook_previous_secret").on(t.previousSecretUntil).where(sql`${t.previousSecretUntil} is not null`),
  ],
);

export const webhookDelivery = pgTable(
  "webhook_delivery",
  {
    workspaceId: workspaceId(),
    id: id(),
    publicId: publicId(),
    webhookId: ref("webhook_id").notNull(),
    /** Null for a test delivery. */
    eventSeq: ref("event_seq"),
    type: text("type").notNull(),
    status: text("status", { enum: ["pending", "delivered", "failed"] })
      .notNull()
      .default("pending"),
    attempts: integer("attempts").notNull().default(0),
    lastStatusCode: integer("last_status_code"),
    lastError: text("last_error"),
    /** The time when a pending one is due. While it is being sent: the end of the sender's lease. */
    nextAttemptAt: instant("next_attempt_at"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    belongsTo("webhook_delivery_webhook", [t.workspaceId, t.webhookId], webhook),
    uniqueIndex("webhook_delivery_public_id").on(t.publicId, t.workspaceId),
    index("webhook_delivery_of").on(t.workspaceId, t.webhookId, t.id),
    // Led by the webhook: what is due for one is found without reading past what waits for another.
    index("webhook_delivery_waiting")
      .on(t.workspaceId, t.webhookId, t.nextAttemptAt, t.id)
      .where(sql`${t.status} = 'pending'`),
    index("webhook_delivery_ended").on(t.createdAt).where(sql`${t.status} <> 'pending'`),
  ],
);
