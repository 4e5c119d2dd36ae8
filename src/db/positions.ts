// Order among siblings (cards of a list, lists of a board, items of a checklist): a bigint with gaps, unique per parent, so
// that a move writes one row. Callers hold the lock of the parent.

import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "./client.js";

/** The distance between neighbours that were never moved. */
export const GAP = 2 ** 32;
/** Positions stay in the range in which JavaScript numbers are exact, with room for one gap more. */
const LIMIT = 2 ** 52;

/** A place that only the closest neighbours decide; null where no whole number is left between them. */
export function between(before: number | null, after: number | null): number | null {
  if (before === null && after === null) return 0;
  const place =
    before === null ? (after ?? 0) - GAP : after === null ? before + GAP : before + Math.floor((after - before) / 2);
  return place === before || Math.abs(place) > LIMIT ? null : place;
}

/** The rows that share an order: a table keyed by workspace and id, its condition on the parent, and the row that is being moved, if any. */
export interface Siblings {
  table: SQL;
  /** Selects the siblings by their parent, positions that are null left out. */
  of: SQL;
  /** The key of the row being moved, which does not count as its own neighbour. */
  exceptId?: number;
}

const others = ({ table, of, exceptId }: Siblings) =>
  sql`from ${table} where ${of} and id <> ${exceptId ?? -1}::bigint`;

interface Place {
  position: number;
}

async function neighbours(db: Queries, siblings: Siblings, index: number | "end") {
  if (index === 0) {
    const [first] = await db.rows<Place>(sql`select position ${others(siblings)} order by position limit 1`);
    return { before: null, after: first?.position ?? null };
  }
  if (index !== "end") {
    const [before, after] = await db.rows<Place>(
      sql`select position ${others(siblings)} order by position offset ${index - 1}::int limit 2`,
    );
    if (before !== undefined) return { before: before.position, after: after?.position ?? null };
  }
  const [last] = await db.rows<Place>(sql`select position ${others(siblings)} order by position desc limit 1`);
  return { before: last?.position ?? null, after: null };
}

/**
 * Spreads all siblings over a free range, above or below the one in use: in place, it would break the unique index. Written so
 * that a planner that takes parents to be small does not go over all siblings for each of them: the range is worked out once,
 * and rows are found by their key.
 */
async function renumber(db: Queries, { table, of }: Siblings): Promise<void> {
  await db.rows(sql`
    with used as (select min(position) as low, max(position) as high, count(*) as n from ${table} where ${of}),
    base as materialized (
      select case when high + (n + 2) * ${GAP}::bigint < ${LIMIT}::bigint then high else low - (n + 2) * ${GAP}::bigint end as start
      from used
    ),
    ranked as materialized (
      select workspace_id, id, row_number() over (order by position) as rank from ${table} where ${of}
    )
    update ${table} set position = base.start + ranked.rank * ${GAP}::bigint
    from base, ranked where ${table}.workspace_id = ranked.workspace_id and ${table}.id = ranked.id`);
}

/**
 * The position that puts a row at `index` (zero-based among the others, clamped to the end). Renumbers the siblings when a
 * gap is used up.
 */
export async function positionAt(db: Queries, siblings: Siblings, index: number | "end"): Promise<number> {
  const { before, after } = await neighbours(db, siblings, index);
  const place = between(before, after);
  if (place !== null) return place;
  await renumber(db, siblings);
  return positionAt(db, siblings, index);
}

/**
 * The end of some siblings as SQL, for the statement that writes a row there under the lock of their parent. Only where there is
 * room behind the last of them, as it was shortly before.
 */
export const atEnd = ({ table, of }: Siblings) =>
  sql`(select coalesce(max(position) + ${GAP}::bigint, 0) from ${table} where ${of})`;

/** Whether the end is so far from the limit that no number of rows that are being added now reaches it. */
export const hasRoomAfter = (last: number | null): boolean => (last ?? 0) < LIMIT / 2;

/** A row's way to a place: its index before and after, and the position that puts it there. */
export interface Step {
  from: number;
  to: number;
  position: number;
}

/** A row's way to a place, before it is known whether there is room: the positions of those between whom it leads. */
export interface Way extends Omit<Step, "position"> {
  /** Whether the row is one of the siblings already. */
  isAmong: boolean;
  before: number | null;
  after: number | null;
}

/** Where a row goes from and to. The conditions may read from `here`, the row itself. */
export interface Course extends Omit<Siblings, "exceptId"> {
  /**
   * Selects the row: its `id`, its `position`, whether it is one of the siblings (`"isAmong"`), how many they are (`size`), and what
   * the conditions read.
   */
  here: SQL;
  /** Selects the siblings that the row stands among, where they are others than those it goes to. */
  among?: SQL;
}

/**
 * The way that takes a row to `index` of some siblings (zero-based, clamped to the end), its own or others; null where there is no
 * such row. Both neighbours are read in one look along the index: who stands behind the row moves up when it leaves.
 */
export async function wayTo(db: Queries, course: Course, index: number | "end"): Promise<Way | null> {
  const { table, of, here, among = of } = course;
  const [way] = await db.rows<Way>(sql`
    select here."from", here."to", here."isAmong",
      case when here."to" > 0 then near.low end as before,
      case when here."to" > 0 then near.high else near.low end as after
    from (
      select here.*,
        (select count(*) from ${table} where ${among} and position < here.position) as "from",
        least(${index === "end" ? null : index}::bigint, here.size - here."isAmong"::int) as "to"
      from (${here}) here
      -- OFFSET has it counted once, wherever it is used.
      offset 0
    ) here
    cross join lateral (
      select min(position) as low, nullif(max(position), min(position)) as high
      from (
        select position from ${table} where ${of}
        order by position
        offset greatest(here."to" - 1, 0) + (here."isAmong" and here."to" > here."from")::int
        limit case when here."to" > 0 then 2 else 1 end
      ) two
    ) near`);
  return way ?? null;
}

/**
 * The step on a way. Null where the row stands there already; then nothing was renumbered either, and the position it was read
 * with still holds.
 */
export async function stepOn(
  db: Queries,
  siblings: Siblings,
  { from, to, isAmong, before, after }: Way,
): Promise<Step | null> {
  if (isAmong && from === to) return null;
  return { from, to, position: between(before, after) ?? (await positionAt(db, siblings, to)) };
}

/** The step that takes a row to `index` of its siblings, under the lock of their parent. */
export async function stepTo(
  db: Queries,
  siblings: Omit<Siblings, "exceptId">,
  { id, position }: { id: number; position: number },
  index: number | "end",
): Promise<Step | null> {
  const { table, of } = siblings;
  const here = sql`
    select ${id}::bigint as id, ${position}::bigint as position,
      exists (select from ${table} where ${of} and id = ${id}::bigint) as "isAmong", (select count(*) from ${table} where ${of}) as size`;
  const way = await wayTo(db, { table, of, here }, index);
  return way === null ? null : stepOn(db, { ...siblings, exceptId: id }, way);
}
