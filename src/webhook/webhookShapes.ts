// The shapes of webhooks and their deliveries, in responses and in the database (contract sections 3 and 6).

import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { Timestamp, WebhookId } from "../api/shapes.js";
import { webhook, webhookDelivery } from "../db/schema/index.js";
import { ofWorkspace } from "../workspace/workspaceShapes.js";

export const tags = ["Webhooks"];
export const ofWebhook = { ...ofWorkspace, webhookPublicId: WebhookId };

const Status = z.int().min(100).max(599).nullable();

const webhookFields = {
  publicId: z.string(),
  name: z.string(),
  url: z.string().meta({ description: "The URL that messages are sent to." }),
  events: z.array(z.string()).meta({ description: "The types of events that are sent, or prefixes (`card.*`, `*`)." }),
  active: z.boolean().meta({
    description: "Whether messages are sent. The service sets this to false if every delivery fails for five days.",
  }),
  createdAt: Timestamp,
  lastStatus: Status.meta({ description: "The HTTP status of the last attempt; null if no response came." }),
};

/** A webhook as its managers see it. */
export const Webhook = z
  .object(webhookFields)
  .meta({ id: "Webhook", description: "A URL to which events of a workspace are sent." });

const secret = z
  .string()
  .meta({ description: "The secret that signs the messages, `whsec_…`. It is shown only once." });

/** The response to creating a webhook. */
export const NewWebhook = z
  .object({ ...webhookFields, secret })
  .meta({ id: "NewWebhook", description: "A webhook that was just created, with its secret." });

/** The response to rotating a webhook's secret. */
export const WebhookSecret = z
  .object({ secret })
  .meta({ id: "WebhookSecret", description: "The secret of a webhook." });

/** The delivery of one event to one webhook; `eventId` is null for a test. */
export const WebhookDelivery = z
  .object({
    publicId: z
      .string()
      .meta({ description: "The identifier of the delivery, which is also the `webhook-id` of the message." }),
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
    lastStatusCode: Status.meta({ description: "The HTTP status of the last attempt; null if no response came." }),
    lastError: z.string().nullable().meta({ description: "Why the last attempt failed; null if it did not." }),
    nextAttemptAt: Timestamp.nullable().meta({ description: "When the next attempt is due; null if there is none." }),
    createdAt: Timestamp,
  })
  .meta({ id: "WebhookDelivery", description: "The delivery of one event to one webhook." });

type WebhookRow = z.output<typeof Webhook> & { id: number };

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

/** The secrets by which a webhook signs, the newest first. */
export const signingSecrets = sql<string[]>`jsonb_build_array(${webhook.secret})
  || case when ${webhook.previousSecretUntil} > now() then jsonb_build_array(${webhook.previousSecret}) else '[]' end`;

/** A webhook of a workspace. */
export async function webhookFor(ctx: Signed, { workspaceId }: WorkspaceAccess, publicId: string): Promise<WebhookRow> {
  const [row] = await ctx.db
    .select(webhookColumns)
    .from(webhook)
    .where(and(eq(webhook.workspaceId, workspaceId), eq(webhook.publicId, publicId)));
  if (row === undefined) throw notFound();
  return row;
}

/** The fields of a webhook in the log; not its URL, which may contain a secret. */
export const loggedWebhook = (row: Pick<WebhookRow, "publicId" | "name" | "events" | "active">) => {
  const { publicId: webhookPublicId, name, events, active } = row;
  return { webhookPublicId, name, events, active };
};
