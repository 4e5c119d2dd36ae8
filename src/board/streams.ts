// A board as it changes (contract section 3, Live). The log of a workspace is read once for all who follow boards in it, and
// whether they still see those is asked again with everything new.

import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { isOnBoard, seesBoard } from "../access/boardVisibility.js";
import { boardFor } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { badRequest, eventsForgotten, type Failure, forbidden, notFound } from "../api/errors.js";
import { BoardId, LastEventId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { bigints, type Database, oncePer, oneOf, texts } from "../db/client.js";
import { workspaceOf } from "../db/ids.js";
import { board, boardMember, event, member, workspaceCounter } from "../db/schema/index.js";
import { orNull, type RowOf, selection } from "../db/selections.js";
import { commitSignalOf } from "../events/commitSignal.js";
import type { Outside } from "../events/elsewhere.js";
import { Event } from "../events/eventShapes.js";
import { entriesAfter, FollowedLogs, type Following } from "../events/followedLogs.js";
import { type Entry, Follower, streamOf } from "../events/followers.js";
import { forgottenUpTo } from "../events/logBounds.js";
import {
  type Delivered,
  eventFields,
  eventJoins,
  isLogged,
  numbersOnBoard,
  readDelivered,
  shownEvents,
} from "../events/shownEvents.js";

/** Who follows which board. */
interface Reader {
  accountId: number;
  boardId: number;
  boardPublicId: string;
}

const PAGE = 100;

/** An entry of the log of a workspace. */
interface BoardEntry extends Entry<Event> {
  outside: Outside | null;
}

const entryOf = ({ event, alsoOn, outside }: Delivered): BoardEntry => ({
  position: event.id,
  about: event.boardPublicId === null ? alsoOn : [event.boardPublicId],
  item: event,
  outside,
});

/** The end of a workspace's log; null when the workspace is gone. */
async function endOf(db: Database, workspaceId: number | null): Promise<number | null> {
  if (workspaceId === null) return null;
  const [row] = await db
    .select({ end: workspaceCounter.eventSeq })
    .from(workspaceCounter)
    .where(eq(workspaceCounter.workspaceId, workspaceId));
  return row?.end ?? null;
}

/** A page of entries; `end` is where the log ended when they were read, or before. */
function pageOf(entries: BoardEntry[], end: number) {
  const last = entries.at(-1)?.position ?? 0;
  const isWhole = entries.length < PAGE;
  return { entries, position: isWhole ? Math.max(last, end) : last, isWhole };
}

const wholeEvent = selection(eventFields);
const end = selection({ end: workspaceCounter.eventSeq });
const eventAndEnd = selection({ end: workspaceCounter.eventSeq, ...orNull(eventFields) });

/** The events of a workspace on some boards, or on none, after a number, and the end of the log, as one statement sees both. */
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
  const found = rows.filter(isLogged);
  return pageOf((await shownEvents(db, workspaceId, found)).map(entryOf), first.end);
}

/** The role is null for who is no member, the visibility where the board is gone. */
const placeFields = { ...orNull({ role: member.role, visibility: board.visibility }), isBoardMember: isOnBoard };
const readersPlace = selection(placeFields);

/** Why a reader may not follow a board. An admin sees the log of a deleted board, and follows it up to `board.deleted`. */
function barrierOf({ role, visibility, isBoardMember }: RowOf<typeof placeFields>): Failure | null {
  if (visibility === null) return role === "admin" ? null : notFound();
  return role !== null && seesBoard(role, visibility, isBoardMember) ? null : forbidden();
}

/** For each of some readers and boards, why the reader does not see the board; null if it does. */
async function barriersOf(
  db: Database,
  workspaceId: number,
  readers: readonly Pick<Reader, "accountId" | "boardPublicId">[],
): Promise<(Failure | null)[]> {
  if (readers.length === 0) return [];
  const accountIds = bigints(readers.map(({ accountId }) => accountId));
  const boardIds = texts(readers.map(({ boardPublicId }) => boardPublicId));
  const rows = await db.read(
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
  return readers.map((_, index) => {
    const row = rows[index];
    return row === undefined ? notFound() : barrierOf(row);
  });
}

/** Those of some readers who do not see their board, and why. */
async function barredFrom(db: Database, workspaceId: number, readers: readonly Reader[]) {
  const barriers = await barriersOf(db, workspaceId, readers);
  return new Map(readers.flatMap((reader, index) => (barriers[index] == null ? [] : [[reader, barriers[index]]])));
}

/** The form of an entry for a reader: the event, or its form for readers who do not see another board that it names. */
type ItemFor = (entry: Entry<Event>, reader: Reader) => Event;

/** The forms of some entries for their readers: one statement, if they name other boards. */
async function itemsFor(
  db: Database,
  workspaceId: number,
  entries: readonly BoardEntry[],
  readers: readonly Reader[],
): Promise<ItemFor> {
  const pairs = entries.flatMap(({ outside, about }) =>
    outside === null
      ? []
      : readers
          .filter(({ boardPublicId }) => about.includes(boardPublicId))
          .map(({ accountId }) => ({ accountId, boardPublicId: outside.boardPublicId })),
  );
  const keyOf = ({ accountId, boardPublicId }: (typeof pairs)[number]) => `${accountId} ${boardPublicId}`;
  const distinct = [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()];
  const barriers = await barriersOf(db, workspaceId, distinct);
  const hidden = new Set(distinct.filter((_, index) => barriers[index] !== null).map(keyOf));
  const outsides = new Map(entries.map(({ position, outside }) => [position, outside]));
  return ({ position, item }, { accountId }) => {
    const outside = outsides.get(position) ?? null;
    const isHidden = outside !== null && hidden.has(keyOf({ accountId, boardPublicId: outside.boardPublicId }));
    return isHidden ? outside.event : item;
  };
}

/** The workspaces whose boards somebody follows in this process. */
const followedLogsIn = oncePer((db) => {
  const followedLogs = new FollowedLogs<Event, Reader>({
    read: async (workspaceId, after, readers, checkAll) => {
      const page = await readOn(db, workspaceId, after, [...new Set(readers.map((reader) => reader.boardPublicId))]);
      if (page === null) return null;
      const changed = new Set(page.entries.map(({ item }) => item.boardPublicId));
      const isAffected = ({ boardPublicId }: Reader) => checkAll || changed.has(null) || changed.has(boardPublicId);
      const itemFor = await itemsFor(db, workspaceId, page.entries, readers);
      return { ...page, itemFor, barred: await barredFrom(db, workspaceId, readers.filter(isAffected)) };
    },
    isFor: ({ about }, { boardPublicId }) => about.includes(boardPublicId),
    ends: async (workspaceIds) => {
      const rows = await db
        .select({ id: workspaceCounter.workspaceId, end: workspaceCounter.eventSeq })
        .from(workspaceCounter)
        .where(acrossWorkspaces("ends of followed logs", oneOf(workspaceCounter.workspaceId, workspaceIds)));
      return new Map(rows.map(({ id, end }) => [id, end]));
    },
  });
  commitSignalOf(db).subscribe(({ workspaces }) => followedLogs.wake(workspaces));
  return followedLogs;
});

/** The entries of a board's log as they come, until the board is deleted. */
async function* entriesUntilDeleted(following: Following<Event, Reader>) {
  for await (const entry of entriesAfter(following)) {
    yield entry;
    if (entry.item.type === "board.deleted") throw notFound();
  }
}

/** The stream of a board for a caller, from the end of its log or from an event on. */
async function boardStream(
  ctx: Signed<Database>,
  input: { boardPublicId: string; lastEventId?: string | undefined },
  signal: AbortSignal | undefined,
) {
  // Read before the board is found: if the board is deleted meanwhile, `board.deleted` comes after this end.
  const end = await endOf(ctx.db, workspaceOf(input.boardPublicId));
  const { boardId, boardPublicId, workspaceId } = await boardFor(ctx, input.boardPublicId, "board:view");
  if (end === null) throw notFound();
  const wanted = input.lastEventId === undefined ? end : Number(input.lastEventId);
  if (wanted > end) throw badRequest("Must be the id of an event of this stream", "lastEventId");
  const forgotten = await forgottenUpTo(ctx.db, workspaceId);
  const reset = wanted < forgotten ? eventsForgotten(forgotten + 1, "lastEventId") : undefined;
  const position = reset === undefined ? wanted : end;

  const follower = new Follower<Event>(signal);
  const reader = { accountId: ctx.user.accountId, boardId, boardPublicId };
  const readPage = async (after: number) => {
    const logEnd = (await endOf(ctx.db, workspaceId)) ?? after;
    const found = await readDelivered(
      ctx.db,
      workspaceId,
      numbersOnBoard(workspaceId, boardPublicId, { after, limit: PAGE }),
    );
    await boardFor(ctx, boardPublicId, "board:view").catch(async (error: unknown) => {
      const isReadable = found.length > 0 && (await barredFrom(ctx.db, workspaceId, [reader])).size === 0;
      if (!isReadable) throw error;
    });
    const entries = found.map(entryOf);
    const itemFor = await itemsFor(ctx.db, workspaceId, entries, [reader]);
    return pageOf(
      entries.map((entry) => ({ ...entry, item: itemFor(entry, reader) })),
      logEnd,
    );
  };
  const following = { followedLogs: followedLogsIn(ctx.db), key: workspaceId, reader, position, readPage, follower };
  return streamOf(position, () => entriesUntilDeleted(following), reset);
}

export const streams = {
  stream: protectedProcedure
    .meta({
      stream: Event,
      fails: ["PRECONDITION_FAILED"],
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/stream",
        tags: ["Events"],
        summary: "Follow a board",
        description: `Sends every event of the board as Server-Sent Events, in order and once each.

- **Events**: the stream also has \`member.added\`, \`member.updated\`, \`member.role.changed\`, \`member.removed\`, \`tag.updated\` and \`tag.deleted\` for people and tags on the board: a copy of the board that applies each event equals the board that you read next.
- **Not followed**: the name, slug and card prefix of the workspace, e-mail addresses, and what differs by caller, such as \`isFavourite\`. No event of this stream says that they changed: read the board again, or follow \`workspace.updated\` in \`GET /workspaces/{workspacePublicId}/events\`.
- **Resuming**: the first message has only an \`id\`, so that you can resume before any event has arrived. With \`Last-Event-ID\` the stream starts with every event after that one; if some of those are no longer kept, a message of the type \`reset\` comes first: read the board again, and go on with the events that follow. Over tRPC that is PRECONDITION_FAILED.
- **Heartbeats**: the line \`: heartbeat\` is sent every 15 seconds.
- **End**: if the board is deleted, an admin receives \`board.deleted\`, and then every stream of the board ends. When you can no longer see the board, or when your token ends, the last message has the type \`end\` and holds the error. Reconnect after any other end, for example when the connection accepted no data for 15 seconds.
- **Limits**: at most 20 open streams per user.

A \`card.moved\` between boards has no \`to\`, or no \`from\`, if you cannot see the other board. Archived boards can be followed. Requires \`board:view\`. Swagger UI waits for the end of a response and therefore cannot show a stream: use \`curl -N\` or a client for Server-Sent Events. The example shows one message.`,
        successDescription: "The stream is open.",
      },
    })
    .input(z.object({ boardPublicId: BoardId, lastEventId: LastEventId.optional() }))
    .subscription(({ ctx, input, signal }) => boardStream(ctx, input, signal)),
};
