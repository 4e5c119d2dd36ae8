// The deliveries of a webhook as its owner sees them: the log of them, a test, and sending one again (contract sections 3 and 6).

import { sql } from "drizzle-orm";
import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { change, reach } from "../api/context.js";
import { cursorOf, readInstantCursor } from "../api/cursors.js";
import { badRequest, notFound } from "../api/errors.js";
import { Ok, ok, PublicId, page, pageInput } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { newPublicId } from "../db/ids.js";
import { bodyOf, send } from "./sending.js";
import { Delivery, deliveryColumns, ofWebhook, signingSecrets, tags, webhookFor } from "./shapes.js";

type DeliveryRow = z.output<typeof Delivery>;

const TEST = "webhook.test";

export const deliveries = {
  test: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/test",
        tags,
        summary: "Test a webhook",
        description:
          "Sends one message of type `webhook.test`, whose `data` is null, and answers with what became of it, after at most 10 seconds. It is tried once, also for a webhook that is switched off, and never switches one off. Needs `webhook:manage`.",
      },
    })
    .input(z.strictObject(ofWebhook))
    .output(Delivery)
    .mutation(({ ctx, input }) =>
      reach(ctx, async () => {
        const workspace = await workspaceFor(ctx, input.workspacePublicId, "webhook:manage");
        const { id, url } = await webhookFor(ctx, workspace, input.webhookPublicId);
        const [signing] = await ctx.db.rows<{ secrets: string[] }>(sql`
          select ${signingSecrets} from webhook w
          where w.workspace_id = ${workspace.workspaceId}::bigint and w.id = ${id}::bigint`);
        if (signing === undefined) throw notFound();
        const publicId = newPublicId();
        const outside = { resolve: ctx.resolve, allowPrivate: ctx.config.webhookAllowPrivate };
        const body = bodyOf(TEST, new Date().toISOString(), null);
        const { status, error } = await send({ id: publicId, url, ...signing, body }, outside, ctx.ending);
        const [delivery] = await ctx.db.rows<DeliveryRow>(sql`
          with tested as (
            update webhook set last_status = ${status}::int
            where workspace_id = ${workspace.workspaceId}::bigint and id = ${id}::bigint returning workspace_id, id
          )
          insert into webhook_delivery (workspace_id, public_id, webhook_id, type, status, attempts, last_status_code, last_error)
          select workspace_id, ${publicId}::text, id, ${TEST}::text, ${error === null ? "delivered" : "failed"}::text, 1,
            ${status}::int, ${error}::text
          from tested returning ${deliveryColumns}`);
        if (delivery === undefined) throw notFound();
        return delivery;
      }),
    ),

  deliveries: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/deliveries",
        tags,
        summary: "List the deliveries of a webhook",
        description:
          "Newest first. `eventId` is the event's place in the workspace's log, null for a test. A pending one is tried at `nextAttemptAt`, at the earliest; it fails for good after 8 attempts. Deliveries that have ended are kept for 30 days. Needs `webhook:manage`.",
      },
    })
    .input(z.object({ ...ofWebhook, ...pageInput }))
    .output(page(Delivery))
    .query(async ({ ctx, input: { workspacePublicId, webhookPublicId, limit, cursor } }) => {
      const [, afterId] = readInstantCursor(cursor);
      const workspace = await workspaceFor(ctx, workspacePublicId, "webhook:manage");
      const { id } = await webhookFor(ctx, workspace, webhookPublicId);
      const ofIt = sql`workspace_id = ${workspace.workspaceId}::bigint and webhook_id = ${id}::bigint`;
      // Where the one that ended a page is gone by its age, so is everything behind it.
      const rows = await ctx.db.rows<DeliveryRow>(sql`
        select ${deliveryColumns} from webhook_delivery
        where ${ofIt} and id < case when ${afterId}::text is null then 9223372036854775807 else coalesce(
          (select id from webhook_delivery where ${ofIt} and public_id = ${afterId}::text), 0) end
        order by id desc limit ${limit + 1}::int`);
      const items = rows.slice(0, limit);
      const end = rows.length > limit ? items.at(-1) : undefined;
      return { items, nextCursor: end === undefined ? null : cursorOf(end.createdAt, end.publicId) };
    }),

  redeliver: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/deliveries/{deliveryPublicId}/redeliver",
        tags,
        summary: "Send a delivery again",
        description:
          "Sends it at once under the same `webhook-id`, whatever became of it before; `attempts` and the schedule of retries begin anew. BAD_REQUEST while the webhook is switched off. Needs `webhook:manage`.",
      },
    })
    .input(z.strictObject({ ...ofWebhook, deliveryPublicId: PublicId }))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, input.workspacePublicId, "webhook:manage", "share");
        const webhook = await webhookFor(tx, workspace, input.webhookPublicId);
        const queued = await tx.db.rows(sql`
          update webhook_delivery set status = 'pending', attempts = 0, next_attempt_at = now()
          where workspace_id = ${workspace.workspaceId}::bigint and webhook_id = ${webhook.id}::bigint
            and public_id = ${input.deliveryPublicId}::text returning id`);
        if (queued.length === 0) throw notFound();
        if (!webhook.active) throw badRequest("The webhook is switched off");
        tx.db.touched.workspaces.add(workspace.workspaceId);
        return ok;
      }),
    ),
};
