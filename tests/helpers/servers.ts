// Databases on the server of TEST_DATABASE_URL and, if it is the coordinator of a Citus cluster, on the workers of TEST_CITUS_WORKERS.
// A database with Citus is copied as others are: server by server.

import postgres from "postgres";
import { distribute } from "../../src/db/distribution.js";
import type { Driver } from "../../src/db/driver.js";

/** Each by the URL of a database to connect to for making others. */
export interface Servers {
  url: string;
  /** Empty where the tables are not distributed. */
  workers: string[];
}

const all = ({ url, workers }: Servers) => [url, ...workers];

/** The URL of another database on the same server. */
export function urlOf(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** Runs statements that need another database than the one they are about. */
export async function asAdmin(url: string, run: (admin: postgres.Sql) => Promise<unknown>): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await run(admin);
  } finally {
    await admin.end();
  }
}

/** Makes a database as a copy of another one, to which nobody is connected. */
export async function createDatabase(servers: Servers, name: string, source: string): Promise<void> {
  for (const url of all(servers)) {
    await asAdmin(url, (admin) => admin`create database ${admin(name)} template ${admin(source)}`);
  }
}

/** Drops a database, and ends its sessions. */
export async function dropDatabase(servers: Servers, name: string): Promise<void> {
  for (const url of all(servers)) {
    await asAdmin(url, (admin) => admin`drop database if exists ${admin(name)} with (force)`);
  }
}

/** Distributes the tables of a migrated database, which `driver` is connected to. */
export async function distributeDatabase(servers: Servers, name: string, driver: Driver): Promise<void> {
  for (const url of all(servers)) await asAdmin(urlOf(url, name), (session) => session`create extension citus`);
  const [coordinator, ...workers] = all(servers).map((url) => new URL(url));
  await asAdmin(urlOf(servers.url, name), async (session) => {
    await session`select citus_set_coordinator_host(${coordinator?.hostname ?? ""}, ${Number(coordinator?.port || 5432)})`;
    for (const { hostname, port } of workers)
      await session`select citus_add_node(${hostname}, ${Number(port || 5432)})`;
  });
  await driver.migrate(async (execute) => {
    await distribute(execute);
  });
}

/** Keeps everybody out of a database, so that it can be copied: Citus has sessions of its own in each. */
export async function closeDatabase(servers: Servers, name: string): Promise<void> {
  for (const url of all(servers)) {
    await asAdmin(url, async (admin) => {
      await admin`alter database ${admin(name)} with allow_connections false`;
      await admin`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`;
    });
  }
}
