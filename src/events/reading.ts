// The log read back (contract section 5; capabilities section 0, Events): events as everyone is shown them, and which of them a
// reader may see.

import { type SQL, sql } from "drizzle-orm";
import { type BoardReader, boardsSeenBy, seesAllBoards } from "../access/boardVisibility.js";
import type { Queries } from "../db/client.js";
import type { Reads } from "../db/replicas.js";
import { namesOneOf, takeBoards } from "./boards.js";
import type { Event } from "./eventShapes.js";
import { withPeople } from "./people.js";
import type { EventType } from "./types.js";

/** An event as `eventColumns` reads it. */
export interface EventRow extends Omit<Event, "type" | "data" | "actor" | "origin"> {
  type: EventType;
  data: Record<string, unknown>;
  originKind: Event["origin"]["kind"];
  actorPublicId: string | null;
  actorName: string;
  actorImage: string | null;
}

/** The columns of an event `e`, its workspace `w` and its actor `a`. */
export const eventColumns = sql.raw(`e.seq as id, e.type, e.created_at as "createdAt",
  a.public_id as "actorPublicId", a.name as "actorName", a.image as "actorImage", w.public_id as "workspacePublicId",
  e.board_public_id as "boardPublicId", e.card_public_id as "cardPublicId", e.data,
  e.operation_public_id as "operationPublicId", e.origin as "originKind", e.redacted`);

/** What `eventColumns` reads beside the event `e` of a workspace. */
export const eventJoins = (workspaceId: number) =>
  sql`join workspace w on w.id = ${workspaceId}::bigint left join account a on a.id = e.actor_id`;

/** An event, and the boards that it is delivered to beside its own. */
export interface Delivered {
  event: Event;
  alsoOn: readonly string[];
}

/** The log holds for each type the data that its shape describes, which a test compares for every kind of change. */
const ofItsType = (shown: Omit<Event, "type" | "data"> & Pick<EventRow, "type" | "data">) => shown as Event;

/** An event as it is shown; one who has closed the account is shown as the tombstone that stays. */
function shownEvent({ actorPublicId, actorName, actorImage, ...row }: EventRow): Delivered {
  const { id, type, createdAt, workspacePublicId, boardPublicId, cardPublicId, operationPublicId, redacted } = row;
  const isOfNobody = actorPublicId === null || row.originKind === "system" || row.originKind === "operator";
  const actor = isOfNobody ? null : { publicId: actorPublicId, name: actorName, image: actorImage };
  const { data, boardPublicIds } = takeBoards(row.data);
  const place = { workspacePublicId, boardPublicId, cardPublicId };
  const origin = { kind: row.originKind };
  const shown = { id, type, createdAt, actor, ...place, data, operationPublicId, origin, redacted };
  return { event: ofItsType(shown), alsoOn: boardPublicIds };
}

/** Rows of a workspace's log as they are shown. */
export const shownEvents = async (db: Reads, workspaceId: number, rows: readonly EventRow[]): Promise<Delivered[]> =>
  (await withPeople(db, workspaceId, rows)).map(shownEvent);

/** Reads the events of a workspace whose numbers a query selects, oldest first. */
export async function readDelivered(db: Reads, workspaceId: number, numbers: SQL): Promise<Delivered[]> {
  const rows = await db.rows<EventRow>(sql`
    select ${eventColumns} from (${numbers}) n
    join event e on e.workspace_id = ${workspaceId}::bigint and e.seq = n.seq ${eventJoins(workspaceId)}
    order by e.seq`);
  return shownEvents(db, workspaceId, rows);
}

const readEvents = async (db: Reads, workspaceId: number, numbers: SQL): Promise<Event[]> =>
  (await readDelivered(db, workspaceId, numbers)).map(({ event }) => event);

/** The first ones after a number. */
interface NumberPage {
  after: number;
  limit: number;
}

/** Which events are asked for. */
export interface EventFilter extends NumberPage {
  boardPublicId?: string | undefined;
  cardPublicId?: string | undefined;
}

/** The boards that are there and that a reader sees, as `public_id`. */
const boardsOf = (reader: BoardReader) => boardsSeenBy(reader, sql.raw("b.public_id"));

/** The numbers that one index gives in order: the first ones after a place. */
const first = (reader: Pick<BoardReader, "workspaceId">, { after, limit }: NumberPage, where: SQL) => sql`
  select seq from event
  where workspace_id = ${reader.workspaceId}::bigint and seq > ${after}::bigint ${where}
  order by seq limit ${limit}::int`;

/** The numbers of what a board's log holds: its events, and those of the workspace that name it. */
const onBoard = (reader: Pick<BoardReader, "workspaceId">, filter: NumberPage, boardPublicId: SQL) => sql`
  (${first(reader, filter, sql`and board_public_id = ${boardPublicId}`)})
  union all (${first(reader, filter, sql`and ${namesOneOf(sql`array[${boardPublicId}]`)}`)})
  order by 1 limit ${filter.limit}::int`;

/** The numbers of the events on a board, for whoever sees it. */
export const numbersOnBoard = (workspaceId: number, boardPublicId: string, filter: NumberPage) =>
  onBoard({ workspaceId }, filter, sql`${boardPublicId}::text`);

/**
 * The numbers of the events that a reader sees. Who does not see everything is given the first of each board it sees: so the
 * work grows with the boards and the answer, not with what others did meanwhile.
 */
function numbersFor(reader: BoardReader, filter: EventFilter): SQL {
  const { boardPublicId, cardPublicId, limit } = filter;
  if (cardPublicId !== undefined) {
    const onThat = boardPublicId === undefined ? sql`` : sql`and board_public_id = ${boardPublicId}::text`;
    const seen = seesAllBoards(reader.role) ? sql`` : sql`and board_public_id in (${boardsOf(reader)})`;
    return first(reader, filter, sql`and card_public_id = ${cardPublicId}::text ${onThat} ${seen}`);
  }
  if (seesAllBoards(reader.role)) {
    return boardPublicId === undefined
      ? first(reader, filter, sql``)
      : numbersOnBoard(reader.workspaceId, boardPublicId, filter);
  }
  if (boardPublicId !== undefined) {
    return sql`
      select s.seq from (${boardsOf(reader)} and b.public_id = ${boardPublicId}::text) v
      cross join lateral (${onBoard(reader, filter, sql`v.public_id`)}) s`;
  }
  const ofBoards = sql`
    select s.seq from (${boardsOf(reader)}) v
    cross join lateral (${first(reader, filter, sql`and board_public_id = v.public_id`)}) s`;
  if (reader.role === "guest") return sql`${ofBoards} order by 1 limit ${limit}::int`;
  const own = sql`and board_public_id is null and type not like 'invite.%' and type not like 'webhook.%'`;
  return sql`${ofBoards} union all (${first(reader, filter, own)}) order by 1 limit ${limit}::int`;
}

/** The events of a workspace that a member sees now, oldest first. */
export const eventsFor = (db: Reads, reader: BoardReader, filter: EventFilter): Promise<Event[]> =>
  readEvents(db, reader.workspaceId, numbersFor(reader, filter));

/** A card, and who looks at it. */
type CardReader = BoardReader & { cardPublicId: string };

/** The events of a card on boards that a member sees now, newest first, before a number where one is given. */
export async function activitiesOf(
  db: Queries,
  card: CardReader,
  { before, limit }: { before: number | null; limit: number },
): Promise<Event[]> {
  const seen = seesAllBoards(card.role) ? sql`` : sql`and board_public_id in (${boardsOf(card)})`;
  const earlier = before === null ? sql`` : sql`and seq < ${before}::bigint`;
  const events = await readEvents(
    db,
    card.workspaceId,
    sql`
      select seq from event
      where workspace_id = ${card.workspaceId}::bigint and card_public_id = ${card.cardPublicId}::text ${earlier} ${seen}
      order by seq desc limit ${limit}::int`,
  );
  return events.reverse();
}
