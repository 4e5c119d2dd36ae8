// What a webhook and its deliveries look like, in answers and in the database (contract sections 3 and 6).

import { sql } from "drizzle-orm";
import { z } from "zod";
import { locking, type WorkspaceAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { PublicId, Timestamp } from "../api/shapes.js";

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

export const webhookColumns =
  sql.raw(`id, public_id as "publicId", name, url, events, active, created_at as "createdAt",
  last_status as "lastStatus"`);

export const deliveryColumns = sql.raw(`public_id as "publicId", event_seq as "eventId", type, status, attempts,
  last_status_code as "lastStatusCode", last_error as "lastError", next_attempt_at as "nextAttemptAt",
  created_at as "createdAt"`);

/** The secrets by which the webhook `w` signs, the newest first. */
export const signingSecrets = sql.raw(`jsonb_build_array(w.secret)
  || case when w.previous_secret_until > now() then jsonb_build_array(w.previous_secret) else '[]' end as secrets`);

/** A webhook of a workspace; inside a transaction it is locked. */
export async function webhookFor(ctx: Signed, { workspaceId }: WorkspaceAccess, publicId: string): Promise<WebhookRow> {
  const [webhook] = await ctx.db.rows<WebhookRow>(sql`
    select ${webhookColumns} from webhook where workspace_id = ${workspaceId}::bigint and public_id = ${publicId}::text
    ${locking(ctx, "for no key update")}`);
  if (webhook === undefined) throw notFound();
  return webhook;
}

/** What the log tells of a webhook: its URL may hold a secret. */
export const told = ({ publicId, name, events, active }: Omit<z.output<typeof Webhook>, "createdAt">) => ({
  webhookPublicId: publicId,
  name,
  events,
  active,
});
