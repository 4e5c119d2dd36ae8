// Workspace events that concern boards as well: followers of a board receive events about its people and tags (capabilities section
// 0, Events). Such an event stores the boards that the person or tag was on when it was logged.

import { and, eq, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import type { Tx } from "../api/change.js";
import { board, boardMember, boardTag, card, cardMember, event } from "../db/schema/index.js";
import type { Event, EventType } from "./eventShapes.js";
import { type NewEvent, workspaceEvent } from "./log.js";

const SHARED_TYPES = [
  "member.added",
  "member.updated",
  "member.role.changed",
  "member.removed",
  "tag.updated",
  "tag.deleted",
] as const satisfies EventType[];
type SharedType = (typeof SHARED_TYPES)[number];

/** A workspace event that followers of some boards receive as well. `data` contains no email address. */
export const sharedEvent = (type: SharedType, data: NewEvent["data"], boardPublicIds: readonly string[]): NewEvent =>
  // The key is removed again wherever an event is shown.
  workspaceEvent(type, { ...data, boardPublicIds });

type Reading = Pick<Tx, "db" | "workspaceId">;

async function boardsAmong({ db, workspaceId }: Reading, boardIds: SQLWrapper): Promise<string[]> {
  const rows = await db
    .select({ publicId: board.publicId })
    .from(board)
    .where(and(eq(board.workspaceId, workspaceId), inArray(board.id, boardIds)))
    .orderBy(board.id);
  return rows.map(({ publicId }) => publicId);
}

/** The boards that a person is a member of, or has cards on. Read it before the membership is removed. */
export const boardsOfMember = (tx: Reading, memberId: number): Promise<string[]> =>
  boardsAmong(
    tx,
    union(
      tx.db
        .select({ boardId: boardMember.boardId })
        .from(boardMember)
        .where(and(eq(boardMember.workspaceId, tx.workspaceId), eq(boardMember.memberId, memberId))),
      tx.db
        .select({ boardId: card.boardId })
        .from(cardMember)
        .innerJoin(card, and(eq(card.workspaceId, tx.workspaceId), eq(card.id, cardMember.cardId)))
        .where(and(eq(cardMember.workspaceId, tx.workspaceId), eq(cardMember.memberId, memberId))),
    ),
  );

/** The boards that have a tag. Read it before the tag is deleted. */
export const boardsOfTag = (tx: Reading, tagId: number): Promise<string[]> =>
  boardsAmong(
    tx,
    tx.db
      .select({ boardId: boardTag.boardId })
      .from(boardTag)
      .where(and(eq(boardTag.workspaceId, tx.workspaceId), eq(boardTag.tagId, tagId))),
  );

const isText = (value: unknown): value is string => typeof value === "string";

/** Removes the boards that a workspace event stores from its `data`. */
export function takeBoards({ boardPublicIds, ...data }: Record<string, unknown>) {
  return { data, boardPublicIds: Array.isArray(boardPublicIds) ? boardPublicIds.filter(isText) : [] };
}

const sharedTypes = sql.raw(SHARED_TYPES.map((type) => `'${type}'`).join(", "));

const ROLE_CHANGED = "member.role.changed" satisfies SharedType;

/** The member whose role an event changes, who gets it on every board, because it decides what they may do there; else null. */
export const memberOf = (event: Event): string | null =>
  event.type === ROLE_CHANGED ? event.data.memberPublicId : null;

/** Whether an event is of the workspace and concerns a board, for a reader who is a member of the workspace. */
export const concernsBoard = (boardPublicId: SQL, readersPublicId: SQL) => sql`
  (${event.boardPublicId} is null and ${event.type} in (${sharedTypes}) and (${event.data} -> 'boardPublicIds' ? ${boardPublicId}
    or ${event.type} = ${sql.raw(`'${ROLE_CHANGED}'`)} and ${event.data} ->> 'memberPublicId' = ${readersPublicId}))`;
