// Reads the content of a board in one statement, and therefore in one consistent state: the board with its labels, tags, people and
// lists, the position of each open card, and complete rows only of the requested cards.

import { type SQL, sql } from "drizzle-orm";
import { isOnBoard } from "../access/boardVisibility.js";
import { type Named, namedFields } from "../access/guards.js";
import type { Target } from "../access/lookups.js";
import { notFound } from "../api/errors.js";
import { byName } from "../api/shapes.js";
import { attachedKeys, type BoardPersonRow, boardPersonFields, summaryFields } from "../card/model/cardSummaries.js";
import type { Queries } from "../db/client.js";
import {
  account,
  boardMember,
  boardTag,
  card,
  event,
  label,
  list,
  member,
  tag,
  workspaceCounter,
} from "../db/schema/index.js";
import { computed, jsonArray, orNull, type RowOf, type Selection, selection } from "../db/selections.js";
import type { Statement, Value } from "../db/statements.js";

/** A board as `who` sees it. */
export interface BoardRows<Who> {
  who: Who;
  labels: Named[];
  tags: Named[];
  /** The members of the board, and the assignees that the question or a complete card row names. */
  people: BoardPersonRow[];
  lists: ListRow[];
  cards: CardRow[];
  /** The keys of the open cards that match the filter, joined by commas; null if none does, or none was asked for. */
  matching: string | null;
}

/** The parts of a board to read. */
interface Question {
  workspaceId: Value<number>;
  /** Selects the board and its reader, with `boardId` and `isSeen`; if that is false, nothing else is read. */
  who: SQL;
  /** The open cards that changed after this version are read whole. */
  since: Value<number>;
  /** The keys of members who are assigned to the other cards, as an array of PostgreSQL. */
  assigned: Value<string>;
  /** The open cards that match; null if all do. */
  filter: SQL | null;
}

/** The places of a question whose text is built once. */
export const ASKED = { since: sql.placeholder("since"), assigned: sql.placeholder("assigned") };

/**
 * The parts of `versionOf`: the last event that a condition on its board allows. `max(seq)` may walk the primary key, past the events
 * of all other boards, since it is in the order asked for; in this order stands the index of a board's events alone. A condition of
 * equality would free the planner from ordering by the board.
 */
const lastOf = sql`select ${event.seq} from ${event} where ${event.workspaceId}`;
const inOrder = sql`order by ${event.boardPublicId} desc nulls first, ${event.seq} desc limit 1`;
const ofBoard = sql`${event.boardPublicId} between`;
const ofNoBoard = sql`${event.boardPublicId} is null`;
const forgotten = sql`select ${workspaceCounter.forgottenSeq} from ${workspaceCounter} where ${workspaceCounter.workspaceId}`;

/**
 * The version of a board: the last event of the board or of the workspace itself, because every change that it shows logs one. Where
 * all of them were forgotten, the number up to which events were, so that a version never comes again.
 */
export const versionOf = ({ workspaceId, publicId }: Target) => sql`coalesce(greatest(
  (${lastOf} = ${workspaceId}::bigint and ${ofBoard} ${publicId}::text and ${publicId}::text ${inOrder}),
  (${lastOf} = ${workspaceId}::bigint and ${ofNoBoard} ${inOrder})), (${forgotten} = ${workspaceId}::bigint))`;

/** Every table is bound to the workspace and the board by constants, at each level of the statement. */
const seenBoard = sql.raw(`(select "boardId" from who where "isSeen")`);

const listFields = (workspaceId: Value<number>) => ({
  id: list.id,
  publicId: list.publicId,
  name: list.name,
  keys: sql<string>`coalesce((
    select string_agg(${card.id} || ':' || ${card.revision}, ',' order by ${card.position}) from ${card}
    where ${card.workspaceId} = ${workspaceId}::bigint and ${card.listId} = ${list.id} and ${card.position} is not null), '')`,
});

/** A list; `keys` names its open cards in order, each as `id:revision`, joined by commas. */
export type ListRow = RowOf<ReturnType<typeof listFields>>;

const labelsJson = jsonArray(namedFields(label));
const tagsJson = jsonArray(namedFields(tag));
const peopleJson = jsonArray({ ...boardPersonFields, ...orNull({ name: account.name }) }, member.id);

const cardFields = { ...summaryFields, revision: card.revision };
const wholeCard = selection(cardFields);

/** An open card; the keys of its list define its position. */
export type CardRow = RowOf<typeof cardFields>;

const isOpenOn = (workspaceId: Value<number>) =>
  sql`${card.workspaceId} = ${workspaceId}::bigint and ${card.boardId} = ${seenBoard} and ${card.position} is not null`;

const noKeys = sql`null::text`;
const matchingKeys = (workspaceId: Value<number>, filter: SQL) => sql`(
  select string_agg(${card.id}::text, ',') from ${card} where ${isOpenOn(workspaceId)} and ${filter})`;

/** The statement that reads the parts of a board. */
export const boardStatement = ({ workspaceId, who, since, assigned, filter }: Question) => sql`
  with who as materialized (${who}),
  chosen as materialized (
    select ${wholeCard}, ${attachedKeys(workspaceId)} from ${card} where ${isOpenOn(workspaceId)} and ${card.revision} > ${since}::bigint
  ), head as (
    select row_to_json(who) as who,
      (select ${jsonArray(listFields(workspaceId), list.position)}
        from ${list} where ${list.workspaceId} = ${workspaceId}::bigint and ${list.boardId} = ${seenBoard}) as lists,
      (select ${labelsJson}
        from ${label} where ${label.workspaceId} = ${workspaceId}::bigint and ${label.boardId} = ${seenBoard}) as labels,
      (select ${tagsJson}
        from ${boardTag} join ${tag} on ${tag.workspaceId} = ${boardTag.workspaceId} and ${tag.id} = ${boardTag.tagId}
        where ${boardTag.workspaceId} = ${workspaceId}::bigint and ${boardTag.boardId} = ${seenBoard}) as tags,
      (select ${peopleJson}
        from ${member}
        left join ${account} on ${account.id} = ${member.accountId}
        left join ${boardMember} on ${boardMember.workspaceId} = ${workspaceId}::bigint
          and ${boardMember.boardId} = ${seenBoard} and ${boardMember.memberId} = ${member.id}
        where ${member.workspaceId} = ${workspaceId}::bigint and exists (select from who where "isSeen") and (
          ${isOnBoard} or ${member.id} = any(${assigned}::text::bigint[]) or ${member.id} in (select unnest("memberIds") from chosen)
        )) as people,
      ${filter === null ? noKeys : matchingKeys(workspaceId, filter)} as matching
    from who
  )
  select head.*, chosen.* from head full join chosen on false`;

/** The full join fills each row from one side: only the head has a `who`. */
const boardRow = selection({
  ...orNull({
    who: computed<object>(),
    labels: computed<Named[] | null>(),
    tags: computed<Named[] | null>(),
    people: computed<BoardPersonRow[] | null>(),
    lists: computed<ListRow[] | null>(),
    matching: computed<string | null>(),
  }),
  ...orNull(cardFields),
});

const isCard = <Row extends { cardId: number | null }>(row: Row): row is Row & CardRow => row.cardId !== null;

/**
 * Reads the parts of a board by a `boardStatement`, which selects `reader` of the board and its reader. Labels and tags are sorted by
 * name. @throws NOT_FOUND if no board is selected.
 */
export async function readBoardRows<Who>(
  db: Queries,
  reader: Selection<Who>,
  statement: Statement,
): Promise<BoardRows<Who>> {
  const rows = await db.read(boardRow, statement);
  const head = rows.find(({ who }) => who !== null);
  const [who] = reader.decode(head === undefined ? [] : [head.who]);
  if (head === undefined || who === undefined) throw notFound();
  return {
    who,
    labels: (head.labels ?? []).sort(byName),
    tags: (head.tags ?? []).sort(byName),
    people: head.people ?? [],
    lists: head.lists ?? [],
    cards: rows.filter(isCard),
    matching: head.matching,
  };
}
