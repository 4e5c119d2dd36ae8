// Notifications of people. A notification refers to its card without a foreign key, because it stays when the card is deleted.

import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { card } from "./cards.js";
import { belongsTo, createdAt, id, instant, publicId, ref, workspaceId } from "./columns.js";
import { MAIL_TIMES, perMailKind } from "./mailTimes.js";
import { workspace } from "./workspaces.js";

export const notification = pgTable(
  "notification",
  {
    workspaceId: workspaceId().references(() => workspace.id, { onDelete: "cascade" }),
    id: id(),
    publicId: publicId(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    type: text("type", {
      enum: [
        "mention",
        "comment.reply",
        "workspace.member.added",
        "workspace.member.removed",
        "workspace.role.changed",
        "card.assigned",
        "comment.created",
        "card.due",
      ],
    }).notNull(),
    actorId: ref("actor_id").references(() => account.id),
    cardId: ref("card_id"),
    /** The comment that it is about; null where it is about none, and in rows from before there was this column. */
    commentId: ref("comment_id"),
    /** Counts what the account is notified of, whatever the workspace; null until it is counted, soon after the commit. */
    seq: ref("seq"),
    createdAt: createdAt(),
    readAt: instant("read_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex("notification_public_id").on(t.publicId, t.workspaceId),
    // The workspace last: a bound token's list skips the others' rows within the index.
    index("notification_of").on(t.accountId, t.createdAt, t.id, t.workspaceId),
    index("notification_seq").on(t.accountId, t.seq),
    index("notification_unread").on(t.accountId, t.createdAt, t.id, t.workspaceId).where(sql`${t.readAt} is null`),
    index("notification_uncounted").on(t.accountId).where(sql`${t.seq} is null`),
  ],
);

/** Numbers the notifications of an account once they are committed, so that no change of a workspace waits for an account. */
export const notificationCounter = pgTable("notification_counter", {
  accountId: ref("account_id")
    .primaryKey()
    .references(() => account.id, { onDelete: "cascade" }),
  seq: ref("seq").notNull(),
});

/** The notification settings of a person (capabilities section 1). An account without a row has every default. */
export const notificationSettings = pgTable("notification_settings", {
  accountId: ref("account_id")
    .primaryKey()
    .references(() => account.id, { onDelete: "cascade" }),
  /** The hour of the day at which the daily mail is sent, in the account's time zone. */
  digestHour: integer("digest_hour").notNull().default(8),
  /** The time before the due date of a card; null: never. */
  dueMinutes: integer("due_minutes").default(1440),
  /** The time of each kind of mail, a column per kind. */
  ...perMailKind((byDefault) => text({ enum: MAIL_TIMES }).notNull().default(byDefault)),
  /** The key in the links that stop such mail; null until the first is sent. */
  unsubscribeToken: text("unsubscribe_token"),
});

/** People who were reminded of a card's due date, so that each is reminded once of each date. */
export const reminder = pgTable(
  "reminder",
  {
    workspaceId: workspaceId(),
    cardId: ref("card_id").notNull(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    dueDate: instant("due_date").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.cardId, t.accountId, t.dueDate] }),
    belongsTo("reminder_card", [t.workspaceId, t.cardId], card),
    index("reminder_account").on(t.accountId),
  ],
);
