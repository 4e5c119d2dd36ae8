// What a webhook and its deliveries look like, in answers and in the database (contract sections 3 and 6).

import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { PublicId, Timestamp } from "../api/shapes.js";
import { webhook, webhookDelivery } from "../db/schema/index.js";

export const tags = ["Webhooks"];
export const ofWorkspace = { workspacePublicId: PublicId };
export const ofWebhook = { ...ofWorkspace, webhookPublicId: PublicId };

const Status = z.int().min(100).max(599).nullable();

export const Webhook = z.object({
  publicId: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  createdAt: Timestamp,
  lastStatus: Status,
});

/** One event on its way to one webhook; `eventId` is null for a test. */
export const Delivery = z.object({
  publicId: z.string(),
  eventId: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullable(),
  type: z.string(),
  status: z.enum(["pending", "delivered", "failed"]),
  attempts: z.int().min(0).max(2_147_483_647),
  lastStatusCode: Status,
  lastError: z.string().nullable(),
  nextAttemptAt: Timestamp.nullable(),
  createdAt: Timestamp,
});

export type WebhookRow = z.output<typeof Webhook> & { id: number };

/** The columns of a webhook as it is shown, and its key. */
export const webhookColumns = {
  id: webhook.id,
  publicId: webhook.publicId,
  name: webhook.name,
  url: webhook.url,
  events: webhook.events,
  active: webhook.active,
  createdAt: webhook.createdAt,
  lastStatus: webhook.lastStatus,
};

/** The columns of a delivery as it is shown. */
export const deliveryColumns = {
  publicId: webhookDelivery.publicId,
  eventId: webhookDelivery.eventSeq,
  type: webhookDelivery.type,
  status: webhookDelivery.status,
  attempts: webhookDelivery.attempts,
  lastStatusCode: webhookDelivery.lastStatusCode,
  lastError: webhookDelivery.lastError,
  nextAttemptAt: webhookDelivery.nextAttemptAt,
  createdAt: webhookDelivery.createdAt,
};

/** The secrets by which the webhook `w` signs, the newest first. */
export const signingSecrets = sql.raw(`jsonb_build_array(w.secret)
  || case when w.previous_secret_until > now() then jsonb_build_array(w.previous_secret) else '[]' end as secrets`);

/** A webhook of a workspace. */
export async function webhookFor(ctx: Signed, { workspaceId }: WorkspaceAccess, publicId: string): Promise<WebhookRow> {
  const [found] = await ctx.db
    .select(webhookColumns)
    .from(webhook)
    .where(and(eq(webhook.workspaceId, workspaceId), eq(webhook.publicId, publicId)));
  if (found === undefined) throw notFound();
  return found;
}

/** What the log tells of a webhook: its URL may hold a secret. */
export const told = ({
  publicId,
  name,
  events,
  active,
}: Pick<WebhookRow, "publicId" | "name" | "events" | "active">) => ({
  webhookPublicId: publicId,
  name,
  events,
  active,
});
