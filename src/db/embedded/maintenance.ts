// Replaces autovacuum, which PostgreSQL in a single process does not have: updates the planner's statistics and removes dead rows.

import { type EmbeddedSession, rowsOf } from "./session.js";

/** The maintenance that a table needs, by PostgreSQL's counts of its changes. */
interface Needs {
  table: string;
  analyze: boolean;
  vacuum: boolean;
}

/** Counts of changes reach the view at most once per second, unless they are flushed. */
const FLUSH = "select pg_stat_force_next_flush()";
/** The thresholds of autovacuum; below 500 rows any plan is good. */
const NEEDS = `
  select quote_ident(s.relname) as table, s.n_mod_since_analyze > 500 + 0.1 * r.rows as analyze,
    s.n_dead_tup > 500 + 0.2 * r.rows or s.n_ins_since_vacuum > 1000 + 0.2 * r.rows as vacuum
  from pg_stat_user_tables s
  join pg_class c on c.oid = s.relid
  cross join lateral (select greatest(c.reltuples, 0) as rows) r
  where s.schemaname = 'public'`;

/** The tables that need maintenance. */
export async function tablesInNeed(session: EmbeddedSession): Promise<Needs[]> {
  await session.script(FLUSH);
  const tables = rowsOf(await session.script(NEEDS), "object") as Needs[];
  return tables.filter(({ analyze, vacuum }) => analyze || vacuum);
}

/** Analyzes a table, and vacuums it if requested. */
export async function care(session: EmbeddedSession, { table, vacuum }: Needs): Promise<void> {
  await session.script(vacuum ? `vacuum (analyze) ${table}` : `analyze ${table}`);
}
