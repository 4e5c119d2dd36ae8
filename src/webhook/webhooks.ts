// The webhooks of a workspace (specification 4.21; contract sections 3 and 6).

import { randomBytes } from "node:crypto";
import { and, asc, eq } from "drizzle-orm";
import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { change, type Tx } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { definedOf } from "../api/defined.js";
import { badRequest, notFound } from "../api/errors.js";
import { Name, Ok, ok, Text } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import type { Queries } from "../db/client.js";
import { webhook } from "../db/schema/index.js";
import { changesTo, workspaceEvent } from "../events/log.js";
import { logActIn } from "../user/auditLog.js";
import { ofWorkspace } from "../workspace/workspaceShapes.js";
import { problemOfUrl } from "./addresses.js";
import { EVENT_FILTERS } from "./filters.js";
import {
  loggedWebhook,
  NewWebhook,
  ofWebhook,
  tags,
  Webhook,
  WebhookSecret,
  webhookColumns,
  webhookFor,
} from "./webhookShapes.js";

const WebhookName = Name(255);
/** The part of the URL's rules that a schema can express; {@link problemOfUrl} checks the rest. */
const Url = Text(1, 2048).meta({
  description: "The URL that messages are sent to: a public http or https URL.",
  pattern:
    "^[hH][tT][tT][pP][sS]?:\\/\\/[^@\\/?#\\\\\\u0000-\\u0020\\uD800-\\uDFFF]+(?:[\\/?#\\\\][^\\u0000-\\u0020\\uD800-\\uDFFF]*)?$",
});
const EventFilters = z
  .array(
    z
      .string()
      .refine((filter) => EVENT_FILTERS.includes(filter), "Must be an event type, a prefix such as card.*, or *")
      .meta({ enum: [...EVENT_FILTERS] }),
  )
  .min(1)
  .max(100)
  .meta({ description: "The types of events to send, or prefixes (`card.*`, `*`)." });

const Active = z.boolean().meta({ description: "Whether messages are sent." });

function mustBeAllowed(ctx: Signed, url: string | undefined): void {
  const problem = url === undefined ? null : problemOfUrl(url, ctx.config.webhookAllowPrivate);
  if (problem !== null) throw badRequest(problem, "url");
}

/** The maximum number of webhooks per workspace. */
const MAX_WEBHOOKS = 20;
/** The time for which the secret before the last rotation still signs. */
const OLD_SECRET_MS = 24 * 3_600_000;

const webhooksOf = (db: Queries, workspaceId: number) =>
  db.select(webhookColumns).from(webhook).where(eq(webhook.workspaceId, workspaceId)).orderBy(asc(webhook.id));

async function mustHaveRoomForWebhook(tx: Tx): Promise<void> {
  const present = await webhooksOf(tx.db, tx.workspaceId);
  if (present.length >= MAX_WEBHOOKS) throw badRequest(`A workspace has at most ${MAX_WEBHOOKS} webhooks`);
}

const targetOf = ({ publicId, name }: { publicId: string; name: string }) =>
  ({ kind: "webhook", publicId, name }) as const;

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

async function secretOf({ db, workspaceId }: Tx, id: number): Promise<string> {
  const [row] = await db
    .select({ secret: webhook.secret })
    .from(webhook)
    .where(and(eq(webhook.workspaceId, workspaceId), eq(webhook.id, id)));
  if (row === undefined) throw notFound();
  return row.secret;
}

export const webhooks = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/webhooks",
        tags,
        summary: "List webhooks",
        description:
          "Lists the webhooks of the workspace in the order of their creation, without their secrets. Requires `webhook:manage`.",
        successDescription: "The webhooks.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(z.array(Webhook))
    .query(async ({ ctx, input }) => {
      const { workspaceId } = await workspaceFor(ctx, input.workspacePublicId, "webhook:manage");
      return webhooksOf(ctx.db, workspaceId);
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
          "Creates a webhook. `events` holds event types or prefixes (`card.*`, `*`). Every matching event of the workspace is sent, starting with the webhook's own `webhook.created`; the section `webhooks` of this document shows the message. The URL must be http or https and must not name this machine or a private address, unless the operator allows it. Only this response shows the secret. At most 20 webhooks per workspace. Requires `webhook:manage`.",
        successDescription: "The webhook was created.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        name: WebhookName,
        url: Url,
        events: EventFilters,
        active: Active.default(true),
      }),
    )
    .output(NewWebhook)
    .mutation(({ ctx, input: { workspacePublicId, name, url, events, active } }) => {
      mustBeAllowed(ctx, url);
      return change(ctx, workspacePublicId, workspaceFor, "webhook:manage", async (tx) => {
        await mustHaveRoomForWebhook(tx);
        const secret = newSecret();
        const made = { publicId: tx.newPublicId(), name, url, events, active };
        tx.add(webhook, { id: tx.newRowId(), ...made, secret });
        tx.log(workspaceEvent("webhook.created", loggedWebhook(made)));
        await logActIn(tx, "webhook.created", targetOf(made));
        return { ...made, createdAt: tx.now, lastStatus: null, secret };
      });
    }),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}",
        tags,
        summary: "Update a webhook",
        description:
          "Changes the given fields. The rules for the URL are the same as for a new webhook. Requires `webhook:manage`.",
        successDescription: "The webhook after the update.",
      },
    })
    .input(
      z.strictObject({
        ...ofWebhook,
        name: WebhookName.optional(),
        url: Url.optional(),
        events: EventFilters.optional(),
        active: Active.optional(),
      }),
    )
    .output(Webhook)
    .mutation(({ ctx, input: { workspacePublicId, webhookPublicId, ...fields } }) => {
      mustBeAllowed(ctx, fields.url);
      return change(ctx, workspacePublicId, workspaceFor, "webhook:manage", async (tx, workspace) => {
        const { id, ...current } = await webhookFor(tx, workspace, webhookPublicId);
        const isSame = fields.events !== undefined && fields.events.join() === current.events.join();
        const changes = changesTo(current, isSame ? { ...fields, events: undefined } : fields);
        if (changes === null) return current;
        const values = definedOf(fields);
        const { url: newUrl, ...rest } = changes;
        const isAnew = newUrl !== undefined || changes.active?.to === true;
        tx.set(webhook, { id }, { ...values, ...(isAnew && { failingSince: null }) });
        const updated = { ...current, ...values };
        const loggedChanges = { ...rest, ...(newUrl !== undefined && { url: {} }) };
        tx.log(workspaceEvent("webhook.updated", { ...loggedWebhook(updated), changes: loggedChanges }));
        await logActIn(tx, "webhook.updated", targetOf(updated));
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
          "Creates a new secret. Only this response shows it. For 24 hours each delivery is signed with both the new and the previous secret. If you rotate again within that time, the oldest secret stops signing at once. Requires `webhook:manage`.",
        successDescription: "The secret was replaced.",
      },
    })
    .input(z.strictObject(ofWebhook))
    .output(WebhookSecret)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, workspaceFor, "webhook:manage", async (tx, workspace) => {
        const { id, ...current } = await webhookFor(tx, workspace, input.webhookPublicId);
        const previousSecret = await secretOf(tx, id);
        const previousSecretUntil = new Date(Date.parse(tx.now) + OLD_SECRET_MS).toISOString();
        const secret = newSecret();
        tx.set(webhook, { id }, { secret, previousSecret, previousSecretUntil });
        tx.log(workspaceEvent("webhook.updated", { ...loggedWebhook(current), changes: { secret: {} } }));
        await logActIn(tx, "webhook.updated", targetOf(current));
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
        description: "Deletes a webhook and its deliveries. Requires `webhook:manage`.",
        successDescription: "The webhook was deleted.",
      },
    })
    .input(z.strictObject(ofWebhook))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, workspaceFor, "webhook:manage", async (tx, workspace) => {
        const { id, publicId, name } = await webhookFor(tx, workspace, input.webhookPublicId);
        tx.log(workspaceEvent("webhook.deleted", { webhookPublicId: publicId, name }));
        await logActIn(tx, "webhook.deleted", targetOf({ publicId, name }));
        tx.remove(webhook, { id });
        return ok;
      }),
    ),
};
