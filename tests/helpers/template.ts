// Before all files: migrates a database once, as the template that each file starts from. Afterwards: drops what the run made.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { openEmbedded } from "../../src/db/embedded.js";
import { migrate } from "../../src/db/migrate.js";
import { openPostgres } from "../../src/db/postgres.js";
import { closeDatabase, createDatabase, distributeDatabase, dropDatabase, type Servers, urlOf } from "./servers.js";

/** Where a file finds the migrated template. */
export type Template =
  | { kind: "embedded"; file: string; type: string }
  | ({ kind: "postgres"; name: string } & Servers);

declare module "vitest" {
  interface ProvidedContext {
    template: Template;
  }
}

const PREFIX = "work_board_test_";

export default function prepare(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.TEST_DATABASE_URL;
  const workers = process.env.TEST_CITUS_WORKERS?.split(",") ?? [];
  return url ? prepareServers(project, { url, workers }) : prepareEmbedded(project);
}

async function prepareEmbedded(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), "work-board-test-"));
  const driver = await openEmbedded({ dataDir: null });
  await migrate(driver);
  const dump = await driver.dump();
  await driver.close();
  const file = join(folder, "template");
  await writeFile(file, Buffer.from(await dump.arrayBuffer()));
  project.provide("template", { kind: "embedded", file, type: dump.type });
  return () => rm(folder, { recursive: true, force: true });
}

async function prepareServers(project: TestProject, servers: Servers) {
  const { url, workers } = servers;
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  const run = `${PREFIX}${randomBytes(4).toString("hex")}`;
  // Held by this session while the run lasts: what no session holds was left behind by a run that was killed.
  await admin`select pg_advisory_lock(hashtextextended(${run}, 0))`;
  await dropAbandoned(admin, servers, run);
  await createDatabase(servers, run, "template0");
  const driver = openPostgres({ url: urlOf(url, run), poolSize: 1, prepare: false, statementTimeoutMs: 30_000 });
  await migrate(driver);
  if (workers.length > 0) await distributeDatabase(servers, run, driver);
  await driver.close();
  await closeDatabase(servers, run);
  project.provide("template", { kind: "postgres", name: run, url, workers });
  return async () => {
    for (const name of await databases(admin)) if (runOf(name) === run) await dropDatabase(servers, name);
    await admin.end();
  };
}

const runOf = (database: string) => database.slice(0, PREFIX.length + 8);

async function databases(admin: postgres.Sql): Promise<string[]> {
  const rows = await admin<{ name: string }[]>`
    select datname as name from pg_database where starts_with(datname, ${PREFIX})`;
  return rows.map(({ name }) => name);
}

async function dropAbandoned(admin: postgres.Sql, servers: Servers, own: string): Promise<void> {
  const names = await databases(admin);
  for (const run of new Set(names.map(runOf))) {
    if (run === own) continue;
    const [lock] = await admin<{ isFree: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${run}, 0)) as "isFree"`;
    if (!lock?.isFree) continue;
    for (const name of names) if (runOf(name) === run) await dropDatabase(servers, name);
    await admin`select pg_advisory_unlock(hashtextextended(${run}, 0))`;
  }
}
