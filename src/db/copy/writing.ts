// Writes a copy into an empty database, all or nothing: migrations, rows, sequences, a comparison of every table with what was
// copied, and the migrations that are newer than the copy.

import { isDistributed } from "../distribution.js";
import type { Connection, Driver } from "../driver.js";
import { apply, doneMigrations, knownMigrations, type Migration, mustBeReadable } from "../migrate.js";
import { arrayLiteral } from "../statements.js";
import { CopyError } from "./copyError.js";
import { type Chunk, type Contents, type Copy, chunksIn } from "./reading.js";
import {
  countsIn,
  quoted,
  sequencesIn,
  setSequences,
  type Table,
  tableNamed,
  tablesIn,
  tablesMadeBy,
} from "./tables.js";
import { TableCounters } from "./tallies.js";

/** The options for writing a copy. */
interface WriteOptions {
  /** Runs last in the same transaction, when everything is there and compared. */
  beforeCommit?: (connection: Connection) => Promise<void>;
  /** Aborting before the commit leaves the database as it was. */
  signal?: AbortSignal;
  /** By default those of this version. */
  migrations?: readonly Migration[];
}

/** The rows that were written and compared. */
export interface Written {
  tables: number;
  rows: number;
}

/**
 * Writes a copy into an empty database in one transaction.
 * @throws CopyError when the database is not empty, is in use, or is of another version, or when what was written is not what was
 * copied; VersionError; whatever reading the copy throws. Nothing is changed then.
 */
export async function writeCopy(driver: Driver, copy: Copy, options: WriteOptions = {}): Promise<Written> {
  const { contents } = copy;
  const { beforeCommit, signal, migrations = knownMigrations() } = options;
  await driver.migrate(async (execute, connection) => {
    if (await isDistributed(execute)) {
      throw new CopyError(
        "The tables of the database are distributed: use a database without Citus, and distribute it later",
      );
    }
    await mustBeUnused(connection);
    const done = await doneMigrations(execute);
    const { own, newer } = splitMigrations(contents, migrations);
    mustBeNoNewer(done, own);
    await mustBeEmpty(connection, migrations);
    const missing = own.filter(({ hash }) => !done.includes(hash));
    await apply(execute, missing);
    const tables = await tablesToFill(connection, contents, own);
    await copyRows(connection, { tables, copy, signal });
    await setSequences(connection, contents.sequences);
    await mustHaveSequences(connection, contents, tables);
    await apply(execute, newer);
    const names = await tablesIn(connection, tablesMadeBy(migrations));
    await execute(`analyze ${names.map(({ name }) => tableNamed(name)).join(", ")}`);
    await beforeCommit?.(connection);
    signal?.throwIfAborted();
  });
  return { tables: contents.tables.length, rows: contents.tables.reduce((sum, { rows }) => sum + rows, 0) };
}

/** The service holds a session to listen, whatever else it does. */
async function mustBeUnused(connection: Connection): Promise<void> {
  const others = await connection.query(
    "select 1 from pg_stat_activity where datname = current_database() and application_name = 'work-board channel' limit 1",
    [],
    "array",
  );
  if (others.length > 0) throw new CopyError("The database is in use: stop the service that runs on it");
}

/** The migrations that the copy has had, and those of this version that come after them. */
function splitMigrations(contents: Contents, migrations: readonly Migration[]) {
  mustBeReadable(contents.migrations, "backup");
  const known = new Set(migrations.map(({ hash }) => hash));
  if (contents.migrations.some((hash) => !known.has(hash))) {
    throw new CopyError("The copy is of a newer version of work-board: use that version, or a newer one");
  }
  const had = new Set(contents.migrations);
  return {
    own: migrations.filter(({ hash }) => had.has(hash)),
    newer: migrations.filter(({ hash }) => !had.has(hash)),
  };
}

function mustBeNoNewer(done: readonly string[], own: readonly Migration[]): void {
  const expected = new Set(own.map(({ hash }) => hash));
  if (done.every((hash) => expected.has(hash))) return;
  throw new CopyError("The target was migrated by a newer version than the copy is of: use a new, empty database");
}

async function mustBeEmpty(connection: Connection, migrations: readonly Migration[]): Promise<void> {
  const tables = await tablesIn(connection, tablesMadeBy(migrations));
  const counts = await countsIn(connection, tables);
  const filled = tables.find((_, place) => (counts[place] ?? 0) > 0);
  if (filled !== undefined) throw new CopyError(`The target is not empty: its table "${filled.name}" has rows`);
}

/** The tables as they are in the target, where they must be what the copy says that they were; nobody else writes to them. */
async function tablesToFill(
  connection: Connection,
  contents: Contents,
  migrations: readonly Migration[],
): Promise<Table[]> {
  const tables = await tablesIn(connection, tablesMadeBy(migrations));
  const described = contents.tables.map(({ name, columns, key }) => ({ name, columns, key }));
  if (JSON.stringify(tables) !== JSON.stringify(described)) {
    throw new CopyError("The tables of the copy are not those that its migrations make");
  }
  await connection.query(
    `lock table ${tables.map(({ name }) => tableNamed(name)).join(", ")} in exclusive mode`,
    [],
    "array",
  );
  return tables;
}

interface Filling {
  tables: readonly Table[];
  copy: Copy;
  signal: AbortSignal | undefined;
}

async function copyRows(connection: Connection, { tables, copy, signal }: Filling): Promise<void> {
  const inserts = new Map(tables.map((table) => [table.name, insertInto(table)]));
  const copied = new TableCounters(tables);
  for await (const { table, rows } of copy.chunks()) {
    signal?.throwIfAborted();
    copied.add(table, rows);
    await insert(connection, inserts.get(table) ?? "", { table, rows });
  }
  mustHaveCounts(copy.contents, copied);
  const written = new TableCounters(tables);
  for await (const { table, rows } of chunksIn(connection, tables)) {
    signal?.throwIfAborted();
    written.add(table, rows);
  }
  const difference = copied.firstDifference(written);
  if (difference !== null) {
    const { table, own, other } = difference;
    throw new CopyError(
      `The table "${table}" was not copied as it is: ${own.rows} rows with hash ${own.hash} became ${other.rows} with ${other.hash}`,
    );
  }
}

function mustHaveCounts({ tables }: Contents, copied: TableCounters): void {
  for (const { name, rows } of tables) {
    const read = copied.rowsOf(name);
    if (read !== rows) throw new CopyError(`The table "${name}" has ${rows} rows, of which ${read} were read`);
  }
}

const insertInto = ({ name, columns }: Table) => {
  const names = columns.map((column) => quoted(column.name)).join(", ");
  const values = columns.map(({ type }, place) => `$${place + 1}::text::text[]::${type}[]`).join(", ");
  return `insert into ${tableNamed(name)} (${names}) overriding system value select * from unnest(${values})`;
};

/** One statement per chunk, with one array per column. */
async function insert(connection: Connection, statement: string, { rows }: Chunk): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = first.map((_, column) => arrayLiteral(rows.map((row) => row[column] ?? null)));
  await connection.query(statement, columns, "array");
}

async function mustHaveSequences(connection: Connection, contents: Contents, tables: readonly Table[]): Promise<void> {
  const sequences = await sequencesIn(connection, tables);
  if (JSON.stringify(sequences) === JSON.stringify(contents.sequences)) return;
  throw new CopyError("The sequences were not copied as they are");
}
