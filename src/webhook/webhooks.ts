// The webhooks of a workspace (specification 4.21; contract sections 3 and 6).

import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { type WorkspaceAccess, workspaceFor } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { Name, Ok, ok, PublicId, Text, Timestamp } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { json, type Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { changesTo, record, workspaceEvent } from "../events/log.js";
import { isEventFilter } from "../events/types.js";
import { problemOfUrl } from "./addresses.js";

const tags = ["Webhooks"];
const ofWorkspace = { workspacePublicId: PublicId };
const ofWebhook = { ...ofWorkspace, webhookPublicId: PublicId };

const WebhookName = Name(255);
const Url = Text(1, 2048);
const EventFilters = z
  .array(z.string().max(100).refine(isEventFilter, "Must be a type of event, a prefix such as card.*, or *"))
  .min(1)
  .max(100);

const Webhook = z.object({
  publicId: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  createdAt: Timestamp,
  lastStatus: z.int().min(100).max(599).nullable(),
});

type WebhookRow = z.output<typeof Webhook> & { id: number };

const columns = sql.raw(`id, public_id as "publicId", name, url, events, active, created_at as "createdAt",
  last_status as "lastStatus"`);

/** A webhook of a workspace, locked. */
async function webhookFor(
  tx: Signed<Transaction>,
  { workspaceId }: WorkspaceAccess,
  publicId: string,
): Promise<WebhookRow> {
  const [webhook] = await tx.db.rows<WebhookRow>(sql`
    select ${columns} from webhook where workspace_id = ${workspaceId}::bigint and public_id = ${publicId}::text
    for no key update`);
  if (webhook === undefined) throw notFound();
  return webhook;
}

function mustBeAllowed(ctx: Signed, url: string | undefined): void {
  const problem = url === undefined ? null : problemOfUrl(url, ctx.config.webhookAllowPrivate);
  if (problem !== null) throw badRequest(problem, "url");
}

/** What the log tells of a webhook: its URL may hold a secret. */
const told = ({ publicId, name, events, active }: z.output<typeof Webhook>) => ({
  webhookPublicId: publicId,
  name,
  events,
  active,
});

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
        sql`select ${columns} from webhook where workspace_id = ${workspaceId}::bigint order by id`,
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
          "`events` holds types of events or prefixes (`card.*`, `*`). The URL is http or https and must not name this machine or a private address, in any notation, unless the operator allows it. The secret is shown in this answer and never again. Needs `webhook:manage`.",
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
        const secret = `whsec_${randomBytes(32).toString("base64")}`;
        const publicId = newPublicId();
        const [created] = await record<WebhookRow>(tx, workspace, {
          events: [workspaceEvent("webhook.created", { webhookPublicId: publicId, name, events, active })],
          write: () => sql`
            insert into webhook (workspace_id, public_id, name, url, events, active, secret)
            select ${workspace.workspaceId}::bigint, ${publicId}::text, ${name}::text, ${url}::text, ${json(events)},
              ${active}::boolean, ${secret}::text
            from next returning ${columns}`,
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
        await record(tx, workspace, {
          events: [
            workspaceEvent("webhook.updated", {
              ...told(updated),
              changes: { ...rest, ...(newUrl !== undefined && { url: {} }) },
            }),
          ],
          write: () => sql`
            update webhook set name = ${updated.name}::text, url = ${updated.url}::text, events = ${json(updated.events)},
              active = ${updated.active}::boolean
            from next where workspace_id = ${workspace.workspaceId}::bigint and id = ${id}::bigint returning id`,
        });
        return updated;
      });
    }),

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
