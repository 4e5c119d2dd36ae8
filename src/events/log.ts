// The event log (contract section 5): what changed, once, in order. `record` is how a change ends: it takes the workspace's counter
// as the last lock, writes the change and its events under the numbers it got, and commits. `recordAtOnce` is all of a small change.

import { type SQL, sql } from "drizzle-orm";
import { notFound } from "../api/errors.js";
import { type Database, oncePer, type Transaction } from "../db/client.js";
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

/** What the statement of a change is made of. */
interface Recorded {
  /** Whose counter is taken: the rest of its UPDATE. */
  counter: SQL;
  /** Its events, as an item `e` of FROM. */
  events: SQL;
  count: number;
  cardNumbers: number;
  changed: SQL;
  also: readonly SQL[];
}

/** The CTEs of a change: its numbers, its events, and what it writes. */
const recorded = ({ user }: Pick<Acting, "user">, { counter, events, count, cardNumbers, changed, also }: Recorded) =>
  sql`next as (
      update workspace_counter k
      set event_seq = k.event_seq + ${count}::bigint, card_number = k.card_number + ${cardNumbers}::int
      ${counter}
      returning k.workspace_id as in_workspace, k.event_seq - ${count}::bigint as seq, k.card_number - ${cardNumbers}::int as card_number
    ), logged as (
      insert into event (workspace_id, seq, type, created_at, actor_id, board_public_id, card_public_id, data)
      select next.in_workspace, next.seq + e.n, e.type, clock_timestamp(), ${user.accountId}::bigint, e.board, e.card, e.data
      from next, ${events}
    ), changed as (${changed})${sql.join(also.map((cte) => sql`, ${cte}`))}`;

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
  const ctes = recorded(tx, {
    counter: sql`where k.workspace_id = ${workspace.workspaceId}::bigint`,
    events: records("e", EVENT_COLUMNS, logged),
    count: events.length,
    cardNumbers,
    changed: write?.(next) ?? sql`select seq from next`,
    also,
  });
  const rows = await tx.db.last<Row>(sql`with ${ctes} select * from changed`);
  if (rows.length === 0) throw notFound();
  return rows;
}

/** A change that is one statement, and one event on a card. */
export interface AtOnce {
  /** The public identifier of the list or card that it names. */
  about: string;
  /**
   * CTEs that authorise and lock. The last is `allowed`: one row where the caller may and there is something to change, with the
   * `workspace_id`, the `board_public_id`, the `card_public_id` and whatever else is read of it; else none.
   */
  allowed: SQL;
  type: EventType;
  /** The event's data, read from `allowed`. */
  data: SQL;
  cardNumbers?: number;
  /** The write itself, which reads from `allowed` and `next` and returns one row, the answer. */
  write: (next: Next) => SQL;
  also?: readonly SQL[];
}

/** What such a change has written, for a CTE that keeps it: the answer as JSON, and where it was. */
export const written = {
  answer: sql.raw("to_json(changed)::text"),
  workspaceId: sql.raw("next.in_workspace"),
  from: sql.raw("from changed, next"),
};

/** The workspaces of lists and cards that were changed lately: one never goes to another workspace. */
const workspacesOf = oncePer(() => new Map<string, number>());
const REMEMBERED = 20_000;

/**
 * Runs a change that is one statement, in one round trip and without a transaction around it; null where nothing was allowed. Changes
 * of one workspace wait for its counter anyway: where it is known from the last change of `about`, they run one behind the other.
 */
export async function recordAtOnce<Row>(
  { db, user }: { db: Database; user: Acting["user"] },
  { about, allowed, type, data, cardNumbers = 0, write, also = [] }: AtOnce,
): Promise<Row | null> {
  const ctes = recorded(
    { user },
    {
      counter: sql`from allowed where k.workspace_id = allowed.workspace_id`,
      events: sql`(
        select 1 as n, ${type}::text as type, board_public_id as board, card_public_id as card, ${data} as data from allowed
      ) e`,
      count: 1,
      cardNumbers,
      changed: write(next),
      also,
    },
  );
  const workspaces = workspacesOf(db);
  const lane = workspaces.get(about)?.toString() ?? null;
  const [row] = await db.write<Row & { workspaceId: number }>(
    sql`with ${allowed}, ${ctes} select changed.*, next.in_workspace as "workspaceId" from changed, next`,
    lane,
  );
  if (row === undefined) return null;
  if (workspaces.size >= REMEMBERED) workspaces.clear();
  workspaces.set(about, row.workspaceId);
  return row;
}
