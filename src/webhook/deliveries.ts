// The deliveries of a webhook as its owner sees them: listing, testing, and sending one again (contract sections 3 and 6).

import { and, desc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { change } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { cursorValues, pagesOf } from "../api/cursors.js";
import { badRequest, eventsForgotten, notFound } from "../api/errors.js";
import { runOnce } from "../api/idempotency.js";
import { DeliveryId, Ok, ok, page, pageInput } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { newPublicIdIn } from "../db/ids.js";
import { webhook, webhookDelivery } from "../db/schema/index.js";
import { forgottenUpTo } from "../events/logBounds.js";
import { bodyOf, send } from "./sending.js";
import { deliveryColumns, ofWebhook, signingSecrets, tags, WebhookDelivery, webhookFor } from "./webhookShapes.js";

const TEST = "webhook.test";

const pagesOfWebhook = pagesOf("deliveries", z.tuple([cursorValues.publicId]));

/** The secrets with which a webhook signs now, the newest first. */
async function secretsOf(ctx: Signed, workspaceId: number, id: number): Promise<string[]> {
  const [signing] = await ctx.db
    .select({ secrets: signingSecrets })
    .from(webhook)
    .where(and(eq(webhook.workspaceId, workspaceId), eq(webhook.id, id)));
  if (signing === undefined) throw notFound();
  return signing.secrets;
}

export const deliveries = {
  test: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/test",
        tags,
        summary: "Test a webhook",
        description:
          "Sends one message of the type `webhook.test` with `data` null, and returns the outcome after at most 10 seconds. The message is sent once, even if the webhook is inactive. A failure does not deactivate the webhook. Requires `webhook:manage`.",
        successDescription: "The message was sent; `status` tells whether it was delivered.",
      },
    })
    .input(z.strictObject(ofWebhook))
    .output(WebhookDelivery)
    .mutation(({ ctx, input }) =>
      runOnce(ctx, input.workspacePublicId, async () => {
        const { workspaceId, ...workspace } = await workspaceFor(ctx, input.workspacePublicId, "webhook:manage");
        const { id, url } = await webhookFor(ctx, { workspaceId, ...workspace }, input.webhookPublicId);
        const secrets = await secretsOf(ctx, workspaceId, id);
        const publicId = newPublicIdIn(workspaceId);
        const outside = { resolve: ctx.resolve, allowPrivate: ctx.config.webhookAllowPrivate };
        const body = bodyOf(TEST, new Date().toISOString(), null);
        const { status, error } = await send({ id: publicId, url, secrets, body }, outside, ctx.ending);
        return change(ctx, input.workspacePublicId, workspaceFor, "webhook:manage", async (tx, again) => {
          await webhookFor(tx, again, input.webhookPublicId);
          const sent = { publicId, type: TEST, attempts: 1, lastStatusCode: status, lastError: error };
          const outcome = error === null ? ("delivered" as const) : ("failed" as const);
          tx.set(webhook, { id }, { lastStatus: status });
          tx.add(webhookDelivery, { id: tx.newRowId(), webhookId: id, ...sent, status: outcome });
          return { ...sent, status: outcome, eventId: null, nextAttemptAt: null, createdAt: tx.now };
        });
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
          "Lists the deliveries of a webhook, newest first. A pending delivery is attempted no earlier than `nextAttemptAt` and fails for good after 8 attempts. Finished deliveries are kept for 30 days. Requires `webhook:manage`.",
        successDescription: "A page of deliveries, the newest first.",
      },
    })
    .input(z.strictObject({ ...ofWebhook, ...pageInput }))
    .output(page("WebhookDeliveryPage", WebhookDelivery))
    .query(async ({ ctx, input: { workspacePublicId, webhookPublicId, limit, cursor } }) => {
      const pages = pagesOfWebhook(webhookPublicId);
      const [afterId = null] = pages.endOf(cursor) ?? [];
      const workspace = await workspaceFor(ctx, workspacePublicId, "webhook:manage");
      const { id } = await webhookFor(ctx, workspace, webhookPublicId);
      const ofIt = and(eq(webhookDelivery.workspaceId, workspace.workspaceId), eq(webhookDelivery.webhookId, id));
      // If the delivery at the end of the last page was deleted by age, all older ones were deleted too.
      const earlier = sql`${webhookDelivery.id} < case when ${afterId}::text is null then 9223372036854775807 else coalesce((
        select ${webhookDelivery.id} from ${webhookDelivery}
        where ${webhookDelivery.workspaceId} = ${workspace.workspaceId}::bigint
          and ${webhookDelivery.publicId} = ${afterId}::text), 0) end`;
      const rows = await ctx.db
        .select(deliveryColumns)
        .from(webhookDelivery)
        .where(and(ofIt, earlier))
        .orderBy(desc(webhookDelivery.id))
        .limit(limit + 1);
      return pages.pageOf(rows, limit, ({ publicId }) => [publicId]);
    }),

  redeliver: protectedProcedure
    .meta({
      fails: ["PRECONDITION_FAILED"],
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/deliveries/{deliveryPublicId}/redeliver",
        tags,
        summary: "Send a delivery again",
        description:
          "Sends a delivery again at once with the same `webhook-id`, whatever its status. `attempts` and the retry schedule start over. BAD_REQUEST while the webhook is inactive; PRECONDITION_FAILED if its event is no longer kept. Requires `webhook:manage`.",
        successDescription: "The delivery is queued.",
      },
    })
    .input(z.strictObject({ ...ofWebhook, deliveryPublicId: DeliveryId }))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, workspaceFor, "webhook:manage", async (tx, workspace) => {
        const { id, active } = await webhookFor(tx, workspace, input.webhookPublicId);
        const [delivery] = await tx.db
          .select({ id: webhookDelivery.id, eventSeq: webhookDelivery.eventSeq })
          .from(webhookDelivery)
          .where(
            and(
              eq(webhookDelivery.workspaceId, tx.workspaceId),
              eq(webhookDelivery.webhookId, id),
              eq(webhookDelivery.publicId, input.deliveryPublicId),
            ),
          );
        if (delivery === undefined) throw notFound();
        if (!active) throw badRequest("The webhook is inactive");
        const forgotten = await forgottenUpTo(tx.db, tx.workspaceId);
        if (delivery.eventSeq !== null && delivery.eventSeq <= forgotten) throw eventsForgotten(forgotten + 1);
        tx.set(webhookDelivery, { id: delivery.id }, { status: "pending", attempts: 0, nextAttemptAt: tx.now });
        tx.touched.queued.add(tx.workspaceId);
        return ok;
      }),
    ),
};
