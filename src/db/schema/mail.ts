// Mail that waits to be sent; the table is the queue (capabilities section 1).

import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { createdAt, instant, ownId, publicId, ref } from "./columns.js";

export const mail = pgTable(
  "mail",
  {
    id: ownId(),
    /** Also names the message: its `Message-ID` stays the same however often it is sent. */
    publicId: publicId(),
    kind: text("kind", {
      enum: [
        "invitation",
        "passwordReset",
        "emailVerification",
        "emailChange",
        "emailChanged",
        "notice",
        "notification",
      ],
    }).notNull(),
    /** The recipient; null for an address that has no account. */
    accountId: ref("account_id").references(() => account.id, { onDelete: "cascade" }),
    /** The address, in lower case; null for a notification, whose account says it when it is sent. Closing leaves the digest. */
    address: text("address"),
    /** The account that causes an invitation or a link to a new address. Without a foreign key, whose lock would be waited for. */
    causedBy: ref("caused_by"),
    /** The workspace that an invitation or a notification is of. Not the key of this table: mail belongs to no workspace. */
    aboutWorkspaceId: ref("about_workspace_id"),
    /** The notification that it is about, in that workspace. */
    notificationId: ref("notification_id"),
    /** The data of its text, including the tokens of links; removed when it was sent or given up. */
    data: jsonb("data").$type<Record<string, unknown>>(),
    status: text("status", { enum: ["pending", "sent", "dropped", "failed"] })
      .notNull()
      .default("pending"),
    attempts: integer("attempts").notNull().default(0),
    lastError: text("last_error"),
    /** The time when a pending one is due. While it is being sent: the end of the sender's lease. */
    nextAttemptAt: instant("next_attempt_at"),
    createdAt: createdAt(),
    sentAt: instant("sent_at"),
  },
  (t) => [
    uniqueIndex("mail_public_id").on(t.publicId),
    index("mail_account").on(t.accountId, t.sentAt),
    index("mail_due").on(t.nextAttemptAt, t.id).where(sql`${t.status} = 'pending'`),
    index("mail_ended").on(t.createdAt).where(sql`${t.status} <> 'pending'`),
    // The columns that limits count by: mails of a kind to an address, caused by an account, and of a workspace.
    index("mail_to").on(t.address, t.kind, t.createdAt),
    index("mail_caused").on(t.causedBy, t.kind, t.createdAt),
    index("mail_about").on(t.aboutWorkspaceId, t.kind, t.createdAt),
  ],
);
