// Reads a board for its file: a fixed number of statements, whatever its size, all in one snapshot, so that no link in the file
// refers to something deleted meanwhile.

import { and, eq, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { BoardAccess } from "../access/guards.js";
import { shownMember } from "../access/shownPeople.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { FILED_FIELDS, fieldColumns } from "../card/model/cardFields.js";
import { peopleOn } from "../card/model/cardSummaries.js";
import { partColumns, partsForFile, partsIn } from "../card/model/ownParts.js";
import type { Database, Queries } from "../db/client.js";
import { groupedBy } from "../db/records.js";
import {
  account,
  aliases,
  board,
  boardTag,
  card,
  cardLabel,
  cardMember,
  comment,
  label,
  list,
  member,
  tag,
  workspace,
} from "../db/schema/index.js";
import { type BoardFile, FILE_FORMAT, FILE_VERSION, type FileCard } from "./file.js";

const { parentComment } = aliases;

type Comment = FileCard["comments"][number];

interface OnCard {
  cardId: number;
}

const cardFields = {
  id: card.id,
  publicId: card.publicId,
  cardNumber: card.cardNumber,
  listPublicId: list.publicId,
  ...fieldColumns(FILED_FIELDS),
  archivedAt: card.archivedAt,
  createdAt: card.createdAt,
};

/** The keys of a board. */
type BoardKey = Pick<BoardAccess, "workspaceId" | "boardId">;

const ofBoard = (table: { workspaceId: PgColumn; boardId: PgColumn }, { workspaceId, boardId }: BoardKey) =>
  and(eq(table.workspaceId, workspaceId), eq(table.boardId, boardId));

/** Joins the parts of a card. */
const onCard = (table: { workspaceId: PgColumn; cardId: PgColumn }) =>
  and(eq(table.workspaceId, card.workspaceId), eq(table.cardId, card.id));

/** The rows of a card, in order, as they are filed. */
function byCard<Row extends OnCard, T>(rows: readonly Row[], filed: (row: Row) => T): (card: { id: number }) => T[] {
  const groups = groupedBy(rows, ({ cardId }) => cardId);
  return ({ id }) => (groups.get(id) ?? []).map(filed);
}

/** The fields of a board itself. @throws NOT_FOUND if it was deleted since it was looked up. */
export async function ownFieldsOf(db: Queries, access: BoardKey) {
  const [row] = await db
    .select({
      name: board.name,
      slug: board.slug,
      visibility: board.visibility,
      showEmailsToMembers: workspace.showEmailsToMembers,
    })
    .from(board)
    .innerJoin(workspace, eq(workspace.id, board.workspaceId))
    .where(and(eq(board.workspaceId, access.workspaceId), eq(board.id, access.boardId)));
  if (row === undefined) throw notFound();
  return row;
}

/** A board as its file, with the addresses that the caller may see. NOT_FOUND if it was deleted since it was looked up. */
export function readBoardFile(ctx: Signed<Database>, access: BoardAccess): Promise<BoardFile> {
  return ctx.db.transaction(async (db) => {
    await db.run(sql`set transaction isolation level repeatable read, read only`);
    const { showEmailsToMembers, ...named } = await ownFieldsOf(db, access);
    const { assigned, cards } = await cardsOf(db, access);
    const people = await peopleOn(db, access, assigned);
    const members = people.map((person) => shownMember(person, { ...access, showEmailsToMembers }));
    return {
      format: FILE_FORMAT,
      version: FILE_VERSION,
      ...named,
      tags: await tagsOf(db, access),
      people: members.map(({ publicId, name, email }) => ({ publicId, name, email })),
      memberPublicIds: people.filter(({ isBoardMember }) => isBoardMember).map(({ publicId }) => publicId),
      labels: await db
        .select({ publicId: label.publicId, name: label.name, colourCode: label.colourCode })
        .from(label)
        .where(ofBoard(label, access))
        .orderBy(label.id),
      lists: await db
        .select({ publicId: list.publicId, name: list.name })
        .from(list)
        .where(ofBoard(list, access))
        .orderBy(list.position),
      cards,
    };
  });
}

/** Ordered by the key of the name, because the order by database key can differ between workspaces. */
const tagsOf = (db: Queries, key: BoardKey) =>
  db
    .select({ name: tag.name, colourCode: tag.colourCode })
    .from(boardTag)
    .innerJoin(tag, and(eq(tag.workspaceId, boardTag.workspaceId), eq(tag.id, boardTag.tagId)))
    .where(ofBoard(boardTag, key))
    .orderBy(sql`${tag.nameKey} collate "C"`);

/** Every card of a board in the order of the file, and the keys of assignees. */
async function cardsOf(db: Queries, key: BoardKey): Promise<{ cards: FileCard[]; assigned: Set<number> }> {
  const rows = await db
    .select({ ...cardFields, parts: partColumns(key.workspaceId) })
    .from(card)
    .leftJoin(list, and(eq(list.workspaceId, card.workspaceId), eq(list.id, card.listId)))
    .where(ofBoard(card, key))
    .orderBy(
      sql`${card.archivedAt} nulls first`,
      sql`case when ${card.position} is not null then ${list.position} end`,
      card.position,
      card.cardNumber,
    );
  const labels = await db
    .select({ cardId: cardLabel.cardId, publicId: label.publicId })
    .from(card)
    .innerJoin(cardLabel, onCard(cardLabel))
    .innerJoin(label, and(eq(label.workspaceId, cardLabel.workspaceId), eq(label.id, cardLabel.labelId)))
    .where(ofBoard(card, key))
    .orderBy(label.id);
  const members = await db
    .select({ cardId: cardMember.cardId, id: member.id, publicId: member.publicId })
    .from(card)
    .innerJoin(cardMember, onCard(cardMember))
    .innerJoin(member, and(eq(member.workspaceId, cardMember.workspaceId), eq(member.id, cardMember.memberId)))
    .where(ofBoard(card, key))
    .orderBy(member.id);
  const labelsOf = byCard(labels, ({ publicId }) => publicId);
  const membersOf = byCard(members, ({ publicId }) => publicId);
  const commentsOf = byCard(await commentsOn(db, key), ({ cardId, ...comment }): Comment => comment);
  const cards = rows.map((row) => {
    const { id, parts, ...fields } = row;
    return {
      ...fields,
      labelPublicIds: labelsOf(row),
      memberPublicIds: membersOf(row),
      ...partsForFile(partsIn(parts)),
      comments: commentsOf(row),
    };
  });
  return { cards, assigned: new Set(members.map(({ id }) => id)) };
}

/** The author and time of an imported comment are those of its original. */
const commentsOn = (db: Queries, key: BoardKey): Promise<(OnCard & Comment)[]> =>
  db
    .select({
      cardId: comment.cardId,
      publicId: comment.publicId,
      parentCommentPublicId: parentComment.publicId,
      author: sql<string>`coalesce(${comment.importedName}, ${account.name})`,
      comment: comment.comment,
      createdAt: sql<string>`coalesce(${comment.importedAt}, ${comment.createdAt})`,
      editedAt: comment.editedAt,
    })
    .from(card)
    .innerJoin(comment, onCard(comment))
    .innerJoin(account, eq(account.id, comment.authorId))
    .leftJoin(
      parentComment,
      and(eq(parentComment.workspaceId, comment.workspaceId), eq(parentComment.id, comment.parentId)),
    )
    .where(ofBoard(card, key))
    .orderBy(comment.id);
