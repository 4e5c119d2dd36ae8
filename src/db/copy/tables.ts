// The tables to copy, as the database's own catalogue describes them: those that migrations made, each after those that it
// refers to, with columns and keys, and their sequences. So a copy fits the migrations that a database has had, whatever this version has.

import { createdBy, literal } from "../distribution.js";
import type { Connection } from "../driver.js";
import type { Migration } from "../migrate.js";

/** A column and its type, as PostgreSQL writes it. */
interface Column {
  name: string;
  type: string;
}

/** A table whose rows are copied. */
export interface Table {
  name: string;
  columns: Column[];
  /** The columns of its primary key, in that order. */
  key: string[];
}

/** A sequence and where it is. */
export interface Sequence {
  name: string;
  lastValue: string;
  isCalled: boolean;
}

/** A name in a statement. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The table in a statement, wherever `search_path` leads. */
export const tableNamed = (name: string) => `public.${quoted(name)}`;

/** The names of the tables that migrations make; a later one may have removed them. */
export const tablesMadeBy = (migrations: readonly Migration[]): string[] => [
  ...new Set(migrations.flatMap(({ sql }) => sql.map(createdBy)).filter((name) => name !== null)),
];

const inList = (names: readonly string[]) => `(${["", ...names].map(literal).join(", ")})`;

interface TableRow {
  name: string;
  columns: Column[];
  key: string[] | null;
  refersTo: string[] | null;
}

/** The statement's author states the shape of its rows; the catalogue of PostgreSQL does not change. */
const rowsOf = async <Row>(connection: Connection, text: string) =>
  (await connection.query(text, [], "object")) as Row[];

/** The tables with these names, each after those it refers to. @throws Error for one without a primary key, and for a circle. */
export async function tablesIn(connection: Connection, names: readonly string[]): Promise<Table[]> {
  const tables = await rowsOf<TableRow>(
    connection,
    `select c.relname::text as name,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
       from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select json_agg(a.attname order by k.place)
       from pg_constraint p cross join unnest(p.conkey) with ordinality k(attnum, place)
       join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
       where p.conrelid = c.oid and p.contype = 'p') as key,
      (select json_agg(distinct t.relname) from pg_constraint f join pg_class t on t.oid = f.confrelid
       where f.conrelid = c.oid and f.contype = 'f') as "refersTo"
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname in ${inList(names)}
     order by c.relname`,
  );
  return inOrder(tables);
}

function inOrder(tables: readonly TableRow[]): Table[] {
  const ordered = new Map<string, Table>();
  while (ordered.size < tables.length) {
    const ready = tables.filter(
      ({ name, refersTo }) => !ordered.has(name) && (refersTo ?? []).every((other) => ordered.has(other)),
    );
    if (ready.length === 0) throw new Error("Tables refer to each other in a circle, and cannot be copied one by one");
    for (const { name, columns, key } of ready) {
      if (key === null) throw new Error(`The table ${name} has no primary key, and cannot be copied`);
      ordered.set(name, { name, columns, key });
    }
  }
  return [...ordered.values()];
}

/** The current values of the sequences of some tables. */
export async function sequencesIn(connection: Connection, tables: readonly Table[]): Promise<Sequence[]> {
  const sequences = await rowsOf<{ name: string }>(
    connection,
    `select s.relname::text as name from pg_class s
     where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace and exists (
       select 1 from pg_depend d join pg_class t on t.oid = d.refobjid
       where d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i')
         and t.relnamespace = s.relnamespace and t.relname in ${inList(tables.map(({ name }) => name))})
     order by s.relname`,
  );
  const values = sequences.map(
    ({ name }) =>
      `select ${literal(name)} as name, last_value::text as "lastValue", is_called as "isCalled" from ${tableNamed(name)}`,
  );
  return values.length === 0 ? [] : rowsOf<Sequence>(connection, values.join(" union all "));
}

/** The number of rows of each table, in the order given. */
export async function countsIn(connection: Connection, tables: readonly Table[]): Promise<number[]> {
  if (tables.length === 0) return [];
  const counts = tables.map(
    ({ name }, place) => `select ${place} as place, count(*)::bigint as rows from ${tableNamed(name)}`,
  );
  const rows = await rowsOf<{ rows: number }>(connection, `${counts.join(" union all ")} order by place`);
  return rows.map(({ rows: count }) => count);
}

/** Puts sequences where others are. */
export async function setSequences(connection: Connection, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, lastValue, isCalled } of sequences) {
    await connection.query(
      "select setval($1::text::regclass, $2::bigint, $3::boolean)::text",
      [tableNamed(name), lastValue, isCalled],
      "array",
    );
  }
}
