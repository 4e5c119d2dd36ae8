// Backup and restore by other programs as docs/backup.md shows them: what was there when the backup was made is there after a restore.
//
// @module-tag slow

import { execFileSync } from "node:child_process";
import { cp, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { blocks, section } from "./consumers/guides.js";
import { newFolder, run } from "./consumers/packing.js";
import { call, newStore, type Service, serve } from "./helpers/processes.js";
import { asAdmin } from "./helpers/servers.js";

const TIMEOUT_MS = 120_000;
const kind = inject("template").kind;
const [ofPostgres = "", ofEmbedded = ""] = blocks(section("docs/backup.md", "## Other programs"), "sh");

const hasPrograms = (() => {
  try {
    for (const name of ["pg_dump", "createdb", "pg_restore"]) execFileSync(name, ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

/** The commands that make a backup, and those that restore it, which a blank line divides. */
function parts(commands: string): [backup: string, restore: string] {
  const [backup = "", restore = "", ...more] = commands.trim().split("\n\n");
  if (restore === "" || more.length > 0) throw new Error("docs/backup.md shows no backup and restore");
  return [backup, restore];
}

const bash = (folder: string, commands: string, env: Record<string, string> = {}) =>
  run(folder, "bash", ["--norc", "-euo", "pipefail", "-c", commands], env);

/** Someone with a workspace, whose token opens it after a restore, too. */
async function newcomer(url: string) {
  const account = { name: "Ada", email: "ada@example.org", password: "correct horse battery" };
  const { accessToken: token } = (await call(url, null, "POST", "/auth/sign-up", account)).body;
  const { publicId } = (await call(url, token, "POST", "/workspaces", { name: "Engines" })).body;
  const read = (at: string) => call(at, token, "GET", `/workspaces/${publicId}`);
  const rename = (at: string) => call(at, token, "PUT", `/workspaces/${publicId}`, { name: "Renamed" });
  return { read, rename };
}

async function stopped({ signal, ended }: Service): Promise<void> {
  signal("SIGTERM");
  expect(await ended).toBe(0);
}

test.runIf(kind === "embedded")(
  "a copy of a stopped embedded database is restored as it was",
  async () => {
    const folder = await newFolder();
    const dataDir = join(folder, "work-board");
    await cp((await newStore()).env.DATA_DIR ?? "", dataDir, { recursive: true });
    const first = await serve({ DATA_DIR: dataDir });
    const ada = await newcomer(first.url);
    const before = (await ada.read(first.url)).body;
    await stopped(first);

    const systemctl = "systemctl() { :; }\n";
    const [backup, restore] = parts(ofEmbedded.replaceAll("/var/lib", folder));
    await bash(folder, systemctl + backup);
    const second = await serve({ DATA_DIR: dataDir });
    await ada.rename(second.url);
    await stopped(second);
    await rename(dataDir, `${dataDir}-old`);
    await bash(folder, systemctl + restore);

    const restored = await serve({ DATA_DIR: dataDir });
    expect((await ada.read(restored.url)).body).toEqual(before);
  },
  TIMEOUT_MS,
);

test.runIf(kind === "postgres" && hasPrograms)(
  "a dump of a running service is restored as it was",
  async () => {
    const folder = await newFolder();
    const { env } = await newStore();
    const service = await serve(env);
    const ada = await newcomer(service.url);
    const before = (await ada.read(service.url)).body;
    const url = new URL(env.DATABASE_URL ?? "");
    const name = `${url.pathname.slice(1)}_restored`;
    afterAll(() => asAdmin(url.href, (admin) => admin`drop database if exists ${admin(name)} with (force)`));
    const server = {
      PGHOST: url.hostname,
      PGPORT: url.port,
      PGUSER: decodeURIComponent(url.username),
      PGPASSWORD: decodeURIComponent(url.password),
    };

    const [backup, restore] = parts(ofPostgres.replaceAll("board_restored", name));
    await bash(folder, backup, { DATABASE_URL: url.href });
    await ada.rename(service.url);
    await bash(folder, restore, server);

    url.pathname = `/${name}`;
    const restored = await serve({ DATABASE_URL: url.href });
    expect((await ada.read(restored.url)).body).toEqual(before);
  },
  TIMEOUT_MS,
);
