// Who sees a board (contract section 2, Boards): one rule, for TypeScript and for SQL.

import { type SQL, sql } from "drizzle-orm";
import { bigints } from "../db/client.js";
import { board } from "../db/schema/index.js";
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
export function seesBoardSql(role: SQL, visibility: SQL, isBoardMember: SQL): SQL {
  const byRole = Object.entries(HIDDEN)
    .filter(([, hidden]) => hidden.length < board.visibility.enumValues.length)
    .map(([name, hidden]) => {
      const isShown = hidden.length === 0 ? sql`true` : sql`${visibility} not in (${literals(hidden)})`;
      return sql`(${role} = ${literals([name])} and ${isShown})`;
    });
  return sql`(${isBoardMember} or ${sql.join(byRole, sql` or `)})`;
}

const onBoard = sql.raw("bm.member_id is not null");
const visibility = sql.raw("b.visibility");

/** Whether the caller `m`, whose place on the board `b` is `bm`, sees it: for statements that authorise and answer at once. */
export const callerSees = seesBoardSql(sql.raw("m.role"), visibility, onBoard);

/** A member whose role is known; `sees` are the boards that it sees, where they are known already (`lagging.ts`). */
export interface BoardReader {
  workspaceId: number;
  memberId: number;
  role: Role;
  sees?: readonly number[];
}

/** Whether a member, whose place on the board `b` is `bm`, sees it. */
export const isSeenBy = ({ role, sees }: Pick<BoardReader, "role" | "sees">): SQL =>
  sees === undefined ? seesBoardSql(sql`${role}::text`, visibility, onBoard) : sql`b.id = any(${bigints(sees)})`;

/** Selects columns of the boards `b` that a member sees. */
export const boardsSeenBy = (reader: BoardReader, columns: SQL): SQL => sql`
  select ${columns} from board b
  left join board_member bm
    on bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = ${reader.memberId}::bigint
  where b.workspace_id = ${reader.workspaceId}::bigint and ${isSeenBy(reader)}`;
