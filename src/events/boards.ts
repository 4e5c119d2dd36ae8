// Workspace events that concern boards as well: followers of a board receive events about its people and tags (capabilities section
// 0, Events). Such an event stores the boards that the person or tag was on when it was logged.

import { and, eq, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import type { Tx } from "../api/change.js";
import { board, boardMember, boardTag, card, cardMember, event } from "../db/schema/index.js";
import type { EventType } from "./eventShapes.js";
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

/** Whether an event is of the workspace and names one of the boards in an array of text. */
export const namesOneOf = (boardPublicIds: SQL) => sql`
  (${event.boardPublicId} is null and ${event.type} in (${sharedTypes}) and ${event.data} -> 'boardPublicIds' ?| ${boardPublicIds})`;
