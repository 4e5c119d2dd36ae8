// Reads cards as boards show them: one flat row each, with the keys of its labels and members, which are resolved here.

import { and, eq, isNotNull, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { isOnBoard, memberPlaceOn, seesBoardSql } from "../../access/boardVisibility.js";
import { type BoardAccess, type Named, namedFields, shownNamed } from "../../access/guards.js";
import { type PersonRow, personFields } from "../../access/shownPeople.js";
import { byName } from "../../api/shapes.js";
import { oneOf, type Queries } from "../../db/client.js";
import { account, boardMember, card, cardLabel, cardMember, label, member } from "../../db/schema/index.js";
import { computed, jsonArray, orNull, type RowOf } from "../../db/selections.js";
import type { Value } from "../../db/statements.js";
import { CARD_FIELDS, cardValues, fieldColumns } from "./cardFields.js";
import type { CardSummary } from "./cardShapes.js";
import { countColumns, shownCounts } from "./ownParts.js";

type Summary = z.output<typeof CardSummary>;

/** The fields of a card on a board; `index` comes from the query that selects it. */
export const summaryFields = {
  cardId: card.id,
  publicId: card.publicId,
  ...fieldColumns(CARD_FIELDS),
  cardNumber: card.cardNumber,
  ...countColumns,
  commentCount: card.commentCount,
  /** Keys as PostgreSQL writes an array of them (`attachedKeys`). */
  labelIds: computed<string>(),
  memberIds: computed<string>(),
};

/** Selects the keys of a card's labels and members. */
export const attachedKeys = (workspaceId: Value<number>) => sql`
  array(select ${cardLabel.labelId} from ${cardLabel}
    where ${cardLabel.workspaceId} = ${workspaceId}::bigint and ${cardLabel.cardId} = ${card.id}) as "labelIds",
  array(select ${cardMember.memberId} from ${cardMember}
    where ${cardMember.workspaceId} = ${workspaceId}::bigint and ${cardMember.cardId} = ${card.id}) as "memberIds"`;

interface SummaryRow extends RowOf<typeof summaryFields> {
  index: number | null;
}

/** The keys in an array as PostgreSQL writes it. */
export const keysIn = (array: string): number[] => (array === "{}" ? [] : array.slice(1, -1).split(",").map(Number));

/** A person on a board; an assignee need not be a board member. */
export const boardPersonFields = { ...personFields, isBoardMember: isOnBoard };
export type BoardPersonRow = PersonRow & Pick<RowOf<typeof boardPersonFields>, "isBoardMember">;

/** The keys of a board. */
type BoardKey = Pick<BoardAccess, "workspaceId" | "boardId">;

/** The people of a workspace for whom a condition holds, with their place on a board. Sorted by when they joined. */
const peopleWhere = (
  db: Queries,
  { workspaceId, boardId }: BoardKey,
  condition: SQL | undefined,
): Promise<BoardPersonRow[]> =>
  db
    .select(boardPersonFields)
    .from(member)
    .leftJoin(account, eq(account.id, member.accountId))
    .leftJoin(boardMember, memberPlaceOn(workspaceId, boardId))
    .where(and(eq(member.workspaceId, workspaceId), condition))
    .orderBy(member.id);

/** The people on a board: its members, and other assignees of its cards. */
export const peopleOn = (db: Queries, board: BoardKey, assigned: Iterable<number>): Promise<BoardPersonRow[]> =>
  peopleWhere(db, board, or(isOnBoard, oneOf(member.id, [...assigned])));

/** The people who can be assigned on a board and mentioned there, as far as the caller sees them: a guest sees its members. */
export const assignablePeopleOn = (db: Queries, board: BoardAccess): Promise<BoardPersonRow[]> => {
  const sees = seesBoardSql(member.role, sql`${board.visibility}::text`, isOnBoard);
  return peopleWhere(db, board, and(isNotNull(member.accountId), board.role === "guest" ? isOnBoard : sees));
};

/** A person as cards show it. */
export type ShownPersonRow = Pick<PersonRow, "id" | "publicId" | "name" | "image">;

export const shownPerson = ({ publicId, name, image }: ShownPersonRow) => ({ publicId, name: name ?? "", image });

/** The labels or people of a card as they are shown, in the order in which they are given. */
function named<T extends { id: number }, Shown>(ids: string, among: readonly T[], shown: (one: T) => Shown): Shown[] {
  const wanted = keysIn(ids);
  return wanted.length === 0 ? [] : among.filter(({ id }) => wanted.includes(id)).map(shown);
}

/** A card as it is shown. */
export function summaryOf(row: SummaryRow, labels: readonly Named[], people: readonly ShownPersonRow[]): Summary {
  return {
    publicId: row.publicId,
    cardNumber: row.cardNumber,
    index: row.index,
    labels: named(row.labelIds, labels, shownNamed),
    members: named(row.memberIds, people, shownPerson),
    ...shownCounts(row),
    commentCount: row.commentCount,
    ...cardValues(row),
  };
}

/** The labels of a card as JSON; null where it has none. */
export const labelsOfCard = (workspaceId: Value<number>) => sql<Named[] | null>`(
  select ${jsonArray(namedFields(label))}
  from ${cardLabel} join ${label} on ${label.workspaceId} = ${cardLabel.workspaceId} and ${label.id} = ${cardLabel.labelId}
  where ${cardLabel.workspaceId} = ${workspaceId}::bigint and ${cardLabel.cardId} = ${card.id})`;

const personOnCard = { id: member.id, publicId: member.publicId, image: account.image };

/** The assignees of a card as JSON; null where it has none. */
export const peopleOfCard = (workspaceId: Value<number>) => sql<ShownPersonRow[] | null>`(
  select ${jsonArray({ ...personOnCard, ...orNull({ name: account.name }) }, member.id)}
  from ${cardMember}
  join ${member} on ${member.workspaceId} = ${cardMember.workspaceId} and ${member.id} = ${cardMember.memberId}
  left join ${account} on ${account.id} = ${member.accountId}
  where ${cardMember.workspaceId} = ${workspaceId}::bigint and ${cardMember.cardId} = ${card.id})`;

/** A card that was read with its labels and people. */
interface WholeRow extends SummaryRow {
  labels: Named[] | null;
  people: ShownPersonRow[] | null;
}

/** A card as it is shown, with the labels and people that were read with it. */
export const wholeSummaryOf = (row: WholeRow): Summary =>
  summaryOf(row, (row.labels ?? []).sort(byName), row.people ?? []);
