// The embedded database on a disk that is nearly full, or that has lost its directory: reads go on, and writes are refused.

import fs from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { openEmbedded } from "../../src/db/embedded.js";
import { migrate } from "../../src/db/migrate.js";
import { type Answer, appOn, expectError, ok } from "../helpers/app.js";
import { openBound } from "../helpers/databases.js";

const template = inject("template");
const MIB = 2 ** 20;
const OPENING_TIMEOUT_MS = 60_000;

describe.runIf(template.kind === "embedded")(
  "the disk of the embedded database",
  { timeout: OPENING_TIMEOUT_MS },
  () => {
    const statfs = fs.statfsSync;
    let dataDir: string;
    let states: string[];

    /** Has the system say that this much is free. */
    function leave(mebibytes: number): void {
      const said = (path: fs.PathLike) => ({ ...statfs(path), bsize: MIB, bavail: mebibytes, blocks: 100_000 });
      vi.spyOn(fs, "statfsSync").mockImplementation(said as typeof statfs);
    }
    beforeEach(async () => {
      dataDir = await mkdtemp(join(tmpdir(), "disk-"));
      states = [];
      leave(1000);
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await rm(dataDir, { recursive: true, force: true });
    });

    async function open() {
      if (template.kind !== "embedded") throw new Error("The tests run on a server");
      const loadFrom = new Blob([await readFile(template.file)], { type: template.type });
      return openEmbedded({ dataDir, loadFrom, onDisk: (state) => void states.push(state) });
    }
    async function openApp() {
      const driver = await open();
      onTestFinished(() => driver.close());
      const app = await appOn(openBound(driver), {});
      const ready = () => app.anonymous.send<object>({ method: "GET", url: "/ready" });
      const faults = () => app.logs.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
      return { ...app, driver, ready, faults };
    }
    function expectRefused(answer: Answer<unknown>, message: string): void {
      expectError(answer, "SERVICE_UNAVAILABLE");
      expect(answer.body).toMatchObject({ issues: [{ path: [], message: expect.stringContaining(message) }] });
      expect(answer.headers["retry-after"]).toBe("60");
    }

    test("below 64 MiB changes and sign-ins are refused and reads answered, until there is space again", async () => {
      const { as, anonymous, make, ready, faults } = await openApp();
      const { board, list, owner } = await make.list({ name: "Doing" });
      const admin = await make.instanceAdmin();
      const rename = () => as(owner).put(`/lists/${list.publicId}`, { name: "Done" });
      const signIn = () => anonymous.post("/auth/sign-in", { email: owner.email, password: owner.password });

      leave(63);
      for (const answer of [await rename(), await signIn()]) expectRefused(answer, "its disk is nearly full");
      expect(ok(await as(owner).get(`/boards/${board.publicId}`))).toMatchObject({ lists: [{ name: "Doing" }] });
      expect(ok(await ready())).toEqual({ status: "ok", stoppedWorkers: [], lowDiskSpace: true });
      expect(ok(await as(admin).get("/admin/status"))).toMatchObject({ storage: { freeBytes: 63 * MIB } });
      expect(states).toEqual(["low"]);
      expect(faults()).toEqual([]);

      leave(64);
      ok(await rename());
      ok(await signIn());
      expect(ok(await ready())).toEqual({ status: "ok", stoppedWorkers: [] });
      expect(states).toEqual(["low", "enough"]);
    });

    test("below 512 MiB imports and copies of boards are refused, and nothing else is", async () => {
      const { as, make } = await openApp();
      const { board, workspace, owner } = await make.board({});
      const workspacePublicId = workspace.publicId;
      const file = ok(await as(owner).get<object>(`/boards/${board.publicId}/export`));
      const trello = { name: "Trello", lists: [], cards: [] };
      const csv = { workspacePublicId, boardName: "Table", rows: [["A", "To do"]], mapping: { title: 0, list: 1 } };
      const large = async () => [
        await as(owner).post("/imports/csv/boards", csv),
        await as(owner).post("/imports/csv/boards", { ...csv, boardPublicId: board.publicId }),
        await as(owner).post("/imports/trello/boards", { workspacePublicId, board: trello }),
        await as(owner).post("/imports/boards", { workspacePublicId, board: file }),
        await as(owner).post(`/boards/${board.publicId}/duplicate`, {}),
      ];

      leave(511);
      for (const answer of await large()) expectRefused(answer, "imports and copies of boards");
      ok(await as(owner).post("/imports/csv/boards", { ...csv, dryRun: true }));
      ok(await as(owner).put(`/boards/${board.publicId}`, { name: "Renamed" }));
      expect(states).toEqual([]);

      leave(512);
      for (const answer of await large()) ok(answer);
    });

    test("a database opens on a full disk to be read; a missing migration waits for space, and says so", async () => {
      const first = await open();
      await first.close();
      leave(63);
      const full = await open();
      await migrate(full);
      expect(await full.query("select count(*) from account", [], "array")).toEqual([[0]]);

      leave(64);
      await full.query("delete from drizzle.__drizzle_migrations where id > 1", [], "array");
      leave(63);
      await expect(migrate(full)).rejects.toThrow(
        `The disk of DATA_DIR ${dataDir} has 63 MiB free, and the database needs 64 MiB. Free some space and try again`,
      );
      await full.close();
    });

    test("one that cannot be opened on a full disk asks for space, and for a backup only where there is space", async () => {
      await (await open()).close();
      const control = join(dataDir, "postgres", "global", "pg_control");
      fs.writeFileSync(control, Buffer.alloc(fs.statSync(control).size, 7));
      leave(5);
      await expect(open()).rejects.toThrow("has 5 MiB free");
      leave(64);
      await expect(open()).rejects.toThrow("Restore a backup");
    });

    test("once the directory is gone, no call is answered, /ready says why, and the database can be closed", async () => {
      const { as, make, driver, ready, faults } = await openApp();
      const { list, owner } = await make.list({});
      await rm(dataDir, { recursive: true });

      const answers = [
        await ready(),
        await as(owner).get(`/users/me`),
        await as(owner).put(`/lists/${list.publicId}`, { name: "Lost" }),
      ];
      for (const answer of answers) expectRefused(answer, "The directory of the database is gone");
      expect(states).toEqual(["gone"]);
      expect(faults()).toEqual([]);
      await driver.close();
    });
  },
);
