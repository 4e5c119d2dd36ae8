// Reads whole boards: for those who may see them, and public ones for anyone.

import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import {
  authoriseOnBoard,
  type BoardAccess,
  boardColumns,
  boardJoins,
  callerIn,
  callerSees,
  type Unchecked,
  type WorkspaceAccess,
  workspaceColumns,
} from "../access/guards.js";
import { lagging } from "../access/lagging.js";
import type { Context, Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { answering, Rendered } from "../api/rendered.js";
import { byName } from "../api/shapes.js";
import type { Queries } from "../db/client.js";
import { containing } from "../db/patterns.js";
import type { Reads } from "../db/replicas.js";
import { type PersonRow, readerKey, shownMember } from "../workspace/people.js";
import {
  type BoardPersonRow,
  type NamedRow,
  namedJson,
  type SummaryRow,
  shownLabel,
  summaryColumns,
  summaryOf,
} from "./cardSummaries.js";
import { Board, type PublicBoard } from "./shapes.js";

/** Which cards of a board to show; a filter by identifier that names nothing matches no card. */
export interface CardFilter {
  memberPublicId?: string | undefined;
  labelPublicId?: string | undefined;
  priority?: string | undefined;
  due?: "overdue" | "today" | "week" | "none" | undefined;
  search?: string | undefined;
}

const today = sql.raw("date_trunc('day', now())");

/** Due dates by UTC days; a week begins on the workspace's `week_start_day`. */
const dueConditions = {
  none: sql`c.due_date is null`,
  overdue: sql`c.due_date < now() and c.completed_at is null`,
  today: sql`c.due_date >= ${today} and c.due_date < ${today} + interval '1 day'`,
  week: sql`(
    select c.due_date >= s.start and c.due_date < s.start + interval '7 days'
    from (
      select ${today} - ((extract(dow from now())::int - w.week_start_day + 7) % 7) * interval '1 day' as start
      from workspace w where w.id = c.workspace_id
    ) s)`,
};

function conditionOf({ memberPublicId, labelPublicId, priority, due, search }: CardFilter): SQL {
  const conditions: SQL[] = [sql`true`];
  if (memberPublicId !== undefined) {
    conditions.push(sql`exists (select from card_member x join member m on m.workspace_id = x.workspace_id and m.id = x.member_id
      where x.workspace_id = c.workspace_id and x.card_id = c.id and m.public_id = ${memberPublicId}::text)`);
  }
  if (labelPublicId !== undefined) {
    conditions.push(sql`exists (select from card_label x join label l on l.workspace_id = x.workspace_id and l.id = x.label_id
      where x.workspace_id = c.workspace_id and x.card_id = c.id and l.public_id = ${labelPublicId}::text)`);
  }
  if (priority !== undefined) conditions.push(sql`c.priority = ${priority}::text`);
  if (due !== undefined) conditions.push(dueConditions[due]);
  if (search !== undefined) {
    conditions.push(
      sql`(c.title ilike ${containing(search)}::text or c.description ilike ${containing(search)}::text)`,
    );
  }
  return sql.join(conditions, sql` and `);
}

/** A card stands where it stands among all open cards of its list, whichever of them a filter leaves out. */
const numberedCards = (filter: CardFilter) =>
  isWhole(filter)
    ? sql`(select c.*, null::bigint as index from card c where c.position is not null)`
    : sql`(
      select c.*, row_number() over (partition by c.list_id order by c.position) - 1 as index
      from card c join wanted w on w."workspaceId" = c.workspace_id and w."boardId" = c.board_id
      where c.position is not null)`;

const isWhole = (filter: CardFilter) => Object.values(filter).every((value) => value === undefined);

/**
 * A board in one statement, and so in one state: first `who`, the board and who reads it, with its labels, tags and people as
 * JSON; then a row for each card, or for a list without any. Where `who` does not see the board, there is the first row alone.
 */
const boardInOne = (who: SQL, filter: CardFilter) => sql`
  with who as materialized (${who}),
  wanted as (select * from who where "isSeen"),
  shown as materialized (
    select l.id as "listId", l.public_id as "listPublicId", l.name as "listName", l.position as "listPosition", c.position, c.index,
      ${summaryColumns}
    from wanted w
    join list l on l.workspace_id = w."workspaceId" and l.board_id = w."boardId"
    left join ${numberedCards(filter)} c on c.workspace_id = l.workspace_id and c.list_id = l.id and ${conditionOf(filter)}
  ), head as (
    select row_to_json(who) as who,
      (select json_agg(${namedJson("l")})
        from wanted w join label l on l.workspace_id = w."workspaceId" and l.board_id = w."boardId") as labels,
      (select json_agg(${namedJson("t")})
        from wanted w
        join board_tag bt on bt.workspace_id = w."workspaceId" and bt.board_id = w."boardId"
        join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id) as tags,
      (select json_agg(json_build_object('id', p.id, 'publicId', p.public_id, 'name', a.name, 'image', a.image,
          'email', coalesce(a.email, p.invited_email), 'role', p.role, 'isActive', p.account_id is not null,
          'isBoardMember', bm.member_id is not null) order by p.id)
        from wanted w
        join member p on p.workspace_id = w."workspaceId"
        left join account a on a.id = p.account_id
        left join board_member bm on bm.workspace_id = p.workspace_id and bm.board_id = w."boardId" and bm.member_id = p.id
        where bm.member_id is not null or p.id in (select unnest("memberIds") from shown)) as people
    from who
  )
  select head.*, shown.* from head full join shown on false
  order by shown."listPosition" nulls first, shown.position`;

interface HeadRow<Who> {
  who: Who;
  labels: NamedRow[] | null;
  tags: NamedRow[] | null;
  people: BoardPersonRow[] | null;
}

interface ListRow extends SummaryRow {
  who: null;
  listId: number;
  listPublicId: string;
  listName: string;
  cardId: number;
}

interface EmptyListRow extends Omit<ListRow, "cardId"> {
  cardId: null;
}

type BoardRows<Who> = HeadRow<Who> | ListRow | EmptyListRow;

const isHead = <Who>(row: BoardRows<Who> | undefined): row is HeadRow<Who> => row !== undefined && row.who !== null;
const isOfList = <Who>(row: BoardRows<Who>): row is ListRow | EmptyListRow => row.who === null;

/** What a statement of `boardInOne` found: who reads what, and everything on the board; NOT_FOUND where there is none. */
async function readInOne<Who>(db: Queries, statement: SQL) {
  const rows = await db.rows<BoardRows<Who>>(statement);
  const [head] = rows;
  if (!isHead(head)) throw notFound();
  const labels = (head.labels ?? []).sort(byName);
  const tags = (head.tags ?? []).sort(byName);
  const people = head.people ?? [];
  const lists = listsFrom(rows.filter(isOfList), labels, people);
  return { who: head.who, labels: labels.map(shownLabel), tags: tags.map(shownLabel), people, lists };
}

/** The lists that rows tell of, which come in order. */
function listsFrom(
  rows: readonly (ListRow | EmptyListRow)[],
  labels: readonly NamedRow[],
  people: readonly PersonRow[],
) {
  const lists: z.output<typeof Board>["lists"] = [];
  for (const row of rows) {
    let list = lists.at(-1);
    if (list?.publicId !== row.listPublicId) {
      list = { publicId: row.listPublicId, name: row.listName, index: lists.length, cards: [] };
      lists.push(list);
    }
    if (row.cardId === null) continue;
    list.cards.push(summaryOf({ ...row, index: row.index ?? list.cards.length }, labels, people));
  }
  return lists;
}

interface BoardRow {
  workspaceId: number;
  boardId: number;
  publicId: string;
  name: string;
  slug: string;
  visibility: "workspace" | "private" | "public";
  archivedAt: string | null;
  workspacePublicId: string;
  workspaceName: string;
  workspaceSlug: string;
  cardPrefix: string;
  showEmailsToMembers: boolean;
}

const boardRow = sql.raw(`b.workspace_id as "workspaceId", b.id as "boardId", b.public_id as "publicId", b.name, b.slug,
  b.visibility, b.archived_at as "archivedAt", w.public_id as "workspacePublicId", w.name as "workspaceName",
  w.slug as "workspaceSlug", w.card_prefix as "cardPrefix", w.show_emails_to_members as "showEmailsToMembers"`);

/** A board as one caller reads it. `state` tells apart whatever makes its answers differ. */
interface ReadingRow extends Unchecked<BoardAccess>, Omit<BoardRow, keyof BoardAccess> {
  isFavourite: boolean;
  version: number;
  state: string;
}

/**
 * The caller on a board. Its version is the last event of the board or of the workspace itself: each change to what a board
 * shows writes one, but for the caller's own mark.
 */
const callerOn = (ctx: Signed, publicId: string) => sql`
  select r.*, concat_ws(' ', r.version, r."isFavourite", ${readerKey}) as state
  from (
    select ${boardColumns}, b.public_id as "publicId", b.name, b.slug, b.archived_at as "archivedAt",
      w.name as "workspaceName", w.slug as "workspaceSlug", w.card_prefix as "cardPrefix",
      w.show_emails_to_members as "showEmailsToMembers", f.account_id is not null as "isFavourite", ${callerSees} as "isSeen",
      greatest(
        (select max(e.seq) from event e where e.workspace_id = b.workspace_id and e.board_public_id = b.public_id),
        (select max(e.seq) from event e where e.workspace_id = b.workspace_id and e.board_public_id is null)) as version
    from board b ${boardJoins(ctx)}
    left join board_favourite f on f.workspace_id = b.workspace_id and f.board_id = b.id
      and f.account_id = ${ctx.user.accountId}::bigint
    where b.public_id = ${publicId}::text
  ) r`;

/** The whole board as it is kept for callers like this one, if a small statement tells that it is in that state still. */
async function keptBoard(ctx: Signed & Pick<Context, "boards">, publicId: string): Promise<Rendered | undefined> {
  const known = ctx.boards.of(publicId);
  if (known.size === 0) return undefined;
  const [row] = await ctx.db.rows<ReadingRow>(callerOn(ctx, publicId));
  const who = authoriseOnBoard<ReadingRow & BoardAccess>(ctx, row, "board:view");
  return known.get(who.state);
}

/** A board with its lists, cards, labels, members and tags, as the caller may see it; the whole board is kept for the next reader. */
export async function readBoard(
  ctx: Signed & Pick<Context, "boards">,
  publicId: string,
  filter: CardFilter,
): Promise<z.output<typeof Board>> {
  const same = isWhole(filter) ? await keptBoard(ctx, publicId) : undefined;
  if (same !== undefined) return answering<typeof Board>(same);
  const found = await readInOne<ReadingRow>(ctx.db, boardInOne(callerOn(ctx, publicId), filter));
  const who = authoriseOnBoard<ReadingRow & BoardAccess>(ctx, found.who, "board:view");
  const { lists, labels, tags, people } = found;
  const rendered = Rendered.as(Board, {
    ...shownBoard(who),
    isFavourite: who.isFavourite,
    tags,
    workspace: {
      publicId: who.workspacePublicId,
      name: who.workspaceName,
      slug: who.workspaceSlug,
      cardPrefix: who.cardPrefix,
    },
    labels,
    members: people.filter(({ isBoardMember }) => isBoardMember).map((person) => shownMember(person, who)),
    lists,
  });
  if (isWhole(filter)) ctx.boards.keep(publicId, who, rendered);
  return answering<typeof Board>(rendered);
}

const shownBoard = ({ publicId, name, slug, visibility, archivedAt }: ShownRow) => ({
  publicId,
  name,
  slug,
  visibility,
  isArchived: archivedAt !== null,
});

type ShownRow = Pick<BoardRow, "publicId" | "name" | "slug" | "visibility" | "archivedAt">;

/** A public board as anyone may read it; NOT_FOUND alike for one that is not public, archived or unknown. */
export async function readPublicBoard(db: Queries, publicId: string): Promise<z.output<typeof PublicBoard>> {
  const anyone = sql`
    select ${boardRow}, true as "isSeen" from board b join workspace w on w.id = b.workspace_id
    where b.public_id = ${publicId}::text and b.visibility = 'public' and b.archived_at is null`;
  const found = await readInOne<BoardRow>(db, boardInOne(anyone, {}));
  const { who, lists, labels, tags } = found;
  return {
    ...shownBoard(who),
    isFavourite: false,
    tags,
    workspace: { name: who.workspaceName },
    labels,
    members: [],
    lists: lists.map((list) => ({
      ...list,
      cards: list.cards.map((card) => ({ ...card, members: [], commentCount: 0 })),
    })),
  };
}

interface SummaryOfBoard extends Unchecked<WorkspaceAccess>, Omit<ShownRow, "publicId"> {
  /** Null where the caller sees no board, as are the fields of one. */
  publicId: string | null;
  isFavourite: boolean;
  openCards: number;
  tags: ReturnType<typeof shownLabel>[] | null;
}

type SeenBoard = SummaryOfBoard & { publicId: string };

/** Which boards of a workspace to list. */
export interface BoardFilter {
  archived: boolean;
  tagPublicId?: string | undefined;
  favourite?: boolean | undefined;
}

/** The boards of a workspace that the caller sees, by name. Their rows may come from a replica. */
export async function readBoards(ctx: Signed & { replica: Reads }, workspacePublicId: string, filter: BoardFilter) {
  const { replica, isAsked, sees, authorise } = await lagging(ctx, workspacePublicId);
  const rows = await replica.rows<SummaryOfBoard>(sql`
    select ${workspaceColumns}, b.public_id as "publicId", b.name, b.slug, b.visibility, b.archived_at as "archivedAt",
      b."isFavourite",
      (select coalesce(sum(l.open_cards), 0)::int from list l where l.workspace_id = b.workspace_id and l.board_id = b.id) as "openCards",
      (select json_agg(json_build_object('publicId', t.public_id, 'name', t.name, 'colourCode', t.colour_code))
        from board_tag bt join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id
        where bt.workspace_id = b.workspace_id and bt.board_id = b.id) as tags
    from workspace w ${callerIn(ctx)}
    left join lateral (
      select b.*, f.account_id is not null as "isFavourite"
      from board b
      left join board_member bm on bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = m.id
      left join board_favourite f on f.workspace_id = b.workspace_id and f.board_id = b.id and f.account_id = ${ctx.user.accountId}::bigint
      where b.workspace_id = w.id
        and (b.archived_at is not null) = ${filter.archived}::boolean
        and ${sees}
        and (${filter.favourite ?? null}::boolean is null or (f.account_id is not null) = ${filter.favourite ?? null}::boolean)
        and (${filter.tagPublicId ?? null}::text is null or exists (
          select from board_tag x join tag y on y.workspace_id = x.workspace_id and y.id = x.tag_id
          where x.workspace_id = b.workspace_id and x.board_id = b.id and y.public_id = ${filter.tagPublicId ?? null}::text))
    ) b on true
    where ${isAsked}`);
  authorise(rows[0]);
  return rows
    .filter((row): row is SeenBoard => row.publicId !== null)
    .map((row) => ({
      ...shownBoard(row),
      isFavourite: row.isFavourite,
      openCards: row.openCards,
      tags: (row.tags ?? []).sort(byName),
    }))
    .sort(byName);
}
