// Workspaces, who belongs to them and how one gets in, their tags and meetings.

import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { belongsTo, createdAt, id, instant, nameKeyColumn, publicId, ref, workspaceId } from "./columns.js";

export const workspace = pgTable(
  "workspace",
  {
    /** Drawn at random (`newWorkspaceKey`): every public identifier of the workspace begins with it. */
    id: bigint("id", { mode: "number" }).primaryKey(),
    publicId: publicId(),
    name: text("name").notNull(),
    slug: text("slug").notNull(),
    description: text("description").notNull().default(""),
    plan: text("plan", { enum: ["free", "team", "pro", "enterprise"] })
      .notNull()
      .default("free"),
    showEmailsToMembers: boolean("show_emails_to_members").notNull().default(true),
    weekStartDay: integer("week_start_day").notNull().default(1),
    cardPrefix: text("card_prefix").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("workspace_public_id").on(t.publicId),
    // Partial, though never null: the columns of a plain unique index are key columns, and changing one would lock out every
    // writer whose foreign keys look at the row.
    uniqueIndex("workspace_slug").on(t.slug).where(sql`${t.slug} is not null`),
    index("workspace_created").on(t.createdAt, t.id),
  ],
);

/** A foreign key to the workspace, which takes everything with it when it goes. */
const ownWorkspaceId = () => workspaceId().references(() => workspace.id, { onDelete: "cascade" });

/** The one lock of every change, taken first. Its holder, the only writer, counts event, card and row numbers on from here. */
export const workspaceCounter = pgTable("workspace_counter", {
  workspaceId: ownWorkspaceId().primaryKey(),
  eventSeq: ref("event_seq").notNull().default(0),
  /** Up to this number, events are not kept any more (`EVENT_DAYS`). */
  forgottenSeq: ref("forgotten_seq").notNull().default(0),
  cardNumber: integer("card_number").notNull().default(0),
  rowId: ref("row_id").notNull().default(0),
});

export const member = pgTable(
  "member",
  {
    workspaceId: ownWorkspaceId(),
    id: id(),
    publicId: publicId(),
    /** Null while the invitation is pending. */
    accountId: ref("account_id").references(() => account.id, { onDelete: "cascade" }),
    /** The invited address while pending, lower case. */
    invitedEmail: text("invited_email"),
    role: text("role", { enum: ["admin", "member", "guest"] }).notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex("member_public_id").on(t.publicId, t.workspaceId),
    uniqueIndex("member_account").on(t.accountId, t.workspaceId),
    uniqueIndex("member_invited_email").on(t.workspaceId, t.invitedEmail),
  ],
);

/** People who were removed or made guests: no link makes more than guests of them again. */
export const formerMember = pgTable(
  "former_member",
  {
    workspaceId: ownWorkspaceId(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.accountId] })],
);

/** A code that lets someone in: the workspace's one live link (no member), or one person's e-mail invitation. */
export const invite = pgTable(
  "invite",
  {
    workspaceId: ownWorkspaceId(),
    id: id(),
    publicId: publicId(),
    /** 24 characters of `0-9A-Za-z`. */
    code: text("code").notNull(),
    memberId: ref("member_id"),
    createdBy: ref("created_by").references(() => account.id),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    belongsTo("invite_member", [t.workspaceId, t.memberId], member),
    uniqueIndex("invite_code").on(t.code, t.workspaceId),
    uniqueIndex("invite_link").on(t.workspaceId).where(sql`${t.memberId} is null`),
    uniqueIndex("invite_of_member").on(t.workspaceId, t.memberId),
    index("invite_created_by").on(t.createdBy),
    index("invite_expires").on(t.expiresAt),
  ],
);

export const tag = pgTable(
  "tag",
  {
    workspaceId: ownWorkspaceId(),
    id: id(),
    publicId: publicId(),
    name: text("name").notNull(),
    nameKey: nameKeyColumn(),
    colourCode: text("colour_code").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex("tag_public_id").on(t.publicId, t.workspaceId),
    uniqueIndex("tag_name").on(t.workspaceId, t.nameKey),
  ],
);

export const meeting = pgTable(
  "meeting",
  {
    workspaceId: ownWorkspaceId(),
    id: id(),
    publicId: publicId(),
    title: text("title").notNull(),
    scheduledAt: instant("scheduled_at"),
    description: text("description").notNull().default(""),
    callLink: text("call_link"),
    recurrence: text("recurrence", { enum: ["none", "daily", "weekly", "biweekly", "monthly"] })
      .notNull()
      .default("none"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex("meeting_public_id").on(t.publicId, t.workspaceId),
    index("meeting_scheduled").on(t.workspaceId, t.scheduledAt),
  ],
);
