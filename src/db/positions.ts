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

/** A row's way among its siblings: its index before and after, and the position that puts it there. */
export interface Step {
  from: number;
  to: number;
  position: number;
}

/**
 * The step that takes a row to `index` of its own siblings (zero-based, clamped to the end). Null where it stands there already;
 * then nothing was renumbered either, and the position it was read with still holds.
 */
export async function stepTo(
  db: Queries,
  siblings: Omit<Siblings, "exceptId">,
  row: { id: number; position: number },
  index: number | "end",
): Promise<Step | null> {
  const { table, of } = siblings;
  const [standing] = await db.rows<{ from: number; last: number }>(sql`
    select count(*) filter (where position < ${row.position}::bigint) as "from", count(*) - 1 as last from ${table} where ${of}`);
  const { from, last } = standing ?? { from: 0, last: 0 };
  const to = index === "end" ? last : Math.min(index, last);
  if (from === to) return null;
  return { from, to, position: await positionAt(db, { ...siblings, exceptId: row.id }, to) };
}

/** How many siblings stand before `position`: the index of the row that has it. */
export async function rankOf(
  db: Queries,
  { table, of }: Omit<Siblings, "exceptId">,
  position: number,
): Promise<number> {
  const [row] = await db.rows<{ rank: number }>(
    sql`select count(*) as rank from ${table} where ${of} and position < ${position}::bigint`,
  );
  return row?.rank ?? 0;
}
