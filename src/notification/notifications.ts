// What a person was told: listed and marked as read (specification 4.22, 4.23). No event tells of it.

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { callerKey, proveBy } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { Count, Ok, ok, PublicId } from "../api/shapes.js";
import { personalProcedure, protectedProcedure } from "../api/trpc.js";
import { Notification, readNotifications, shownNotification } from "./reading.js";

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

const pageOf = (ctx: Signed, { limit, unread, before }: Page) =>
  readNotifications(
    ctx.db,
    sql`
      select * from notification where ${ownedBy(ctx)} ${wanted(unread)}
        ${before === undefined ? sql`` : sql`and id < (select id from notification where public_id = ${before}::text and ${ownedBy(ctx)})`}
      order by id desc limit ${limit}::int`,
    sql`n.id desc`,
  );

/** An empty page is the end of the list, unless `before` names nothing of the caller's. */
async function mustBeOwn(ctx: Signed, before: string): Promise<void> {
  const found = await ctx.db.rows(
    sql`select id from notification where public_id = ${before}::text and ${ownedBy(ctx)}`,
  );
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
          "The caller's notifications, newest first. `unread=true` leaves out those that are read, `unread=false` those that are not; `before` goes on from the last one of a page. `card` is null where there is none, or the caller does not see it any longer; `actor.email` is null where the workspace does not show it to the caller. A bound token sees those of its workspace. Any token.",
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
      const rows = await pageOf(ctx, input);
      proveBy(ctx, rows.length > 0);
      if (rows.length === 0 && input.before !== undefined) await mustBeOwn(ctx, input.before);
      return rows.map(shownNotification);
    }),

  read: personalProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/notifications/{notificationPublicId}/read",
        tags,
        summary: "Mark a notification as read",
        description:
          "The first `readAt` stays. One that is unknown, somebody else's or of another workspace than a bound token's is FORBIDDEN. Any token that may write.",
      },
    })
    .input(z.strictObject({ notificationPublicId: PublicId }))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const [found] = await tx.db.last<{ workspaceId: number }>(sql`
          with own as (
            select workspace_id, id from notification
            where public_id = ${input.notificationPublicId}::text and ${ownedBy(tx)}
          ), marked as (
            update notification n set read_at = now() from own
            where n.workspace_id = own.workspace_id and n.id = own.id and n.read_at is null
          )
          select workspace_id as "workspaceId" from own`);
        if (found === undefined) throw notFound();
        tx.inWorkspace?.(found.workspaceId);
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
        description: "With a bound token those of its workspace. Any token.",
      },
    })
    .input(z.object({}).optional())
    .output(Count)
    .query(async ({ ctx }) => {
      const [counted] = await ctx.db.rows<{ count: number }>(
        sql`select count(*) as count from notification where ${ownedBy(ctx)} and read_at is null`,
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
          "`count` is the number of those that were unread. With a bound token those of its workspace. Any token that may write.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(Count)
    .mutation(({ ctx }) =>
      change(ctx, async (tx) => {
        const [counted] = await tx.db.last<{ count: number }>(sql`
          with marked as (
            update notification set read_at = now() where ${ownedBy(tx)} and read_at is null returning id
          )
          select count(*) as count from marked`);
        return { count: counted?.count ?? 0 };
      }),
    ),
};
