// The event log (contract section 5): what changed, once, in order. `record` is how every change ends: it takes the workspace's
// counter as the last lock, writes the change and its events under the numbers it got, and commits.

import { type SQL, sql } from "drizzle-orm";
import { notFound } from "../api/errors.js";
import type { Transaction } from "../db/client.js";
import { records } from "../db/records.js";
import type { EventType } from "./types.js";

export type { EventType } from "./types.js";

/** What happened, and to which board and card. `data` names what changed and holds no address, code or secret. */
export interface NewEvent {
  type: EventType;
  boardPublicId: string | null;
  cardPublicId: string | null;
  data: Record<string, unknown>;
}

/** An event of the workspace itself. */
export const workspaceEvent = (type: EventType, data: NewEvent["data"]): NewEvent => ({
  type,
  boardPublicId: null,
  cardPublicId: null,
  data,
});

/** An event on a board. */
export const boardEvent = (board: { boardPublicId: string }, type: EventType, data: NewEvent["data"]): NewEvent => ({
  type,
  boardPublicId: board.boardPublicId,
  cardPublicId: null,
  data,
});

/** An event on a card. */
export const cardEvent = (
  card: { boardPublicId: string; cardPublicId: string },
  type: EventType,
  data: NewEvent["data"],
): NewEvent => ({ type, boardPublicId: card.boardPublicId, cardPublicId: card.cardPublicId, data });

type Changes<T> = { [K in keyof T]?: { from: unknown; to: unknown } };

/** The fields of `wanted` that are given and differ from `current`, each with `from` and `to`; null when there are none. */
export function changesTo<T extends object>(
  current: T,
  wanted: { [K in keyof T]?: T[K] | undefined },
): Changes<T> | null {
  const changes: Changes<T> = {};
  let any = false;
  for (const field of Object.keys(wanted) as (keyof T)[]) {
    if (wanted[field] === undefined || wanted[field] === current[field]) continue;
    changes[field] = { from: current[field], to: wanted[field] };
    any = true;
  }
  return any ? changes : null;
}

/** The numbers that the change takes, as SQL to read inside it: the first event's number, and the first card number. */
export interface Next {
  /** The number of the event at an offset, the first one's by default. */
  seq(offset?: number): SQL;
  /** The card number at an offset, where `cardNumbers` were asked for. */
  cardNumber(offset?: number | SQL): SQL;
}

const next: Next = {
  seq: (offset = 0) => sql`next.seq + ${offset + 1}::bigint`,
  cardNumber: (offset = 0) => sql`next.card_number + ${offset}::int + 1`,
};

/** A transaction and whoever acts in it. */
export interface Acting {
  db: Transaction;
  user: { accountId: number | null };
}

interface Recording {
  events: readonly NewEvent[];
  /** How many card numbers the change uses up. */
  cardNumbers?: number;
  /** The write itself: a statement that reads from `next` and returns at least one row. */
  write?: (next: Next) => SQL;
  /** Further writes of the same statement, as named CTEs that read from `next` or from `changed`, the rows of `write`. */
  also?: readonly SQL[];
}

const EVENT_COLUMNS = { n: "int", type: "text", board: "text", card: "text", data: "jsonb" } as const;

/**
 * Ends a transaction: takes as many numbers as there are events, runs `write`, logs the events and commits, all in one statement
 * and one round trip. The rows are those that `write` returns.
 * @throws NOT_FOUND when the workspace, or what `write` was to change, is no longer there.
 */
export async function record<Row>(
  tx: Acting,
  workspace: { workspaceId: number },
  { events, cardNumbers = 0, write, also = [] }: Recording,
): Promise<Row[]> {
  const logged = events.map((event, offset) => ({
    n: offset + 1,
    type: event.type,
    board: event.boardPublicId,
    card: event.cardPublicId,
    data: event.data,
  }));
  tx.db.touched.workspaces.add(workspace.workspaceId);
  const changed = write?.(next) ?? sql`select seq from next`;
  const rows = await tx.db.last<Row>(sql`
    with next as (
      update workspace_counter
      set event_seq = event_seq + ${events.length}::bigint, card_number = card_number + ${cardNumbers}::int
      where workspace_id = ${workspace.workspaceId}::bigint
      returning event_seq - ${events.length}::bigint as seq, card_number - ${cardNumbers}::int as card_number
    ), logged as (
      insert into event (workspace_id, seq, type, created_at, actor_id, board_public_id, card_public_id, data)
      select ${workspace.workspaceId}::bigint, next.seq + e.n, e.type, clock_timestamp(), ${tx.user.accountId}::bigint,
        e.board, e.card, e.data
      from next, ${records("e", EVENT_COLUMNS, logged)}
    ), changed as (${changed})${sql.join(also.map((cte) => sql`, ${cte}`))}
    select * from changed`);
  if (rows.length === 0) throw notFound();
  return rows;
}
