// What a person is told. A notification points at its card without a foreign key: it stays when the card goes.

import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { createdAt, id, instant, publicId, ref, workspaceId } from "./columns.js";
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
      ],
    }).notNull(),
    actorId: ref("actor_id").references(() => account.id),
    cardId: ref("card_id"),
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
