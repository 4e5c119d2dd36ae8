// The webhooks of a workspace (specification 4.21; contract sections 3 and 6).

import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { badRequest } from "../api/errors.js";
import { Name, Ok, ok, Text } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { json } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { changesTo, record, workspaceEvent } from "../events/log.js";
import { EVENT_FILTERS, isEventFilter } from "../events/types.js";
import { problemOfUrl } from "./addresses.js";
import { ofWebhook, ofWorkspace, tags, told, Webhook, type WebhookRow, webhookColumns, webhookFor } from "./shapes.js";

const WebhookName = Name(255);
/** What a schema can say of a URL; {@link problemOfUrl} says the rest. */
const Url = Text(1, 2048).meta({
  pattern:
    "^[hH][tT][tT][pP][sS]?:\\/\\/[^@\\/?#\\\\\\u0000-\\u0020\\uD800-\\uDFFF]+(?:[\\/?#\\\\][^\\u0000-\\u0020\\uD800-\\uDFFF]*)?$",
});
const EventFilters = z
  .array(
    z
      .string()
      .max(100)
      .refine(isEventFilter, "Must be a type of event, a prefix such as card.*, or *")
      .meta({ enum: [...EVENT_FILTERS] }),
  )
  .min(1)
  .max(100);

function mustBeAllowed(ctx: Signed, url: string | undefined): void {
  const problem = url === undefined ? null : problemOfUrl(url, ctx.config.webhookAllowPrivate);
  if (problem !== null) throw badRequest(problem, "url");
}

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

export const webhooks = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/webhooks",
        tags,
        summary: "List webhooks",
        description:
          "The webhooks of a workspace in the order in which they were made, without their secrets. Needs `webhook:manage`.",
      },
    })
    .input(z.object(ofWorkspace))
    .output(z.array(Webhook))
    .query(async ({ ctx, input }) => {
      const { workspaceId } = await workspaceFor(ctx, input.workspacePublicId, "webhook:manage");
      return ctx.db.rows<WebhookRow>(
        sql`select ${webhookColumns} from webhook where workspace_id = ${workspaceId}::bigint order by id`,
      );
    }),

  create: protectedProcedure
    .meta({
      secretAnswer: true,
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/webhooks",
        tags,
        summary: "Create a webhook",
        description:
          "`events` holds types of events or prefixes (`card.*`, `*`); every event of the workspace that matches is sent, beginning with the webhook's own `webhook.created`. The URL is http or https and must not name this machine or a private address, in any notation, unless the operator allows it. The secret is shown in this answer and never again. Needs `webhook:manage`.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        name: WebhookName,
        url: Url,
        events: EventFilters,
        active: z.boolean().default(true),
      }),
    )
    .output(Webhook.extend({ secret: z.string() }))
    .mutation(({ ctx, input: { workspacePublicId, name, url, events, active } }) => {
      mustBeAllowed(ctx, url);
      return change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, workspacePublicId, "webhook:manage", "share");
        const secret = newSecret();
        const publicId = newPublicId();
        const [created] = await record<WebhookRow>(tx, workspace, {
          events: [workspaceEvent("webhook.created", { webhookPublicId: publicId, name, events, active })],
          write: () => sql`
            insert into webhook (workspace_id, public_id, name, url, events, active, secret)
            select ${workspace.workspaceId}::bigint, ${publicId}::text, ${name}::text, ${url}::text, ${json(events)},
              ${active}::boolean, ${secret}::text
            from next returning ${webhookColumns}`,
        });
        if (created === undefined) throw new Error("The insert of a webhook returned no row");
        return { ...created, secret };
      });
    }),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}",
        tags,
        summary: "Update a webhook",
        description: "Changes what is given; the URL is held to the same rules as on creation. Needs `webhook:manage`.",
      },
    })
    .input(
      z.strictObject({
        ...ofWebhook,
        name: WebhookName.optional(),
        url: Url.optional(),
        events: EventFilters.optional(),
        active: z.boolean().optional(),
      }),
    )
    .output(Webhook)
    .mutation(({ ctx, input: { workspacePublicId, webhookPublicId, ...fields } }) => {
      mustBeAllowed(ctx, fields.url);
      return change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, workspacePublicId, "webhook:manage", "share");
        const { id, ...current } = await webhookFor(tx, workspace, webhookPublicId);
        const isSame = fields.events !== undefined && fields.events.join() === current.events.join();
        const changes = changesTo(current, isSame ? { ...fields, events: undefined } : fields);
        if (changes === null) return current;
        const updated = {
          ...current,
          ...Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to])),
        };
        const { url: newUrl, ...rest } = changes;
        const isAnew = newUrl !== undefined || changes.active?.to === true;
        await record(tx, workspace, {
          events: [
            workspaceEvent("webhook.updated", {
              ...told(updated),
              changes: { ...rest, ...(newUrl !== undefined && { url: {} }) },
            }),
          ],
          write: () => sql`
            update webhook set name = ${updated.name}::text, url = ${updated.url}::text, events = ${json(updated.events)},
              active = ${updated.active}::boolean,
              failing_since = case when ${isAnew}::boolean then null else failing_since end
            from next where workspace_id = ${workspace.workspaceId}::bigint and id = ${id}::bigint returning id`,
        });
        return updated;
      });
    }),

  rotateSecret: protectedProcedure
    .meta({
      secretAnswer: true,
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/rotate-secret",
        tags,
        summary: "Rotate the secret of a webhook",
        description:
          "Makes a new secret, shown in this answer and never again. For 24 hours the one before it signs as well, so that each delivery has two signatures; rotating again within that time ends the oldest at once. Needs `webhook:manage`.",
      },
    })
    .input(z.strictObject(ofWebhook))
    .output(z.object({ secret: z.string() }))
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, input.workspacePublicId, "webhook:manage", "share");
        const webhook = await webhookFor(tx, workspace, input.webhookPublicId);
        const secret = newSecret();
        await record(tx, workspace, {
          events: [workspaceEvent("webhook.updated", { ...told(webhook), changes: { secret: {} } })],
          write: () => sql`
            update webhook set secret = ${secret}::text, previous_secret = secret,
              previous_secret_until = now() + interval '24 hours'
            from next where workspace_id = ${workspace.workspaceId}::bigint and id = ${webhook.id}::bigint returning id`,
        });
        return { secret };
      }),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}",
        tags,
        summary: "Delete a webhook",
        description: "Deletes a webhook with its deliveries. Needs `webhook:manage`.",
      },
    })
    .input(z.strictObject(ofWebhook))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, input.workspacePublicId, "webhook:manage", "share");
        const webhook = await webhookFor(tx, workspace, input.webhookPublicId);
        await record(tx, workspace, {
          events: [workspaceEvent("webhook.deleted", { webhookPublicId: webhook.publicId, name: webhook.name })],
          write: () => sql`
            delete from webhook using next
            where workspace_id = ${workspace.workspaceId}::bigint and id = ${webhook.id}::bigint returning id`,
        });
        return ok;
      }),
    ),
};
