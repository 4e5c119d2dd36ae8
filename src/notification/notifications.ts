// What a person was told: listed and marked as read (specification 4.22, 4.23). No event tells of it.

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Role, seesBoard } from "../access/permissions.js";
import { change, type Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { Count, Ok, ok, PublicId, Timestamp } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { seesEmails } from "../workspace/people.js";

const tags = ["Notifications"];

/** A notification as it is listed (specification, Resources). */
const Notification = z.object({
  publicId: z.string(),
  type: z.enum([
    "mention",
    "comment.reply",
    "workspace.member.added",
    "workspace.member.removed",
    "workspace.role.changed",
  ]),
  createdAt: Timestamp,
  readAt: Timestamp.nullable(),
  actor: z.object({ name: z.string(), email: z.string().nullable(), image: z.string().nullable() }),
  card: z
    .object({
      publicId: z.string(),
      title: z.string(),
      cardNumber: z.int().min(1).max(2_147_483_647),
      boardPublicId: z.string(),
      cardPrefix: z.string(),
    })
    .nullable(),
  workspace: z.object({ publicId: z.string(), name: z.string() }),
});

interface NotificationRow {
  publicId: string;
  type: z.output<typeof Notification>["type"];
  createdAt: string;
  readAt: string | null;
  workspacePublicId: string;
  workspaceName: string;
  cardPrefix: string;
  showEmailsToMembers: boolean;
  /** The caller's role there now; null where it is no longer a member. */
  role: Role | null;
  actorName: string;
  actorImage: string | null;
  /** Null as well where the actor is no longer a member. */
  actorEmail: string | null;
  /** Null where there is no card, or no longer, as are the fields that follow. */
  cardPublicId: string | null;
  title: string;
  cardNumber: number;
  boardPublicId: string;
  visibility: "workspace" | "private" | "public";
  isBoardMember: boolean;
}

/** The caller's own notifications; with a bound token those of its workspace. */
function ownedBy({ user }: Signed): SQL {
  const { boundWorkspaceId } = user.token;
  const inWorkspace = boundWorkspaceId === null ? sql`` : sql`and workspace_id = ${boundWorkspaceId}::bigint`;
  return sql`account_id = ${user.accountId}::bigint ${inWorkspace}`;
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
  ctx.db.rows<NotificationRow>(sql`
    with shown as (
      select * from notification where ${ownedBy(ctx)} ${wanted(unread)}
        ${before === undefined ? sql`` : sql`and id < (select id from notification where public_id = ${before}::text and ${ownedBy(ctx)})`}
      order by id desc limit ${limit}::int
    )
    select n.public_id as "publicId", n.type, n.created_at as "createdAt", n.read_at as "readAt",
      w.public_id as "workspacePublicId", w.name as "workspaceName", w.card_prefix as "cardPrefix",
      w.show_emails_to_members as "showEmailsToMembers", m.role,
      coalesce(a.name, 'Deleted user') as "actorName", a.image as "actorImage",
      case when am.id is not null then a.email end as "actorEmail",
      c.public_id as "cardPublicId", c.title, c.card_number as "cardNumber", b.public_id as "boardPublicId", b.visibility,
      bm.member_id is not null as "isBoardMember"
    from shown n
    join workspace w on w.id = n.workspace_id
    left join member m on m.workspace_id = n.workspace_id and m.account_id = n.account_id
    left join account a on a.id = n.actor_id
    left join member am on am.workspace_id = n.workspace_id and am.account_id = n.actor_id
    left join (card c join board b on b.workspace_id = c.workspace_id and b.id = c.board_id)
      on c.workspace_id = n.workspace_id and c.id = n.card_id
    left join board_member bm on bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = m.id
    order by n.id desc`);

/** A notification with what the caller may see of actor and card now. */
function shownNotification(row: NotificationRow): z.output<typeof Notification> {
  const { publicId, type, createdAt, readAt, role, showEmailsToMembers } = row;
  const seesEmail = role !== null && seesEmails({ role, showEmailsToMembers });
  const seesCard = role !== null && seesBoard(role, row.visibility, row.isBoardMember);
  const { cardPublicId, title, cardNumber, boardPublicId, cardPrefix } = row;
  return {
    publicId,
    type,
    createdAt,
    readAt,
    actor: { name: row.actorName, email: seesEmail ? row.actorEmail : null, image: row.actorImage },
    card:
      cardPublicId !== null && seesCard
        ? { publicId: cardPublicId, title, cardNumber, boardPublicId, cardPrefix }
        : null,
    workspace: { publicId: row.workspacePublicId, name: row.workspaceName },
  };
}

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
      if (rows.length === 0 && input.before !== undefined) await mustBeOwn(ctx, input.before);
      return rows.map(shownNotification);
    }),

  read: protectedProcedure
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
      return { count: counted?.count ?? 0 };
    }),

  readAll: protectedProcedure
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
