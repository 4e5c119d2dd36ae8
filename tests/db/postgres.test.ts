import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Driver } from "../../src/db/driver.js";
import { openPostgres } from "../../src/db/postgres.js";
import { openProxy, type TcpProxy } from "./postgres/proxy.js";

const url = process.env.TEST_DATABASE_URL ?? "";
const SCHEMA = `postgres_test_${process.pid}`;
const settings = { url, poolSize: 3, prepare: true, statementTimeoutMs: 10_000 };

function open(options: Partial<Parameters<typeof openPostgres>[0]> = {}): Driver {
  const driver = openPostgres({ ...settings, ...options });
  onTestFinished(() => driver.close());
  return driver;
}

async function openThroughProxy(options: { prepare: boolean } = { prepare: true }): Promise<[Driver, TcpProxy]> {
  const proxy = await openProxy(url);
  onTestFinished(() => proxy.close());
  return [open({ url: proxy.url, poolSize: 1, ...options }), proxy];
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!url)("postgres.js driver", () => {
  const admin = openPostgres(settings);
  const insert = `insert into ${SCHEMA}.item (name) values ($1) returning id`;
  const names = async () => (await admin.query(`select name from ${SCHEMA}.item order by id`, [], "array")).flat();
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);

  beforeAll(async () => {
    process.on("unhandledRejection", onUnhandled);
    await admin.query(`drop schema if exists ${SCHEMA} cascade`, [], "array");
    await admin.query(`create schema ${SCHEMA}`, [], "array");
    await admin.query(
      `create table ${SCHEMA}.item (id bigint generated always as identity primary key, name text not null unique deferrable)`,
      [],
      "array",
    );
  });
  afterAll(async () => {
    await admin.query(`drop schema ${SCHEMA} cascade`, [], "array");
    await admin.close();
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).toEqual([]);
  });

  test.each([
    ["7::int2", 7],
    ["-7::int4", -7],
    ["9007199254740991::int8", 9007199254740991],
    ["count(*)", 1],
    ["true", true],
    ["false", false],
    [`'{"a":[1,null,"x"]}'::json`, { a: [1, null, "x"] }],
    [`'{"a":[1,null,"x"]}'::jsonb`, { a: [1, null, "x"] }],
    ["'null'::jsonb", null],
    ["'2026-11-20 09:30:00.12+00'::timestamptz", "2026-11-20T09:30:00.120Z"],
    ["'2026-11-20 09:30:00+02'::timestamptz", "2026-11-20T07:30:00.000Z"],
    ["'2026-11-20 09:30:00.123456'::timestamp", "2026-11-20T09:30:00.123Z"],
    ["'0001-01-01 00:00:00+00'::timestamptz", "0001-01-01T00:00:00.000Z"],
    ["'9999-12-31 23:59:59.999+00'::timestamptz", "9999-12-31T23:59:59.999Z"],
    ["'2026-11-20'::date", "2026-11-20"],
    ["'09:30'::time", "09:30:00"],
    ["1.50::numeric", "1.50"],
    ["1.5::float4", "1.5"],
    ["1.5::float8", "1.5"],
    ["'\\x00ff'::bytea", "\\x00ff"],
    ["'a'::text", "a"],
    ["'b'::varchar(3)", "b"],
    ["'5b2a7f0e-93ab-4d3e-8b1c-0a4bbdd0d7a1'::uuid", "5b2a7f0e-93ab-4d3e-8b1c-0a4bbdd0d7a1"],
    ["array['a','b c']", '{a,"b c"}'],
    ["array[1,2]", "{1,2}"],
    ["null::int8", null],
    ["null::timestamptz", null],
    ["current_setting('TimeZone')", "UTC"],
    ["current_setting('application_name')", "work-board"],
    ["current_setting('statement_timeout')", "10s"],
  ])("decodes %s", async (expression, expected) => {
    expect(await admin.query(`select ${expression}`, [], "array")).toEqual([[expected]]);
    expect(await admin.query(`select ${expression} as value`, [], "object")).toEqual([{ value: expected }]);
  });

  test.each([
    ["$1::jsonb", '{"a": "1"}', { a: "1" }],
    ["$1::text::jsonb", '["x"]', ["x"]],
    ["$1::jsonb", "3", 3],
    ["$1::text::text[]", '{a,"b,\\"c"}', '{a,"b,\\"c"}'],
    ["$1::text[]", "{a,NULL}", "{a,NULL}"],
    ["cardinality($1::text::int8[])", "{1,2,3}", 3],
    ["$1::timestamptz", "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z"],
    ["$1::timestamptz", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
    ["$1::date", "2026-11-20", "2026-11-20"],
    ["$1::bytea", "\\x00ff", "\\x00ff"],
    ["$1::boolean", "true", true],
    ["$1::boolean", false, false],
    ["$1::boolean", null, null],
    ["$1::int8", 9007199254740991, 9007199254740991],
    ["$1::text", "ü \u{1F600} '\"\\", "ü \u{1F600} '\"\\"],
  ])("passes the parameter of %s on as the text %j", async (expression, param, expected) => {
    expect(await admin.query(`select ${expression}`, [param], "array")).toEqual([[expected]]);
  });

  test("a parameter that is no Param fails alone", async () => {
    const driver = open({ poolSize: 1 });
    const wrong = JSON.parse("{}").missing;
    const results = await Promise.allSettled([
      driver.query("select $1::int", [1], "array"),
      driver.query("select $1::int", [wrong], "array"),
      driver.query("select $1::int", [3], "array"),
    ]);
    expect(results).toMatchObject([{ value: [[1]] }, { reason: expect.any(TypeError) }, { value: [[3]] }]);
  });

  test("statements are prepared by name, once for all values of their parameters", async () => {
    const driver = open({ poolSize: 1 });
    for (const flag of [true, false, null]) await driver.query("select $1::boolean as flag", [flag], "object");
    await driver.query("select 1 as bare", [], "object");
    const prepared = await driver.query("select statement from pg_prepared_statements order by 1", [], "array");
    expect(prepared.flat()).toEqual([
      "select $1::boolean as flag",
      "select 1 as bare",
      "select statement from pg_prepared_statements order by 1",
    ]);
  });

  test("a statement with a long list of constants is not kept by its session", async () => {
    const driver = open({ poolSize: 1 });
    const ids = (from: number) => Array.from({ length: 10_000 }, (_, index) => from + index).join();
    for (const from of [100_000, 200_000]) {
      const found = `select $1::int = any('{${ids(from)}}'::int[])`;
      expect(await driver.query(found, [from], "array")).toEqual([[true]]);
    }
    const prepared = await driver.query("select statement from pg_prepared_statements", [], "array");
    expect(prepared).toEqual([["select statement from pg_prepared_statements"]]);
  });

  test("without prepare no statement is named, and only parameters PgBouncer knows are sent", async () => {
    const [driver, proxy] = await openThroughProxy({ prepare: false });
    expect(await driver.query("select $1::int", [1], "array")).toEqual([[1]]);
    expect(await driver.query("select count(*) from pg_prepared_statements", [], "array")).toEqual([[0]]);
    const startup = proxy.sent.slice(0, proxy.sent.indexOf("select 1"));
    expect(startup).toContain("TimeZone\0UTC");
    expect(startup).not.toMatch(/statement_timeout|idle_in/);
    const timeouts = `select current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')`;
    expect(await driver.transaction((tx) => tx.last(timeouts, [], "array"))).toEqual([["10s", "10s"]]);
  });

  test("BEGIN travels with the first statement, and the last one with COMMIT", async () => {
    const [driver, proxy] = await openThroughProxy();
    const write = (name: string) =>
      driver.transaction(async (tx) => {
        await tx.query("select $1::int", [1], "array");
        return tx.last(insert, [name], "array");
      });
    await write("first use prepares");

    const before = proxy.flights;
    await write("two trips");

    expect(proxy.flights - before).toBe(2);
    expect(await names()).toContain("two trips");
  });

  test("statements that are not awaited share one flight, in order", async () => {
    const [driver, proxy] = await openThroughProxy();
    const results: unknown[] = [];
    const run = () =>
      driver.transaction(async (tx) => {
        for (const n of [1, 2, 3]) void tx.query("select $1::int", [n], "array").then((rows) => results.push(rows));
        await tx.last("select 4", [], "array");
      });
    await run();
    results.length = 0;
    const before = proxy.flights;

    await run();

    expect(proxy.flights - before).toBe(1);
    expect(results).toEqual([[[1]], [[2]], [[3]]]);
  });

  test("what was written before `last` is committed with it, and nothing may follow", async () => {
    await admin.transaction(async (tx) => {
      await tx.query(insert, ["a"], "array");
      await tx.last(insert, ["b"], "array");
      await expect(tx.query(insert, ["c"], "array")).rejects.toThrow("over");
      await expect(tx.last(insert, ["d"], "array")).rejects.toThrow("over");
    });
    expect(await names()).toEqual(expect.arrayContaining(["a", "b"]));
    expect(await names()).not.toContain("c");
  });

  test("a `last` that fails commits nothing and throws the statement's error, also when `run` ignores it", async () => {
    const fails = admin.transaction(async (tx) => {
      await tx.query(insert, ["lost"], "array");
      await tx.last("select 1 / $1::int", [0], "array");
    });
    await expect(fails).rejects.toMatchObject({ code: "22012" });
    const ignored = admin.transaction(async (tx) => {
      void tx.query(insert, ["lost"], "array");
      void tx.last("select 1 / $1::int", [0], "array");
    });
    await expect(ignored).rejects.toMatchObject({ code: "22012" });
    expect(await names()).not.toContain("lost");
  });

  test("a `last` whose plan no longer fits is not run again behind its COMMIT", async () => {
    const driver = open({ poolSize: 1 });
    await admin.query(`create table ${SCHEMA}.plan (x int)`, [], "array");
    const write = () =>
      driver.transaction((tx) => tx.last(`insert into ${SCHEMA}.plan values ($1) returning *`, [1], "array"));
    await write();
    await admin.query(`alter table ${SCHEMA}.plan add y int`, [], "array");

    await expect(write()).rejects.toMatchObject({ code: "0A000" });

    const count = () => admin.query(`select count(*) from ${SCHEMA}.plan`, [], "array");
    expect(await count()).toEqual([[1]]);
    await write();
    expect(await count()).toEqual([[2]]);
  });

  test("a plain statement whose plan no longer fits is prepared anew", async () => {
    const driver = open({ poolSize: 1 });
    await admin.query(`create table ${SCHEMA}.wide (x int)`, [], "array");
    await driver.query(`select * from ${SCHEMA}.wide where x = $1`, [1], "array");
    await admin.query(`alter table ${SCHEMA}.wide add y int`, [], "array");
    expect(await driver.query(`select * from ${SCHEMA}.wide where x = $1`, [1], "array")).toEqual([]);
  });

  test("a constraint that is checked at COMMIT fails the transaction", async () => {
    await admin.query(insert, ["taken"], "array");
    const fails = admin.transaction(async (tx) => {
      await tx.query("set constraints all deferred", [], "array");
      return tx.last(insert, ["taken"], "array");
    });
    await expect(fails).rejects.toMatchObject({ code: "23505" });
    expect((await names()).filter((name) => name === "taken")).toHaveLength(1);
  });

  test("what `run` throws rolls back and is thrown", async () => {
    const driver = open({ poolSize: 1 });
    const reset = Object.assign(new Error("another socket"), { code: "ECONNRESET" });
    for (const error of [new Error("mine"), reset]) {
      const fails = driver.transaction(async (tx) => {
        await tx.query(insert, ["thrown"], "array");
        throw error;
      });
      await expect(fails).rejects.toBe(error);
    }
    expect(await names()).not.toContain("thrown");
    await driver.query(insert, ["after the rollback"], "array");
    expect(await names()).toContain("after the rollback");
  });

  test("a failed statement nobody awaits fails the transaction with its own error, and nothing is unhandled", async () => {
    const bad = (tx: { query: Driver["query"] }) => void tx.query("select 1 / $1::int", [0], "array");
    const plain = admin.transaction(async (tx) => bad(tx));
    const followed = admin.transaction(async (tx) => {
      bad(tx);
      await tx.query(insert, ["after"], "array");
    });
    const last = admin.transaction(async (tx) => {
      bad(tx);
      await tx.last(insert, ["after"], "array");
    });
    const thrown = admin.transaction(async (tx) => {
      bad(tx);
      throw new Error("mine");
    });
    await Promise.all([
      ...[plain, followed, last].map((failed) => expect(failed).rejects.toMatchObject({ code: "22012" })),
      expect(thrown).rejects.toThrow("mine"),
    ]);
    await sleep(20);
    expect(unhandled).toEqual([]);
    expect(await names()).not.toContain("after");
  });

  test("a statement after the transaction is refused, not run", async () => {
    let late: Driver["query"] | undefined;
    await admin.transaction(async (tx) => {
      late = tx.query.bind(tx);
      await tx.query("select 1", [], "array");
    });
    await expect(late?.(insert, ["late"], "array")).rejects.toThrow("over");
    expect(await names()).not.toContain("late");
  });

  test("statement_timeout ends a statement and leaves the session usable", async () => {
    const driver = open({ poolSize: 1, statementTimeoutMs: 100 });
    await expect(driver.query("select pg_sleep(5)", [], "array")).rejects.toMatchObject({ code: "57014" });
    expect(await driver.query("select 1", [], "array")).toEqual([[1]]);
  });

  test("plain statements share busy sessions, transactions do not", async () => {
    const driver = open({ poolSize: 2 });
    const pid = "select pg_backend_pid()";
    await driver.transaction(async (tx) => {
      const [[mine]] = (await tx.query(pid, [], "array")) as [[number]];
      const others = await Promise.all(Array.from({ length: 20 }, () => driver.query(pid, [], "array")));
      expect(new Set(others.flat(2)).size).toBe(1);
      expect(others.flat(2)).not.toContain(mine);
    });
  });

  test("without prepare a statement waits until the one before it on its session is answered", async () => {
    const [driver, proxy] = await openThroughProxy({ prepare: false });
    const first = driver.query("select pg_sleep(0.2)::text", [], "array");
    const second = driver.query("select 'the second'", [], "array");
    await first;
    expect(proxy.sent).not.toContain("the second");
    expect(await second).toEqual([["the second"]]);
  });

  test("three processes that migrate at once do so one after the other, each in one transaction", async () => {
    const drivers = [open(), open(), open()];
    const table = `${SCHEMA}.migrated`;
    const migrate = (driver: Driver) =>
      driver.migrate(async (execute) => {
        const [row] = await execute(`select to_regclass('${table}') is null as fresh`);
        await sleep(30);
        if ((row as { fresh: boolean }).fresh) {
          await execute(`create table ${table} (x int); insert into ${table} values (0); select 1`);
        }
        await execute(`update ${table} set x = x + 1`);
      });
    await Promise.all(drivers.map(migrate));
    expect(await admin.query(`select x from ${table}`, [], "array")).toEqual([[3]]);

    const broken = open().migrate(async (execute) => {
      await execute(`update ${table} set x = 100`);
      await execute("select 1 / 0");
    });
    await expect(broken).rejects.toMatchObject({ code: "22012" });
    expect(await admin.query(`select x from ${table}`, [], "array")).toEqual([[3]]);
  });

  test("migrations go over directUrl, and leave no session behind", async () => {
    const proxy = await openProxy(url);
    onTestFinished(() => proxy.close());
    const driver = open({ url: "postgres://nobody@127.0.0.1:1/none", directUrl: proxy.url });
    let pid: unknown;
    await driver.migrate(async (execute) => {
      [pid] = await execute("select pg_backend_pid() as pid");
    });
    expect(proxy.flights).toBeGreaterThan(0);
    await sleep(50);
    const left = await admin.query(
      "select count(*) from pg_stat_activity where pid = $1::int",
      [(pid as { pid: number }).pid],
      "array",
    );
    expect(left).toEqual([[0]]);
  });

  test("close waits for running and waiting work, and refuses new work", async () => {
    const driver = open({ poolSize: 1 });
    const running = driver.transaction(async (tx) => {
      await tx.query("select pg_sleep(0.2)", [], "array");
      await tx.last(insert, ["before close"], "array");
    });
    const waiting = driver.query("select 1", [], "array");
    await sleep(20);

    const closed = driver.close();

    await expect(driver.query("select 2", [], "array")).rejects.toMatchObject({ code: "CONNECTION_ENDED" });
    await closed;
    await expect(running).resolves.toBeUndefined();
    await expect(waiting).resolves.toEqual([[1]]);
    expect(await names()).toContain("before close");
  });

  test("close cuts what has not ended after 5 s", { timeout: 10_000 }, async () => {
    const driver = open({ poolSize: 1 });
    const running = driver.query("select pg_sleep(9)", [], "array");
    const failed = expect(running).rejects.toMatchObject({ code: "CONNECTION_DESTROYED" });
    await sleep(50);
    const started = performance.now();
    await driver.close();
    await failed;
    expect(performance.now() - started).toBeLessThan(5500);
  });
});
