// Follows changes of boards: the log of a workspace is read once for all its followers, and whether they still see their boards is
// checked with each new entry.

import { sql } from "drizzle-orm";
import { isOnBoard, seesBoard } from "../access/boardVisibility.js";
import { Failure, forbidden, notFound } from "../api/errors.js";
import { readWherePossible } from "../db/acrossServers.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { bigints, type Database, oncePer, oneOf, texts } from "../db/client.js";
import { board, boardMember, event, member, workspaceCounter } from "../db/schema/index.js";
import { orNull, type RowOf, selection } from "../db/selections.js";
import { memberOf } from "../events/boards.js";
import { commitSignalOf } from "../events/commitSignal.js";
import type { Outside } from "../events/elsewhere.js";
import type { Event } from "../events/eventShapes.js";
import { FollowedLogs, type Page, stepsAfter } from "../events/followedLogs.js";
import { type Barrier, type Entry, Follower, isBarrier } from "../events/followers.js";
import { boundsOf } from "../events/logBounds.js";
import {
  type Delivered,
  eventFields,
  eventJoins,
  isLogged,
  numbersOnBoards,
  readDelivered,
  shownEvents,
} from "../events/shownEvents.js";

/** A follower of boards of a workspace. */
export interface BoardsReader {
  accountId: number;
  memberPublicId: string;
  /** The boards that are still followed, each with the number of the event behind which it is. */
  boards: Map<string, number>;
}

/** An account, and a board that it may see or not. */
interface BoardViewer {
  accountId: number;
  boardPublicId: string;
}

const PAGE = 100;

/** An entry of the log of a workspace. */
interface BoardEntry extends Entry<Event> {
  about: readonly string[];
  /** The member for whom it is about every board; null: nobody. */
  memberPublicId: string | null;
  outside: Outside | null;
}

const entryOf = ({ event, alsoOn, outside }: Delivered): BoardEntry => ({
  position: event.id,
  about: event.boardPublicId === null ? alsoOn : [event.boardPublicId],
  memberPublicId: memberOf(event),
  item: event,
  operation: event.operationPublicId,
  outside,
});

/** Entries that were read, and up to where; `end` is where the log ended when they were read, or before. */
function upTo(entries: readonly BoardEntry[], end: number) {
  const last = entries.at(-1)?.position ?? 0;
  const isWhole = entries.length < PAGE;
  return { position: isWhole ? Math.max(last, end) : last, isWhole };
}

const wholeEvent = selection(eventFields);
const end = selection({ end: workspaceCounter.eventSeq });
const eventAndEnd = selection({ end: workspaceCounter.eventSeq, ...orNull(eventFields) });

/** Reads the events of a workspace after a number on some boards or on none, and the end of the log, in one statement. */
async function readOn(db: Database, workspaceId: number, after: number, boards: readonly string[]) {
  const rows = await db.read(
    eventAndEnd,
    sql`
      select ${end}, logged.* from ${workspaceCounter}
      left join (
        select ${wholeEvent} from ${event} ${eventJoins(workspaceId)}
        where ${event.workspaceId} = ${workspaceId}::bigint and ${event.seq} > ${after}::bigint
          and (${event.boardPublicId} is null or ${oneOf(event.boardPublicId, boards)})
        order by ${event.seq} limit ${PAGE}::int
      ) logged on true
      where ${workspaceCounter.workspaceId} = ${workspaceId}::bigint
      order by logged.id`,
  );
  const [first] = rows;
  if (first === undefined) return null;
  const entries = (await shownEvents(db, workspaceId, rows.filter(isLogged))).map(entryOf);
  return { entries, ...upTo(entries, first.end) };
}

/** The membership is null for somebody who is not a member, the visibility for a deleted board. */
const placeFields = {
  ...orNull({ role: member.role, memberPublicId: member.publicId, visibility: board.visibility }),
  isBoardMember: isOnBoard,
};
const readersPlace = selection(placeFields);
type ReadersPlace = RowOf<typeof placeFields>;

/** The reason why a reader may not follow a board. An admin follows a deleted board up to `board.deleted`. */
function barrierOf({ role, visibility, isBoardMember }: ReadersPlace): Failure | null {
  if (visibility === null) return role === "admin" ? null : notFound();
  return role !== null && seesBoard(role, visibility, isBoardMember) ? null : forbidden();
}

/** For each of some accounts and boards, the place of the account there. */
async function placesOf(db: Database, workspaceId: number, viewers: readonly BoardViewer[]): Promise<ReadersPlace[]> {
  if (viewers.length === 0) return [];
  const accountIds = bigints(viewers.map(({ accountId }) => accountId));
  const boardIds = texts(viewers.map(({ boardPublicId }) => boardPublicId));
  return db.read(
    readersPlace,
    sql`
      select ${readersPlace}
      from unnest(${accountIds}, ${boardIds}) with ordinality as reader(account_id, board_public_id, n)
      left join ${board} on ${board.workspaceId} = ${workspaceId}::bigint and ${board.publicId} = reader.board_public_id
      left join ${member} on ${member.workspaceId} = ${workspaceId}::bigint and ${member.accountId} = reader.account_id
      left join ${boardMember} on ${boardMember.workspaceId} = ${workspaceId}::bigint
        and ${boardMember.boardId} = ${board.id} and ${boardMember.memberId} = ${member.id}
      order by reader.n`,
  );
}

/** The reasons why accounts do not see boards, by both. */
class Barriers {
  readonly #failures = new Map<string, Failure>();

  private constructor(viewers: readonly BoardViewer[], failures: readonly (Failure | null)[]) {
    for (const [index, viewer] of viewers.entries()) {
      const failure = failures[index];
      if (failure != null) this.#failures.set(Barriers.#keyOf(viewer), failure);
    }
  }

  /** One statement. */
  static async of(db: Database, workspaceId: number, viewers: readonly BoardViewer[]): Promise<Barriers> {
    const distinct = [...new Map(viewers.map((viewer) => [Barriers.#keyOf(viewer), viewer])).values()];
    return new Barriers(distinct, (await placesOf(db, workspaceId, distinct)).map(barrierOf));
  }

  get({ accountId, boardPublicId }: BoardViewer): Failure | undefined {
    return this.#failures.get(Barriers.#keyOf({ accountId, boardPublicId }));
  }

  static #keyOf = ({ accountId, boardPublicId }: BoardViewer) => `${accountId} ${boardPublicId}`;
}

/** Gives the event of an entry, or its form for readers who do not see another board that it names. */
type ItemFor = (entry: BoardEntry, reader: BoardsReader) => Event;

/** Finds out which readers get which form of some entries: one statement, if these name other boards. */
async function itemsFor(
  db: Database,
  workspaceId: number,
  entries: readonly BoardEntry[],
  readers: readonly BoardsReader[],
): Promise<ItemFor> {
  const viewers = entries.flatMap(({ outside, about }) =>
    outside === null
      ? []
      : readers
          .filter(({ boards }) => about.some((boardPublicId) => boards.has(boardPublicId)))
          .map(({ accountId }) => ({ accountId, boardPublicId: outside.boardPublicId })),
  );
  const hidden = await Barriers.of(db, workspaceId, viewers);
  return ({ outside, item }, { accountId }) =>
    outside !== null && hidden.get({ accountId, boardPublicId: outside.boardPublicId }) !== undefined
      ? outside.event
      : item;
}

/** The boards among some of which a reader gets the events at a position. */
const followedOf = ({ boards }: BoardsReader, { about, position }: Pick<Entry<Event>, "about" | "position">) =>
  about.map(String).filter((boardPublicId) => position > (boards.get(boardPublicId) ?? position));

/** The boards of a reader that an entry is about. */
const aboutFor = (reader: BoardsReader, { about, memberPublicId, position }: BoardEntry) =>
  followedOf(reader, { about: memberPublicId === reader.memberPublicId ? [...reader.boards.keys()] : about, position });

/** The steps of a reader: first the boards that it no longer sees, then the entries of the others. */
function stepsFor(
  reader: BoardsReader,
  { entries, position }: { entries: readonly BoardEntry[]; position: number },
  barriers: Barriers,
  itemFor: ItemFor,
) {
  const { accountId, boards } = reader;
  const barred = [...boards.keys()].flatMap((subject): Barrier[] => {
    const failure = barriers.get({ accountId, boardPublicId: subject });
    return failure === undefined ? [] : [{ position, subject, failure }];
  });
  const isOpen = (boardPublicId: string) => !barred.some(({ subject }) => subject === boardPublicId);
  const visible = entries.flatMap((entry): Entry<Event>[] => {
    const about = aboutFor(reader, entry);
    return about.some(isOpen) ? [{ ...entry, about, item: itemFor(entry, reader) }] : [];
  });
  return [...barred, ...visible];
}

const viewersOf = ({ accountId, boards }: BoardsReader): BoardViewer[] =>
  [...boards.keys()].map((boardPublicId) => ({ accountId, boardPublicId }));

/** The workspaces whose boards somebody follows in this process. */
const followedLogsIn = oncePer((db) => {
  const followedLogs = new FollowedLogs<Event, BoardsReader>({
    read: async (workspaceId, after, readers, checkAll) => {
      const page = await readOn(db, workspaceId, after, [
        ...new Set(readers.flatMap(({ boards }) => [...boards.keys()])),
      ]);
      if (page === null) return null;
      const changed = new Set(page.entries.map(({ item }) => item.boardPublicId));
      const isAffected = ({ boardPublicId }: BoardViewer) =>
        checkAll || changed.has(null) || changed.has(boardPublicId);
      const itemFor = await itemsFor(db, workspaceId, page.entries, readers);
      const barriers = await Barriers.of(db, workspaceId, readers.flatMap(viewersOf).filter(isAffected));
      const { position, isWhole } = page;
      return { position, isWhole, stepsFor: (reader) => stepsFor(reader, page, barriers, itemFor) };
    },
    ends: async (workspaceIds) => {
      const { workspaceId, eventSeq } = workspaceCounter;
      const rows = await readWherePossible(db, async (isAsked) =>
        db
          .select({ id: workspaceId, end: eventSeq })
          .from(workspaceCounter)
          .where(
            acrossWorkspaces(
              "ends of followed logs",
              sql`${oneOf(workspaceId, workspaceIds)} and ${isAsked(workspaceId)}`,
            ),
          ),
      );
      return new Map(rows.map(({ id, end }) => [id, end]));
    },
  });
  commitSignalOf(db).subscribe(({ workspaces }) => followedLogs.wake(workspaces));
  return followedLogs;
});

/** Reads a page for one follower alone. */
async function pageFor(db: Database, workspaceId: number, reader: BoardsReader, after: number): Promise<Page<Event>> {
  const end = (await boundsOf(db, workspaceId))?.end ?? after;
  const boards = new Map([...reader.boards].map(([boardPublicId, floor]) => [boardPublicId, Math.max(after, floor)]));
  const delivered = await readDelivered(db, workspaceId, numbersOnBoards(workspaceId, { ...reader, boards }, PAGE));
  const entries = delivered.map(entryOf);
  const barriers = await Barriers.of(db, workspaceId, viewersOf(reader));
  const itemFor = await itemsFor(db, workspaceId, entries, [reader]);
  const page = upTo(entries, end);
  return { ...page, steps: stepsFor(reader, { entries, ...page }, barriers, itemFor) };
}

/** An event of followed boards, or the end of one of them. */
type BoardStep =
  | { kind: "event"; position: number; boardPublicIds: string[]; event: Event }
  | { kind: "end"; boardPublicId: string; failure: Failure };

/** Follows the boards of a reader, which are all in one workspace, until none is left or the workspace is deleted. */
async function* stepsIn(
  db: Database,
  workspaceId: number,
  reader: BoardsReader,
  signal: AbortSignal | undefined,
): AsyncGenerator<BoardStep> {
  const { boards } = reader;
  const following = {
    followedLogs: followedLogsIn(db),
    key: workspaceId,
    reader,
    position: Math.min(...boards.values()),
    readPage: (after: number) => pageFor(db, workspaceId, reader, after),
    follower: new Follower<Event>(signal),
  };
  for await (const step of stepsAfter(following)) {
    if (isBarrier(step)) {
      const { subject: boardPublicId, failure } = step;
      if (boards.delete(boardPublicId)) yield { kind: "end", boardPublicId, failure };
    } else {
      const { position, item } = step;
      const boardPublicIds = followedOf(reader, step);
      if (boardPublicIds.length > 0) yield { kind: "event", position, boardPublicIds, event: item };
      if (item.type === "board.deleted") {
        for (const boardPublicId of boardPublicIds) {
          boards.delete(boardPublicId);
          yield { kind: "end", boardPublicId, failure: notFound() };
        }
      }
    }
    if (boards.size === 0) return;
  }
}

/** Follows a reader's boards in one workspace until none is left: one that is deleted or no longer visible is left out. */
export async function* boardSteps(
  db: Database,
  workspaceId: number,
  reader: BoardsReader,
  signal: AbortSignal | undefined,
): AsyncGenerator<BoardStep> {
  try {
    yield* stepsIn(db, workspaceId, reader, signal);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "NOT_FOUND") throw error;
    for (const boardPublicId of reader.boards.keys()) yield { kind: "end", boardPublicId, failure: error };
  }
}

/** For each of some boards of a workspace, the account's membership, or the reason why it may not begin to follow the board. */
export const beginningsOf = async (db: Database, workspaceId: number, viewers: readonly BoardViewer[]) =>
  (await placesOf(db, workspaceId, viewers)).map((place) => ({
    memberPublicId: place.memberPublicId,
    // A board is followed from the beginning only if it is there.
    barrier: place.visibility === null ? notFound() : barrierOf(place),
  }));
