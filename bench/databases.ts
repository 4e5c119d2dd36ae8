// Databases of the benchmark's own, gone when it ends: on a PostgreSQL server, and directories for embedded ones.

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";

/** Databases on one server. */
export interface Databases {
  /** Makes a database and gives its URL; `source`: as a copy of that one, which nobody may be using. */
  create(source?: string): Promise<string>;
  /** Drops what was made. */
  drop(): Promise<void>;
}

export function databasesOn(server: string): Databases {
  const admin = postgres(server, { max: 1, onnotice: () => {} });
  const made: string[] = [];
  return {
    create: async (source) => {
      const name = `work_board_bench_${randomBytes(4).toString("hex")}`;
      const template = source === undefined ? "template1" : new URL(source).pathname.slice(1);
      await admin`create database ${admin(name)} template ${admin(template)}`;
      made.push(name);
      const url = new URL(server);
      url.pathname = `/${name}`;
      return url.href;
    },
    drop: async () => {
      for (const name of made) await admin`drop database if exists ${admin(name)} with (force)`;
      await admin.end();
    },
  };
}

/** A directory for an embedded database, gone when the process ends. */
export async function newDataDir(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "work-board-bench-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
