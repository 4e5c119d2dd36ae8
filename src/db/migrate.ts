// Brings the database to the schema that this version was built with. Keeps its books as drizzle-kit does, so that its own
// commands work on the same database.

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Queries } from "./client.js";
import { createdBy, DistributionError, isDistributed, NOT_EXPECTED, placeNew } from "./distribution.js";
import type { Driver, Execute } from "./driver.js";

const FOLDER = fileURLToPath(new URL("../../migrations", import.meta.url));

/** Writes nothing where they are there: a database that only reads at present can be opened. */
const BOOKS = `do $$ begin
  if to_regclass('drizzle.__drizzle_migrations') is null then
    create schema if not exists drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
  end if;
end $$`;

export type Migration = ReturnType<typeof readMigrationFiles>[number];

const isDone = (row: unknown): row is { hash: string } =>
  typeof row === "object" && row !== null && "hash" in row && typeof row.hash === "string";

const BREAKPOINT = "--> statement-breakpoint";

/** The migrations of this version, in their order. They are the same whatever line ends a clone gave their files. */
export const knownMigrations = (folder = FOLDER): Migration[] =>
  readMigrationFiles({ migrationsFolder: folder }).map((migration) => {
    const statements = migration.sql.map((statement) => statement.replaceAll("\r\n", "\n"));
    const hash = createHash("sha256").update(statements.join(BREAKPOINT)).digest("hex");
    return { ...migration, sql: statements, hash };
  });

/** A database or a backup is of another version than this one can read. The message is one line that says what to do. */
export class VersionError extends Error {}

/** Checks that this version knows the first migration of a database or backup. @throws VersionError if they began anew since. */
export function mustBeReadable(done: readonly string[], subject: "database" | "backup"): void {
  const [first] = knownMigrations();
  if (done.length === 0 || first === undefined || done.includes(first.hash)) return;
  throw new VersionError(
    `The ${subject} is of an earlier, incompatible version of work-board: export its boards as files with that version, and import them into an empty database of this one`,
  );
}

/** The hashes of the migrations that a database has had, in their order; none where it was never migrated. @throws VersionError */
export async function migrationsOf(db: Queries): Promise<string[]> {
  const [books] = await db.rows<{ isThere: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as "isThere"`,
  );
  if (books?.isThere !== true) return [];
  const applied = await db.rows<{ hash: string }>(sql`select hash from drizzle.__drizzle_migrations order by id`);
  const done = applied.map(({ hash }) => hash);
  mustBeReadable(done, "database");
  return done;
}

/** The numbers of this version's migrations that a database has and lacks. */
export async function migrationCounts(db: Queries): Promise<{ applied: number; missing: number }> {
  const done = new Set(await migrationsOf(db));
  const known = knownMigrations();
  const applied = known.filter(({ hash }) => done.has(hash)).length;
  return { applied, missing: known.length - applied };
}

/** The hashes of the migrations that a database which is about to be migrated has had. @throws VersionError */
export async function doneMigrations(execute: Execute): Promise<string[]> {
  await execute(BOOKS);
  const applied = await execute("select hash from drizzle.__drizzle_migrations order by id");
  const done = applied.filter(isDone).map(({ hash }) => hash);
  mustBeReadable(done, "database");
  return done;
}

/** Applies migrations, within the caller's transaction; `isOnMany`: the tables are distributed. */
export async function apply(execute: Execute, migrations: readonly Migration[], isOnMany = false): Promise<void> {
  for (const { hash, folderMillis, sql: statements } of migrations) {
    for (const statement of statements) {
      await execute(statement);
      const created = isOnMany ? createdBy(statement) : null;
      if (created !== null) await placeNew(execute, created);
    }
    await execute(
      `insert into drizzle.__drizzle_migrations (hash, created_at) values ('${hash}', ${folderMillis.toString()})`,
    );
  }
}

/** Applies the missing migrations, all or none, also with many processes at once. @throws DistributionError; VersionError. */
export async function migrate(driver: Driver): Promise<void> {
  const migrations = knownMigrations();
  await driver.migrate(async (execute) => {
    const isOnMany = await isDistributed(execute);
    if (isOnMany && !driver.isDistributed) {
      throw new DistributionError(NOT_EXPECTED);
    }
    const done = new Set(await doneMigrations(execute));
    const missing = migrations.filter(({ hash }) => !done.has(hash));
    await apply(execute, missing, isOnMany);
  });
}
