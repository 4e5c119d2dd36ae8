// Cards and what hangs on a card: labels, assignees, checklists, comments.

import { sql } from "drizzle-orm";
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { board, label, list } from "./boards.js";
import { belongsTo, createdAt, id, instant, publicId, ref, workspaceId } from "./columns.js";
import { member } from "./workspaces.js";

export const card = pgTable(
  "card",
  {
    workspaceId: workspaceId(),
    id: id(),
    publicId: publicId(),
    boardId: ref("board_id").notNull(),
    /** Null once the list of an archived card is deleted. */
    listId: ref("list_id"),
    /** Null while archived. */
    position: ref("position"),
    cardNumber: integer("card_number").notNull(),
    title: text("title").notNull(),
    description: text("description").notNull().default(""),
    dueDate: instant("due_date"),
    /** False for a day, whose `dueDate` is midnight UTC. Nothing in the service relies on the default. */
    dueHasTime: boolean("due_has_time").notNull().default(true),
    completedAt: instant("completed_at"),
    archivedAt: instant("archived_at"),
    priority: text("priority", { enum: ["low", "medium", "high", "urgent", "none"] })
      .notNull()
      .default("none"),
    itemsTotal: integer("items_total").notNull().default(0),
    itemsCompleted: integer("items_completed").notNull().default(0),
    commentCount: integer("comment_count").notNull().default(0),
    /** The person who made it, null for the service. No foreign key: it would lock the account at every card. */
    createdBy: ref("created_by"),
    /** The event number that last touched the card. */
    revision: ref("revision").notNull().default(0),
    createdAt: createdAt(),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    belongsTo("card_board", [t.workspaceId, t.boardId], board),
    foreignKey({
      name: "card_list",
      columns: [t.workspaceId, t.listId],
      foreignColumns: [list.workspaceId, list.id],
    }),
    uniqueIndex("card_public_id").on(t.publicId, t.workspaceId),
    uniqueIndex("card_position").on(t.workspaceId, t.listId, t.position),
    uniqueIndex("card_number").on(t.workspaceId, t.cardNumber),
    index("card_archived")
      .on(t.workspaceId, t.boardId, t.archivedAt, t.publicId)
      .where(sql`${t.archivedAt} is not null`),
    index("card_board_id").on(t.workspaceId, t.boardId),
    index("card_created_by").on(t.workspaceId, t.createdBy, t.id),
    index("card_due").on(t.workspaceId, t.dueDate).where(sql`${t.dueDate} is not null and ${t.archivedAt} is null`),
  ],
);

/**
 * The words by which searches find an open card; an archived one has no row. Apart from the card, because every move and edit of a
 * card would have to index all of its words again.
 */
export const cardText = pgTable(
  "card_text",
  {
    workspaceId: workspaceId(),
    /** The card's. */
    id: id(),
    title: text("title").notNull(),
    description: text("description").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.id] }), belongsTo("card_text_card", [t.workspaceId, t.id], card)],
);

export const cardLabel = pgTable(
  "card_label",
  { workspaceId: workspaceId(), cardId: ref("card_id").notNull(), labelId: ref("label_id").notNull() },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.cardId, t.labelId] }),
    belongsTo("card_label_card", [t.workspaceId, t.cardId], card),
    belongsTo("card_label_label", [t.workspaceId, t.labelId], label),
    index("card_label_of").on(t.workspaceId, t.labelId),
  ],
);

export const cardMember = pgTable(
  "card_member",
  { workspaceId: workspaceId(), cardId: ref("card_id").notNull(), memberId: ref("member_id").notNull() },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.cardId, t.memberId] }),
    belongsTo("card_member_card", [t.workspaceId, t.cardId], card),
    belongsTo("card_member_member", [t.workspaceId, t.memberId], member),
    index("card_member_of").on(t.workspaceId, t.memberId, t.cardId),
  ],
);

export const checklist = pgTable(
  "checklist",
  {
    workspaceId: workspaceId(),
    id: id(),
    publicId: publicId(),
    cardId: ref("card_id").notNull(),
    name: text("name").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    belongsTo("checklist_card", [t.workspaceId, t.cardId], card),
    uniqueIndex("checklist_public_id").on(t.publicId, t.workspaceId),
    index("checklist_of").on(t.workspaceId, t.cardId, t.id),
  ],
);

export const checklistItem = pgTable(
  "checklist_item",
  {
    workspaceId: workspaceId(),
    id: id(),
    publicId: publicId(),
    checklistId: ref("checklist_id").notNull(),
    title: text("title").notNull(),
    completed: boolean("completed").notNull().default(false),
    position: ref("position").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    belongsTo("checklist_item_checklist", [t.workspaceId, t.checklistId], checklist),
    uniqueIndex("checklist_item_public_id").on(t.publicId, t.workspaceId),
    uniqueIndex("checklist_item_position").on(t.workspaceId, t.checklistId, t.position),
  ],
);

export const comment = pgTable(
  "comment",
  {
    workspaceId: workspaceId(),
    id: id(),
    publicId: publicId(),
    cardId: ref("card_id").notNull(),
    authorId: ref("author_id")
      .notNull()
      .references(() => account.id),
    comment: text("comment").notNull(),
    /** The comment replied to; its own row forgets it when that is deleted. */
    parentId: ref("parent_id"),
    /** Author and time in the file the comment came from. */
    importedName: text("imported_name"),
    importedAt: instant("imported_at"),
    createdAt: createdAt(),
    editedAt: instant("edited_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    belongsTo("comment_card", [t.workspaceId, t.cardId], card),
    uniqueIndex("comment_public_id").on(t.publicId, t.workspaceId),
    index("comment_of").on(t.workspaceId, t.cardId, t.id),
    index("comment_replies").on(t.workspaceId, t.parentId),
    index("comment_author").on(t.authorId, t.workspaceId, t.id),
  ],
);
