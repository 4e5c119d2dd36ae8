// Notifications as their owner is shown them, listed or live (specification, Resources).

import { sql } from "drizzle-orm";
import { z } from "zod";
import { seesBoard, type Visibility } from "../access/boardVisibility.js";
import type { Role } from "../access/permissions.js";
import { CardNumber, Timestamp } from "../api/shapes.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { bigints, type Queries, texts } from "../db/client.js";
import { notification } from "../db/schema/index.js";
import { seesEmails } from "../workspace/people.js";

/** The types that everybody gets (specification, Resources). */
export const DEFAULT_TYPES: readonly (typeof notification.$inferSelect)["type"][] = [
  "mention",
  "comment.reply",
  "workspace.member.added",
  "workspace.member.removed",
  "workspace.role.changed",
];

/** Which types are asked for: those of the specification, or all. */
export const Types = z
  .enum(["all"])
  .meta({ description: "`all`: also `card.assigned`, `comment.created` and `card.due`." })
  .optional();
export type TypesAsked = z.output<typeof Types>;

/** A notification as it is listed (specification, Resources). */
export const Notification = z
  .object({
    publicId: z.string(),
    type: z.enum(notification.type.enumValues),
    createdAt: Timestamp,
    readAt: Timestamp.nullable().meta({ description: "When it was marked as read; null while it is unread." }),
    actor: z
      .object({
        name: z.string(),
        email: z.string().nullable().meta({ description: "Null if the caller may not see it." }),
        image: z.string().nullable().meta({ description: "The https URL of a picture, or null." }),
      })
      .meta({
        description:
          "The person who caused the notification; only the name `Reminder` for `card.due`, and `Operator` for what an operator did by command.",
      }),
    card: z
      .object({
        publicId: z.string(),
        title: z.string(),
        cardNumber: CardNumber,
        boardPublicId: z.string(),
        cardPrefix: z
          .string()
          .meta({ description: "The prefix of card numbers: people refer to card 12 as `PREFIX-12`." }),
      })
      .nullable()
      .meta({ description: "Null if there is no card, or if the caller can no longer see it." }),
    workspace: z
      .object({ publicId: z.string(), name: z.string() })
      .meta({ description: "The workspace in which it happened." }),
  })
  .meta({ id: "Notification", description: "A notification for one person." });
export type Notification = z.output<typeof Notification>;

/** A notification with what is needed to show it. */
export interface NotificationRow {
  /** Null until it is counted. */
  seq: number | null;
  workspaceId: number;
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
  /** Null where the service itself or an operator did it. */
  actorName: string | null;
  actorImage: string | null;
  /** Null as well where the actor is no longer a member. */
  actorEmail: string | null;
  /** Null where there is no card, or no longer, as are the fields that follow. */
  cardPublicId: string | null;
  title: string;
  cardNumber: number;
  boardPublicId: string;
  visibility: Visibility;
  isBoardMember: boolean;
  /** Whether it tells of a due date that the card no longer has, or that no longer matters. */
  isOver: boolean;
}

/** A notification by its keys. */
export interface NotificationKey {
  workspaceId: number;
  publicId: string;
}

/**
 * Reads notifications of one account, each as its owner sees actor and card now, in the order of their keys. They may be of several
 * workspaces, each of which is visited for its own.
 */
export async function readNotifications(db: Queries, keys: readonly NotificationKey[]): Promise<NotificationRow[]> {
  if (keys.length === 0) return [];
  const workspaceIds = [...new Set(keys.map(({ workspaceId }) => workspaceId))];
  const rows = await db.rows<NotificationRow>(
    acrossWorkspaces(
      "notifications of an account",
      sql`select n.seq, n.workspace_id as "workspaceId", n.public_id as "publicId", n.type, n.created_at as "createdAt", n.read_at as "readAt",
          w.public_id as "workspacePublicId", w.name as "workspaceName", w.card_prefix as "cardPrefix",
          w.show_emails_to_members as "showEmailsToMembers", m.role,
          a.name as "actorName", a.image as "actorImage",
          case when am.id is not null then a.email end as "actorEmail",
          c.public_id as "cardPublicId", c.title, c.card_number as "cardNumber", b.public_id as "boardPublicId", b.visibility,
          bm.member_id is not null as "isBoardMember",
          n.type = 'card.due' and (c.due_date is null or c.completed_at is not null or c.archived_at is not null) as "isOver"
        from notification n
        join workspace w on w.id = n.workspace_id
        left join member m on m.workspace_id = n.workspace_id and m.account_id = n.account_id
        left join account a on a.id = n.actor_id
        left join member am on am.workspace_id = n.workspace_id and am.account_id = n.actor_id
        left join card c on c.workspace_id = n.workspace_id and c.id = n.card_id
        left join board b on b.workspace_id = n.workspace_id and b.id = c.board_id
        left join board_member bm on bm.workspace_id = n.workspace_id and bm.board_id = b.id and bm.member_id = m.id
        where n.workspace_id = any(${bigints(workspaceIds)})
          and n.public_id = any(${texts(keys.map(({ publicId }) => publicId))})`,
    ),
  );
  const found = new Map(rows.map((row) => [row.publicId, row]));
  return keys.flatMap(({ publicId }) => found.get(publicId) ?? []);
}

/** A notification with what the caller may see of actor and card now. */
export function shownNotification(row: NotificationRow): Notification {
  const { publicId, type, createdAt, readAt, role, showEmailsToMembers } = row;
  const seesEmail = role !== null && seesEmails({ role, showEmailsToMembers });
  const seesCard = role !== null && seesBoard(role, row.visibility, row.isBoardMember);
  const { cardPublicId, title, cardNumber, boardPublicId, cardPrefix } = row;
  return {
    publicId,
    type,
    createdAt,
    readAt,
    actor: {
      name: row.actorName ?? (type === "card.due" ? "Reminder" : "Operator"),
      email: seesEmail ? row.actorEmail : null,
      image: row.actorImage,
    },
    card:
      cardPublicId !== null && seesCard
        ? { publicId: cardPublicId, title, cardNumber, boardPublicId, cardPrefix }
        : null,
    workspace: { publicId: row.workspacePublicId, name: row.workspaceName },
  };
}
