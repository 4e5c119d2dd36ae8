// The order of siblings (cards of a list, lists of a board, items of a checklist): a bigint with gaps, unique per parent, so that a
// move writes one row.

import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { beside, columnName, selection } from "./selections.js";
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

const slotRow = selection({
  from: beside<number | null>(),
  to: beside<number>(),
  before: beside<number | null>(),
  after: beside<number | null>(),
});

/** A place before its position is known: the positions of its neighbors. */
export interface Slot extends Omit<Place, "position"> {
  before: number | null;
  after: number | null;
}

/** Reads positions and makes room for new ones. */
type Placing = Pick<UnitOfWork, "db" | "write">;

/** The row that moves, in SQL. */
interface Moving {
  /** Its position among the siblings; null for a row from elsewhere. */
  own: SQL;
  /** Its old index, where that is not its index among the siblings. */
  rank?: SQL;
  /** A WITH clause, for what the rest of the statement names. */
  withClause?: SQL;
}

/** Reads the slot at `index` (zero-based, clamped to the end); the row that moves does not count as its own neighbor. */
export async function slotIn(
  { db }: Pick<Placing, "db">,
  siblings: Siblings,
  index: number | "end",
  { own, rank, withClause = sql`` }: Moving,
): Promise<Slot> {
  const { table, of, size } = siblings;
  const { position: place } = table;
  const others = sql`${table} where ${of} and ${place} is distinct from ${own}`;
  const [row] = await db.read(
    slotRow,
    sql`${withClause}
    select p."from", p."to", p.before,
      case
        when p."to" = p.n then null
        when p.before is null then (select min(${place}) from ${others})
        else (select min(${place}) from ${others} and ${place} > p.before)
      end as after
    from (
      select w.*, case
          when w."to" = 0 then null
          when w."to" = w.n then (select max(${place}) from ${others})
          else (select ${place} from ${others} order by ${place} offset w."to" - 1 limit 1)
        end as before
      from (
        select s.n, least(coalesce(${index === "end" ? null : index}::bigint, s.n), s.n) as "to",
          ${rank ?? sql`case when ${own} is not null then (select count(*) from ${table} where ${of} and ${place} < ${own}) end`} as "from"
        from (select (${size})::int - (${own} is not null)::int as n offset 0) s offset 0
      ) w offset 0
    ) p`,
  );
  return row ?? { from: null, to: 0, before: null, after: null };
}

/**
 * The place at `index` (zero-based, clamped to the end) for a row that comes from elsewhere, or for the sibling at `ownPosition`,
 * which does not count as its own neighbor. Spreads the siblings anew where a gap is used up.
 */
export const placeIn = async (
  tx: Placing,
  siblings: Siblings,
  index: number | "end",
  ownPosition: number | null = null,
): Promise<Place> =>
  placeAt(tx, siblings, index, await slotIn(tx, siblings, index, { own: sql`${ownPosition}::bigint` }), ownPosition);

/** The place in a slot. Where its gap is used up, spreads the siblings anew and reads the slot again. */
export async function placeAt(
  tx: Placing,
  siblings: Siblings,
  index: number | "end",
  { from, to, before, after }: Slot,
  ownPosition: number | null,
): Promise<Place> {
  const position = between(before, after);
  if (position !== null) return { from, to, position };
  await renumber(tx, siblings);
  const moved = ownPosition === null ? null : await positionOf(tx, siblings, from ?? 0);
  return placeIn(tx, siblings, index, moved);
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
