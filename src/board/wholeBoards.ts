// Reads whole boards, for members and for the public. A process caches what it has rendered of a board; after a change it reads and
// renders only what changed.

import { gt, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { callerSees, memberPlaceOn } from "../access/boardVisibility.js";
import { accessFields, authoriseOnBoard, type BoardAccess, boardFields, shownNamed } from "../access/guards.js";
import {
  boardJoins,
  callerIn,
  callerKey,
  isNamed,
  isThatWorkspace,
  type Lookup,
  lookup,
  type Naming,
  PLACES,
  workspaceIdOf,
} from "../access/lookups.js";
import { meOn } from "../access/membership.js";
import { answerOnReplica, type ReplicaAnswer } from "../access/replicaReads.js";
import { readerKey, shownMember } from "../access/shownPeople.js";
import type { Context, Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { answering, type CachedData, type Rendered } from "../api/rendered.js";
import { byName, Member } from "../api/shapes.js";
import { workspaceOf } from "../db/ids.js";
import type { Reads } from "../db/replicas.js";
import {
  board,
  boardFavourite,
  boardMember,
  boardTag,
  card,
  list,
  member,
  tag,
  workspace,
} from "../db/schema/index.js";
import { beside, jsonArray, orNull, type RowOf, type Selection, selection } from "../db/selections.js";
import { type Statement, type Value, writtenOnce } from "../db/statements.js";
import { lastEventIn } from "../events/logBounds.js";
import { timeZoneOf } from "../user/notificationSettings.js";
import { type CardRow, readBoardRows, versionOf } from "./boardRows.js";
import { type Board, CommonBoard, CommonPublicBoard, type PublicBoard } from "./boardShapes.js";
import { CachedBoard, type CallersPart } from "./cachedBoards.js";
import { type CardFilter, conditionOf, isWhole } from "./cardFilters.js";

/** The visible fields of a board itself. */
export const shownFields = {
  publicId: board.publicId,
  name: board.name,
  slug: board.slug,
  visibility: board.visibility,
  archivedAt: board.archivedAt,
};

/** The fields by which a board is read and cached, beside the visible ones. */
const cachedFields = { workspaceName: workspace.name, version: beside<number>() };

const callerFields = {
  ...boardFields,
  ...shownFields,
  ...cachedFields,
  workspaceSlug: workspace.slug,
  showEmailsToMembers: workspace.showEmailsToMembers,
  isFavourite: sql<boolean>`${boardFavourite.accountId} is not null`,
  eventId: beside<number>(),
};
const caller = selection({ ...callerFields, isSeen: callerSees });

/** A board as one caller reads it. */
type CallerRow = RowOf<typeof callerFields>;
type Reader = CallerRow & BoardAccess;

const publicFields = { ...shownFields, ...cachedFields };
const anyone = selection({ ...publicFields, boardId: board.id, isSeen: sql<boolean>`true` });

/** A public board as anyone reads it. */
type PublicRow = RowOf<typeof publicFields>;

/** A board as one kind of reader sees it: cached under a key, and returned at the version at which the reader was authorised. */
interface Reading<Row, Who extends Row & { version: number }> {
  key: string;
  workspaceId: number;
  /**
   * Selects the board and its reader: `boardId`, `isSeen`, and the other columns of `Row`. `alone` is the statement that checks
   * whether the cached board is current; `part` makes it a part of the statement that reads what changed.
   */
  who: { selection: Selection<Row>; alone: Statement; part: () => SQL };
  /** Authorises the reader; throws if it has no access. */
  admit(row: Row | undefined): Who;
  /** The parts of a card that such readers see. */
  rowFor(card: CardRow): CardRow;
  /** The cards that are visible; null: all. */
  filter: SQL | null;
  /** `matching`: the keys of the cards that are shown, null for all. */
  answer(board: CachedBoard, who: Who, matching: ReadonlySet<string> | null): Rendered;
}

type Memory = Pick<Context, "boards" | "db">;

/** A board as a reader of it read it, with the keys of the cards that are shown; null: all. */
interface Read<Who> {
  value: CachedBoard;
  reader: Who;
  matching: ReadonlySet<string> | null;
}

const cachedBoard = (value: CachedData | null | undefined) => (value instanceof CachedBoard ? value : null);

/** The board of a reading: from the cache if nothing changed, otherwise with the changes since. */
async function readCached<Row, Who extends Row & { version: number }>(
  { boards, db }: Pick<Signed, "db"> & Pick<Memory, "boards">,
  { key, workspaceId, who, filter, admit, rowFor, answer }: Reading<Row, Who>,
): Promise<Rendered> {
  const answered = ({ value, reader, matching }: Read<Who>) => {
    const rendered = answer(value, reader, matching);
    boards.store(key, value);
    return rendered;
  };
  /** Reads what changed since a board was cached, or all of it; null if a card is in neither. */
  const refreshed = async (base: CachedBoard | null): Promise<Read<Who> | null> => {
    const rows = await readBoardRows(db, {
      workspaceId,
      who: { selection: who.selection, statement: who.part() },
      condition: gt(card.revision, base?.version ?? -1),
      assigned: base?.assigned ?? [],
      filter,
    });
    const reader = admit(rows.who);
    const latest = cachedBoard(boards.of(key));
    const known = [latest, base].filter((board) => board !== null);
    const value =
      latest?.version === reader.version
        ? latest
        : CachedBoard.of({ ...rows, who: reader, cards: rows.cards.map(rowFor) }, known);
    if (value === null) return null;
    boards.store(key, value);
    return { value, reader, matching: filter && new Set(rows.matching?.split(",")) };
  };
  const readWhole = async () => {
    const read = await refreshed(null);
    if (read === null) throw new Error("A board that was read whole lacks a card");
    return read;
  };

  const { cached, made } = await boards.cachedOr(key, readWhole);
  if (made !== null) return answered(made);
  const base = cachedBoard(cached);
  // The rights and fields of a reader belong to the version at which they were read, and only that version is returned.
  if (filter === null) {
    const reader = admit((await db.read(who.selection, who.alone))[0]);
    const value = cachedBoard(boards.of(key)) ?? base;
    if (value?.version === reader.version) return answered({ value, reader, matching: null });
  }
  return answered((await refreshed(base)) ?? (await readWhole()));
}

/** Joins a member's mark on a board with the board. */
export const ownFavourite = sql`
  left join ${boardFavourite} on ${boardFavourite.workspaceId} = ${board.workspaceId}
    and ${boardFavourite.boardId} = ${board.id} and ${boardFavourite.accountId} = ${member.accountId}`;

/** The caller's relation to a board, and where the log ends. */
const callerOn = (key: SQL, named: Naming) => sql`
  select ${caller}, ${versionOf(named)} as version, ${lastEventIn(named.workspaceId)} as "eventId"
  from ${board} ${boardJoins(key, named.workspaceId)} ${ownFavourite}
  where ${isNamed(board, named)}`;
const callerLookup = lookup(callerOn);

/** A public board, which anyone may read. */
const publicBoard = (named: Naming) => sql`
  select ${anyone}, ${versionOf(named)} as version
  from ${board} join ${workspace} on ${workspace.id} = ${board.workspaceId}
  where ${isNamed(board, named)} and ${board.visibility} = 'public' and ${board.archivedAt} is null`;
const findPublicBoard = writtenOnce(publicBoard(PLACES));

/** A board with its lists, cards, labels, members and tags, as the caller may see it. */
export async function renderedBoard(
  ctx: Signed & Pick<Context, "boards">,
  publicId: string,
  filter: CardFilter,
): Promise<{ rendered: Rendered; eventId: number }> {
  let eventId = 0;
  const workspaceId = workspaceIdOf(ctx, publicId);
  const timeZone = filter.due === undefined ? "UTC" : await timeZoneOf(ctx.db, ctx.user.accountId);
  const rendered = await readCached(ctx, {
    key: publicId,
    workspaceId,
    who: {
      selection: caller,
      alone: callerLookup(ctx, publicId),
      part: () => callerOn(callerKey(ctx), { workspaceId, publicId }),
    },
    filter: isWhole(filter) ? null : conditionOf(workspaceId, filter, timeZone),
    admit: (row: CallerRow | undefined): Reader => authoriseOnBoard<Reader>(ctx, row, "board:view"),
    rowFor: (card) => card,
    answer: (board, reader, matching) => {
      const head = () => CommonBoard.parse(commonFields(reader, board));
      const kind = readerKey(reader);
      const part: CallersPart = {
        kind,
        key: [kind, reader.memberPublicId, reader.role, ctx.user.token.scope, reader.isFavourite].join(" "),
        members: () => board.members.map((person) => Member.parse(shownMember(person, reader))),
        isFavourite: reader.isFavourite,
        me: meOn(ctx, reader),
        eventId: reader.eventId,
      };
      eventId = reader.eventId;
      return matching === null ? board.answer(head, part) : board.matching(matching, head, part);
    },
  });
  return { rendered, eventId };
}

/** The board as a response, with the `Event-Id` header. */
export async function readBoard(
  ctx: Signed & Pick<Context, "boards">,
  publicId: string,
  filter: CardFilter,
): Promise<z.output<typeof Board>> {
  const { rendered, eventId } = await renderedBoard(ctx, publicId, filter);
  ctx.requestOptions.setHeader("event-id", String(eventId));
  return answering<typeof Board>(rendered);
}

const commonFields = (
  reader: Reader,
  { labels, tags }: Pick<CachedBoard, "labels" | "tags">,
): z.input<typeof CommonBoard> => ({
  ...shownBoard(reader),
  tags: tags.map(shownNamed),
  workspace: {
    publicId: reader.workspacePublicId,
    name: reader.workspaceName,
    slug: reader.workspaceSlug,
    cardPrefix: reader.cardPrefix,
  },
  labels: labels.map(shownNamed),
  lists: [],
});

type ShownRow = RowOf<typeof shownFields>;

/** A board without its content. */
export const shownBoard = ({ publicId, name, slug, visibility, archivedAt }: ShownRow) => ({
  publicId,
  name,
  slug,
  visibility,
  isArchived: archivedAt !== null,
});

/** A public board; the same NOT_FOUND for a board that is not public, archived or unknown. */
export async function readPublicBoard(ctx: Memory, publicId: string): Promise<z.output<typeof PublicBoard>> {
  const workspaceId = workspaceOf(publicId);
  if (workspaceId === null) throw notFound();
  const named = { workspaceId, publicId };
  const rendered = await readCached(ctx, {
    key: `public ${publicId}`,
    workspaceId,
    who: { selection: anyone, alone: findPublicBoard(named), part: () => publicBoard(named) },
    admit: (row: PublicRow | undefined) => {
      if (row === undefined) throw notFound();
      return row;
    },
    filter: null,
    rowFor: (card) => ({ ...card, memberIds: "{}", commentCount: 0 }),
    answer: (board, row) =>
      board.answer(
        () =>
          CommonPublicBoard.parse({
            ...shownBoard(row),
            tags: board.tags.map(shownNamed),
            workspace: { name: row.workspaceName },
            labels: board.labels.map(shownNamed),
            lists: [],
          } satisfies z.input<typeof CommonPublicBoard>),
        { kind: "", key: "", members: () => [], isFavourite: false, me: null, eventId: null },
      ),
  });
  return answering<typeof PublicBoard>(rendered);
}

/** The fields of a tag of a board in a list. */
export const tagFields = { publicId: tag.publicId, name: tag.name, colourCode: tag.colourCode };

/** A board of a list with the caller's place in the workspace; all of the board is null where the caller sees none. */
const listedBoard = selection({
  ...accessFields,
  ...orNull(shownFields),
  isFavourite: sql<boolean>`${board}."isFavourite"`,
  openCards: beside<number>(),
  tags: beside<RowOf<typeof tagFields>[] | null>(),
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
