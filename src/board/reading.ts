// Reads whole boards: for those who may see them, and public ones for anyone. What a process has rendered of a board it keeps, and
// after a change reads and renders anew what changed alone.

import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { callerSees, type Visibility } from "../access/boardVisibility.js";
import {
  authoriseOnBoard,
  type BoardAccess,
  boardColumns,
  boardJoins,
  callerIn,
  type Unchecked,
  type WorkspaceAccess,
  workspaceColumns,
  workspaceIdOf,
} from "../access/guards.js";
import { lagging } from "../access/lagging.js";
import type { Context, Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { answering, Rendered } from "../api/rendered.js";
import { byName } from "../api/shapes.js";
import { workspaceOf } from "../db/ids.js";
import type { Reads } from "../db/replicas.js";
import { readerKey, shownMember } from "../workspace/people.js";
import { type BoardRows, type CardRow, readBoardRows, versionOf } from "./boardRows.js";
import { type CardFilter, conditionOf, isWhole } from "./cardFilters.js";
import { shownLabel, summaryOf } from "./cardSummaries.js";
import { KeptBoard } from "./keptBoards.js";
import { Board, PublicBoard } from "./shapes.js";

interface BoardRow {
  publicId: string;
  name: string;
  slug: string;
  visibility: Visibility;
  archivedAt: string | null;
  workspaceName: string;
  version: number;
}

/** A board as one caller reads it. */
interface CallerRow extends Unchecked<BoardAccess>, Omit<BoardRow, keyof BoardAccess> {
  workspaceSlug: string;
  showEmailsToMembers: boolean;
  isFavourite: boolean;
}

type Reader = CallerRow & BoardAccess;

/** A board as it is found, by whoever reads it: kept under a key, and answered at the version at which it was authorised. */
interface Reading<Row, Who extends Row & { version: number }> {
  key: string;
  workspaceId: number;
  /** Selects the board and who reads it: `boardId`, `isSeen`, and what else `Row` says. */
  who: SQL;
  /** Lets the reader through; throws where that is not to be. */
  admit(row: Row | undefined): Who;
  /** What such readers see of a card. */
  shown(card: CardRow): CardRow;
  answer(board: KeptBoard, who: Who): Rendered;
}

type Memory = Pick<Context, "boards" | "db">;

/** The board of a reading: what is kept where nothing changed, else with what changed since. */
async function readKept<Row, Who extends Row & { version: number }>(
  { boards, db }: Pick<Signed, "db"> & Pick<Memory, "boards">,
  { key, workspaceId, who, admit, shown, answer }: Reading<Row, Who>,
): Promise<Rendered> {
  const kept = () => {
    const value = boards.of(key);
    return value instanceof KeptBoard ? value : null;
  };
  const answered = (board: KeptBoard, reader: Who) => {
    const rendered = answer(board, reader);
    boards.keep(key, board);
    return rendered;
  };

  if (kept() !== null) {
    const reader = admit((await db.rows<Row>(who))[0]);
    const same = kept();
    if (same?.version === reader.version) return answered(same, reader);
  }
  for (const base of [kept(), null]) {
    const found = await readBoardRows<Row>(db, {
      workspaceId,
      who,
      condition: sql`c.revision > ${base?.version ?? -1}::bigint`,
      assigned: base?.assigned ?? [],
    });
    const reader = admit(found.who);
    const latest = kept();
    if (latest?.version === reader.version) return answered(latest, reader);
    const known = [latest, base].filter((board) => board !== null);
    const board = KeptBoard.of({ ...found, who: reader, cards: found.cards.map(shown) }, known);
    if (board !== null) return answered(board, reader);
  }
  throw new Error("A board that was read whole lacks a card");
}

/** The caller on a board. */
const callerOn = (ctx: Signed, workspaceId: number, publicId: string) => sql`
  select ${boardColumns}, b.public_id as "publicId", b.name, b.slug, b.archived_at as "archivedAt",
    w.name as "workspaceName", w.slug as "workspaceSlug",
    w.show_emails_to_members as "showEmailsToMembers", f.account_id is not null as "isFavourite", ${callerSees} as "isSeen",
    ${versionOf(workspaceId, publicId)} as version
  from board b ${boardJoins(ctx)}
  left join board_favourite f on f.workspace_id = b.workspace_id and f.board_id = b.id
    and f.account_id = ${ctx.user.accountId}::bigint
  where b.workspace_id = ${workspaceId}::bigint and b.public_id = ${publicId}::text`;

/** A board with its lists, cards, labels, members and tags, as the caller may see it. */
export async function readBoard(
  ctx: Signed & Pick<Context, "boards">,
  publicId: string,
  filter: CardFilter,
): Promise<z.output<typeof Board>> {
  const workspaceId = workspaceIdOf(ctx, publicId);
  const who = callerOn(ctx, workspaceId, publicId);
  const admit = (row: CallerRow | undefined): Reader => authoriseOnBoard<Reader>(ctx, row, "board:view");
  if (isWhole(filter)) {
    const rendered = await readKept<CallerRow, Reader>(ctx, {
      key: publicId,
      workspaceId,
      who,
      admit,
      shown: (card) => card,
      answer: (board, reader) =>
        board.answer(`${reader.isFavourite} ${readerKey(reader)}`, () => Board.parse(withoutLists(reader, board))),
    });
    return answering<typeof Board>(rendered);
  }
  const condition = conditionOf(workspaceId, filter);
  const found = await readBoardRows<CallerRow>(ctx.db, { workspaceId, who, condition, assigned: [] });
  const reader = admit(found.who);
  const members = found.people.filter(({ isBoardMember }) => isBoardMember);
  const board = { ...withoutLists(reader, { ...found, members }), lists: chosenLists(found) };
  return answering<typeof Board>(Rendered.as(Board, board));
}

const withoutLists = (
  reader: Reader,
  { labels, tags, members }: Pick<KeptBoard, "labels" | "tags" | "members">,
): z.input<typeof Board> => ({
  ...shownBoard(reader),
  isFavourite: reader.isFavourite,
  tags: tags.map(shownLabel),
  workspace: {
    publicId: reader.workspacePublicId,
    name: reader.workspaceName,
    slug: reader.workspaceSlug,
    cardPrefix: reader.cardPrefix,
  },
  labels: labels.map(shownLabel),
  members: members.map((person) => shownMember(person, reader)),
  lists: [],
});

/** The lists with the cards that were read alone, each with its place among all. */
function chosenLists({ lists, cards, labels, people }: BoardRows<unknown>): z.input<typeof Board>["lists"] {
  const chosen = new Map(cards.map((card) => [String(card.cardId), card]));
  return lists.map(({ publicId, name, keys }, index) => ({
    publicId,
    name,
    index,
    cards: keys.split(",").flatMap((key, place) => {
      const card = chosen.get(key.slice(0, key.indexOf(":")));
      return card === undefined ? [] : summaryOf({ ...card, index: place }, labels, people);
    }),
  }));
}

type ShownRow = Pick<BoardRow, "publicId" | "name" | "slug" | "visibility" | "archivedAt">;

const shownBoard = ({ publicId, name, slug, visibility, archivedAt }: ShownRow) => ({
  publicId,
  name,
  slug,
  visibility,
  isArchived: archivedAt !== null,
});

/** A public board as anyone may read it; NOT_FOUND alike for one that is not public, archived or unknown. */
export async function readPublicBoard(ctx: Memory, publicId: string): Promise<z.output<typeof PublicBoard>> {
  const workspaceId = workspaceOf(publicId);
  if (workspaceId === null) throw notFound();
  const rendered = await readKept<BoardRow, BoardRow>(ctx, {
    key: `public ${publicId}`,
    workspaceId,
    who: sql`
      select b.id as "boardId", b.public_id as "publicId", b.name, b.slug, b.visibility, b.archived_at as "archivedAt",
        w.name as "workspaceName", true as "isSeen", ${versionOf(workspaceId, publicId)} as version
      from board b join workspace w on w.id = b.workspace_id
      where b.workspace_id = ${workspaceId}::bigint and b.public_id = ${publicId}::text
        and b.visibility = 'public' and b.archived_at is null`,
    admit: (row) => {
      if (row === undefined) throw notFound();
      return row;
    },
    shown: (card) => ({ ...card, memberIds: "{}", commentCount: 0 }),
    answer: (board, row) =>
      board.answer("", () =>
        PublicBoard.parse({
          ...shownBoard(row),
          isFavourite: false,
          tags: board.tags.map(shownLabel),
          workspace: { name: row.workspaceName },
          labels: board.labels.map(shownLabel),
          members: [],
          lists: [],
        } satisfies z.input<typeof PublicBoard>),
      ),
  });
  return answering<typeof PublicBoard>(rendered);
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
