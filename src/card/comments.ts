// The comments on a card. The card's row carries the count that boards show.

import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { mustBeOpen } from "../access/guards.js";
import { may, type Permission } from "../access/permissions.js";
import { change, type Guard, type Tx } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { cursorValues, pagesOf } from "../api/cursors.js";
import { forbidden, notFound } from "../api/errors.js";
import { type Actor, CommentId, CommentText, EventId, Ok, ok, page, pageInput } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import type { Queries } from "../db/client.js";
import { account, aliases, comment as commentTable, member, workspaceCounter } from "../db/schema/index.js";
import { cardEvent, changesTo } from "../events/log.js";
import { redactEvents } from "../events/redaction.js";
import { notifyOfText } from "../notification/mentions.js";
import { notifyWatchers } from "../notification/watching.js";
import { ofCard } from "./callShapes.js";
import { type CardAccess, cardFor } from "./model/cardGuards.js";
import { Comment } from "./model/cardShapes.js";
import { writeCards } from "./model/cardWrites.js";

const tags = ["Comments"];
const ofComment = { ...ofCard, commentPublicId: CommentId };

const pagesOfCard = pagesOf("comments", z.tuple([cursorValues.instant, cursorValues.publicId]));

const { parentComment } = aliases;

const commentFields = {
  id: commentTable.id,
  publicId: commentTable.publicId,
  comment: commentTable.comment,
  authorId: account.id,
  authorPublicId: account.publicId,
  authorName: account.name,
  authorImage: account.image,
  authorMemberPublicId: member.publicId,
  parentId: parentComment.id,
  parentPublicId: parentComment.publicId,
  importedName: commentTable.importedName,
  importedAt: commentTable.importedAt,
  createdAt: commentTable.createdAt,
  editedAt: commentTable.editedAt,
};

const isAuthor = eq(account.id, commentTable.authorId);
const isAuthorHere = and(eq(member.workspaceId, commentTable.workspaceId), eq(member.accountId, commentTable.authorId));
const isParent = and(
  eq(parentComment.workspaceId, commentTable.workspaceId),
  eq(parentComment.id, commentTable.parentId),
);

/** The comments that a condition allows, with their authors and what they reply to. */
const commentsWhere = (db: Queries, condition: SQL | undefined) =>
  db
    .select(commentFields)
    .from(commentTable)
    .innerJoin(account, isAuthor)
    .leftJoin(member, isAuthorHere)
    .leftJoin(parentComment, isParent)
    .where(condition)
    .orderBy(commentTable.id);

type CommentRow = Awaited<ReturnType<typeof commentsWhere>>[number];

const ofCardRow = (card: CardAccess) =>
  and(eq(commentTable.workspaceId, card.workspaceId), eq(commentTable.cardId, card.cardId));

/** The orders of the comments on a card. */
const CommentOrder = z.enum(["oldest", "newest"]);
type CommentOrder = z.output<typeof CommentOrder>;

/** The comment that ended a page. */
type PageEnd = readonly [createdAt: string, publicId: string];

/** The comments after the one that ended a page. If that one is deleted, its time counts: one may appear twice, none is lost. */
function follows(card: CardAccess, [at, publicId]: PageEnd, order: CommentOrder) {
  const { id, createdAt } = commentTable;
  const own = sql`
    select ${id} from ${commentTable} where ${ofCardRow(card)} and ${commentTable.publicId} = ${publicId}::text`;
  return order === "oldest"
    ? sql`${id} > coalesce((${own}), (
        select min(${id}) - 1 from ${commentTable} where ${ofCardRow(card)} and ${createdAt} >= ${at}::timestamptz
      ), 9223372036854775807)`
    : sql`${id} < coalesce((${own}), (
        select max(${id}) + 1 from ${commentTable} where ${ofCardRow(card)} and ${createdAt} <= ${at}::timestamptz
      ), 0)`;
}

function shownComment(row: CommentRow): z.output<typeof Comment> {
  const { publicId, comment, importedName, importedAt, createdAt, editedAt } = row;
  return {
    publicId,
    comment,
    author: {
      publicId: row.authorPublicId,
      name: row.authorName,
      image: row.authorImage,
      memberPublicId: row.authorMemberPublicId,
    },
    parentCommentPublicId: row.parentPublicId,
    importedFrom: importedName !== null && importedAt !== null ? { name: importedName, createdAt: importedAt } : null,
    createdAt,
    editedAt,
  };
}

/** A comment of a card; one that is unknown or of another card is NOT_FOUND. */
async function commentOn(db: Queries, card: CardAccess, publicId: string): Promise<CommentRow> {
  const [row] = await commentsWhere(db, and(ofCardRow(card), eq(commentTable.publicId, publicId)));
  if (row === undefined) throw notFound();
  return row;
}

/** The guard of a comment on its card, which the caller wrote or has the permission to change. */
function commentFor(commentPublicId: string): Guard<string, Permission, { card: CardAccess; current: CommentRow }> {
  const guard = async (ctx: Signed, cardPublicId: string, permission: Permission) => {
    const card = await cardFor(ctx, cardPublicId, "comment:view");
    const current = await commentOn(ctx.db, card, commentPublicId);
    if (current.authorId !== ctx.user.accountId && !may(card.role, permission)) throw forbidden();
    return { card, current };
  };
  guard.early = cardFor.early;
  return guard;
}

/** The parent that a reply gets: a reply to a reply belongs where that one does. */
const parentOf = (replied: CommentRow | null) => ({
  id: replied?.parentId ?? replied?.id ?? null,
  publicId: replied?.parentPublicId ?? replied?.publicId ?? null,
});

const CommentPage = page("CommentPage", Comment)
  .extend({ eventId: EventId })
  .meta({ id: "CommentPage", description: "One page of comments." });

/** Whether the outer joins found a comment. */
const isComment = <Row extends { id: number | null }>(row: Row): row is Row & CommentRow => row.id !== null;

/** A page of comments with where the log ends, as one statement sees both. */
async function commentsAndEnd(
  db: Queries,
  { workspaceId }: CardAccess,
  { condition, order, limit }: { condition: SQL | undefined; order: CommentOrder; limit: number },
) {
  const rows = await db
    .select({ ...commentFields, eventId: workspaceCounter.eventSeq })
    .from(workspaceCounter)
    .leftJoin(commentTable, condition)
    .leftJoin(account, isAuthor)
    .leftJoin(member, isAuthorHere)
    .leftJoin(parentComment, isParent)
    .where(eq(workspaceCounter.workspaceId, workspaceId))
    .orderBy(order === "oldest" ? asc(commentTable.id) : desc(commentTable.id))
    .limit(limit);
  const [first] = rows;
  if (first === undefined) throw notFound();
  return { rows: rows.filter(isComment), eventId: first.eventId };
}

export const comments = {
  list: protectedProcedure
    .meta({
      answerHeaders: ["Event-Id"],
      openapi: {
        method: "GET",
        path: "/cards/{cardPublicId}/comments",
        tags,
        summary: "List comments",
        description:
          "Lists the comments of the card and their replies, in the wanted order. `parentCommentPublicId` of a reply names the comment that it replies to. Requires `comment:view`.",
        successDescription: "A page of comments.",
      },
    })
    .input(
      z.strictObject({
        ...ofCard,
        ...pageInput,
        order: CommentOrder.default("oldest").describe(
          "Which comments come first. A `nextCursor` is valid for its own order only.",
        ),
      }),
    )
    .output(CommentPage)
    .query(async ({ ctx, input: { cardPublicId, limit, cursor, order } }) => {
      const pages = pagesOfCard(cardPublicId, ...(order === "oldest" ? [] : [order]));
      const end = pages.endOf(cursor);
      const card = await cardFor(ctx, cardPublicId, "comment:view");
      const condition = and(ofCardRow(card), end === null ? undefined : follows(card, end, order));
      const { rows, eventId } = await commentsAndEnd(ctx.db, card, { condition, order, limit: limit + 1 });
      const { items, nextCursor } = pages.pageOf(rows, limit, ({ createdAt, publicId }) => [createdAt, publicId]);
      ctx.requestOptions.setHeader("event-id", String(eventId));
      return { items: items.map(shownComment), nextCursor, eventId };
    }),

  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/{cardPublicId}/comments",
        tags,
        summary: "Comment on a card",
        description:
          "Adds a comment to the card. `parentCommentPublicId` makes it a reply to a comment of the same card; a comment of another card is FORBIDDEN. A reply to a reply gets the same parent as that reply, and the author of the named comment is notified. `@[any label](memberPublicId)` and `@name@example.org` mention members, who are notified if they can see the board. A person gets at most one notification per comment. Comments can be added to archived cards but not on archived boards. Requires `comment:create`.",
        successDescription: "The comment was created.",
      },
    })
    .input(z.strictObject({ ...ofCard, comment: CommentText, parentCommentPublicId: CommentId.optional() }))
    .output(Comment)
    .mutation(({ ctx, input: { cardPublicId, comment, parentCommentPublicId } }) =>
      change(ctx, cardPublicId, cardFor, "comment:create", async (tx, card) => {
        const replied =
          parentCommentPublicId === undefined ? null : await commentOn(tx.db, card, parentCommentPublicId);
        const author = await authorOf(tx, card);
        mustBeOpen(card);
        const parent = parentOf(replied);
        const publicId = tx.newPublicId();
        const fields = { publicId, comment, parentCommentPublicId: parent.publicId, importedFrom: null };
        const times = { createdAt: tx.now, editedAt: null };
        const logged = { ...fields, author: { publicId: author.publicId }, ...times };
        const events = [cardEvent(card, "comment.created", { commentPublicId: publicId, comment: logged })];
        writeCards(tx, [{ card, to: { commentCount: card.commentCount + 1 }, events }]);
        const written = { cardId: card.cardId, authorId: tx.user.accountId, comment, parentId: parent.id };
        const id = tx.newRowId();
        tx.add(commentTable, { id, publicId, ...written });
        const repliedToId = replied?.authorId ?? null;
        const informed = await notifyOfText(tx, card, { text: comment, commentId: id, repliedToId });
        await notifyWatchers(tx, card, { commentId: id, informed });
        return { ...fields, author, ...times };
      }),
    ),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/cards/{cardPublicId}/comments/{commentPublicId}",
        tags,
        summary: "Edit a comment",
        description:
          "Replaces the text of the comment and notifies people who were not mentioned before. The same text changes nothing. Requires `comment:edit`. Editing your own comment requires no permission.",
        successDescription: "The comment after the update.",
      },
    })
    .input(z.strictObject({ ...ofComment, comment: CommentText }))
    .output(Comment)
    .mutation(({ ctx, input: { comment, ...ids } }) =>
      change(ctx, ids.cardPublicId, commentFor(ids.commentPublicId), "comment:edit", async (tx, { card, current }) => {
        const { authorId, comment: before } = current;
        const changes = changesTo({ comment: before }, { comment });
        if (changes === null) return shownComment(current);
        mustBeOpen(card);
        const editedAt = tx.now;
        const data = { commentPublicId: ids.commentPublicId, changes, editedAt };
        writeCards(tx, [{ card, events: [cardEvent(card, "comment.updated", data)] }]);
        tx.set(commentTable, { id: current.id }, { comment, editedAt });
        await notifyOfText(tx, card, { text: comment, commentId: current.id, before, authorId });
        return shownComment({ ...current, comment, editedAt });
      }),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/cards/{cardPublicId}/comments/{commentPublicId}",
        tags,
        summary: "Delete a comment",
        description:
          "Deletes the comment. Its replies stay with `parentCommentPublicId` null, and notifications about it stay. Requires `comment:delete`. Deleting your own comment requires no permission.",
        successDescription: "The comment was deleted.",
      },
    })
    .input(z.strictObject(ofComment))
    .output(Ok)
    .mutation(({ ctx, input: { cardPublicId, commentPublicId } }) =>
      change(ctx, cardPublicId, commentFor(commentPublicId), "comment:delete", async (tx, { card, current }) => {
        mustBeOpen(card);
        await redactEvents(tx, { cardPublicId, commentPublicId });
        await tx.write(
          tx.db
            .update(commentTable)
            .set({ parentId: null })
            .where(and(eq(commentTable.workspaceId, tx.workspaceId), eq(commentTable.parentId, current.id)))
            .getSQL(),
        );
        const events = [cardEvent(card, "comment.deleted", { commentPublicId })];
        writeCards(tx, [{ card, to: { commentCount: card.commentCount - 1 }, events }]);
        tx.remove(commentTable, { id: current.id });
        return ok;
      }),
    ),
};

/** The caller as comments show their author, by the name that it has now. */
async function authorOf(tx: Tx, { memberPublicId }: CardAccess): Promise<z.output<typeof Actor>> {
  const { publicId, name, image } = account;
  const [author] = await tx.db.select({ publicId, name, image }).from(account).where(eq(account.id, tx.user.accountId));
  if (author === undefined) throw notFound();
  return { ...author, memberPublicId };
}
