// Reads what a board consists of in one statement, and so in one state: the board with its labels, tags, people and lists, the
// place of each open card, and whole rows of those cards alone that are asked for.

import { type SQL, sql } from "drizzle-orm";
import { notFound } from "../api/errors.js";
import { byName } from "../api/shapes.js";
import { bigints, type Queries } from "../db/client.js";
import { type BoardPersonRow, type NamedRow, namedJson, type SummaryRow, summaryColumns } from "./cardSummaries.js";

/** A list; `keys` names its open cards in order, each as `id:revision`, joined by commas. */
export interface ListRow {
  id: number;
  publicId: string;
  name: string;
  keys: string;
}

/** An open card; its place is told by the keys of its list. */
export interface CardRow extends Omit<SummaryRow, "index"> {
  revision: number;
}

/** A board as `who` reads it. */
export interface BoardRows<Who> {
  who: Who;
  labels: NamedRow[];
  tags: NamedRow[];
  /** The board's members, and those assigned whom the question or a card that was read names. */
  people: BoardPersonRow[];
  lists: ListRow[];
  cards: CardRow[];
}

/** What is asked of a board. */
export interface Question {
  workspaceId: number;
  /** Selects the board and who reads it, with `boardId` and `isSeen`; nothing else is read where that is not true. */
  who: SQL;
  /** Which open cards `c` are read whole. */
  condition: SQL;
  /** Members who are assigned to the cards that are not. */
  assigned: readonly number[];
}

/**
 * The last event that a condition on the board of `e` allows. `max(e.seq)` may walk the primary key, past the events of all other
 * boards, since it is in the order asked for; in this order stands the index of a board's events alone. A condition of equality
 * would free the planner from ordering by the board.
 */
const lastEvent = (workspaceId: number, ofBoard: SQL) => sql`(
  select e.seq from event e where e.workspace_id = ${workspaceId}::bigint and ${ofBoard}
  order by e.board_public_id desc nulls first, e.seq desc limit 1)`;

/** The version of a board: the last event of the board or of the workspace itself, since each change to what it shows writes one. */
export const versionOf = (workspaceId: number, publicId: string) => sql`greatest(
  ${lastEvent(workspaceId, sql`e.board_public_id between ${publicId}::text and ${publicId}::text`)},
  ${lastEvent(workspaceId, sql`e.board_public_id is null`)})`;

/** Each table is bound to the workspace and the board by constants, at each level of the statement. */
const seenBoard = sql.raw(`(select "boardId" from who where "isSeen")`);

const statementOf = ({ workspaceId, who, condition, assigned }: Question) => sql`
  with who as materialized (${who}),
  chosen as materialized (
    select ${summaryColumns}, c.revision
    from card c
    where c.workspace_id = ${workspaceId}::bigint and c.board_id = ${seenBoard} and c.position is not null and ${condition}
  ), head as (
    select row_to_json(who) as who,
      (select json_agg(json_build_object('id', l.id, 'publicId', l.public_id, 'name', l.name, 'keys', coalesce((
          select string_agg(c.id || ':' || c.revision, ',' order by c.position)
          from card c
          where c.workspace_id = ${workspaceId}::bigint and c.list_id = l.id and c.position is not null), '')) order by l.position)
        from list l where l.workspace_id = ${workspaceId}::bigint and l.board_id = ${seenBoard}) as lists,
      (select json_agg(${namedJson("l")})
        from label l where l.workspace_id = ${workspaceId}::bigint and l.board_id = ${seenBoard}) as labels,
      (select json_agg(${namedJson("t")})
        from board_tag bt join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id
        where bt.workspace_id = ${workspaceId}::bigint and bt.board_id = ${seenBoard}) as tags,
      (select json_agg(json_build_object('id', p.id, 'publicId', p.public_id, 'name', a.name, 'image', a.image,
          'email', coalesce(a.email, p.invited_email), 'role', p.role, 'isActive', p.account_id is not null,
          'isBoardMember', bm.member_id is not null) order by p.id)
        from member p
        left join account a on a.id = p.account_id
        left join board_member bm
          on bm.workspace_id = ${workspaceId}::bigint and bm.board_id = ${seenBoard} and bm.member_id = p.id
        where p.workspace_id = ${workspaceId}::bigint and exists (select from who where "isSeen") and (
          bm.member_id is not null or p.id = any(${bigints(assigned)}) or p.id in (select unnest("memberIds") from chosen)
        )) as people
    from who
  )
  select head.*, chosen.* from head full join chosen on false`;

interface HeadRow<Who> {
  who: Who;
  labels: NamedRow[] | null;
  tags: NamedRow[] | null;
  people: BoardPersonRow[] | null;
  lists: ListRow[] | null;
}

/** The full join fills each row from one side: the head alone has a `who`. */
type FoundRow<Who> = HeadRow<Who> | (CardRow & { who: null });

const isHead = <Who>(row: FoundRow<Who>): row is HeadRow<Who> => row.who !== null;
const isCard = <Who>(row: FoundRow<Who>): row is CardRow & { who: null } => row.who === null;

/** Answers a question about a board; NOT_FOUND where it selects none. Labels and tags are sorted by name. */
export async function readBoardRows<Who>(db: Queries, question: Question): Promise<BoardRows<Who>> {
  const rows = await db.rows<FoundRow<Who>>(statementOf(question));
  const head = rows.find(isHead);
  if (head === undefined) throw notFound();
  return {
    who: head.who,
    labels: (head.labels ?? []).sort(byName),
    tags: (head.tags ?? []).sort(byName),
    people: head.people ?? [],
    lists: head.lists ?? [],
    cards: rows.filter(isCard),
  };
}
