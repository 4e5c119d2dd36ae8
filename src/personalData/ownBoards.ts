// The boards that a person sees while an export is read. Each board is looked up for the row that names it: of a join PostgreSQL expects
// one board in a workspace, and would read them all.

import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { callerSees, memberPlaceOn } from "../access/boardVisibility.js";
import { board, boardMember, card, member, workspace } from "../db/schema/index.js";

/** A subquery as a field. Nested, because of a field itself the query builder would leave out the names of tables. */
export const subquery = <T>(select: SQL): SQL<T> => sql<T>`(${select})`;

/** The workspace of a row: its key where all rows are of one workspace, else the row's column. */
type WorkspaceKey = number | PgColumn;

/** The person whose data is exported. */
interface ExportedPerson {
  accountId: number;
}

/** The public identifier of a row's workspace. */
export const workspacePublicIdOf = (workspaceId: PgColumn) =>
  subquery<string>(sql`select ${workspace.publicId} from ${workspace} where ${workspace.id} = ${workspaceId}`);

/** Joins with a board the person's membership, and their place on the board. */
const placeOf = ({ accountId }: ExportedPerson) => sql`
  join ${member} on ${and(eq(member.workspaceId, board.workspaceId), eq(member.accountId, accountId))}
  left join ${boardMember} on ${memberPlaceOn(board.workspaceId, board.id)}`;

/** The public identifier of a board that a row names by its key; null where the person does not see it. */
export const seenBoard = (person: ExportedPerson, row: { workspaceId: WorkspaceKey; boardId: PgColumn }) =>
  subquery<string | null>(sql`
    select ${board.publicId} from ${board} ${placeOf(person)}
    where ${board.workspaceId} = ${row.workspaceId} and ${board.id} = ${row.boardId} and ${callerSees}`);

/** The public identifier of a board that a row names by that; null where the person does not see it. */
export const seenNamed = (person: ExportedPerson, row: { workspaceId: WorkspaceKey; boardPublicId: PgColumn }) =>
  subquery<string | null>(sql`
    select ${board.publicId} from ${board} ${placeOf(person)}
    where ${board.workspaceId} = ${row.workspaceId} and ${board.publicId} = ${row.boardPublicId} and ${callerSees}`);

const ofSeenCard = (column: PgColumn, person: ExportedPerson, row: { workspaceId: WorkspaceKey; cardId: PgColumn }) =>
  subquery<string | null>(sql`
    select ${column} from ${card}
    join ${board} on ${and(eq(board.workspaceId, card.workspaceId), eq(board.id, card.boardId))} ${placeOf(person)}
    where ${card.workspaceId} = ${row.workspaceId} and ${card.id} = ${row.cardId} and ${callerSees}`);

/** A card that a row names by its key, and its board, by public identifiers; both null where the person does not see them. */
export const seenWithBoard = (person: ExportedPerson, row: { workspaceId: WorkspaceKey; cardId: PgColumn }) => ({
  boardPublicId: ofSeenCard(board.publicId, person, row),
  cardPublicId: ofSeenCard(card.publicId, person, row),
});
