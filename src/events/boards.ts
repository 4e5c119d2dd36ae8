// Events of a workspace that concern boards as well: whoever follows a board is told of the people and tags on it (capabilities
// section 0, Events). Such an event names the boards that the person or tag was on when it was logged.

import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../api/change.js";
import { type EventType, type NewEvent, workspaceEvent } from "./log.js";

const SHARED_TYPES = [
  "member.added",
  "member.updated",
  "member.role.changed",
  "member.removed",
  "tag.updated",
  "tag.deleted",
] as const satisfies EventType[];
type SharedType = (typeof SHARED_TYPES)[number];

/** An event of the workspace that whoever follows one of some boards is told of as well. `data` holds no address. */
export const sharedEvent = (type: SharedType, data: NewEvent["data"], boardPublicIds: readonly string[]): NewEvent =>
  // The key is taken out again wherever an event is shown.
  workspaceEvent(type, { ...data, boardPublicIds });

type Reading = Pick<Tx, "db" | "workspaceId">;

async function boardsWhere({ db, workspaceId }: Reading, isOn: SQL): Promise<string[]> {
  const rows = await db.rows<{ publicId: string }>(sql`
    select public_id as "publicId" from board where workspace_id = ${workspaceId}::bigint and id in (${isOn}) order by id`);
  return rows.map(({ publicId }) => publicId);
}

/** The boards that a person is a member of, or has cards on. Read it before the membership is removed. */
export const boardsOfMember = (tx: Reading, memberId: number): Promise<string[]> =>
  boardsWhere(
    tx,
    sql`
      select board_id from board_member
      where workspace_id = ${tx.workspaceId}::bigint and member_id = ${memberId}::bigint
      union
      select c.board_id from card_member x
      join card c on c.workspace_id = ${tx.workspaceId}::bigint and c.id = x.card_id
      where x.workspace_id = ${tx.workspaceId}::bigint and x.member_id = ${memberId}::bigint`,
  );

/** The boards that have a tag. Read it before the tag is deleted. */
export const boardsOfTag = (tx: Reading, tagId: number): Promise<string[]> =>
  boardsWhere(
    tx,
    sql`select board_id from board_tag where workspace_id = ${tx.workspaceId}::bigint and tag_id = ${tagId}::bigint`,
  );

const isText = (value: unknown): value is string => typeof value === "string";

/** Takes out of `data` the boards that an event of the workspace names. */
export function takeBoards({ boardPublicIds, ...data }: Record<string, unknown>) {
  return { data, boardPublicIds: Array.isArray(boardPublicIds) ? boardPublicIds.filter(isText) : [] };
}

/** Whether a row of `event` is of the workspace and names one of the boards in an array of text. */
export const namesOneOf = (boardPublicIds: SQL) => sql`
  (board_public_id is null and type in (${sql.raw(SHARED_TYPES.map((type) => `'${type}'`).join(", "))})
    and data -> 'boardPublicIds' ?| ${boardPublicIds})`;
