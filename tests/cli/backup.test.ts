// Backups, restores and moves as an operator runs them: in the service, on a database that nothing has open, and killed in the middle.
//
// @module-tag slow

import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, inject, onTestFinished, test } from "vitest";
import { KINDS, newServerDatabase } from "../helpers/copies.js";
import { call, newStore, type Service, serve } from "../helpers/processes.js";
import { COMMAND_LINE, type Environment, spawnNode } from "../helpers/spawned.js";

const TIMEOUT_MS = 240_000;
const isOnServer = inject("template").kind === "postgres";
const folder = await mkdtemp(join(tmpdir(), "work-board-test-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

function start(env: Environment, ...args: string[]) {
  const started = spawnNode([COMMAND_LINE, ...args], env);
  onTestFinished(() => started.signal("SIGKILL"));
  return started;
}

async function command(env: Environment, ...args: string[]) {
  const started = start(env, ...args);
  const code = await started.ended;
  return { code, ...started.output };
}

const succeeded = (stdout: RegExp) => ({ code: 0, stdout: expect.stringMatching(stdout), stderr: "" });
const failed = (code: number, stderr: RegExp) => ({
  code,
  stdout: expect.any(String),
  stderr: expect.stringMatching(stderr),
});

/** Someone with a workspace, who finds it again wherever it went. */
async function newcomer({ url }: Service) {
  const account = { name: "Ada", email: "ada@example.org", password: "correct horse battery" };
  const { accessToken: token } = (await call(url, null, "POST", "/auth/sign-up", account)).body;
  const { publicId } = (await call(url, token, "POST", "/workspaces", { name: "Engines" })).body;
  const read = (at: Service) => call(at.url, token, "GET", `/workspaces/${publicId}`);
  const rename = (at: Service, name: string) => call(at.url, token, "PUT", `/workspaces/${publicId}`, { name });
  return { read, rename };
}

async function stopped({ signal, ended }: Service): Promise<void> {
  signal("SIGTERM");
  expect(await ended).toBe(0);
}

test("a running service is backed up, and the file restored into an empty database", {
  timeout: TIMEOUT_MS,
}, async () => {
  const file = join(folder, "board.backup");
  const { env } = await newStore();
  const service = await serve(env);
  const ada = await newcomer(service);
  const before = (await ada.read(service)).body;
  const made = await command(env, "backup", file);
  expect(made).toEqual(succeeded(/board\.backup: \d+ rows of \d+ tables, \d+ bytes, read in [\d.]+ s\n/));
  expect(made.stdout.includes("Calls to the service waited")).toBe(!isOnServer);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await ada.rename(service, "Later")).status).toBe(200);

  const target = (await newStore("empty")).env;
  expect(await command(target, "restore", file)).toEqual(
    succeeded(/^Restored \d+ rows of \d+ tables from .*, made at 2\S+Z\n$/),
  );
  expect(await command(target, "restore", file)).toEqual(
    failed(1, /^work-board: The target is not empty: its table "\w+" has rows\n$/),
  );
  const restored = await serve(target);
  expect((await ada.read(restored)).body).toEqual(before);
  expect(await command(target, "restore", file)).toEqual(failed(1, /in use/));
  expect(await readdir(folder)).toEqual(["board.backup"]);
});

test("a stopped service is backed up as well; a backup that is interrupted or cannot be written leaves no file", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { env } = await newStore();
  const path = join(folder, "missing", "board.backup");
  expect(await command(env, "backup", path)).toEqual(failed(1, /^work-board: \S+ cannot be written: ENOENT.*\n$/));
  const file = join(folder, "stopped.backup");
  expect(await command(env, "backup", file)).toEqual(succeeded(/stopped\.backup: 1? ?\d+ rows? of/));
  expect(await command(env, "restore", join(folder, "none"))).toEqual(failed(1, /none cannot be read: ENOENT.*\n$/));
  const interrupted = start(env, "backup", join(folder, "interrupted.backup"));
  interrupted.signal("SIGINT");
  await interrupted.ended;
  expect((await readdir(folder)).filter((name) => name.includes("interrupted"))).toEqual([]);
});

test.each([
  ["a backup without its file", ["backup"], "Usage: work-board backup FILE"],
  ["a backup to two files", ["backup", "a", "b"], '"b"'],
  ["a restore without its file", ["restore"], "Usage: work-board restore FILE"],
  ["a restore with an unknown option", ["restore", "--force", "a"], '"--force"'],
  ["a move to nowhere", ["move"], "to: "],
  [
    "a move to another kind of database",
    ["move", "--to", "mysql://root@localhost/board"],
    "must be a URL that begins with postgres",
  ],
])("%s is a wrong use, which the exit code says", async (_, args, complaint) => {
  const { code, stderr } = await command({ DATA_DIR: join(folder, "data") }, ...args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(complaint) });
});

test("a move to a server that is not there fails, and the service goes on", { timeout: TIMEOUT_MS }, async () => {
  if (isOnServer) return;
  const { env } = await newStore();
  const service = await serve(env);
  const ada = await newcomer(service);
  const to = "postgres://nobody:secret@127.0.0.1:1/board";
  const { code, stderr } = await command(env, "move", "--to", to);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^work-board: .*ECONNREFUSED.*\n$/) });
  expect((await ada.rename(service, "Still here")).status).toBe(200);
  expect(service.output.stdout).not.toContain("secret");
});

test.runIf(KINDS.includes("postgres"))(
  "a running service is moved to a server; killed in the middle, both are usable",
  { timeout: TIMEOUT_MS },
  async () => {
    const env = { DATA_DIR: join(folder, "moving") };
    const first = await serve(env);
    const ada = await newcomer(first);
    const before = (await ada.read(first)).body;
    const to = await newServerDatabase();

    // Once in a run that is killed: whenever that is, the target is empty or complete.
    const killed = start(env, "move", "--to", to);
    await killed.printed("refuses writes");
    first.signal("SIGKILL");
    await first.ended;
    expect(await killed.ended).toBe(1);
    const second = await serve(env);
    expect((await ada.read(second)).body).toEqual(before);
    expect((await ada.rename(second, "Engines")).status).toBe(200);

    const moved = await command(env, "move", "--to", to);
    if (moved.code === 0) {
      expect(moved).toEqual(succeeded(/Copied and compared \d+ rows of \d+ tables in [\d.]+ s\nStop the service/));
      expect((await ada.rename(second, "Too late")).status).toBe(503);
      expect((await ada.read(second)).status).toBe(200);
    } else expect(moved.stderr).toContain("The target is not empty");
    await stopped(second);
    const third = await serve({ DATABASE_URL: to });
    expect((await ada.read(third)).body).toEqual(before);
    expect((await ada.rename(third, "On a server")).status).toBe(200);
    expect(await command({ DATABASE_URL: to }, "move", "--to", to)).toEqual(
      failed(1, /only an embedded database can be moved/),
    );
    await stopped(third);
    // The old database is as it was.
    expect((await ada.read(await serve(env))).body).toEqual(before);
  },
);
