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

/** The same as SQL, for places that are read and taken in one statement. */
export const placeBetween = (before: SQL, after: SQL) => sql`(
  select place from (
    select case
      when ${before} is null then coalesce(${after} - ${GAP}::bigint, 0)
      when ${after} is null then ${before} + ${GAP}::bigint
      else ${before} + (${after} - ${before}) / 2
    end as place
  ) middle
  where place is distinct from ${before} and abs(place) <= ${LIMIT}::bigint)`;

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

/** A row's way to a place among its siblings: its index before and after, and the position that puts it there. */
export interface Step {
  from: number;
  to: number;
  position: number;
}

/**
 * The step that takes a row to `index` of its siblings (zero-based, clamped to the end), under the lock of their parent; null where it
 * stands there already.
 */
export async function stepTo(
  db: Queries,
  siblings: Omit<Siblings, "exceptId">,
  { id, position }: { id: number; position: number },
  index: number,
): Promise<Step | null> {
  const [row] = await db.rows<{ from: number; size: number }>(sql`
    select count(*) filter (where position < ${position}::bigint) as "from", count(*) as size
    from ${siblings.table} where ${siblings.of}`);
  const { from, size } = row ?? { from: 0, size: 1 };
  const to = Math.min(index, size - 1);
  return from === to ? null : { from, to, position: await positionAt(db, { ...siblings, exceptId: id }, to) };
}
