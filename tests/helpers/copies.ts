// Databases to copy from and to, by their drivers, as the commands open them.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, inject } from "vitest";
import type { Driver } from "../../src/db/driver.js";
import { openEmbedded } from "../../src/db/embedded.js";
import { migrate } from "../../src/db/migrate.js";
import { openPostgres } from "../../src/db/postgres.js";
import { asAdmin, urlOf } from "./servers.js";

export type Kind = "embedded" | "postgres";

/** The kinds of databases that this run has; PostgreSQL where TEST_DATABASE_URL is set. */
export const KINDS: readonly Kind[] = inject("template").kind === "postgres" ? ["embedded", "postgres"] : ["embedded"];

/** The address of a PostgreSQL database without tables, gone when the file ends. */
export async function newServerDatabase(): Promise<string> {
  const template = inject("template");
  if (template.kind !== "postgres") throw new Error("TEST_DATABASE_URL is not set");
  const name = `${template.name}_${randomBytes(4).toString("hex")}`;
  await asAdmin(template.url, (admin) => admin`create database ${admin(name)} template template0`);
  afterAll(() => asAdmin(template.url, (admin) => admin`drop database if exists ${admin(name)} with (force)`));
  return urlOf(template.url, name);
}

/** A database of a kind, without tables or migrated and without rows; closed when the file ends. */
export async function newDriver(kind: Kind, state: "empty" | "migrated" = "migrated"): Promise<Driver> {
  const driver = await (kind === "embedded" ? embedded(state) : server());
  afterAll(() => driver.close());
  if (state === "migrated") await migrate(driver);
  return driver;
}

async function embedded(state: "empty" | "migrated"): Promise<Driver> {
  const template = inject("template");
  if (template.kind === "postgres" || state === "empty") return openEmbedded({ dataDir: null });
  return openEmbedded({ dataDir: null, loadFrom: new Blob([await readFile(template.file)], { type: template.type }) });
}

const server = async () =>
  openPostgres({ url: await newServerDatabase(), poolSize: 8, prepare: true, statementTimeoutMs: 30_000 });
