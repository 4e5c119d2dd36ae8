// Reads whole boards, for members and for the public. A process caches what it has rendered of a board; after a change it reads and
// renders only what changed.

import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { callerSees } from "../access/boardVisibility.js";
import { authoriseOnBoard, type BoardAccess, boardFields, shownNamed } from "../access/guards.js";
import {
  boardJoins,
  callerKey,
  lookup,
  matchesId,
  PLACEHOLDERS,
  type Target,
  workspaceIdOf,
} from "../access/lookups.js";
import { meOn } from "../access/membership.js";
import { readerKey, shownMember } from "../access/shownPeople.js";
import type { Context, Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { answering, type CachedData, type Rendered } from "../api/rendered.js";
import { Member } from "../api/shapes.js";
import { workspaceOf } from "../db/ids.js";
import { board, boardFavourite, member, workspace } from "../db/schema/index.js";
import { computed, type RowOf, type Selection, selection } from "../db/selections.js";
import { type Statement, writtenOnce } from "../db/statements.js";
import { lastEventIn } from "../events/logBounds.js";
import { timeZoneOf } from "../user/notificationSettings.js";
import { ASKED, boardStatement, type CardRow, readBoardRows, versionOf } from "./boardRows.js";
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
const cachedFields = { workspaceName: workspace.name, version: computed<number>() };

const callerFields = {
  ...boardFields,
  ...shownFields,
  ...cachedFields,
  workspaceSlug: workspace.slug,
  showEmailsToMembers: workspace.showEmailsToMembers,
  isFavourite: sql<boolean>`${boardFavourite.accountId} is not null`,
  eventId: computed<number>(),
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
  /**
   * Selects the board and its reader: `boardId`, `isSeen`, and the other columns of `Row`. `alone` is the statement that checks
   * whether the cached board is current; `whole` reads with them what changed since a version.
   */
  who: { selection: Selection<Row>; alone: Statement; whole: (asked: Asked) => Statement };
  /** Authorises the reader; throws if it has no access. */
  authorise(row: Row | undefined): Who;
  /** The parts of a card that such readers see. */
  rowFor(card: CardRow): CardRow;
  /** Whether only some cards are visible. */
  isFiltered: boolean;
  /** `matching`: the keys of the cards that are shown, null for all. */
  answer(board: CachedBoard, who: Who, matching: ReadonlySet<string> | null): Rendered;
}

/** The version since which a board is read, and the members who are assigned to cards that did not change. */
interface Asked {
  since: number;
  assigned: string;
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
  { key, who, isFiltered, authorise, rowFor, answer }: Reading<Row, Who>,
): Promise<Rendered> {
  const answered = ({ value, reader, matching }: Read<Who>) => {
    const rendered = answer(value, reader, matching);
    boards.store(key, value);
    return rendered;
  };
  /** Reads what changed since a board was cached, or all of it; null if a card is in neither. */
  const refreshed = async (base: CachedBoard | null): Promise<Read<Who> | null> => {
    const assigned = `{${base?.assigned.join(",") ?? ""}}`;
    const rows = await readBoardRows(db, who.selection, who.whole({ since: base?.version ?? -1, assigned }));
    const reader = authorise(rows.who);
    const latest = cachedBoard(boards.of(key));
    const known = [latest, base].filter((board) => board !== null);
    const value =
      latest?.version === reader.version
        ? latest
        : CachedBoard.of({ ...rows, who: reader, cards: rows.cards.map(rowFor) }, known);
    if (value === null) return null;
    boards.store(key, value);
    return { value, reader, matching: isFiltered ? new Set(rows.matching?.split(",")) : null };
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
  if (!isFiltered) {
    const reader = authorise((await db.read(who.selection, who.alone))[0]);
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
const callerOn = (key: SQL, named: Target) => sql`
  select ${caller}, ${versionOf(named)} as version, ${lastEventIn(named.workspaceId)} as "eventId"
  from ${board} ${boardJoins(key, named.workspaceId)} ${ownFavourite}
  where ${matchesId(board, named)}`;
const callerLookup = lookup(callerOn);
const wholeLookup = lookup((key, named) => {
  const who = callerOn(key, named);
  return boardStatement({ workspaceId: named.workspaceId, who, ...ASKED, filter: null });
});

/** A public board, which anyone may read. */
const publicBoard = (named: Target) => sql`
  select ${anyone}, ${versionOf(named)} as version
  from ${board} join ${workspace} on ${workspace.id} = ${board.workspaceId}
  where ${matchesId(board, named)} and ${board.visibility} = 'public' and ${board.archivedAt} is null`;
const findPublicBoard = writtenOnce(publicBoard(PLACEHOLDERS));
const findWholePublicBoard = writtenOnce(
  boardStatement({ workspaceId: PLACEHOLDERS.workspaceId, who: publicBoard(PLACEHOLDERS), ...ASKED, filter: null }),
);

/** A board with its lists, cards, labels, members and tags, as the caller may see it. */
export async function renderedBoard(
  ctx: Signed & Pick<Context, "boards">,
  publicId: string,
  filter: CardFilter,
): Promise<{ rendered: Rendered; eventId: number }> {
  let eventId = 0;
  const workspaceId = workspaceIdOf(ctx, publicId);
  const timeZone = filter.due === undefined ? "UTC" : await timeZoneOf(ctx.db, ctx.user.accountId);
  const isFiltered = !isWhole(filter);
  /** The statement of a filtered read is written for each read: its conditions are those of the filter. */
  const filtered = (asked: Asked) => {
    const who = callerOn(callerKey(ctx), { workspaceId, publicId });
    return boardStatement({ workspaceId, who, ...asked, filter: conditionOf(workspaceId, filter, timeZone) });
  };
  const rendered = await readCached(ctx, {
    key: publicId,
    who: {
      selection: caller,
      alone: callerLookup(ctx, publicId),
      whole: (asked) => (isFiltered ? filtered(asked) : wholeLookup(ctx, publicId, { ...asked })),
    },
    isFiltered,
    authorise: (row: CallerRow | undefined): Reader => authoriseOnBoard<Reader>(ctx, row, "board:view"),
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

export type ShownRow = RowOf<typeof shownFields>;

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
    who: {
      selection: anyone,
      alone: findPublicBoard(named),
      whole: (asked) => findWholePublicBoard({ ...named, ...asked }),
    },
    authorise: (row: PublicRow | undefined) => {
      if (row === undefined) throw notFound();
      return row;
    },
    isFiltered: false,
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
