// What a webhook and its deliveries look like, in answers and in the database (contract sections 3 and 6).

import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { Timestamp, WebhookId } from "../api/shapes.js";
import { webhook, webhookDelivery } from "../db/schema/index.js";
import { ofWorkspace } from "../workspace/shapes.js";

export const tags = ["Webhooks"];
export const ofWebhook = { ...ofWorkspace, webhookPublicId: WebhookId };

const Status = z.int().min(100).max(599).nullable();

const webhookFields = {
  publicId: z.string(),
  name: z.string(),
  url: z.string().meta({ description: "Where the messages are sent." }),
  events: z.array(z.string()).meta({ description: "The types of events that are sent, or prefixes (`card.*`, `*`)." }),
  active: z.boolean().meta({ description: "Whether messages are sent. A receiver that only fails switches this off." }),
  createdAt: Timestamp,
  lastStatus: Status.meta({ description: "The HTTP status of the last attempt; null if no answer came." }),
};

/** A webhook as its managers see it. */
export const Webhook = z
  .object(webhookFields)
  .meta({ id: "Webhook", description: "A URL to which events of a workspace are sent." });

const secret = z
  .string()
  .meta({ description: "The secret that signs the messages, `whsec_…`. It is shown only once." });

/** What making a webhook answers. */
export const NewWebhook = z
  .object({ ...webhookFields, secret })
  .meta({ id: "NewWebhook", description: "A webhook that was just created, with its secret." });

/** What rotating a webhook's secret answers. */
export const WebhookSecret = z
  .object({ secret })
  .meta({ id: "WebhookSecret", description: "The secret of a webhook." });

/** One event on its way to one webhook; `eventId` is null for a test. */
export const WebhookDelivery = z
  .object({
    publicId: z.string().meta({ description: "Also the `webhook-id` of the message." }),
    eventId: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .nullable()
      .meta({ description: "The `id` of the event; null for a test." }),
    type: z.string().meta({ description: "The type of the event, or `webhook.test`." }),
    status: z
      .enum(["pending", "delivered", "failed"])
      .meta({ description: "`pending` until an attempt succeeds or the last one fails." }),
    attempts: z.int().min(0).max(2_147_483_647).meta({ description: "The number of attempts so far." }),
    lastStatusCode: Status.meta({ description: "The HTTP status of the last attempt; null if no answer came." }),
    lastError: z.string().nullable().meta({ description: "Why the last attempt failed; null if it did not." }),
    nextAttemptAt: Timestamp.nullable().meta({ description: "When the next attempt is due; null if there is none." }),
    createdAt: Timestamp,
  })
  .meta({ id: "WebhookDelivery", description: "One event on its way to one webhook." });

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
export const loggedWebhook = ({
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
