// Lists the boards of a workspace that the caller sees, without their content.

import { type SQL, sql } from "drizzle-orm";
import { callerSees, memberPlaceOn } from "../access/boardVisibility.js";
import { accessFields } from "../access/guards.js";
import { callerIn, callerKey, isThatWorkspace, type Lookup, lookup } from "../access/lookups.js";
import { answerOnReplica, type ReplicaAnswer } from "../access/replicaReads.js";
import type { Signed } from "../api/context.js";
import { byName } from "../api/shapes.js";
import type { Reads } from "../db/replicas.js";
import { board, boardFavourite, boardMember, boardTag, list, tag, workspace } from "../db/schema/index.js";
import { computed, jsonArray, orNull, type RowOf, selection } from "../db/selections.js";
import type { Value } from "../db/statements.js";
import { ownFavourite, type ShownRow, shownBoard, shownFields } from "./wholeBoards.js";

/** The fields of a tag of a board in a list. */
export const tagFields = { publicId: tag.publicId, name: tag.name, colourCode: tag.colourCode };

/** A board of a list with the caller's place in the workspace; all of the board is null where the caller sees none. */
const listedBoard = selection({
  ...accessFields,
  ...orNull(shownFields),
  isFavourite: sql<boolean>`${board}."isFavourite"`,
  openCards: computed<number>(),
  tags: computed<RowOf<typeof tagFields>[] | null>(),
});

const isBoard = <Row extends { publicId: string | null }>(row: Row): row is Row & ShownRow => row.publicId !== null;

interface FilterOf<Tag> {
  archived: boolean;
  tagPublicId?: Tag | undefined;
  favourite?: boolean | undefined;
}

/** The boards of a workspace to list. */
type BoardFilter = FilterOf<string>;

// The parts of a list's statement, each written once; `openCardsOn` and `tagsOf` end with a column that the workspace's key is compared with. In a lateral
// or correlated subquery, Citus does not infer the workspace of a table from that of another one: each names its workspace.
const listing = sql`select ${listedBoard}`;
export const openCardsOn = sql`
  select coalesce(sum(${list.openCards}), 0)::int from ${list}
  where ${list.boardId} = ${board.id} and ${list.workspaceId}`;
export const tagsOf = sql`
  select ${jsonArray(tagFields)}
  from ${boardTag} join ${tag} on ${tag.workspaceId} = ${boardTag.workspaceId} and ${tag.id} = ${boardTag.tagId}
  where ${boardTag.boardId} = ${board.id} and ${boardTag.workspaceId}`;
const markedBoards = sql`
  select ${board}.*, ${boardFavourite.accountId} is not null as "isFavourite"
  from ${board}
  left join ${boardMember} on ${memberPlaceOn(board.workspaceId, board.id)}
  ${ownFavourite}`;
const isArchived = {
  true: sql`${board.archivedAt} is not null`,
  false: sql`${board.archivedAt} is null`,
};
const isMarked = {
  true: sql`${boardFavourite.accountId} is not null`,
  false: sql`${boardFavourite.accountId} is null`,
};

/** Whether a board has a tag. */
const hasTag = (workspaceKey: SQL, publicId: Value<string>) => sql`exists (
  select from ${boardTag} join ${tag} on ${tag.workspaceId} = ${boardTag.workspaceId} and ${tag.id} = ${boardTag.tagId}
  where ${boardTag.workspaceId} = ${workspaceKey} and ${boardTag.boardId} = ${board.id}
    and ${tag.publicId} = ${publicId}::text)`;

/** The conditions of a filter on a board, and on the caller's mark on it. */
const isChosen = (workspaceKey: SQL, { archived, favourite, tagPublicId }: FilterOf<Value<string>>): SQL =>
  sql`${isArchived[`${archived}`]}
    ${favourite === undefined ? sql`` : sql`and ${isMarked[`${favourite}`]}`}
    ${tagPublicId === undefined ? sql`` : sql`and ${hasTag(workspaceKey, tagPublicId)}`}`;

/** The workspace whose boards are listed, and the condition on those that the caller sees. */
interface Place extends Pick<ReplicaAnswer, "isAsked" | "sees"> {
  workspaceId: Value<number>;
}

/** The boards of a workspace that the caller sees, with the caller's place there. */
function seenBoards(caller: SQL, { workspaceId, isAsked, sees }: Place, filter: FilterOf<Value<string>>): SQL {
  const key = sql`${workspaceId}::bigint`;
  return sql`
    ${listing}, (${openCardsOn} = ${key}) as "openCards", (${tagsOf} = ${key}) as tags
    from ${workspace} ${callerIn(caller)}
    left join lateral (
      ${markedBoards}
      where ${board.workspaceId} = ${key} and ${sees} and ${isChosen(key, filter)}
    ) ${board} on true
    where ${isAsked}`;
}

const lookups = new Map<string, Lookup>();

/** `seenBoards` on the primary, which authorises the caller in the same statement; its text is built once per kind of filter. */
function boardLookup({ archived, favourite, tagPublicId }: BoardFilter): Lookup {
  const kind = [archived, favourite, tagPublicId !== undefined].join();
  const known = lookups.get(kind);
  if (known !== undefined) return known;
  const filter = { archived, favourite, tagPublicId: tagPublicId && sql.placeholder("tagPublicId") };
  const statement = lookup((caller, named) =>
    seenBoards(caller, { ...named, isAsked: isThatWorkspace(named), sees: callerSees }, filter),
  );
  lookups.set(kind, statement);
  return statement;
}

/** The boards of a workspace that the caller sees, by name. Their rows may come from a replica. */
export async function readBoards(ctx: Signed & { replica: Reads }, workspacePublicId: string, filter: BoardFilter) {
  const reading = await answerOnReplica(ctx, workspacePublicId);
  const statement =
    reading.replica === ctx.db
      ? boardLookup(filter)(ctx, workspacePublicId, { tagPublicId: filter.tagPublicId ?? null })
      : seenBoards(callerKey(ctx), reading, filter);
  const rows = await reading.replica.read(listedBoard, statement);
  reading.authorise(rows[0]);
  return rows
    .filter(isBoard)
    .map((row) => ({
      isFavourite: row.isFavourite,
      openCards: row.openCards,
      tags: (row.tags ?? []).sort(byName),
      ...shownBoard(row),
    }))
    .sort(byName);
}
