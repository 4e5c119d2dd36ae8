// A board as it changes (contract section 3, Live). The log of a workspace is read once for all who follow boards in it, and
// whether they still see those is asked again with everything new.

import { sql } from "drizzle-orm";
import { z } from "zod";
import { seesBoard, type Visibility } from "../access/boardVisibility.js";
import { boardFor } from "../access/guards.js";
import type { Role } from "../access/permissions.js";
import type { Signed } from "../api/context.js";
import { badRequest, type Failure, forbidden, notFound } from "../api/errors.js";
import { BoardId, LastEventId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { bigints, type Database, oncePer, texts } from "../db/client.js";
import { commitSignalOf } from "../events/commitSignal.js";
import { Event } from "../events/eventShapes.js";
import { type Entry, entriesAfter, FollowedLogs, type Page } from "../events/followedLogs.js";
import { Follower, streamOf } from "../events/followers.js";
import {
  type Delivered,
  type EventRow,
  eventColumns,
  eventJoins,
  numbersOnBoard,
  readDelivered,
  shownEvents,
} from "../events/reading.js";

/** Who follows which board. */
interface Reader {
  accountId: number;
  boardId: number;
  boardPublicId: string;
}

const PAGE = 100;

const entryOf = ({ event, alsoOn }: Delivered): Entry<Event> => ({
  position: event.id,
  about: event.boardPublicId === null ? alsoOn : [event.boardPublicId],
  item: event,
});

/** Where the log of a workspace ends; null when the workspace is gone. */
async function endOf(db: Database, workspaceId: number): Promise<number | null> {
  const [row] = await db.rows<{ end: number }>(
    sql`select event_seq as "end" from workspace_counter where workspace_id = ${workspaceId}::bigint`,
  );
  return row?.end ?? null;
}

/** A page of entries; `end` is where the log ended when they were read, or before. */
function pageOf(entries: Entry<Event>[], end: number): Page<Event> {
  const last = entries.at(-1)?.position ?? 0;
  const isWhole = entries.length < PAGE;
  return { entries, position: isWhole ? Math.max(last, end) : last, isWhole };
}

/** What came in a workspace on some boards, or on none, after a number, and where the log ends, as one statement sees both. */
async function readOn(db: Database, workspaceId: number, after: number, boards: readonly string[]) {
  const rows = await db.rows<{ end: number } & (EventRow | { id: null })>(sql`
    select k.event_seq as "end", e.* from workspace_counter k
    left join (
      select ${eventColumns} from event e ${eventJoins(workspaceId)}
      where e.workspace_id = ${workspaceId}::bigint and e.seq > ${after}::bigint
        and (e.board_public_id is null or e.board_public_id = any(${texts(boards)}))
      order by e.seq limit ${PAGE}::int
    ) e on true
    where k.workspace_id = ${workspaceId}::bigint
    order by e.id`);
  const [first] = rows;
  if (first === undefined) return null;
  const found = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return pageOf((await shownEvents(db, workspaceId, found)).map(entryOf), first.end);
}

interface AccessRow {
  role: Role | null;
  /** Null where the board is gone. */
  visibility: Visibility | null;
  isBoardMember: boolean;
}

function barrierOf({ role, visibility, isBoardMember }: AccessRow): Failure | null {
  if (visibility === null) return notFound();
  return role !== null && seesBoard(role, visibility, isBoardMember) ? null : forbidden();
}

/** Those of some readers who do not see their board, and why. */
async function barredFrom(db: Database, workspaceId: number, readers: readonly Reader[]) {
  const barred = new Map<Reader, Failure>();
  if (readers.length === 0) return barred;
  const rows = await db.rows<AccessRow>(sql`
    select m.role, b.visibility, bm.member_id is not null as "isBoardMember"
    from unnest(${bigints(readers.map(({ accountId }) => accountId))}, ${bigints(readers.map(({ boardId }) => boardId))})
      with ordinality as r(account_id, board_id, n)
    left join board b on b.workspace_id = ${workspaceId}::bigint and b.id = r.board_id
    left join member m on m.workspace_id = ${workspaceId}::bigint and m.account_id = r.account_id
    left join board_member bm on bm.workspace_id = ${workspaceId}::bigint and bm.board_id = r.board_id and bm.member_id = m.id
    order by r.n`);
  for (const [index, reader] of readers.entries()) {
    const row = rows[index];
    const barrier = row === undefined ? notFound() : barrierOf(row);
    if (barrier !== null) barred.set(reader, barrier);
  }
  return barred;
}

/** The workspaces whose boards somebody follows in this process. */
const followedLogsIn = oncePer((db) => {
  const followedLogs = new FollowedLogs<Event, Reader>({
    read: async (workspaceId, after, readers, checkAll) => {
      const page = await readOn(db, workspaceId, after, [...new Set(readers.map((reader) => reader.boardPublicId))]);
      if (page === null) return null;
      const changed = new Set(page.entries.map(({ item }) => item.boardPublicId));
      const isAffected = ({ boardPublicId }: Reader) => checkAll || changed.has(null) || changed.has(boardPublicId);
      return { ...page, barred: await barredFrom(db, workspaceId, readers.filter(isAffected)) };
    },
    isFor: ({ about }, { boardPublicId }) => about.includes(boardPublicId),
    ends: async (workspaceIds) => {
      const rows = await db.rows<{ id: number; end: number }>(
        acrossWorkspaces(
          "ends of followed logs",
          sql`select workspace_id as id, event_seq as "end" from workspace_counter
            where workspace_id = any(${bigints(workspaceIds)})`,
        ),
      );
      return new Map(rows.map(({ id, end }) => [id, end]));
    },
  });
  commitSignalOf(db).subscribe((workspaceIds) => followedLogs.wake(workspaceIds));
  return followedLogs;
});

/** The stream of a board for a caller, from the end of its log or from an event on. */
async function boardStream(
  ctx: Signed<Database>,
  input: { boardPublicId: string; lastEventId?: string | undefined },
  signal: AbortSignal | undefined,
) {
  const { boardId, boardPublicId, workspaceId } = await boardFor(ctx, input.boardPublicId, "board:view");
  const end = await endOf(ctx.db, workspaceId);
  if (end === null) throw notFound();
  const position = input.lastEventId === undefined ? end : Number(input.lastEventId);
  if (position > end) throw badRequest("Is not the id of an event of this stream", "lastEventId");

  const follower = new Follower<Event>(signal);
  const readPage = async (after: number) => {
    const logEnd = (await endOf(ctx.db, workspaceId)) ?? after;
    const found = await readDelivered(
      ctx.db,
      workspaceId,
      numbersOnBoard(workspaceId, boardPublicId, { after, limit: PAGE }),
    );
    await boardFor(ctx, boardPublicId, "board:view");
    return pageOf(found.map(entryOf), logEnd);
  };
  const reader = { accountId: ctx.user.accountId, boardId, boardPublicId };
  const following = { followedLogs: followedLogsIn(ctx.db), key: workspaceId, reader, position, readPage, follower };
  return streamOf(position, () => entriesAfter(following));
}

export const streams = {
  stream: protectedProcedure
    .meta({
      stream: Event,
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/stream",
        tags: ["Events"],
        summary: "Follow a board",
        description:
          "Sends every event of the board as Server-Sent Events, in order and once each. The stream also has `member.added`, `member.updated`, `member.role.changed`, `member.removed`, `tag.updated` and `tag.deleted` for people and tags on the board: a copy of the board that applies each event equals the board that you read next. The first message has only an `id`, so that you can resume before any event has arrived. With `Last-Event-ID` the stream starts with every event after that one. A comment is sent every 15 seconds. When you can no longer see the board, or when your token ends, the last message has the type `end` and holds the error. Reconnect after any other end, for example when the connection accepted no data for 15 seconds. Archived boards can be followed. At most 20 open streams per user. Requires `board:view`. Swagger UI waits for the end of an answer and so cannot show a stream: use `curl -N` or a client for Server-Sent Events. The example shows one message.",
        successDescription: "The stream is open.",
      },
    })
    .input(z.object({ boardPublicId: BoardId, lastEventId: LastEventId.optional() }))
    .subscription(({ ctx, input, signal }) => boardStream(ctx, input, signal)),
};
