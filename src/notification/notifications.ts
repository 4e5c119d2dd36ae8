// The notifications of a person: listed and marked as read (specification 4.22, 4.23). Reading them writes no event.

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { verifyBy } from "../access/guards.js";
import { callerKey } from "../access/lookups.js";
import type { Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { runOnce } from "../api/idempotency.js";
import { Count, NotificationId, Ok, ok } from "../api/shapes.js";
import { personalProcedure, protectedProcedure } from "../api/trpc.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { type Database, oneOf } from "../db/client.js";
import { workspaceOf } from "../db/ids.js";
import { notification, notificationCounter } from "../db/schema/index.js";
import { computed, selection } from "../db/selections.js";
import { changeAccount } from "../user/accountChanges.js";
import { countNotifications } from "./numbering.js";
import {
  asSpecified,
  DEFAULT_TYPES,
  Notification,
  type NotificationKey,
  readNotifications,
  shownNotification,
  Types,
  type TypesAsked,
} from "./shownNotifications.js";

const tags = ["Notifications"];

/** The caller's own notifications; with a bound token those of its workspace. `account` is the key of the caller. */
function ownedBy(ctx: Signed, account = callerKey(ctx)): SQL {
  const { boundWorkspaceId } = ctx.user.token;
  const isInWorkspace =
    boundWorkspaceId === null ? sql`` : sql`and ${notification.workspaceId} = ${boundWorkspaceId}::bigint`;
  return sql`${notification.accountId} = ${account} ${isInWorkspace}`;
}

/** The caller's own of the types that are asked for. */
const askedBy = (ctx: Signed, types: TypesAsked, account?: SQL): SQL =>
  types === "all"
    ? ownedBy(ctx, account)
    : sql`${ownedBy(ctx, account)} and ${oneOf(notification.type, DEFAULT_TYPES)}`;

interface Page {
  types?: TypesAsked;
  limit: number;
  unread?: boolean | undefined;
  before?: string | undefined;
}

const isUnread = sql`${notification.readAt} is null`;

/** The condition for the notifications asked for. It is written out for each value, or an index of the unread alone would be of no use. */
function wanted(unread: boolean | undefined): SQL {
  if (unread === undefined) return sql``;
  return unread ? sql`and ${isUnread}` : sql`and not (${isUnread})`;
}

/** The one of the caller's notifications that an identifier names, in its workspace. */
const ownNamed = (ctx: Signed, publicId: string): SQL =>
  sql`${notification.workspaceId} = ${workspaceOf(publicId)}::bigint and ${notification.publicId} = ${publicId}::text
    and ${ownedBy(ctx)}`;

const across = (statement: SQL) => acrossWorkspaces("notifications of an account", statement);

const notificationKey = selection({ workspaceId: notification.workspaceId, publicId: notification.publicId });
const place = sql`${notification.createdAt}, ${notification.id}, ${notification.workspaceId}`;
const newestFirst = sql`order by ${notification.createdAt} desc, ${notification.id} desc, ${notification.workspaceId} desc`;

/** The keys of a page of the caller's notifications, newest first: of all workspaces, since it is the account that has them. */
function keysOf(ctx: Signed, { types, limit, unread, before }: Page): Promise<NotificationKey[]> {
  const isEarlier =
    before === undefined
      ? sql``
      : sql`and (${place}) < (select ${place} from ${notification} where ${ownNamed(ctx, before)})`;
  return ctx.db.read(
    notificationKey,
    across(sql`select ${notificationKey} from ${notification}
      where ${askedBy(ctx, types)} ${wanted(unread)} ${isEarlier} ${newestFirst} limit ${limit}::int`),
  );
}

/** An empty page is the end of the list, unless `before` names nothing of the caller's. */
async function mustBeOwn(ctx: Signed, before: string): Promise<void> {
  const rows = await ctx.db.select({ id: notification.id }).from(notification).where(ownNamed(ctx, before));
  if (rows.length === 0) throw badRequest("Must be one of your notifications", "before");
}

const counted = selection({ count: sql<number>`count(*)` });

const standing = selection({
  unread: computed<number>(),
  lastNumber: computed<number>(),
  unnumbered: computed<number>(),
});

/**
 * Counts the caller's unread notifications and those without a number, and selects the last number. One subquery counts both, so that
 * Citus asks each shard once.
 */
const standingOf = (ctx: Signed, types: TypesAsked) => {
  const unread = sql`${askedBy(ctx, types)} ${wanted(true)}`;
  const isUnnumbered = sql`${notification.seq} is null`;
  return across(sql`
    select counted.unread, counted.unnumbered, coalesce(${notificationCounter.seq}, 0) as "lastNumber"
    from (
      select count(*) filter (where ${unread}) as unread, count(*) filter (where ${isUnnumbered}) as unnumbered
      from ${notification} where ${notification.accountId} = ${callerKey(ctx)} and (${isUnread} or ${isUnnumbered})
    ) counted
    left join ${notificationCounter} on ${notificationCounter.accountId} = ${callerKey(ctx)}`);
};

/** Numbers and counts the caller's unread notifications, with the position at which their stream continues without a gap. */
export async function readStanding(
  ctx: Signed<Database>,
  types: TypesAsked,
): Promise<{ unreadCount: number; notificationId: number }> {
  const read = async () => (await ctx.db.read(standing, standingOf(ctx, types)))[0];
  let counts = await read();
  if (counts !== undefined && counts.unnumbered > 0) {
    await countNotifications(ctx.db, [ctx.user.accountId]);
    counts = await read();
  }
  return { unreadCount: counts?.unread ?? 0, notificationId: counts?.lastNumber ?? 0 };
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
          "Lists the notifications of the caller, newest first. With `types=all` also those of the types `card.assigned` (somebody else assigned you), `comment.created` (a comment on a card that you created, are assigned to or commented on) and `card.due` (a card that you are assigned to, or created and nobody is assigned to, is due soon). To get the next page, set `before` to the last notification of the page. `card` is null if there is none, or if the caller can no longer see it. With `types=all`, `comment` has the beginning of what was said, and `card` the name of the board. A token bound to a workspace gets the notifications of that workspace. Requires any valid token.",
        successDescription: "The notifications, the newest first.",
      },
    })
    .input(
      z.strictObject({
        types: Types,
        limit: z.int().min(1).max(50).default(20).meta({ description: "The maximum number of notifications." }),
        unread: z
          .boolean()
          .meta({ description: "If true, returns only unread notifications; if false, only read ones." })
          .optional(),
        before: NotificationId.meta({ description: "The last notification of the page before." }).optional(),
      }),
    )
    .output(z.array(Notification))
    .query(async ({ ctx, input }) => {
      const keys = await keysOf(ctx, input);
      verifyBy(ctx, keys.length > 0);
      if (keys.length === 0 && input.before !== undefined) await mustBeOwn(ctx, input.before);
      const shown = (await readNotifications(ctx.db, keys)).map(shownNotification);
      return input.types === "all" ? shown : shown.map(asSpecified);
    }),

  read: personalProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/notifications/{notificationPublicId}/read",
        tags,
        summary: "Mark a notification as read",
        description:
          "Marks a notification as read. If it is read already, `readAt` does not change. A notification that is unknown, belongs to somebody else, or lies outside the workspace of a bound token is FORBIDDEN. Requires a token that can write.",
        successDescription: "The notification is read.",
      },
    })
    .input(z.strictObject({ notificationPublicId: NotificationId }))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      runOnce(ctx, input.notificationPublicId, () =>
        changeAccount(ctx, async (tx) => {
          const rows = await tx.db
            .update(notification)
            // Ignores null, as COALESCE does, in which Citus allows no now().
            .set({ readAt: sql`least(${notification.readAt}, now())` })
            .where(ownNamed(tx, input.notificationPublicId))
            .returning({ id: notification.id });
          if (rows.length === 0) throw notFound();
          return ok;
        }),
      ),
    ),

  unreadCount: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/notifications/unread-count",
        tags,
        summary: "Count unread notifications",
        description:
          "Counts the unread notifications of the caller, with `types=all` of all types. A token bound to a workspace counts the notifications of that workspace. Requires any valid token.",
        successDescription: "The number of unread notifications.",
      },
    })
    .input(z.strictObject({ types: Types }).optional())
    .output(Count)
    .query(async ({ ctx, input }) => {
      const isAsked = sql`${askedBy(ctx, input?.types)} ${wanted(true)}`;
      const [row] = await ctx.db.read(counted, across(sql`select ${counted} from ${notification} where ${isAsked}`));
      const { count } = row ?? { count: 0 };
      verifyBy(ctx, count > 0);
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
          "Marks all notifications of the caller as read, with `types: all` also those of the types that are not listed otherwise. `count` is the number of notifications that were unread. A token bound to a workspace marks the notifications of that workspace. Requires a token that can write.",
        successDescription: "All notifications are read.",
      },
    })
    .input(z.strictObject({ types: Types }).optional())
    .output(Count)
    .mutation(({ ctx, input }) =>
      runOnce(ctx, ctx.user.token.boundWorkspacePublicId, () =>
        changeAccount(ctx, async (tx) => {
          // Citus takes no `now()` in the COALESCE of an UPDATE, as `callerKey` has it.
          const account = sql`${tx.user.accountId}::bigint`;
          const marked = await tx.db
            .update(notification)
            .set({ readAt: sql`now()` })
            .where(across(sql`${askedBy(tx, input?.types, account)} ${wanted(true)}`))
            .returning({ id: notification.id });
          return { count: marked.length };
        }),
      ),
    ),
};
