// Boards and what hangs on a board itself: members, favourites, tags, lists and labels.

import { index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { belongsTo, createdAt, id, instant, nameKeyColumn, publicId, ref, workspaceId } from "./columns.js";
import { member, tag, workspace } from "./workspaces.js";

export const board = pgTable(
  "board",
  {
    workspaceId: workspaceId().references(() => workspace.id, { onDelete: "cascade" }),
    id: id(),
    publicId: publicId(),
    name: text("name").notNull(),
    slug: text("slug").notNull(),
    visibility: text("visibility", { enum: ["workspace", "private", "public"] })
      .notNull()
      .default("workspace"),
    createdAt: createdAt(),
    archivedAt: instant("archived_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex("board_public_id").on(t.publicId, t.workspaceId),
    // The column that distinguishes rows of a workspace comes first, here and in every index of public identifiers: else
    // PostgreSQL, where most workspaces have one board, would look a board up by its workspace alone.
    uniqueIndex("board_slug").on(t.slug, t.workspaceId),
  ],
);

export const boardMember = pgTable(
  "board_member",
  { workspaceId: workspaceId(), boardId: ref("board_id").notNull(), memberId: ref("member_id").notNull() },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.boardId, t.memberId] }),
    belongsTo("board_member_board", [t.workspaceId, t.boardId], board),
    belongsTo("board_member_member", [t.workspaceId, t.memberId], member),
    index("board_member_of").on(t.workspaceId, t.memberId),
  ],
);

export const boardFavourite = pgTable(
  "board_favourite",
  {
    workspaceId: workspaceId(),
    boardId: ref("board_id").notNull(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.boardId, t.accountId] }),
    belongsTo("board_favourite_board", [t.workspaceId, t.boardId], board),
    index("board_favourite_account").on(t.accountId),
  ],
);

/** The last time that a person opened a board, to the minute. */
export const boardOpened = pgTable(
  "board_opened",
  {
    workspaceId: workspaceId(),
    boardId: ref("board_id").notNull(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    openedAt: instant("opened_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.boardId, t.accountId] }),
    belongsTo("board_opened_board", [t.workspaceId, t.boardId], board),
    index("board_opened_account").on(t.accountId, t.openedAt),
  ],
);

export const boardTag = pgTable(
  "board_tag",
  { workspaceId: workspaceId(), boardId: ref("board_id").notNull(), tagId: ref("tag_id").notNull() },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.boardId, t.tagId] }),
    belongsTo("board_tag_board", [t.workspaceId, t.boardId], board),
    belongsTo("board_tag_tag", [t.workspaceId, t.tagId], tag),
    index("board_tag_of").on(t.workspaceId, t.tagId),
  ],
);

export const list = pgTable(
  "list",
  {
    workspaceId: workspaceId(),
    id: id(),
    publicId: publicId(),
    boardId: ref("board_id").notNull(),
    name: text("name").notNull(),
    position: ref("position").notNull(),
    /** The number of cards of the list that are not archived; every change of them updates it. */
    openCards: integer("open_cards").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    belongsTo("list_board", [t.workspaceId, t.boardId], board),
    uniqueIndex("list_public_id").on(t.publicId, t.workspaceId),
    uniqueIndex("list_position").on(t.workspaceId, t.boardId, t.position),
  ],
);

export const label = pgTable(
  "label",
  {
    workspaceId: workspaceId(),
    id: id(),
    publicId: publicId(),
    boardId: ref("board_id").notNull(),
    name: text("name").notNull(),
    nameKey: nameKeyColumn(),
    colourCode: text("colour_code").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    belongsTo("label_board", [t.workspaceId, t.boardId], board),
    uniqueIndex("label_public_id").on(t.publicId, t.workspaceId),
    uniqueIndex("label_name").on(t.workspaceId, t.boardId, t.nameKey),
  ],
);
