// A database, or a backup, of a version whose migrations this one does not continue is refused in one line that says what to do.
//
// @module-tag slow

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { backupText, verifyBackup } from "../../src/admin/backupFile.js";
import { writeCompressed } from "../../src/admin/compressedLines.js";
import { copiedTables, copyFrom } from "../../src/db/copy/reading.js";
import { newDriver } from "../helpers/copies.js";
import { launch, newStore } from "../helpers/processes.js";
import { COMMAND_LINE, type Environment, type Process, spawnNode } from "../helpers/spawned.js";

const TIMEOUT_MS = 240_000;
const folder = await mkdtemp(join(tmpdir(), "work-board-test-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const refused = (subject: string) =>
  new RegExp(
    `The ${subject} is of an earlier, incompatible version of work-board: export [^\\n]+ into an empty database [^\\n]+$`,
    "m",
  );

async function outcome({ ended, output }: Process) {
  const code = await ended;
  return { code, ...output, lines: output.stderr.trimEnd().split("\n").length };
}

function command(env: Environment, ...args: string[]) {
  const started = spawnNode([COMMAND_LINE, ...args], env);
  onTestFinished(() => started.signal("SIGKILL"));
  return outcome(started);
}

/** A database that had another first migration. */
async function earlierStore(): Promise<Environment> {
  const store = await newStore();
  const db = await store.open();
  await db.rows(sql`update drizzle.__drizzle_migrations set hash = md5(hash)`);
  await db.close();
  return store.env;
}

test("a database of an earlier version is refused by the service and by every command", {
  timeout: TIMEOUT_MS,
}, async () => {
  const env = await earlierStore();
  const says = refused("database");

  expect(await outcome(launch(env))).toMatchObject({ code: 1, stderr: expect.stringMatching(says), lines: 1 });
  for (const args of [
    ["user", "list"],
    ["backup", join(folder, "none.backup")],
  ])
    expect(await command(env, ...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(says), lines: 1 });
  expect(await command(env, "doctor")).toMatchObject({ code: 1, stdout: expect.stringMatching(says), lines: 1 });
});

test("a backup of an earlier version is not restored, nor any backup into a database of one", {
  timeout: TIMEOUT_MS,
}, async () => {
  const source = await newDriver("embedded");
  const write = (path: string, earlier: boolean) =>
    source.snapshot(copiedTables(), async (connection) => {
      const { contents, chunks } = await copyFrom(connection);
      const migrations = earlier ? ["earlier"] : contents.migrations;
      const text = backupText({ contents: { ...contents, migrations }, chunks }, new Date());
      await writeCompressed(path, text, { verify: verifyBackup });
      return path;
    });
  const target = (await newStore("empty")).env;

  expect(await command(target, "restore", await write(join(folder, "earlier.backup"), true))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(refused("backup")),
    lines: 1,
  });
  const current = await write(join(folder, "current.backup"), false);
  expect(await command(await earlierStore(), "restore", current)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(refused("database")),
    lines: 1,
  });
  expect(await command(target, "restore", current)).toMatchObject({ code: 0, stderr: "" });
});
