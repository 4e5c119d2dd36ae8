// The visibility of boards (contract section 2, Boards): one rule, in TypeScript and in SQL.

import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { oneOf } from "../db/client.js";
import { board, boardMember, member } from "../db/schema/index.js";
import type { Role } from "./permissions.js";

/** The visibility of a board. */
export type Visibility = typeof board.$inferSelect.visibility;

/** The boards of a workspace that a role does not see, unless it is a member of the board itself. */
const HIDDEN: Record<Role, readonly Visibility[]> = {
  admin: [],
  member: ["private"],
  guest: ["workspace", "private", "public"],
};

/** Whether a board is visible to someone of a role in its workspace. */
export const seesBoard = (role: Role, visibility: Visibility, isBoardMember: boolean): boolean =>
  isBoardMember || !HIDDEN[role].includes(visibility);

/** Whether a role sees every board of its workspace. */
export const seesAllBoards = (role: Role): boolean => HIDDEN[role].length === 0;

const literals = (values: readonly string[]) => sql.raw(values.map((value) => `'${value}'`).join(", "));

/** `seesBoard` as a condition. */
export function seesBoardSql(role: SQLWrapper, visibility: SQLWrapper, isBoardMember: SQL): SQL<boolean> {
  const byRole = Object.entries(HIDDEN)
    .filter(([, hidden]) => hidden.length < board.visibility.enumValues.length)
    .map(([name, hidden]) => {
      const isShown = hidden.length === 0 ? sql`true` : sql`${visibility} not in (${literals(hidden)})`;
      return sql`(${role} = ${literals([name])} and ${isShown})`;
    });
  return sql<boolean>`(${isBoardMember} or ${sql.join(byRole, sql` or `)})`;
}

/** Joins the place of a member on a board of a workspace. */
export const memberPlaceOn = (workspaceId: number | PgColumn, boardId: number | PgColumn) =>
  and(eq(boardMember.workspaceId, workspaceId), eq(boardMember.boardId, boardId), eq(boardMember.memberId, member.id));

/** Whether the caller, whose place on the board was joined, is a member of the board. */
export const isOnBoard = sql<boolean>`${boardMember.memberId} is not null`;

/** Whether the caller, a member whose place on the board was joined, sees it: for statements that authorise and answer at once. */
export const callerSees = seesBoardSql(member.role, board.visibility, isOnBoard);

/** A member whose role is known; `sees` are the boards that it sees, where they are known already (`replicaReads.ts`). */
export interface BoardReader {
  workspaceId: number;
  memberId: number;
  role: Role;
  sees?: readonly number[];
}

/** Whether a member, whose place on the board was joined, sees it. */
export const isSeenBy = ({ role, sees }: Pick<BoardReader, "role" | "sees">): SQL<boolean> =>
  sees === undefined ? seesBoardSql(sql`${role}::text`, board.visibility, isOnBoard) : oneOf(board.id, sees);

/** Selects columns of the boards that a member sees. */
export const boardsSeenBy = (reader: BoardReader, columns: SQLWrapper): SQL => sql`
  select ${columns} from ${board}
  left join ${boardMember} on ${boardMember.workspaceId} = ${board.workspaceId} and ${boardMember.boardId} = ${board.id}
    and ${boardMember.memberId} = ${reader.memberId}::bigint
  where ${board.workspaceId} = ${reader.workspaceId}::bigint and ${isSeenBy(reader)}`;
