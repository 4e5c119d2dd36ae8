// Brings the database to the schema that this version was built with. Keeps its books as drizzle-kit does, so that its own
// commands work on the same database.

import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { createdBy, DistributionError, isDistributed, placeNew } from "./distribution.js";
import type { Driver } from "./driver.js";

const FOLDER = fileURLToPath(new URL("../../migrations", import.meta.url));

const BOOKS = `create schema if not exists drizzle;
  create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;

const isDone = (row: unknown): row is { hash: string } =>
  typeof row === "object" && row !== null && "hash" in row && typeof row.hash === "string";

/**
 * Applies the migrations that are missing, all or none. Safe with many processes at once.
 * @throws DistributionError where the tables are distributed and the driver was not told so.
 */
export async function migrate(driver: Driver): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: FOLDER });
  await driver.migrate(async (execute) => {
    const isOnMany = await isDistributed(execute);
    if (isOnMany && !driver.isDistributed) {
      throw new DistributionError("The tables of the database are distributed: set DATABASE_DISTRIBUTED=true");
    }
    await execute(BOOKS);
    const done = new Set(
      (await execute("select hash from drizzle.__drizzle_migrations")).filter(isDone).map(({ hash }) => hash),
    );
    for (const { hash, folderMillis, sql } of migrations.filter((migration) => !done.has(migration.hash))) {
      for (const statement of sql) {
        await execute(statement);
        const created = isOnMany ? createdBy(statement) : null;
        if (created !== null) await placeNew(execute, created);
      }
      await execute(
        `insert into drizzle.__drizzle_migrations (hash, created_at) values ('${hash}', ${folderMillis.toString()})`,
      );
    }
  });
}
