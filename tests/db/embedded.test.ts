// The embedded database: decoding, order, transactions, and that nothing acknowledged is lost or shared by two processes.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { DamagedDatabaseError, DataDirInUseError, type EmbeddedDriver, openEmbedded } from "../../src/db/embedded.js";
import { isoInstant } from "../../src/db/instants.js";

let template: Blob;

beforeAll(async () => {
  const driver = await openEmbedded({ dataDir: null });
  template = await driver.dump();
  await driver.close();
}, 30_000);

describe("in memory", () => {
  let driver: EmbeddedDriver;

  beforeAll(async () => {
    driver = await openEmbedded({ dataDir: null, loadFrom: template });
  }, 30_000);
  beforeEach(async () => {
    await driver.query("create table item (id int primary key deferrable initially deferred)", [], "array");
  });
  afterEach(async () => {
    await driver.query("drop table item", [], "array");
  });
  afterAll(() => driver.close());

  const insert = "insert into item values ($1)";
  const ids = async () => (await driver.query("select id from item order by id", [], "array")).flat();

  test.each([
    ["7::int2", 7],
    ["(-2147483648)::int4", -2_147_483_648],
    ["9007199254740991::int8", 9_007_199_254_740_991],
    ["count(*)", 1],
    ["true", true],
    ["false", false],
    [`'{"a": [1, null]}'::json`, { a: [1, null] }],
    [`'"text"'::jsonb`, "text"],
    ["'null'::jsonb", null],
    ["null::int", null],
    ["'2026-11-20 10:30:00.12+01'::timestamptz", "2026-11-20T09:30:00.120Z"],
    ["'0001-01-01 00:00:00Z'::timestamptz", "0001-01-01T00:00:00.000Z"],
    ["'9999-12-31 23:59:59.999999Z'::timestamptz", "9999-12-31T23:59:59.999Z"],
    ["'2026-11-20 09:30:00'::timestamp", "2026-11-20T09:30:00.000Z"],
    ["'2026-11-20'::date", "2026-11-20"],
    ["1.50::numeric", "1.50"],
    ["0.5::float8", "0.5"],
    ["26::oid", "26"],
    ["'é😀'::text", "é😀"],
    ["'\\x00ff'::bytea", "\\x00ff"],
    ["'{1,2}'::int[]", "{1,2}"],
    ["'7f000001-0000-4000-8000-000000000000'::uuid", "7f000001-0000-4000-8000-000000000000"],
  ])("%s decodes as driver.ts says", async (expression, value) => {
    expect(await driver.query(`select ${expression}`, [], "array")).toEqual([[value]]);
  });

  test.each([
    ["$1::text::jsonb", '{"a": "true"}', { a: "true" }],
    ["$1::jsonb", '"text"', "text"],
    ["$1::text::text[]", '{"a b",NULL,"c\\"d"}', '{"a b",NULL,"c\\"d"}'],
    ["$1::timestamptz", "2026-11-20T09:30:00.120Z", "2026-11-20T09:30:00.120Z"],
    ["$1::text", "true", "true"],
    ["$1::bool", true, true],
    ["$1::int8", 9_007_199_254_740_991, 9_007_199_254_740_991],
    ["$1::text", null, null],
  ])("a parameter for %s arrives as it was sent", async (expression, parameter, value) => {
    expect(await driver.query(`select ${expression}`, [parameter], "array")).toEqual([[value]]);
  });

  test("rows come by position or by name, in UTC", async () => {
    const text = "select 1 as one, current_setting('TimeZone') as zone";
    expect(await driver.query(text, [], "array")).toEqual([[1, "UTC"]]);
    expect(await driver.query(text, [], "object")).toEqual([{ one: 1, zone: "UTC" }]);
  });

  test("a failed statement rejects with its SQLSTATE and neither text nor parameters, and the next one works", async () => {
    const failure = driver.query("select 1 / $1::int", [0], "array");
    await expect(failure).rejects.toMatchObject({ code: "22012" });
    await expect(failure).rejects.not.toHaveProperty("params");
    await expect(driver.query("select 1 / $1::int", [1], "array")).resolves.toEqual([[1]]);
    await expect(driver.query("selec", [], "array")).rejects.toMatchObject({ code: "42601" });
    await expect(driver.query("selec", [], "array")).rejects.toMatchObject({ code: "42601" });
  });

  test("more statements than are kept prepared all work, and so does the first again", async () => {
    for (const number of [...Array(600).keys(), 0]) {
      expect(await driver.query(`select ${number} + $1::int`, [1], "array")).toEqual([[number + 1]]);
    }
  });

  test("statements not awaited run in the order given", async () => {
    const answers = [1, 2, 3].map((id) => driver.query(insert, [id], "array").then(ids));
    expect((await Promise.all(answers))[2]).toEqual([1, 2, 3]);
  });

  test("a transaction whose callback throws leaves nothing", async () => {
    const run = driver.transaction(async (tx) => {
      await tx.query(insert, [1], "array");
      throw new Error("no");
    });
    await expect(run).rejects.toThrow("no");
    expect(await ids()).toEqual([]);
  });

  test("statements of a transaction not awaited run in order and are committed", async () => {
    await driver.transaction(async (tx) => {
      void tx.query(insert, [1], "array");
      void tx.query("update item set id = id + 1", [], "array");
      void tx.query("update item set id = id * 10", [], "array");
    });
    expect(await ids()).toEqual([20]);
  });

  test("a transaction with a failed statement fails with its error, even when nobody awaited it", async () => {
    const run = driver.transaction(async (tx) => {
      void tx.query(insert, [1], "array");
      void tx.query("select 1 / 0", [], "array");
      void tx.query(insert, [2], "array");
    });
    await expect(run).rejects.toMatchObject({ code: "22012" });
    expect(await ids()).toEqual([]);
  });

  test("last commits", async () => {
    const rows = await driver.transaction(async (tx) => {
      await tx.query(insert, [1], "array");
      return tx.last("insert into item values ($1) returning id", [2], "object");
    });
    expect(rows).toEqual([{ id: 2 }]);
    expect(await ids()).toEqual([1, 2]);
  });

  test.each([
    ["its statement fails", "insert into item values (1 / 0)", "22012"],
    ["the commit fails", "insert into item values (1)", "23505"],
  ])("last commits nothing when %s", async (_, text, code) => {
    const run = driver.transaction(async (tx) => {
      await tx.query(insert, [1], "array");
      await tx.last(text, [], "array");
    });
    await expect(run).rejects.toMatchObject({ code });
    expect(await ids()).toEqual([]);
  });

  test("nothing follows last, and what it committed stays when the callback then throws", async () => {
    const run = driver.transaction(async (tx) => {
      await tx.last(insert, [1], "array");
      await tx.query(insert, [2], "array");
    });
    await expect(run).rejects.toThrow("The transaction is over");
    expect(await ids()).toEqual([1]);
  });

  test("concurrent transactions and statements are serialised", async () => {
    await driver.query(insert, [0], "array");
    const increment = () =>
      driver.transaction(async (tx) => {
        const [id] = (await tx.query("select id from item", [], "array")).flat();
        await new Promise((done) => setTimeout(done, 1));
        await tx.last("update item set id = $1", [Number(id) + 1], "array");
      });
    const runs = Array.from({ length: 10 }, increment);
    expect(await ids()).toEqual([10]);
    await Promise.all(runs);
  });

  test("the event loop turns while statements queue", async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const slow = () => driver.query("select count(*) from generate_series(1, 50000)", [], "array");
    await Promise.all(Array.from({ length: 20 }, slow));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });

  test("migrations are all applied or none, and statements prepared before see them", async () => {
    const items = () => driver.query("select * from item", [], "object");
    await driver.query(insert, [1], "array");
    expect(await items()).toEqual([{ id: 1 }]);

    await driver.migrate(async (execute) => {
      const rows = await execute("alter table item add column name text default 'a'; select count(*) as n from item");
      expect(rows).toEqual([{ n: 1 }]);
    });
    expect(await items()).toEqual([{ id: 1, name: "a" }]);

    const failing = driver.migrate(async (execute) => {
      await execute("alter table item drop column name; select 1 / 0");
    });
    await expect(failing).rejects.toMatchObject({ code: "22012" });
    expect(await items()).toEqual([{ id: 1, name: "a" }]);
  });

  test("maintenance gives a table that was filled its statistics, and room for what was deleted", async () => {
    const state = async () => {
      const [row] = await driver.query(
        `select c.reltuples::int as rows, pg_relation_size(c.oid)::int as size, s.n_dead_tup as dead
        from pg_class c join pg_stat_user_tables s on s.relid = c.oid where c.relname = 'item'`,
        [],
        "object",
      );
      return row;
    };
    await driver.query("insert into item select n from generate_series(1, 5000) n", [], "array");
    expect(await state()).toMatchObject({ rows: -1 });
    await driver.maintain();
    expect(await state()).toMatchObject({ rows: 5000 });

    await driver.query("delete from item", [], "array");
    await driver.maintain("analyze");
    expect(await state()).toMatchObject({ rows: 0, dead: 5000 });
    await driver.maintain();
    expect(await state()).toEqual({ rows: 0, size: 0, dead: 0 });
  });

  test("maintenance that comes while statements wait lets them by", async () => {
    await driver.query("insert into item select n from generate_series(1, 5000) n", [], "array");
    const order: string[] = [];
    const maintained = driver.maintain().then(() => order.push("maintained"));
    const read = ids().then(() => order.push("read"));
    await Promise.all([maintained, read]);
    expect(order).toEqual(["read", "maintained"]);
  });

  test("a dump opens as the same database", async () => {
    await driver.query(insert, [5], "array");
    const copy = await openEmbedded({ dataDir: null, loadFrom: await driver.dump() });
    expect(await copy.query("select id from item", [], "array")).toEqual([[5]]);
    await copy.close();
  }, 20_000);
});

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

  function start(task = "hold"): ChildProcessWithoutNullStreams {
    const script = join(import.meta.dirname, "embeddedChild.ts");
    const child = spawn(process.execPath, ["--import", "tsx", script, dataDir, task]);
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
  }, 30_000);

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
  }, 30_000);

  test("a directory open in this process is refused, and free again once closed", async () => {
    const driver = await openHere();
    const refusal = openHere();
    await expect(refusal).rejects.toBeInstanceOf(DataDirInUseError);
    await expect(refusal).rejects.toMatchObject({ dataDir, pid: process.pid });
    await driver.close();
    await (await openHere()).close();
  }, 30_000);

  test("a second process on a directory ends with one line that names the directory and the holder", async () => {
    const driver = await openHere();
    const child = start();
    const output = collected(child);
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(output.text).toBe(`DataDirInUseError: DATA_DIR ${dataDir} is in use by process ${process.pid}\n`);
    await driver.close();
  }, 30_000);

  test("of several processes that find a dead one's lock at once, exactly one gets the directory", async () => {
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
  }, 60_000);

  test("a first start that was cut short is begun again", async () => {
    fs.mkdirSync(join(dataDir, "postgres.new"));
    fs.writeFileSync(join(dataDir, "postgres.new", "PG_VERSION"), "18\n");
    const driver = await openHere();
    expect(await driver.query("select 1", [], "array")).toEqual([[1]]);
    await driver.close();
  }, 30_000);

  test("kill -9 while writing loses no acknowledged write", async () => {
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
  }, 60_000);
});

describe("isoInstant", () => {
  test.each([
    ["2026-11-20 09:30:00+00", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20 09:30:00.1+00", "2026-11-20T09:30:00.100Z"],
    ["2026-11-20 09:30:00.123999+00", "2026-11-20T09:30:00.123Z"],
    ["0001-01-01 00:00:00", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31 23:59:59.999999+00", "9999-12-31T23:59:59.999Z"],
  ])("%s is %s", (text, instant) => {
    expect(isoInstant(text)).toBe(instant);
  });

  test.each(["infinity", "0044-03-15 00:00:00+00 BC", "10000-01-01 00:00:00+00", "2026-11-20 09:30:00+01", ""])(
    "%s is refused",
    (text) => {
      expect(() => isoInstant(text)).toThrow(RangeError);
    },
  );
});
