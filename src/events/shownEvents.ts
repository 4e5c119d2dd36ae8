// Reads events as clients see them, and selects those that a reader may see (contract section 5; capabilities section 0, Events).

import { type SQL, sql } from "drizzle-orm";
import { type BoardReader, boardsSeenBy, seesAllBoards } from "../access/boardVisibility.js";
import { bigints, type Queries, texts } from "../db/client.js";
import type { Reads } from "../db/replicas.js";
import { account, board, event, member, workspace, workspaceCounter } from "../db/schema/index.js";
import { orNull, type RowOf, selection } from "../db/selections.js";
import { concernsBoard, takeBoards } from "./boards.js";
import { withLaterFields } from "./earlierEvents.js";
import { eventsAsSeenBy, type Outside, outsideOf } from "./elsewhere.js";
import type { Event, EventType } from "./eventShapes.js";
import { forgottenUpTo } from "./logBounds.js";
import { withPeople } from "./peopleInEvents.js";

/** The columns that are read of an event, with its workspace and its actor. */
export const eventFields = {
  id: event.seq,
  type: sql<EventType>`${event.type}`,
  createdAt: event.createdAt,
  ...orNull({
    actorPublicId: account.publicId,
    actorName: account.name,
    actorImage: account.image,
    actorMemberPublicId: member.publicId,
  }),
  workspacePublicId: workspace.publicId,
  boardPublicId: event.boardPublicId,
  cardPublicId: event.cardPublicId,
  data: event.data,
  operationPublicId: event.operationPublicId,
  requestKey: event.requestKey,
  originKind: event.origin,
  redacted: event.redacted,
};

/** An event as it is read. */
type StoredEvent = RowOf<typeof eventFields>;

/** Joins with an event of a workspace what `eventFields` reads beside it. */
export const eventJoins = (workspaceId: number) => sql`
  join ${workspace} on ${workspace.id} = ${workspaceId}::bigint
  left join ${account} on ${account.id} = ${event.actorId}
  left join ${member} on ${member.workspaceId} = ${workspaceId}::bigint and ${member.accountId} = ${event.actorId}`;

const wholeEvent = selection(eventFields);

/** Whether an outer join found an event. */
export const isLogged = <Row extends { id: number | null }>(row: Row): row is Row & StoredEvent => row.id !== null;

/** An event, the boards that receive it besides its own, and its form for readers who do not see another board that it names. */
export interface Delivered {
  event: Event;
  alsoOn: readonly string[];
  outside: Outside | null;
}

/** The log contains data in the shape of each type; a test compares this for every kind of change. */
const ofItsType = (event: Omit<Event, "type" | "data"> & Pick<StoredEvent, "type" | "data">) => event as Event;

/** An event as it is shown; the actor of a closed account is shown as `Deleted user`. */
function shownEvent({ actorPublicId, actorName, actorImage, actorMemberPublicId, ...row }: StoredEvent): Delivered {
  const { id, type, createdAt, workspacePublicId, boardPublicId, cardPublicId } = row;
  const { operationPublicId, requestKey, redacted } = row;
  const isOfNobody =
    actorPublicId === null || actorName === null || row.originKind === "system" || row.originKind === "operator";
  const actor = isOfNobody
    ? null
    : { publicId: actorPublicId, name: actorName, image: actorImage, memberPublicId: actorMemberPublicId };
  const { data, boardPublicIds } = takeBoards(withLaterFields(row.data));
  const place = { workspacePublicId, boardPublicId, cardPublicId };
  const origin = { kind: row.originKind };
  const made = { id, type, createdAt, actor, ...place, data, operationPublicId, requestKey, origin, redacted };
  const event = ofItsType(made);
  return { event, alsoOn: boardPublicIds, outside: outsideOf(event) };
}

/** Rows of a workspace's log as they are shown. */
export const shownEvents = async (db: Reads, workspaceId: number, rows: readonly StoredEvent[]): Promise<Delivered[]> =>
  (await withPeople(db, workspaceId, rows)).map(shownEvent);

/** The events of a workspace whose numbers a query selects, as FROM. */
const ofNumbers = (workspaceId: number, numbers: SQL) => sql`
  from (${numbers}) numbers
  join ${event} on ${event.workspaceId} = ${workspaceId}::bigint and ${event.seq} = numbers.seq ${eventJoins(workspaceId)}`;

/** Reads the events of a workspace whose numbers a query selects, oldest first. */
export async function readDelivered(db: Reads, workspaceId: number, numbers: SQL): Promise<Delivered[]> {
  const rows = await db.read(
    wholeEvent,
    sql`select ${wholeEvent} ${ofNumbers(workspaceId, numbers)} order by ${event.seq}`,
  );
  return shownEvents(db, workspaceId, rows);
}

/** As `readDelivered`, as a reader may see them. */
const readEvents = async (db: Reads, reader: BoardReader, numbers: SQL): Promise<Event[]> =>
  eventsAsSeenBy(db, reader, await readDelivered(db, reader.workspaceId, numbers));

/** The first events after a number. */
interface NumberPage {
  after: number | SQL;
  limit: number;
}

/** The events that are requested. */
interface EventFilter extends NumberPage {
  after: number;
  boardPublicId?: string | undefined;
  cardPublicId?: string | undefined;
}

/** The public identifiers of the boards that are there and that a reader sees. */
const boardsOf = (reader: BoardReader) => boardsSeenBy(reader, board.publicId);

/** The first numbers after a position, in the order of one index. */
const first = (reader: Pick<BoardReader, "workspaceId">, { after, limit }: NumberPage, where: SQL) => sql`
  select ${event.seq} from ${event}
  where ${event.workspaceId} = ${reader.workspaceId}::bigint and ${event.seq} > ${after}::bigint ${where}
  order by ${event.seq} limit ${limit}::int`;

/** A board, and the member of the workspace who reads its log. */
interface BoardLog {
  workspaceId: number;
  boardPublicId: SQL;
  readersPublicId: SQL;
}

/** The numbers of the events in a board's log: its own, and workspace events that concern it. */
const onBoard = (log: BoardLog, filter: NumberPage) => sql`
  (${first(log, filter, sql`and ${event.boardPublicId} = ${log.boardPublicId}`)})
  union all (${first(log, filter, sql`and ${concernsBoard(log.boardPublicId, log.readersPublicId)}`)})
  order by 1 limit ${filter.limit}::int`;

/** The identifier of a reader as a member. */
const publicIdOf = ({ workspaceId, memberId }: BoardReader) => sql`(
  select ${member.publicId} from ${member}
  where ${member.workspaceId} = ${workspaceId}::bigint and ${member.id} = ${memberId}::bigint)`;

/** A member who sees some boards, each with the number behind which it is read. */
interface BoardsReader {
  memberPublicId: string;
  boards: ReadonlyMap<string, number>;
}

/** The numbers of the events on some boards, for a reader who sees them. */
export function numbersOnBoards(workspaceId: number, { memberPublicId, boards }: BoardsReader, limit: number): SQL {
  const log = {
    workspaceId,
    boardPublicId: sql`followed.board_public_id`,
    readersPublicId: sql`${memberPublicId}::text`,
  };
  return sql`
    select distinct logged.seq
    from unnest(${texts([...boards.keys()])}, ${bigints([...boards.values()])}) as followed(board_public_id, after)
    cross join lateral (${onBoard(log, { after: sql`followed.after`, limit })}) logged
    order by 1 limit ${limit}::int`;
}

/**
 * The numbers of the events that a reader sees. A reader who does not see every board gets the first ones of each visible board, so
 * the work depends on the boards and the result, not on other events.
 */
function numbersFor(reader: BoardReader, filter: EventFilter): SQL {
  const { boardPublicId, cardPublicId, limit } = filter;
  if (cardPublicId !== undefined) {
    const onThat = boardPublicId === undefined ? sql`` : sql`and ${event.boardPublicId} = ${boardPublicId}::text`;
    const seen = seesAllBoards(reader.role) ? sql`` : sql`and ${event.boardPublicId} in (${boardsOf(reader)})`;
    return first(reader, filter, sql`and ${event.cardPublicId} = ${cardPublicId}::text ${onThat} ${seen}`);
  }
  const own = { workspaceId: reader.workspaceId, readersPublicId: publicIdOf(reader) };
  const logOf = (publicId: SQL): BoardLog => ({ ...own, boardPublicId: publicId });
  if (seesAllBoards(reader.role)) {
    return boardPublicId === undefined
      ? first(reader, filter, sql``)
      : onBoard(logOf(sql`${boardPublicId}::text`), filter);
  }
  if (boardPublicId !== undefined) {
    return sql`
      select logged.seq from (${boardsOf(reader)} and ${board.publicId} = ${boardPublicId}::text) ${board}
      cross join lateral (${onBoard(logOf(sql`${board.publicId}`), filter)}) logged`;
  }
  const ofBoards = sql`
    select logged.seq from (${boardsOf(reader)}) ${board}
    cross join lateral (${first(reader, filter, sql`and ${event.boardPublicId} = ${board.publicId}`)}) logged`;
  if (reader.role === "guest") return sql`${ofBoards} order by 1 limit ${limit}::int`;
  const ofWorkspace = sql`and ${event.boardPublicId} is null
    and ${event.type} not like 'invite.%' and ${event.type} not like 'webhook.%'`;
  return sql`${ofBoards} union all (${first(reader, filter, ofWorkspace)}) order by 1 limit ${limit}::int`;
}

const eventAndBounds = selection({ ...eventFields, forgotten: workspaceCounter.forgottenSeq });

/** A page of the events of a workspace that a member sees now, oldest first, and the number up to which events are gone. */
export async function eventsFor(
  db: Reads,
  reader: BoardReader,
  filter: EventFilter,
): Promise<{ items: Event[]; hasMore: boolean; forgotten: number }> {
  const { workspaceId } = reader;
  const { limit } = filter;
  const rows = await db.read(
    eventAndBounds,
    sql`
      select ${eventAndBounds} ${ofNumbers(workspaceId, numbersFor(reader, { ...filter, limit: limit + 1 }))}
      join ${workspaceCounter} on ${workspaceCounter.workspaceId} = ${workspaceId}::bigint
      order by ${event.seq}`,
  );
  const items = await eventsAsSeenBy(db, reader, await shownEvents(db, workspaceId, rows.slice(0, limit)));
  const forgotten = rows[0]?.forgotten ?? (await forgottenUpTo(db, workspaceId));
  return { items, hasMore: rows.length > limit, forgotten };
}

/** A card and its reader. */
type CardReader = BoardReader & { cardPublicId: string };

/** The events of a card on boards that a member sees now, newest first, before a number where one is given. */
export async function activitiesOn(
  db: Queries,
  card: CardReader,
  { before, limit }: { before: number | null; limit: number },
): Promise<Event[]> {
  const seen = seesAllBoards(card.role) ? sql`` : sql`and ${event.boardPublicId} in (${boardsOf(card)})`;
  const earlier = before === null ? sql`` : sql`and ${event.seq} < ${before}::bigint`;
  const events = await readEvents(
    db,
    card,
    sql`
      select ${event.seq} from ${event}
      where ${event.workspaceId} = ${card.workspaceId}::bigint and ${event.cardPublicId} = ${card.cardPublicId}::text
        ${earlier} ${seen}
      order by ${event.seq} desc limit ${limit}::int`,
  );
  return events.reverse();
}
