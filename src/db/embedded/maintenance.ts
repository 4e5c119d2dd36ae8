// What autovacuum does on a server: keeps statistics for the planner, and clears away dead rows. PostgreSQL in a single process
// does neither by itself.

import { rowsOf, type Session } from "./session.js";

/** What a table needs, by the counts that PostgreSQL keeps of its changes. */
export interface Needs {
  table: string;
  analyze: boolean;
  vacuum: boolean;
}

/** Counts of changes reach the view at most once a second, unless they are asked for. */
const FLUSH = "select pg_stat_force_next_flush()";
/** Autovacuum's shares of a table; below 500 rows any plan is good. */
const NEEDS = `
  select quote_ident(s.relname) as table, s.n_mod_since_analyze > 500 + 0.1 * r.rows as analyze,
    s.n_dead_tup > 500 + 0.2 * r.rows or s.n_ins_since_vacuum > 1000 + 0.2 * r.rows as vacuum
  from pg_stat_user_tables s
  join pg_class c on c.oid = s.relid
  cross join lateral (select greatest(c.reltuples, 0) as rows) r
  where s.schemaname = 'public'`;

/** The tables that need something. */
export async function tablesInNeed(session: Session): Promise<Needs[]> {
  await session.script(FLUSH);
  const tables = rowsOf(await session.script(NEEDS), "object") as Needs[];
  return tables.filter(({ analyze, vacuum }) => analyze || vacuum);
}

/** Analyses a table, and clears it of dead rows where that is asked for. */
export async function care(session: Session, { table, vacuum }: Needs): Promise<void> {
  await session.script(vacuum ? `vacuum (analyze) ${table}` : `analyze ${table}`);
}
