// A person's own work in workspaces. Other people and things appear only by identifier, and only on boards that the person sees when
// the page is read.

import { and, asc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { CARD_FIELDS, type CardField, fieldColumns } from "../card/model/cardFields.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { card, cardMember, comment, event, notification } from "../db/schema/index.js";
import { membershipPages, type OwnMembership } from "./ownAccount.js";
import { seenBoard, seenNamed, seenWithBoard, subquery, workspacePublicIdOf } from "./ownBoards.js";
import { pagesFrom, type ReadPage, type Source } from "./pages.js";

/** A row of a workspace by its key there, and what is shown of it if the person sees its board. */
interface Row {
  id: number;
  isSeen: boolean;
  fields: object;
}

/** The pages of something in each workspace of a person, one workspace after the other. */
async function* inEachWorkspace(
  source: Source,
  readIn: (within: OwnMembership) => ReadPage<Row>,
): AsyncGenerator<object[]> {
  for await (const memberships of membershipPages(source)) {
    for (const within of memberships) {
      const { workspacePublicId } = within;
      for await (const page of pagesFrom(source, readIn(within)))
        yield page.flatMap(({ isSeen, fields }) => (isSeen ? { workspacePublicId, ...fields } : []));
    }
  }
}

const isThere = (identifier: SQL) => sql<boolean>`${identifier} is not null`;

/** Whether the log names the person as the last who edited what a condition selects; null where it names nobody. */
const lastEditIsOwn = ({ accountId }: Source, isEdit: SQL) =>
  subquery<boolean | null>(sql`
    select ${event.actorId} is not distinct from ${accountId}::bigint from ${event}
    where ${isEdit} order by ${event.seq} desc limit 1`);

/** A text of a card that the person made, unless somebody else has replaced it. */
function ownText(source: Source, workspaceId: number, field: CardField): SQL {
  const isEdit = sql`${event.workspaceId} = ${workspaceId}::bigint and ${event.cardPublicId} = ${card.publicId}
    and ${event.type} = 'card.updated' and ${event.data} -> 'changes' -> ${sql.raw(`'${field}'`)} is not null`;
  return sql`case when coalesce(${lastEditIsOwn(source, isEdit)}, true) then ${card[field]} end`;
}

/** Whether people write a field freely, rather than choose one of its values. */
const isText = (field: CardField) => card[field].getSQLType() === "text" && !card[field].enumValues?.length;

/** The fields of a card that the person made, without the texts of others. */
const ownFields = (source: Source, workspaceId: number) => ({
  ...fieldColumns(CARD_FIELDS),
  ...Object.fromEntries(CARD_FIELDS.filter(isText).map((field) => [field, ownText(source, workspaceId, field)])),
});

/** The cards that a person made, on boards that they see. */
export const cardsOf = (source: Source) =>
  inEachWorkspace(source, ({ workspaceId }) => (last, limit) => {
    const boardPublicId = seenBoard(source, { workspaceId, boardId: card.boardId });
    return source.db
      .select({
        id: card.id,
        isSeen: isThere(boardPublicId),
        fields: {
          boardPublicId,
          publicId: card.publicId,
          cardNumber: card.cardNumber,
          ...ownFields(source, workspaceId),
          archivedAt: card.archivedAt,
          createdAt: card.createdAt,
        },
      })
      .from(card)
      .where(and(eq(card.workspaceId, workspaceId), eq(card.createdBy, source.accountId), gt(card.id, last?.id ?? 0)))
      .orderBy(asc(card.id))
      .limit(limit);
  });

/** The cards that a person is assigned to, on boards that they see. */
export const assignmentsOf = (source: Source) =>
  inEachWorkspace(source, ({ workspaceId, memberId }) => (last, limit) => {
    const fields = seenWithBoard(source, { workspaceId, cardId: cardMember.cardId });
    return source.db
      .select({ id: cardMember.cardId, isSeen: isThere(fields.cardPublicId), fields })
      .from(cardMember)
      .where(
        and(
          eq(cardMember.workspaceId, workspaceId),
          eq(cardMember.memberId, memberId),
          gt(cardMember.cardId, last?.id ?? 0),
        ),
      )
      .orderBy(asc(cardMember.cardId))
      .limit(limit);
  });

/** The acts of a person: the events of workspaces themselves, and of boards that they see. */
export const activitiesOf = (source: Source) =>
  inEachWorkspace(
    source,
    ({ workspaceId }) =>
      (last, limit) =>
        source.db
          .select({
            id: event.seq,
            isSeen: sql<boolean>`${event.boardPublicId} is null or ${isThere(seenNamed(source, { workspaceId, boardPublicId: event.boardPublicId }))}`,
            fields: {
              id: event.seq,
              type: event.type,
              boardPublicId: event.boardPublicId,
              cardPublicId: event.cardPublicId,
              operationPublicId: event.operationPublicId,
              requestKey: event.requestKey,
              origin: event.origin,
              createdAt: event.createdAt,
            },
          })
          .from(event)
          .where(
            and(eq(event.workspaceId, workspaceId), eq(event.actorId, source.accountId), gt(event.seq, last?.id ?? 0)),
          )
          .orderBy(asc(event.seq))
          .limit(limit),
  );

/** The event of an edit of a comment. */
const isEditOfComment = sql`${event.workspaceId} = ${comment.workspaceId} and ${event.cardPublicId} = (
    select ${card.publicId} from ${card}
    where ${card.workspaceId} = ${comment.workspaceId} and ${card.id} = ${comment.cardId})
  and ${event.type} = 'comment.updated' and ${event.data} ->> 'commentPublicId' = ${comment.publicId}`;

/** The comments that a person wrote. On a board that they do not see, one that another person may have edited has no text. */
export async function* commentsOf(source: Source) {
  const { db, accountId } = source;
  const { workspaceId, id } = comment;
  const { cardPublicId } = seenWithBoard(source, comment);
  const isOwnText = sql`${comment.editedAt} is null or coalesce(${lastEditIsOwn(source, isEditOfComment)}, ${isThere(cardPublicId)})`;
  const pages = pagesFrom<{ workspaceId: number; id: number; fields: object }>(source, (last, limit) =>
    db
      .select({
        workspaceId,
        id,
        fields: {
          workspacePublicId: workspacePublicIdOf(workspaceId),
          cardPublicId,
          publicId: comment.publicId,
          comment: sql<string | null>`case when ${isOwnText} then ${comment.comment} end`,
          createdAt: comment.createdAt,
          editedAt: comment.editedAt,
        },
      })
      .from(comment)
      .where(
        and(
          acrossWorkspaces("what an account wrote", eq(comment.authorId, accountId)),
          isNull(comment.importedName),
          last === null ? undefined : sql`(${workspaceId}, ${id}) > (${last.workspaceId}, ${last.id})`,
        ),
      )
      .orderBy(asc(workspaceId), asc(id))
      .limit(limit),
  );
  for await (const page of pages) yield page.map(({ fields }) => fields);
}

/** The notifications of a person, without their actors. */
export async function* notificationsOf(source: Source) {
  const { db, accountId } = source;
  const { workspaceId, id, createdAt } = notification;
  const { cardPublicId } = seenWithBoard(source, notification);
  const pages = pagesFrom<{ workspaceId: number; id: number; createdAt: string; fields: object }>(
    source,
    (last, limit) =>
      db
        .select({
          workspaceId,
          id,
          createdAt,
          fields: {
            workspacePublicId: workspacePublicIdOf(workspaceId),
            cardPublicId,
            publicId: notification.publicId,
            type: notification.type,
            createdAt,
            readAt: notification.readAt,
          },
        })
        .from(notification)
        .where(
          and(
            acrossWorkspaces("notifications of an account", eq(notification.accountId, accountId)),
            last === null
              ? undefined
              : sql`(${createdAt}, ${id}, ${workspaceId}) > (${last.createdAt}::timestamptz, ${last.id}, ${last.workspaceId})`,
          ),
        )
        .orderBy(asc(createdAt), asc(id), asc(workspaceId))
        .limit(limit),
  );
  for await (const page of pages) yield page.map(({ fields }) => fields);
}
