// The order of siblings (cards of a list, lists of a board, items of a checklist): a bigint with gaps, unique per parent, so that a
// move writes one row.

import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { beside, columnName, selection } from "./selections.js";
import type { Value } from "./statements.js";
import type { UnitOfWork } from "./unitOfWork.js";

/** The initial distance between neighbors. */
export const GAP = 2 ** 32;
/** Positions stay in the range of exact JavaScript numbers, with room for one more gap. */
const LIMIT = 2 ** 52;

/** A position between two neighbors; null if no whole number is left between them. */
export function between(before: number | null, after: number | null): number | null {
  if (before === null && after === null) return 0;
  const position =
    before === null ? (after ?? 0) - GAP : after === null ? before + GAP : before + Math.floor((after - before) / 2);
  return position === before || Math.abs(position) > LIMIT ? null : position;
}

/** The rows that share an order. */
export interface Siblings {
  /** The table, keyed by workspace and id. */
  table: PgTable & { workspaceId: PgColumn; id: PgColumn; position: PgColumn };
  /** Selects the siblings by their parent, positions that are null left out. */
  of: SQL;
  /** How many they are. */
  size: SQL;
}

/** The new position of a row among its siblings, and its old one; `from` is null if it comes from elsewhere. */
export interface Place {
  from: number | null;
  to: number;
  position: number;
}

/** A place before its position is known: the positions of its neighbors. */
export interface Slot extends Omit<Place, "position"> {
  before: number | null;
  after: number | null;
}

/** Reads positions and makes room for new ones. */
type Placing = Pick<UnitOfWork, "db" | "write">;

/** An index among siblings, zero-based and clamped to the end. */
export type At = number | "end";

/** How many siblings are read on each side of an index, or twice as many before the end, to find it again after some of them moved. */
const AROUND = 8;

/** The order of siblings around an index: how many they are, and the positions of those near it, the first of which is at `start`. */
export interface Order {
  size: number;
  start: number;
  near: readonly number[];
}

/** What `orderAround` selects. */
export const orderFields = { size: beside<number>(), start: beside<number>(), near: beside<readonly number[]>() };

/** An index as statements take it: null for the end. */
export const indexAt = (at: At): number | null => (at === "end" ? null : at);

/** A SELECT of the order of siblings around an index. OFFSET 0 keeps the planner from reading their size again at each use. */
export function orderAround({ table: { position }, table, of, size }: Siblings, index: Value<number | null>): SQL {
  const siblings = sql`select ${position} as position from ${table} where ${of}`;
  const limit = sql.raw(String(2 * AROUND));
  return sql`
    select o.size, o.start, to_json(case
        when o.at < o.size then array(${siblings} order by ${position} offset o.start limit ${limit})
        else array(select last.position from (${siblings} order by ${position} desc limit ${limit}) last order by last.position)
      end) as near
    from (
      select s.size, s.at, greatest(case when s.at < s.size then s.at - ${limit} / 2 else s.size - ${limit} end, 0) as start
      from (select c.size, coalesce(${index}::bigint, c.size) as at
        from (select (${size})::int as size offset 0) c offset 0) s offset 0
    ) o`;
}

/** The order without one of the siblings; null where only the database can tell. */
export function without({ size, start, near }: Order, position: number): Order | null {
  const [first] = near;
  if (first === undefined) return null;
  const isBefore = position < first;
  return { size: size - 1, start: isBefore ? start - 1 : start, near: near.filter((other) => other !== position) };
}

/** The order with one more sibling; null where only the database can tell. */
export function withOne({ size, start, near }: Order, position: number): Order | null {
  const [first] = near;
  if (first === undefined && size > 0) return null;
  if (first !== undefined && position < first && start > 0) return { size: size + 1, start: start + 1, near };
  const isBehind = position > (near.at(-1) ?? position);
  if (isBehind && start + near.length < size) return { size: size + 1, start, near };
  return { size: size + 1, start, near: [...near, position].sort((a, b) => a - b) };
}

/** The neighbors of an index, where the sibling at `own` moves there; null where the order does not reach as far. */
export function slotIn(order: Order, at: At, own: number | null): Omit<Slot, "from"> | null {
  const others = own === null ? order : without(order, own);
  if (others === null) return null;
  const { size, start, near } = others;
  const to = at === "end" ? size : Math.min(at, size);
  const before = to === 0 ? null : near[to - 1 - start];
  // Behind the end there may be more where the size is wrong.
  const after = near[to - start] ?? (to === size ? null : undefined);
  return before === undefined || after === undefined ? null : { to, before, after };
}

/**
 * The neighbors of an index in an order that was just read. Where that does not agree with its size, as may be in a change that is
 * tried outside of the lock, the end is as good.
 */
export function slotOrEnd(order: Order, at: At, own: number | null): Omit<Slot, "from"> {
  const { start, near } = (own === null ? null : without(order, own)) ?? order;
  return slotIn(order, at, own) ?? { to: start + near.length, before: near.at(-1) ?? null, after: null };
}

/** The index of a position among siblings, in SQL. */
export const rankOf = ({ table, of }: Pick<Siblings, "table" | "of">, position: SQL) =>
  sql`(select count(*) from ${table} where ${of} and ${table.position} < ${position})`;

const placing = selection({ ...orderFields, from: beside<number>() });

/**
 * The place at an index for a row that comes from elsewhere, or for the sibling at `own`, which does not count as its own neighbor.
 * Spreads the siblings anew where a gap is used up.
 */
export async function placeIn(tx: Placing, siblings: Siblings, at: At, own: number | null = null): Promise<Place> {
  const [row] = await tx.db.read(
    placing,
    sql`select ${rankOf(siblings, sql`${own}::bigint`)} as "from", o.* from (${orderAround(siblings, indexAt(at))}) o`,
  );
  const { from, ...order } = row ?? { from: 0, size: 0, start: 0, near: [] };
  return placeAt(tx, siblings, at, { from: own === null ? null : from, ...slotOrEnd(order, at, own) }, own);
}

/** The place in a slot. Where its gap is used up, spreads the siblings anew and reads the slot again. */
export async function placeAt(
  tx: Placing,
  siblings: Siblings,
  at: At,
  { from, to, before, after }: Slot,
  own: number | null,
): Promise<Place> {
  const position = between(before, after);
  if (position !== null) return { from, to, position };
  await renumber(tx, siblings);
  const moved = own === null ? null : await positionOf(tx, siblings, from ?? 0);
  return placeIn(tx, siblings, at, moved);
}

/** The position of the sibling that stands at an index. */
async function positionOf(tx: Placing, { table, of }: Siblings, index: number): Promise<number | null> {
  const position = sql<number>`${table.position}`;
  const [row] = await tx.db.select({ position }).from(table).where(of).orderBy(position).offset(index).limit(1);
  return row?.position ?? null;
}

/**
 * Spreads all siblings over a free range, above or below the one in use, because spreading them in place would break the unique
 * index. The range is calculated once and rows are found by key, so that a planner that expects few siblings does not scan all of
 * them for each.
 */
async function renumber(tx: Placing, { table, of }: Siblings): Promise<void> {
  const { workspaceId, id, position } = table;
  await tx.write(sql`
    with used as (select min(${position}) as low, max(${position}) as high, count(*) as n from ${table} where ${of}),
    base as materialized (
      select case when high + (n + 2) * ${GAP}::bigint < ${LIMIT}::bigint then high else low - (n + 2) * ${GAP}::bigint end as start
      from used
    ),
    ranked as materialized (
      select ${workspaceId} as workspace_id, ${id} as id, row_number() over (order by ${position}) as rank from ${table} where ${of}
    )
    update ${table} set ${columnName(position)} = base.start + ranked.rank * ${GAP}::bigint
    from base, ranked where ${workspaceId} = ranked.workspace_id and ${id} = ranked.id`);
}
