// Notifications as their owner is shown them, listed or live (specification, Resources).

import { sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { z } from "zod";
import { seesBoard } from "../access/boardVisibility.js";
import { seesEmails } from "../access/shownPeople.js";
import { CardNumber, Timestamp } from "../api/shapes.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { oneOf, type Queries } from "../db/client.js";
import {
  account,
  aliases,
  board,
  boardMember,
  card,
  comment,
  member,
  notification,
  workspace,
} from "../db/schema/index.js";
import { orNull, type RowOf, selection } from "../db/selections.js";

/** The types that everybody gets (specification, Resources). */
export const DEFAULT_TYPES: readonly (typeof notification.$inferSelect)["type"][] = [
  "mention",
  "comment.reply",
  "workspace.member.added",
  "workspace.member.removed",
  "workspace.role.changed",
];

/** The types asked for: those of the specification, or all. */
export const Types = z
  .enum(["all"])
  .meta({
    description: "`all`: also `card.assigned`, `comment.created` and `card.due`, and with `comment` and `boardName`.",
  })
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
        boardName: z.string().optional().meta({ description: "The name of the board. Only with `types=all`." }),
      })
      .nullable()
      .meta({ description: "Null if there is no card, or if the caller can no longer see it." }),
    workspace: z
      .object({ publicId: z.string(), name: z.string() })
      .meta({ description: "The workspace in which it happened." }),
    comment: z
      .object({
        publicId: z.string(),
        text: z.string().meta({ description: "The first 280 characters of the comment, as written." }),
      })
      .nullable()
      .optional()
      .meta({
        description:
          "The comment that it is about, only with `types=all`; null if it is about none, if the comment was deleted or cannot be seen, and in older notifications.",
      }),
  })
  .meta({ id: "Notification", description: "A notification for one person." });
export type Notification = z.output<typeof Notification>;

const { actor, actorMember } = aliases;

/** The number of characters of a comment that a notification shows. */
const SHOWN_CHARACTERS = sql.raw("280");

const notificationFields = {
  /** Null until it is counted. */
  seq: notification.seq,
  workspaceId: notification.workspaceId,
  publicId: notification.publicId,
  type: notification.type,
  createdAt: notification.createdAt,
  readAt: notification.readAt,
  workspacePublicId: workspace.publicId,
  workspaceName: workspace.name,
  cardPrefix: workspace.cardPrefix,
  showEmailsToMembers: workspace.showEmailsToMembers,
  ...orNull({
    /** The caller's role there now; null where it is no longer a member. */
    role: member.role,
    /** Null where the service itself or an operator did it. */
    actorName: actor.name,
    actorImage: actor.image,
    /** Null where there is no card, or no longer, as are the fields that follow. */
    cardPublicId: card.publicId,
    title: card.title,
    cardNumber: card.cardNumber,
    dueDate: card.dueDate,
    dueHasTime: card.dueHasTime,
    boardPublicId: board.publicId,
    boardName: board.name,
    visibility: board.visibility,
    commentPublicId: comment.publicId,
  }),
  commentText: sql<string | null>`left(${comment.comment}, ${SHOWN_CHARACTERS})`,
  /** Null as well where the actor is no longer a member. */
  actorEmail: sql<string | null>`case when ${actorMember.id} is not null then ${actor.email} end`,
  isBoardMember: sql<boolean>`${boardMember.memberId} is not null`,
  /** Whether it is about a due date that the card no longer has, or that no longer matters. */
  isOver: sql<boolean>`${notification.type} = 'card.due'
    and (${card.dueDate} is null or ${card.completedAt} is not null or ${card.archivedAt} is not null)`,
};

/** A notification with what is needed to show it. */
export interface NotificationRow extends RowOf<typeof notificationFields> {}

const notificationRow = selection(notificationFields);
const inWorkspace = (table: { workspaceId: PgColumn }) => sql`${table.workspaceId} = ${notification.workspaceId}`;
const fromNotification = sql`select ${notificationRow} from ${notification}
  join ${workspace} on ${workspace.id} = ${notification.workspaceId}
  left join ${member} on ${inWorkspace(member)} and ${member.accountId} = ${notification.accountId}
  left join ${account} ${actor} on ${actor.id} = ${notification.actorId}
  left join ${member} ${actorMember} on ${inWorkspace(actorMember)} and ${actorMember.accountId} = ${notification.actorId}
  left join ${card} on ${inWorkspace(card)} and ${card.id} = ${notification.cardId}
  left join ${board} on ${inWorkspace(board)} and ${board.id} = ${card.boardId}
  left join ${comment} on ${inWorkspace(comment)} and ${comment.id} = ${notification.commentId}
  left join ${boardMember} on ${inWorkspace(boardMember)} and ${boardMember.boardId} = ${board.id}
    and ${boardMember.memberId} = ${member.id}`;

/** A notification by its keys. */
export interface NotificationKey {
  workspaceId: number;
  publicId: string;
}

/** Reads an account's notifications, workspace by workspace, in the order of their keys, with actor and card as they are now. */
export async function readNotifications(db: Queries, keys: readonly NotificationKey[]): Promise<NotificationRow[]> {
  if (keys.length === 0) return [];
  const workspaceIds = [...new Set(keys.map(({ workspaceId }) => workspaceId))];
  const publicIds = keys.map(({ publicId }) => publicId);
  const isNamed = sql`${oneOf(notification.workspaceId, workspaceIds)} and ${oneOf(notification.publicId, publicIds)}`;
  const rows = await db.read(
    notificationRow,
    acrossWorkspaces("notifications of an account", sql`${fromNotification} where ${isNamed}`),
  );
  const byId = new Map(rows.map((row) => [row.publicId, row]));
  return keys.flatMap(({ publicId }) => byId.get(publicId) ?? []);
}

/** The card of a notification; null where there is none, or the caller does not see it. */
function shownCard(row: NotificationRow): Notification["card"] {
  const { role, cardPublicId: publicId, title, cardNumber, cardPrefix, boardPublicId, boardName, visibility } = row;
  if (role === null || publicId === null || title === null || cardNumber === null) return null;
  if (boardPublicId === null || boardName === null || visibility === null) return null;
  if (!seesBoard(role, visibility, row.isBoardMember)) return null;
  return { publicId, title, cardNumber, boardPublicId, cardPrefix, boardName };
}

/** The comment of a notification whose card the caller sees. */
const shownComment = ({ commentPublicId, commentText }: NotificationRow): Notification["comment"] =>
  commentPublicId === null || commentText === null ? null : { publicId: commentPublicId, text: commentText };

/** A notification as the specification has it, for who did not ask for all types. */
export function asSpecified({ comment: _, ...notification }: Notification): Notification {
  if (notification.card === null) return notification;
  const { boardName: _name, ...card } = notification.card;
  return { ...notification, card };
}

/** A notification with what the caller may see of actor, card and comment now. */
export function shownNotification(row: NotificationRow): Notification {
  const { publicId, type, createdAt, readAt, role, showEmailsToMembers } = row;
  const seesEmail = role !== null && seesEmails({ role, showEmailsToMembers });
  const card = shownCard(row);
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
    card,
    workspace: { publicId: row.workspacePublicId, name: row.workspaceName },
    comment: card === null ? null : shownComment(row),
  };
}
