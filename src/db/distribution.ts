// Puts the tables on a PostgreSQL that is distributed by Citus: those of workspaces by workspace, all in one group, and the few others
// as reference tables, which every server holds whole.

import { getTableName, is, sql } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import type { Queries } from "./client.js";
import type { Execute } from "./driver.js";
import { reasonOf } from "./failures.js";
import * as schema from "./schema/index.js";

/** The database cannot be distributed, or is and was not expected to be. The message is one line that says what to do. */
export class DistributionError extends Error {}

/** The advice if the tables are distributed and the settings do not say so. */
export const NOT_EXPECTED = "The tables of the database are distributed: set DATABASE_DISTRIBUTED=true";

/** The outcome for a table. */
export interface Distributed {
  table: string;
  form: "distributed" | "reference";
  /** False where it had that form before. */
  isNew: boolean;
}

const VERSION = 13;
const KEY = "workspace_id";
/** All others are put beside it. */
const FIRST = getTableName(schema.workspaceCounter);

const TABLES = Object.values(schema).filter((value) => is(value, PgTable));

/** All tables: the reference tables, the table that all others are put beside, and those. */
function inOrder(): PgTable[] {
  const rank = (table: PgTable) => (hasKey(table) ? 1 : 0) + (hasKey(table) && getTableName(table) !== FIRST ? 1 : 0);
  return [...TABLES].sort((one, other) => rank(one) - rank(other));
}

const hasKey = (table: PgTable) => getTableConfig(table).columns.some(({ name }) => name === KEY);

/** The names of the tables that are distributed by workspace; the others are reference tables. */
export const distributedTables: ReadonlySet<string> = new Set(TABLES.filter(hasKey).map(getTableName));

/** Text in a statement. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Whether the database holds a row for which a condition on catalogues holds. */
const holds = async (execute: Execute, query: string) => (await execute(query)).length > 0;

/** Whether the tables are distributed. */
export async function isDistributed(execute: Execute): Promise<boolean> {
  if (!(await holds(execute, "select 1 where to_regclass('pg_catalog.pg_dist_partition') is not null"))) return false;
  return isKnown(execute, FIRST);
}

/** Whether the tables of an open database are distributed. */
export const areDistributed = (db: Pick<Queries, "rows">): Promise<boolean> =>
  isDistributed((text) => db.rows(sql.raw(text)));

/** Whether Citus holds a table as a distributed or a reference table; one that it merely knows of is local. */
const isKnown = (execute: Execute, table: string) =>
  holds(
    execute,
    `select 1 from pg_dist_partition where logicalrelid = to_regclass(${literal(`public.${table}`)})
      and (partmethod = 'h' or repmodel = 't')`,
  );

/** Distributes a table, or makes it a reference table. */
async function place(execute: Execute, table: string, isOfWorkspaces: boolean): Promise<void> {
  const name = literal(`public.${table}`);
  const beside = table === FIRST ? "none" : `public.${FIRST}`;
  await execute(
    isOfWorkspaces
      ? `select create_distributed_table(${name}, '${KEY}', colocate_with => '${beside}')::text`
      : `select create_reference_table(${name})::text`,
  ).catch((error: Error) => {
    throw new DistributionError(`The table "${table}" cannot be distributed: ${reasonOf(error)}`, { cause: error });
  });
}

/** A table that a migration made on a distributed database takes its place there before anything refers to it. */
export async function placeNew(execute: Execute, table: string): Promise<void> {
  const isOfWorkspaces = await holds(
    execute,
    `select 1 from pg_attribute where attrelid = ${literal(`public.${table}`)}::regclass and attname = '${KEY}'`,
  );
  await place(execute, table, isOfWorkspaces);
}

/** The name of the table that a statement of a migration makes; null where it makes none. */
export const createdBy = (statement: string): string | null =>
  /^\s*create table (?:if not exists )?(?:"public"\.)?"(\w+)"/i.exec(statement)?.[1] ?? null;

/** @throws DistributionError saying what is missing. */
async function mustBeReady(execute: Execute): Promise<void> {
  if (!(await holds(execute, "select 1 from pg_extension where extname = 'citus'"))) {
    throw new DistributionError(
      "Citus is not installed in the database: install it on every server, then run CREATE EXTENSION citus",
    );
  }
  const isNewEnough = await holds(
    execute,
    `select 1 from pg_extension where extname = 'citus' and split_part(extversion, '.', 1)::int >= ${VERSION}`,
  );
  if (!isNewEnough) throw new DistributionError(`The Citus of the database is too old: version ${VERSION} is required`);
  if (
    !(await holds(execute, "select 1 from pg_dist_node where shouldhaveshards and isactive and noderole = 'primary'"))
  ) {
    throw new DistributionError("No worker can store rows: add one with citus_add_node");
  }
  for (const table of TABLES) {
    const isThere = `select 1 where to_regclass(${literal(`public.${getTableName(table)}`)}) is not null`;
    if (await holds(execute, isThere)) continue;
    throw new DistributionError(
      `The table "${getTableName(table)}" is missing: start the service once to migrate the database`,
    );
  }
  const elsewhere = await execute(
    `select logicalrelid::text as "table" from pg_dist_partition p where partmethod = 'h'
      and logicalrelid = any(array[${TABLES.map((table) => literal(getTableName(table))).join()}]::text[]::regclass[])
      and (column_to_column_name(logicalrelid, partkey) <> '${KEY}' or colocationid is distinct from
        (select colocationid from pg_dist_partition where logicalrelid = 'public.${FIRST}'::regclass))`,
  );
  for (const row of elsewhere) {
    throw new DistributionError(`Some tables are already distributed differently: ${JSON.stringify(row)}`);
  }
}

/** @throws DistributionError while a process of the service is connected. One that starts meanwhile waits, and then refuses to start. */
async function mustBeAlone(execute: Execute): Promise<void> {
  const isConnected = await holds(
    execute,
    `select 1 from pg_stat_activity
     where datname = current_database() and application_name like 'work-board%' and pid <> pg_backend_pid()`,
  );
  if (isConnected) {
    throw new DistributionError("A process of the service is connected to the database: stop all of them first");
  }
}

/** A foreign key as the catalogue writes it. */
interface ForeignKey {
  table: string;
  name: string;
  definition: string;
}

/** Takes away the foreign keys of some tables: Citus gives a table no place while either end of one has another. */
async function dropKeys(execute: Execute, tables: readonly string[]): Promise<ForeignKey[]> {
  const keys = (await execute(
    `select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k where contype = 'f'
       and conrelid::regclass::text = any(array[${tables.map(literal).join()}]::text[])`,
  )) as ForeignKey[];
  for (const { table, name } of keys) await execute(`alter table ${table} drop constraint "${name}"`);
  return keys;
}

/** Distributes every table that is not distributed yet; run it in one transaction. @throws DistributionError */
export async function distribute(execute: Execute): Promise<Distributed[]> {
  await mustBeAlone(execute);
  await mustBeReady(execute);
  // Foreign keys to reference tables allow no other mode within one transaction.
  await execute("set local citus.multi_shard_modify_mode = 'sequential'");
  const tables: Distributed[] = [];
  for (const table of inOrder()) {
    const name = getTableName(table);
    const isNew = !(await isKnown(execute, name));
    tables.push({ table: name, form: hasKey(table) ? "distributed" : "reference", isNew });
  }
  const missing = tables.filter(({ isNew }) => isNew);
  const names = missing.map(({ table }) => table);
  const keys = await dropKeys(execute, names);
  for (const { table, form } of missing) await place(execute, table, form === "distributed");
  for (const { table, name, definition } of keys) {
    await execute(`alter table ${table} add constraint "${name}" ${definition}`);
  }
  return tables;
}
