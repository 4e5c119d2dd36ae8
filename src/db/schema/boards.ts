// Boards and what hangs on a board itself: members, favourites, tags, lists and labels.

import { foreignKey, index, integer, type PgColumn, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { createdAt, id, instant, nameKeyColumn, publicId, ref, workspaceId } from "./columns.js";
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

const toBoard = (name: string, t: { workspaceId: PgColumn; boardId: PgColumn }) =>
  foreignKey({
    name,
    columns: [t.workspaceId, t.boardId],
    foreignColumns: [board.workspaceId, board.id],
  }).onDelete("cascade");

export const boardMember = pgTable(
  "board_member",
  { workspaceId: workspaceId(), boardId: ref("board_id").notNull(), memberId: ref("member_id").notNull() },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.boardId, t.memberId] }),
    toBoard("board_member_board", t),
    foreignKey({
      name: "board_member_member",
      columns: [t.workspaceId, t.memberId],
      foreignColumns: [member.workspaceId, member.id],
    }).onDelete("cascade"),
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
    toBoard("board_favourite_board", t),
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
    toBoard("board_opened_board", t),
    index("board_opened_account").on(t.accountId, t.openedAt),
  ],
);

export const boardTag = pgTable(
  "board_tag",
  { workspaceId: workspaceId(), boardId: ref("board_id").notNull(), tagId: ref("tag_id").notNull() },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.boardId, t.tagId] }),
    toBoard("board_tag_board", t),
    foreignKey({
      name: "board_tag_tag",
      columns: [t.workspaceId, t.tagId],
      foreignColumns: [tag.workspaceId, tag.id],
    }).onDelete("cascade"),
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
    /** The number of cards of the list that are not archived; whoever changes that updates it. */
    openCards: integer("open_cards").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    toBoard("list_board", t),
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
    toBoard("label_board", t),
    uniqueIndex("label_public_id").on(t.publicId, t.workspaceId),
    uniqueIndex("label_name").on(t.workspaceId, t.boardId, t.nameKey),
  ],
);
