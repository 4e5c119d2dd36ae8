// The log read back (contract section 5): events as everyone is shown them, and which of them a reader may see.

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { isSeenBy, type WorkspaceAccess } from "../access/guards.js";
import { Person, Timestamp } from "../api/shapes.js";
import type { Queries } from "../db/client.js";
import type { Reads } from "../db/replicas.js";
import { EVENT_TYPES, type EventType } from "./types.js";

/** The list of types holds nothing but types. */
const typesOf = (names: readonly string[]) => names as readonly EventType[];

/** An event, alike in lists, activities, streams and webhooks (contract section 5). */
export const Event = z.object({
  id: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
  type: z.enum(typesOf(EVENT_TYPES)),
  createdAt: Timestamp,
  actor: Person.nullable(),
  workspacePublicId: z.string(),
  boardPublicId: z.string().nullable(),
  cardPublicId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});
export type Event = z.output<typeof Event>;

/** An event as `eventColumns` reads it. */
export interface EventRow extends Omit<Event, "actor"> {
  actorPublicId: string | null;
  actorName: string;
  actorImage: string | null;
}

/** The columns of an event `e`, its workspace `w` and its actor `a`. */
export const eventColumns = sql.raw(`e.seq as id, e.type, e.created_at as "createdAt",
  a.public_id as "actorPublicId", a.name as "actorName", a.image as "actorImage", w.public_id as "workspacePublicId",
  e.board_public_id as "boardPublicId", e.card_public_id as "cardPublicId", e.data`);

/** What `eventColumns` reads beside the event `e`. */
export const eventJoins = sql.raw(`join workspace w on w.id = e.workspace_id left join account a on a.id = e.actor_id`);

/** An event as it is shown; one who has closed the account is shown as the tombstone that stays. */
export function shownEvent({ actorPublicId, actorName, actorImage, ...row }: EventRow): Event {
  const actor = actorPublicId === null ? null : { publicId: actorPublicId, name: actorName, image: actorImage };
  const { id, type, createdAt, workspacePublicId, boardPublicId, cardPublicId, data } = row;
  return { id, type, createdAt, actor, workspacePublicId, boardPublicId, cardPublicId, data };
}

/** Reads the events of a workspace whose numbers a query selects, oldest first. */
export async function readEvents(db: Reads, workspaceId: number, numbers: SQL): Promise<Event[]> {
  const rows = await db.rows<EventRow>(sql`
    select ${eventColumns} from (${numbers}) n
    join event e on e.workspace_id = ${workspaceId}::bigint and e.seq = n.seq ${eventJoins}
    order by e.seq`);
  return rows.map(shownEvent);
}

/** Which events are asked for. */
export interface EventFilter {
  after: number;
  limit: number;
  boardPublicId?: string | undefined;
  cardPublicId?: string | undefined;
}

type Reader = Pick<WorkspaceAccess, "workspaceId" | "memberId" | "role"> & { sees?: readonly number[] };

/** The boards that are there and that a reader sees, as `public_id`. */
const boardsOf = (reader: Reader) => sql`
  select b.public_id from board b
  left join board_member bm
    on bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = ${reader.memberId}::bigint
  where b.workspace_id = ${reader.workspaceId}::bigint and ${isSeenBy(reader)}`;

/** The numbers that one index gives in order: the first ones after a place. */
const first = (reader: Reader, { after, limit }: EventFilter, where: SQL) => sql`
  select seq from event
  where workspace_id = ${reader.workspaceId}::bigint and seq > ${after}::bigint ${where}
  order by seq limit ${limit}::int`;

/**
 * The numbers of the events that a reader sees. Who does not see everything is given the first of each board it sees: so the
 * work grows with the boards and the answer, not with what others did meanwhile.
 */
function numbersFor(reader: Reader, filter: EventFilter): SQL {
  const { boardPublicId, cardPublicId, limit } = filter;
  const onBoard = boardPublicId === undefined ? sql`` : sql`and board_public_id = ${boardPublicId}::text`;
  if (reader.role === "admin") {
    const onCard = cardPublicId === undefined ? sql`` : sql`and card_public_id = ${cardPublicId}::text`;
    return first(reader, filter, sql`${onBoard} ${onCard}`);
  }
  if (cardPublicId !== undefined) {
    const seen = sql`and board_public_id in (${boardsOf(reader)})`;
    return first(reader, filter, sql`and card_public_id = ${cardPublicId}::text ${onBoard} ${seen}`);
  }
  const asked = boardPublicId === undefined ? sql`` : sql`and b.public_id = ${boardPublicId}::text`;
  const ofBoards = sql`
    select s.seq from (${boardsOf(reader)} ${asked}) v
    cross join lateral (${first(reader, filter, sql`and board_public_id = v.public_id`)}) s`;
  if (reader.role === "guest" || boardPublicId !== undefined) return sql`${ofBoards} order by 1 limit ${limit}::int`;
  const own = sql`and board_public_id is null and type not like 'invite.%' and type not like 'webhook.%'`;
  return sql`${ofBoards} union all (${first(reader, filter, own)}) order by 1 limit ${limit}::int`;
}

/** The events of a workspace that a member sees now, oldest first. */
export const eventsFor = (db: Reads, reader: Reader, filter: EventFilter): Promise<Event[]> =>
  readEvents(db, reader.workspaceId, numbersFor(reader, filter));

/** A card, and who looks at it. */
type CardReader = Reader & { cardPublicId: string };

/** The events of a card on boards that a member sees now, newest first, before a number where one is given. */
export async function activitiesOf(
  db: Queries,
  card: CardReader,
  { before, limit }: { before: number | null; limit: number },
): Promise<Event[]> {
  const seen = card.role === "admin" ? sql`` : sql`and board_public_id in (${boardsOf(card)})`;
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
