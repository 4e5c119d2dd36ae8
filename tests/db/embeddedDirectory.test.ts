// The embedded database in a directory: nothing acknowledged is lost, and no two processes share it.
//
// @module-tag slow

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { DamagedDatabaseError, DataDirInUseError, openEmbedded } from "../../src/db/embedded.js";

let template: Blob;

beforeAll(async () => {
  const driver = await openEmbedded({ dataDir: null });
  template = await driver.dump();
  await driver.close();
}, 30_000);

describe("in a directory", () => {
  let dataDir: string;
  const children: ChildProcessWithoutNullStreams[] = [];
  const openHere = () => openEmbedded({ dataDir, loadFrom: template });

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "embedded-"));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const child of children.splice(0)) await kill(child);
    await rm(dataDir, { recursive: true });
  });

  function start(task = "hold", before: string[] = []): ChildProcessWithoutNullStreams {
    const script = join(import.meta.dirname, "embeddedChild.ts");
    const [command = "", ...args] = [...before, process.execPath, "--import", "tsx", script, dataDir, task];
    const child = spawn(command, args);
    children.push(child);
    return child;
  }

  async function kill(child: ChildProcessWithoutNullStreams): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  }

  const collected = (child: ChildProcessWithoutNullStreams) => {
    const output = { text: "" };
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output.text += String(chunk)));
    return output;
  };

  test("what was written is there after closing, and so is the way back in", async () => {
    const first = await openHere();
    await first.query("create table kept (id int)", [], "array");
    await first.close();
    expect(await readdir(dataDir)).toEqual(["lock", "postgres"]);
    await expect(first.query("select 1", [], "array")).rejects.toMatchObject({ code: "CONNECTION_ENDED" });

    const second = await openHere();
    expect(await second.query("select * from kept", [], "array")).toEqual([]);
    await second.close();
  });

  test("only its owner can enter the directory of the database, also where others could before", async () => {
    fs.chmodSync(dataDir, 0o755);
    const modeOf = (name: string) => fs.statSync(join(dataDir, name)).mode & 0o777;
    await (await openHere()).close();
    expect(modeOf("postgres")).toBe(0o700);
    fs.chmodSync(join(dataDir, "postgres"), 0o755);
    await (await openHere()).close();
    expect(modeOf("postgres")).toBe(0o700);
  });

  test("every commit is synced to disk before it is acknowledged, once, and reading syncs nothing", async () => {
    const driver = await openHere();
    await driver.query("create table written (id int)", [], "array");
    const sync = vi.spyOn(fs, "fsyncSync");
    for (let id = 1; id <= 5; id += 1) await driver.query("insert into written values ($1)", [id], "array");
    expect(sync).toHaveBeenCalledTimes(5);
    await driver.transaction((tx) => tx.last("insert into written values (6)", [], "array"));
    expect(sync).toHaveBeenCalledTimes(6);
    await driver.query("select * from written", [], "array");
    expect(sync).toHaveBeenCalledTimes(6);
    await driver.close();
  }, 30_000);

  test("a commit that cannot be synced is not acknowledged, nothing is after it, and whoever opened it is told once", async () => {
    const failures: Error[] = [];
    const driver = await openEmbedded({ dataDir, onFailure: (failure) => failures.push(failure) });
    await driver.query("create table written (id int)", [], "array");
    vi.spyOn(fs, "fsyncSync").mockImplementation(() => {
      throw Object.assign(new Error("disk"), { code: "EIO" });
    });
    const write = driver.query("insert into written values (1)", [], "array");
    await expect(write).rejects.toMatchObject({ code: "CONNECTION_BROKEN" });
    vi.restoreAllMocks();
    await expect(driver.query("select 1", [], "array")).rejects.toMatchObject({ code: "CONNECTION_BROKEN" });
    expect(failures).toEqual([expect.objectContaining({ code: "CONNECTION_BROKEN" })]);
    await driver.close();
  }, 30_000);

  test("a log that cannot be written for want of room ends the call, and the next start has what was committed", {
    timeout: 60_000,
  }, async () => {
    const first = await openHere();
    await first.query("create table written (id int)", [], "array");
    await first.query("insert into written values (1)", [], "array");
    await first.close();
    // A limit on the size of files stands for a full disk: the log's file is 16 MiB long.
    const child = start("fill", ["sh", "-c", 'ulimit -f 20480; exec "$0" "$@"']);
    const output = collected(child);
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(output.text).toMatch(/^open\nError: The embedded database failed: could not write to/);

    const driver = await openHere();
    expect(await driver.query("select * from written", [], "array")).toEqual([[1]]);
    await driver.close();
  });

  test("one that is damaged is named, with PostgreSQL's own reason, and stays as it is", async () => {
    await (await openHere()).close();
    const control = join(dataDir, "postgres", "global", "pg_control");
    const damaged = Buffer.alloc(fs.statSync(control).size, 7);
    fs.writeFileSync(control, damaged);
    const refusal = openHere();
    await expect(refusal).rejects.toBeInstanceOf(DamagedDatabaseError);
    await expect(refusal).rejects.toThrow(
      `${join(dataDir, "postgres")} cannot be opened: database files are incompatible`,
    );
    expect(fs.readFileSync(control)).toEqual(damaged);
  });

  test("a directory open in this process is refused, and free again once closed", async () => {
    const driver = await openHere();
    const refusal = openHere();
    await expect(refusal).rejects.toBeInstanceOf(DataDirInUseError);
    await expect(refusal).rejects.toMatchObject({ dataDir, pid: process.pid });
    await driver.close();
    await (await openHere()).close();
  });

  test("a second process on a directory ends with one line that names the directory and the holder", async () => {
    const driver = await openHere();
    const child = start();
    const output = collected(child);
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(output.text).toBe(`DataDirInUseError: DATA_DIR ${dataDir} is in use by process ${process.pid}\n`);
    await driver.close();
  });

  test("of several processes that find a dead one's lock at once, exactly one gets the directory", {
    timeout: 60_000,
  }, async () => {
    await (await openHere()).close();
    const dead = start();
    await once(dead.stdout, "data");
    await kill(dead);
    expect(await readdir(join(dataDir, "lock"))).toHaveLength(1);

    const starters = [start(), start(), start(), start()];
    const outputs = starters.map(collected);
    await vi.waitFor(() => expect(outputs.every(({ text }) => text.includes("\n"))).toBe(true), 40_000);
    expect(outputs.filter(({ text }) => text === "open\n")).toHaveLength(1);
    expect(outputs.filter(({ text }) => text.startsWith("DataDirInUseError"))).toHaveLength(3);
  });

  test("a first start that was cut short is begun again", async () => {
    fs.mkdirSync(join(dataDir, "postgres.new"));
    fs.writeFileSync(join(dataDir, "postgres.new", "PG_VERSION"), "18\n");
    const driver = await openHere();
    expect(await driver.query("select 1", [], "array")).toEqual([[1]]);
    await driver.close();
  });

  test("kill -9 while writing loses no acknowledged write", { timeout: 60_000 }, async () => {
    const first = await openHere();
    await first.query("create table written (id int primary key)", [], "array");
    await first.close();

    const child = start("write");
    const output = collected(child);
    await vi.waitFor(() => expect(output.text.split("\n").length).toBeGreaterThan(200), 30_000);
    await kill(child);
    const acknowledged = output.text.split("\n").slice(1, -1).map(Number);

    const driver = await openHere();
    const kept = (await driver.query("select id from written order by id", [], "array")).flat();
    expect(kept.slice(0, acknowledged.length)).toEqual(acknowledged);
    expect(kept).toEqual(kept.map((_, index) => index + 1));
    await driver.close();
  });
});
