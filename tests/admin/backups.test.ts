// Backups, restored backups and moved databases: whoever had access before sees the same afterwards, and a file that is not whole
// changes nothing.
//
// @module-tag slow

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { desc } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { backupHeaderOf, verifyBackup } from "../../src/admin/backupFile.js";
import { makeBackup, moveDatabase, restoreBackup } from "../../src/admin/backups.js";
import { writeCompressed } from "../../src/admin/compressedLines.js";
import type { Driver } from "../../src/db/driver.js";
import { auditEntry } from "../../src/db/schema/index.js";
import { appOn, contentsOf, expectError, ok, type TestApp } from "../helpers/app.js";
import { KINDS, newDriver } from "../helpers/copies.js";
import { openBound } from "../helpers/databases.js";
import { type Filled, fill, seenBy } from "../helpers/filled.js";

const folder = await mkdtemp(join(tmpdir(), "work-board-test-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const FILE = join(folder, "board.backup");

const backUp = (driver: Driver, path: string) => writeCompressed(path, makeBackup(driver), { verify: verifyBackup });
const restore = async (driver: Driver, path: string) => restoreBackup(driver, path, await verifyBackup(path));

const open = async (driver: Driver) => appOn(openBound(driver), {});

async function lastAct({ db }: Pick<TestApp, "db">) {
  const [entry] = await db.select().from(auditEntry).orderBy(desc(auditEntry.id)).limit(1);
  return entry;
}

const contentsWithoutAudit = async ({ db }: Pick<TestApp, "db">) => {
  const { audit_entry: _, ...contents } = await contentsOf(db);
  return contents;
};

let driver: Driver;
let app: TestApp;
let filled: Filled;
let seen: unknown[];

beforeAll(async () => {
  driver = await newDriver("embedded");
  app = await open(driver);
  filled = await fill(app);
  seen = await seenBy(app, filled);
  await backUp(driver, FILE);
}, 300_000);

describe("a backup", () => {
  test("is a file that only its owner can read, and is noted", async () => {
    expect((await stat(FILE)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["board.backup"]);
    expect(await lastAct(app)).toMatchObject({ type: "backup.made", actorId: null, address: null });
    const { contents } = await backupHeaderOf(FILE);
    expect(contents.tables.every(({ rows }) => rows > 0)).toBe(true);
  });

  test.each(KINDS)("is restored as it was: %s", { timeout: 120_000 }, async (kind) => {
    const target = await newDriver(kind);
    const { rows, tables } = await restore(target, FILE);
    const { contents } = await backupHeaderOf(FILE);
    expect({ rows, tables }).toEqual({
      rows: contents.tables.reduce((sum, table) => sum + table.rows, 0),
      tables: contents.tables.length,
    });
    const restored = await open(target);
    expect(await contentsWithoutAudit(restored)).toEqual(await contentsWithoutAudit(app));
    expect(await lastAct(restored)).toMatchObject({ type: "backup.restored", actorId: null, address: null });
    expect(await seenBy(restored, filled)).toEqual(seen);
    // New things get keys that nothing has.
    const { card } = await restored.make.card();
    ok(await restored.as(card.owner).get(`/cards/${card.publicId}`));
    // What is open for a service is not restored into, nor what has rows.
    await expect(restore(target, FILE)).rejects.toThrow(kind === "postgres" ? "in use" : "not empty");
  });

  test("holds every change that was answered before it began, and no half of a later one", {
    timeout: 120_000,
  }, async () => {
    const { list, owner } = await app.make.list();
    const target = await newDriver(KINDS.at(-1) ?? "embedded");
    let isOver = false;
    const answered: string[] = [];
    const writing = (async () => {
      while (!isOver) {
        const body = { title: `Card ${answered.length}`, listPublicId: list.publicId };
        answered.push(ok(await app.as(owner).post<{ publicId: string }>("/cards", body)).publicId);
      }
    })();
    while (answered.length < 5) await new Promise((resolve) => setImmediate(resolve));
    const before = [...answered];
    const path = join(folder, "under-load.backup");
    await backUp(driver, path);
    isOver = true;
    await writing;
    expect(answered.length).toBeGreaterThan(before.length);

    await restore(target, path);
    const restored = await open(target);
    const board = ok(
      await restored
        .as(owner)
        .get<{ lists: { cards: { publicId: string; cardNumber: number }[] }[] }>(`/boards/${list.board.publicId}`),
    );
    const cards = board.lists.flatMap((held) => held.cards.map(({ publicId }) => publicId));
    expect(cards).toEqual(expect.arrayContaining(before));
    expect(answered.slice(0, cards.length)).toEqual(cards);
    await rm(path);
  });

  test("that cannot be written leaves nothing behind, and the file that was there", async () => {
    const before = await readFile(FILE);
    async function* failing() {
      yield "text\n";
      throw new Error("the service ended");
    }
    await expect(writeCompressed(FILE, failing(), { verify: verifyBackup })).rejects.toThrow("the service ended");
    async function* short() {
      for await (const piece of makeBackup(driver)) {
        yield piece;
        return;
      }
    }
    await expect(writeCompressed(FILE, short(), { verify: verifyBackup })).rejects.toThrow("cut short");
    await expect(backUp(driver, join(folder, "missing", "file"))).rejects.toThrow("cannot be written");
    await expect(backUp(driver, folder)).rejects.toThrow("is a directory");
    expect(await readdir(folder)).toEqual(["board.backup"]);
    expect(Buffer.compare(before, await readFile(FILE))).toBe(0);
    // A backup that was given up keeps nobody from the database: changes go on, and what was there is as it was.
    await app.make.card();
    expect(await seenBy(app, filled)).toEqual(seen);
  });
});

describe("a file that is no whole backup is refused, and nothing is written", async () => {
  const target = await newDriver("embedded");
  const path = join(folder, "broken");
  afterAll(() => rm(path, { force: true }));
  const lines = async () =>
    gunzipSync(await readFile(FILE))
      .toString()
      .split("\n");
  const written = async (change: (lines: string[]) => string[]) => gzipSync(change(await lines()).join("\n"));

  test.each<[string, () => Promise<Buffer>, string]>([
    ["an empty file", async () => Buffer.alloc(0), "cut short"],
    ["a file of another kind", async () => readFile("package.json"), "is not a backup"],
    ["a compressed file of another kind", async () => gzipSync("hello\n"), "is not a backup"],
    [
      "a file of another format",
      async () =>
        written(([header = "", ...rest]) => [header.replace('"workBoardBackup":1', '"workBoardBackup":2'), ...rest]),
      "another version",
    ],
    ["a file that lost its last byte", async () => (await readFile(FILE)).subarray(0, -1), "cut short"],
    ["half of a file", async () => (await readFile(FILE)).subarray(0, (await stat(FILE)).size / 2), "cut short"],
    [
      "a file with something behind it",
      async () => Buffer.concat([await readFile(FILE), Buffer.from("more")]),
      "broken is",
    ],
    ["a file without its footer", () => written((all) => [...all.slice(0, -2), ""]), "cut short"],
    ["a file without one row", () => written((all) => all.filter((_, index) => index !== 5)), "cut short"],
    [
      "a file with one row twice",
      () => written((all) => all.flatMap((line, index) => (index === 5 ? [line, line] : [line]))),
      "cut short",
    ],
    [
      "a file with a changed value",
      () => written((all) => all.map((line) => line.replace("Weekly", "Wookly"))),
      "cut short",
    ],
    [
      "a file with a row that is none",
      () => written((all) => all.map((line, index) => (index === 5 ? "{}" : line))),
      "cut short",
    ],
    [
      "a file with a changed count",
      () => written(([header = "", ...rest]) => [header.replace('"rows":', '"rows":1'), ...rest]),
      "cut short",
    ],
  ])("%s", async (_, contents, complaint) => {
    await writeFile(path, await contents());
    await expect(restore(target, path)).rejects.toThrow(complaint);
    await expect(restore(target, path)).rejects.toThrow(path);
  });

  test("a file with a changed byte", async () => {
    const bytes = await readFile(FILE);
    for (const part of [0.1, 0.5, 0.9]) {
      const changed = Buffer.from(bytes);
      const at = Math.floor(bytes.length * part);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(path, changed);
      await expect(restore(target, path)).rejects.toThrow(path);
    }
  });

  test("a file that is not there", async () => {
    await expect(restore(target, join(folder, "none"))).rejects.toThrow("cannot be read: ENOENT");
  });

  test("of all these, nothing was written", async () => {
    expect(await target.query("select count(*) as accounts from account", [], "object")).toEqual([{ accounts: 0 }]);
  });
});

describe("a move", () => {
  test("that fails leaves both as they were, and writes go on", async () => {
    const target = await newDriver("embedded");
    await target.query("insert into sign_in_failure (email) values ('ada@example.org')", [], "array");
    await expect(moveDatabase(driver, target)).rejects.toThrow("The target is not empty");
    const { card } = await app.make.card();
    expect(card.cardNumber).toBe(1);
  });

  test.each(KINDS)(
    "copies everything; the source then answers reads, and refuses writes: %s",
    { timeout: 120_000 },
    async (kind) => {
      const target = await newDriver(kind);
      const seenBefore = await seenBy(app, filled);
      const before = await contentsOf(app.db);
      await moveDatabase(driver, target);

      const [person] = filled.people;
      if (person === undefined) throw new Error("Nobody is there");
      const refused = await app.as(person).put(`/workspaces/${filled.workspace.publicId}`, { name: "Renamed" });
      expectError(refused, "SERVICE_UNAVAILABLE");
      expect(refused.body.issues).toEqual([{ path: [], message: expect.stringContaining("takes no writes") }]);
      expect(await seenBy(app, filled)).toEqual(seenBefore);
      expect(await contentsOf(app.db)).toEqual(before);

      const moved = await open(target);
      expect(await lastAct(moved)).toMatchObject({ type: "database.moved", actorId: null, address: null });
      expect(await seenBy(moved, filled)).toEqual(seenBefore);
      ok(await moved.as(person).put(`/workspaces/${filled.workspace.publicId}`, { name: filled.workspace.name }));
      await driver.refuseWrites?.(false);
    },
  );

  test("that succeeded stays the last word: another one fails, and writes are refused still; a backup can be made", async () => {
    const target = await newDriver("embedded");
    await moveDatabase(driver, target);
    await expect(moveDatabase(driver, target)).rejects.toThrow("The target is not empty");
    const [person] = filled.people;
    if (person === undefined) throw new Error("Nobody is there");
    const refused = await app.as(person).put(`/workspaces/${filled.workspace.publicId}`, { name: "Renamed" });
    expectError(refused, "SERVICE_UNAVAILABLE");
    const path = join(folder, "moved.backup");
    const { contents } = await backUp(driver, path);
    await rm(path);
    expect(contents.tables.find(({ name }) => name === "account")?.rows).toBeGreaterThan(0);
    await driver.refuseWrites?.(false);
  });

  test("is refused while another one runs, which goes on undisturbed", async () => {
    const [target, other] = [await newDriver("embedded"), await newDriver("embedded")];
    const first = moveDatabase(driver, target);
    await expect(moveDatabase(driver, other)).rejects.toThrow("is being moved already");
    const seenBefore = await seenBy(app, filled);
    await first;
    expect(await seenBy(await open(target), filled)).toEqual(seenBefore);
    await driver.refuseWrites?.(false);
  }, 120_000);

  test("from a server is refused", async () => {
    const server = { ...driver, refuseWrites: undefined };
    await expect(moveDatabase(server as unknown as Driver, driver)).rejects.toThrow("Only an embedded database");
  });
});
