// Reads a whole database in pieces of bounded size: each table in chunks by its primary key, every value as the text that PostgreSQL
// writes.

import type { Connection, Param } from "../driver.js";
import { knownMigrations, migrationsOf } from "../migrate.js";
import { openQueries } from "../queries.js";
import { CopyError } from "./copyError.js";
import {
  countsIn,
  quoted,
  type Sequence,
  sequencesIn,
  type Table,
  tableNamed,
  tablesIn,
  tablesMadeBy,
} from "./tables.js";
import type { Row } from "./tallies.js";

/** The contents of a copy. */
export interface Contents {
  /** Hashes of the migrations that the database has had, in their order. */
  migrations: string[];
  sequences: Sequence[];
  /** In the order in which they are copied: each after those that it refers to. */
  tables: (Table & { rows: number })[];
}

/** Rows of one table. */
export interface Chunk {
  table: string;
  rows: Row[];
}

/** The data to copy, wherever it comes from: the chunks follow the order of the tables. */
export interface Copy {
  contents: Contents;
  chunks(): AsyncIterable<Chunk>;
}

const FIRST_ROWS = 64;
const MAX_ROWS = 2000;
/** A chunk is longer only by its last row. */
const CHUNK_BYTES = 1 << 20;

/** The names of the tables that this version copies. */
export const copiedTables = (): string[] => tablesMadeBy(knownMigrations());

/** Checks that a database has had exactly these migrations, by default this version's. @throws CopyError, VersionError */
export async function mustBeOfThisVersion(connection: Connection, migrations = knownMigrations()): Promise<void> {
  const done = await migrationsOf(openQueries(connection));
  const known = migrations.map(({ hash }) => hash);
  if (done.length === 0) throw new CopyError("The database has no tables of work-board");
  if (known.some((hash) => !done.includes(hash))) {
    throw new CopyError("The database is of an older version: start the service once, which migrates it");
  }
  if (done.length > known.length) {
    throw new CopyError("The database is of a newer version: use the command of the version that runs on it");
  }
}

/** The contents of a database that this version copies. */
async function contentsIn(connection: Connection): Promise<Contents> {
  const migrations = await migrationsOf(openQueries(connection));
  const tables = await tablesIn(connection, copiedTables());
  const counts = await countsIn(connection, tables);
  const sequences = await sequencesIn(connection, tables);
  return { migrations, sequences, tables: tables.map((table, place) => ({ ...table, rows: counts[place] ?? 0 })) };
}

/** A copy of what a connection sees, which must see one state of the database for as long as it is read. */
export async function copyFrom(connection: Connection): Promise<Copy> {
  const contents = await contentsIn(connection);
  return { contents, chunks: () => chunksIn(connection, contents.tables) };
}

/** The rows of tables, one table after the other. */
export async function* chunksIn(connection: Connection, tables: readonly Table[]): AsyncGenerator<Chunk> {
  for (const table of tables) yield* chunksOf(connection, table);
}

async function* chunksOf(connection: Connection, table: Table): AsyncGenerator<Chunk> {
  const places = table.key.map((name) => table.columns.findIndex((column) => column.name === name));
  let after: Param[] = [];
  // No more rows are looked at than about twice those that fit: long rows come few at a time.
  for (let limit = FIRST_ROWS; ; ) {
    // One value per column, each cast to text.
    const rows = (await connection.query(chunkOf(table, after.length > 0), [...after, limit], "array")) as Row[];
    const last = rows.at(-1);
    if (last === undefined) return;
    yield { table: table.name, rows };
    after = places.map((place) => last[place] ?? null);
    limit = Math.min(MAX_ROWS, 2 * rows.length + FIRST_ROWS);
  }
}

/** A statement for the next rows of a table by its key, as many as make up a chunk; at least one, if there is one. */
function chunkOf({ name, columns, key }: Table, isAfter: boolean): string {
  const texts = columns.map((column, place) => `${quoted(column.name)}::text as c${place}`);
  const bytes = columns.map((_, place) => `coalesce(octet_length(c${place}), 0)`).join(" + ");
  const keys = key.map(quoted).join(", ");
  const params = key.map((part, place) => `$${place + 1}::${columns.find((column) => column.name === part)?.type}`);
  const where = isAfter ? `where (${keys}) > (${params.join(", ")})` : "";
  const limit = `$${isAfter ? key.length + 1 : 1}::int`;
  return `select ${columns.map((_, place) => `c${place}`).join(", ")} from (
    select *, sum(${bytes}) over (rows unbounded preceding) - (${bytes}) as bytes_before from (
      select ${texts.join(", ")} from ${tableNamed(name)} ${where} order by ${keys} limit ${limit}) looked_at
  ) counted where bytes_before < ${CHUNK_BYTES}`;
}
