// What a person was told: listed and marked as read (specification 4.22, 4.23). No event tells of it.

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { callerKey, proveBy } from "../access/guards.js";
import { changeAccount } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { Count, NotificationId, Ok, ok, PublicId } from "../api/shapes.js";
import { personalProcedure, protectedProcedure } from "../api/trpc.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { workspaceOf } from "../db/ids.js";
import { Notification, type NotificationKey, readNotifications, shownNotification } from "./reading.js";

const tags = ["Notifications"];

/** The caller's own notifications; with a bound token those of its workspace. */
function ownedBy(ctx: Signed): SQL {
  const { boundWorkspaceId } = ctx.user.token;
  const inWorkspace = boundWorkspaceId === null ? sql`` : sql`and workspace_id = ${boundWorkspaceId}::bigint`;
  return sql`account_id = ${callerKey(ctx)} ${inWorkspace}`;
}

interface Page {
  limit: number;
  unread?: boolean | undefined;
  before?: string | undefined;
}

/** Which are asked for; written out for each value, because only so an index that holds the unread alone is of use. */
function wanted(unread: boolean | undefined): SQL {
  if (unread === undefined) return sql``;
  return unread ? sql`and read_at is null` : sql`and read_at is not null`;
}

/** The one of the caller's notifications that an identifier names, in its workspace. */
const ownNamed = (ctx: Signed, publicId: string): SQL =>
  sql`workspace_id = ${workspaceOf(publicId)}::bigint and public_id = ${publicId}::text and ${ownedBy(ctx)}`;

/** The keys of a page of the caller's notifications, newest first: of all workspaces, since it is the account that has them. */
function keysOf(ctx: Signed, { limit, unread, before }: Page): Promise<NotificationKey[]> {
  const earlier =
    before === undefined
      ? sql``
      : sql`and (created_at, id, workspace_id) < (
          select created_at, id, workspace_id from notification where ${ownNamed(ctx, before)})`;
  return ctx.db.rows<NotificationKey>(
    acrossWorkspaces(
      "notifications of an account",
      sql`select workspace_id as "workspaceId", public_id as "publicId" from notification
        where ${ownedBy(ctx)} ${wanted(unread)} ${earlier}
        order by created_at desc, id desc, workspace_id desc limit ${limit}::int`,
    ),
  );
}

/** An empty page is the end of the list, unless `before` names nothing of the caller's. */
async function mustBeOwn(ctx: Signed, before: string): Promise<void> {
  const found = await ctx.db.rows(sql`select id from notification where ${ownNamed(ctx, before)}`);
  if (found.length === 0) throw badRequest("Is not one of your notifications", "before");
}

export const notifications = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/notifications",
        tags,
        summary: "List notifications",
        description:
          "The caller's notifications, newest first. `unread=true` leaves out those that are read, `unread=false` those that are not. For the next page, set `before` to the last notification of this one. `card` is null if there is none, or if the caller no longer sees it; `actor.email` is null if the workspace does not show it to the caller. A bound token sees the notifications of its workspace. Any token.",
      },
    })
    .input(
      z.object({
        limit: z.int().min(1).max(50).default(20),
        unread: z.boolean().optional(),
        before: PublicId.optional(),
      }),
    )
    .output(z.array(Notification))
    .query(async ({ ctx, input }) => {
      const keys = await keysOf(ctx, input);
      proveBy(ctx, keys.length > 0);
      if (keys.length === 0 && input.before !== undefined) await mustBeOwn(ctx, input.before);
      return (await readNotifications(ctx.db, keys)).map(shownNotification);
    }),

  read: personalProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/notifications/{notificationPublicId}/read",
        tags,
        summary: "Mark a notification as read",
        description:
          "The first `readAt` stays. A notification that is unknown, belongs to somebody else, or belongs to another workspace than a bound token's is FORBIDDEN. Any token that may write.",
      },
    })
    .input(z.strictObject({ notificationPublicId: NotificationId }))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      changeAccount(ctx, async (tx) => {
        const found = await tx.db.rows(sql`
          update notification set read_at = coalesce(read_at, now()) where ${ownNamed(tx, input.notificationPublicId)}
          returning id`);
        if (found.length === 0) throw notFound();
        return ok;
      }),
    ),

  unreadCount: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/notifications/unread-count",
        tags,
        summary: "Count unread notifications",
        description: "A bound token counts the notifications of its workspace. Any token.",
      },
    })
    .input(z.object({}).optional())
    .output(Count)
    .query(async ({ ctx }) => {
      const [counted] = await ctx.db.rows<{ count: number }>(
        acrossWorkspaces(
          "notifications of an account",
          sql`select count(*) as count from notification where ${ownedBy(ctx)} and read_at is null`,
        ),
      );
      const { count } = counted ?? { count: 0 };
      proveBy(ctx, count > 0);
      return { count };
    }),

  readAll: personalProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/notifications/read-all",
        tags,
        summary: "Mark all notifications as read",
        description:
          "`count` is the number of notifications that were unread. A bound token marks the notifications of its workspace. Any token that may write.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(Count)
    .mutation(({ ctx }) =>
      changeAccount(ctx, async (tx) => {
        const marked = await tx.db.rows(
          acrossWorkspaces(
            "notifications of an account",
            sql`update notification set read_at = now() where ${ownedBy(tx)} and read_at is null returning id`,
          ),
        );
        return { count: marked.length };
      }),
    ),
};
