// Reads whole boards: for those who may see them, and public ones for anyone.

import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { type BoardAccess, boardFor, isSeenBy } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { byName } from "../api/shapes.js";
import type { Queries } from "../db/client.js";
import { containing } from "../db/patterns.js";
import { type PersonRow, shownMember } from "../workspace/people.js";
import {
  type CardParts,
  collect,
  labelsOf,
  type NamedRow,
  peopleOn,
  type SummaryRow,
  shownLabel,
  summaryColumns,
  summaryJoins,
  summaryOf,
} from "./cardSummaries.js";
import type { Board, PublicBoard } from "./shapes.js";

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

interface ListRow extends Omit<SummaryRow, "cardId"> {
  listId: number;
  listPublicId: string;
  listName: string;
  cardId: number | null;
}

interface ListParts {
  publicId: string;
  name: string;
  cards: CardParts[];
}

const isCard = (row: ListRow): row is ListRow & SummaryRow => row.cardId !== null;

async function listsOf(db: Queries, { workspaceId, boardId }: BoardKeys, filter: CardFilter): Promise<ListParts[]> {
  const rows = await db.rows<ListRow>(sql`
    select l.id as "listId", l.public_id as "listPublicId", l.name as "listName", c.index, ${summaryColumns}
    from list l
    left join (
      select c.*, row_number() over (partition by c.list_id order by c.position) - 1 as index
      from card c
      where c.workspace_id = ${workspaceId}::bigint and c.board_id = ${boardId}::bigint and c.position is not null
    ) c on c.list_id = l.id and ${conditionOf(filter)}
    ${summaryJoins}
    where l.workspace_id = ${workspaceId}::bigint and l.board_id = ${boardId}::bigint
    order by l.position, c.position`);
  const lists: (ListParts & { id: number })[] = [];
  for (const row of rows) {
    let list = lists.at(-1);
    if (list?.id !== row.listId) {
      list = { id: row.listId, publicId: row.listPublicId, name: row.listName, cards: [] };
      lists.push(list);
    }
    if (isCard(row)) collect(list.cards, row);
  }
  return lists;
}

interface BoardKeys {
  workspaceId: number;
  boardId: number;
}

interface BoardRow extends BoardKeys {
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

const tagsOf = (db: Queries, { workspaceId, boardId }: BoardKeys) =>
  db.rows<NamedRow>(sql`
    select t.id, t.public_id as "publicId", t.name, t.colour_code as "colourCode"
    from board_tag bt join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id
    where bt.workspace_id = ${workspaceId}::bigint and bt.board_id = ${boardId}::bigint`);

/** Everything on a board but who it is for. The cards come first, so that what they name is found afterwards. */
async function partsOf(db: Queries, board: BoardKeys, filter: CardFilter) {
  const lists = await listsOf(db, board, filter);
  const assigned = new Set(lists.flatMap(({ cards }) => cards.flatMap(({ memberIds }) => [...memberIds])));
  const [labels, tags, people] = await Promise.all([
    labelsOf(db, board.workspaceId, board.boardId),
    tagsOf(db, board),
    peopleOn(db, board.workspaceId, board.boardId, assigned),
  ]);
  return { lists, labels, tags: tags.sort(byName), people };
}

const shownLists = (lists: ListParts[], labels: NamedRow[], people: PersonRow[]) =>
  lists.map(({ publicId, name, cards }, index) => ({
    publicId,
    name,
    index,
    cards: cards.map((card) => summaryOf(card, labels, people)),
  }));

/** A board with its lists, cards, labels, members and tags, as the caller may see it. */
export async function readBoard(ctx: Signed, publicId: string, filter: CardFilter): Promise<z.output<typeof Board>> {
  const access = await boardFor(ctx, publicId, "board:view");
  const [board] = await ctx.db.rows<BoardRow & { isFavourite: boolean }>(sql`
    select ${boardRow}, f.account_id is not null as "isFavourite"
    from board b
    join workspace w on w.id = b.workspace_id
    left join board_favourite f on f.workspace_id = b.workspace_id and f.board_id = b.id
      and f.account_id = ${ctx.user.accountId}::bigint
    where b.workspace_id = ${access.workspaceId}::bigint and b.id = ${access.boardId}::bigint`);
  if (board === undefined) throw notFound();
  const { lists, labels, tags, people } = await partsOf(ctx.db, board, filter);
  const reader = { ...access, showEmailsToMembers: board.showEmailsToMembers };
  return {
    ...shownBoard(board),
    isFavourite: board.isFavourite,
    tags: tags.map(shownLabel),
    workspace: {
      publicId: board.workspacePublicId,
      name: board.workspaceName,
      slug: board.workspaceSlug,
      cardPrefix: board.cardPrefix,
    },
    labels: labels.map(shownLabel),
    members: people.filter(({ isBoardMember }) => isBoardMember).map((person) => shownMember(person, reader)),
    lists: shownLists(lists, labels, people),
  };
}

const shownBoard = ({ publicId, name, slug, visibility, archivedAt }: BoardRow) => ({
  publicId,
  name,
  slug,
  visibility,
  isArchived: archivedAt !== null,
});

/** A public board as anyone may read it; NOT_FOUND alike for one that is not public, archived or unknown. */
export async function readPublicBoard(db: Queries, publicId: string): Promise<z.output<typeof PublicBoard>> {
  const [board] = await db.rows<BoardRow>(sql`
    select ${boardRow} from board b join workspace w on w.id = b.workspace_id
    where b.public_id = ${publicId}::text and b.visibility = 'public' and b.archived_at is null`);
  if (board === undefined) throw notFound();
  const { lists, labels, tags } = await partsOf(db, board, {});
  return {
    ...shownBoard(board),
    isFavourite: false,
    tags: tags.map(shownLabel),
    workspace: { name: board.workspaceName },
    labels: labels.map(shownLabel),
    members: [],
    lists: shownLists(lists, labels, []).map((list) => ({
      ...list,
      cards: list.cards.map((card) => ({ ...card, commentCount: 0 })),
    })),
  };
}

interface SummaryOfBoard extends BoardRow {
  isFavourite: boolean;
  openCards: number;
  tagId: number | null;
  tagPublicId: string;
  tagName: string;
  colourCode: string;
}

/** Which boards of a workspace to list. */
export interface BoardFilter {
  archived: boolean;
  tagPublicId?: string | undefined;
  favourite?: boolean | undefined;
}

/** The boards of a workspace that a member sees, by name. */
export async function readBoards(
  ctx: Signed,
  member: Pick<BoardAccess, "workspaceId" | "memberId" | "role">,
  filter: BoardFilter,
) {
  const rows = await ctx.db.rows<SummaryOfBoard>(sql`
    select ${boardRow}, f.account_id is not null as "isFavourite",
      (select coalesce(sum(l.open_cards), 0)::int from list l where l.workspace_id = b.workspace_id and l.board_id = b.id) as "openCards",
      t.id as "tagId", t.public_id as "tagPublicId", t.name as "tagName", t.colour_code as "colourCode"
    from board b
    join workspace w on w.id = b.workspace_id
    left join board_member bm on bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = ${member.memberId}::bigint
    left join board_favourite f on f.workspace_id = b.workspace_id and f.board_id = b.id
      and f.account_id = ${ctx.user.accountId}::bigint
    left join board_tag bt on bt.workspace_id = b.workspace_id and bt.board_id = b.id
    left join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id
    where b.workspace_id = ${member.workspaceId}::bigint
      and (b.archived_at is not null) = ${filter.archived}::boolean
      and ${isSeenBy(member)}
      and (${filter.favourite ?? null}::boolean is null or (f.account_id is not null) = ${filter.favourite ?? null}::boolean)
      and (${filter.tagPublicId ?? null}::text is null or exists (
        select from board_tag x join tag y on y.workspace_id = x.workspace_id and y.id = x.tag_id
        where x.workspace_id = b.workspace_id and x.board_id = b.id and y.public_id = ${filter.tagPublicId ?? null}::text))
    order by b.id`);
  const boards = new Map<number, { row: SummaryOfBoard; tags: NamedRow[] }>();
  for (const row of rows) {
    const board = boards.get(row.boardId) ?? { row, tags: [] };
    boards.set(row.boardId, board);
    if (row.tagId !== null) {
      board.tags.push({ id: row.tagId, publicId: row.tagPublicId, name: row.tagName, colourCode: row.colourCode });
    }
  }
  return [...boards.values()]
    .map(({ row, tags }) => ({
      ...shownBoard(row),
      isFavourite: row.isFavourite,
      openCards: row.openCards,
      tags: tags.sort(byName).map(shownLabel),
    }))
    .sort(byName);
}
