// The embedded database in memory: decoding, order and transactions.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type EmbeddedDriver, openEmbedded } from "../../src/db/embedded.js";
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

  test("a statement decodes its rows in the same way each time, also where it failed at first", async () => {
    const text =
      "select 6 / $1::int as part, now() > '2026-01-01' as late, id from (select 1) n left join item on true";
    const quotient = (on: Pick<EmbeddedDriver, "query">, divisor: number) => on.query(text, [divisor], "object");
    await expect(quotient(driver, 0)).rejects.toMatchObject({ code: "22012" });
    await expect(quotient(driver, 3)).resolves.toEqual([{ part: 2, late: true, id: null }]);
    await driver.transaction(async (tx) => {
      const all = await Promise.all([tx.query(insert, [1], "array"), quotient(tx, 2), quotient(tx, 1)]);
      expect(all).toEqual([[], [{ part: 3, late: true, id: 1 }], [{ part: 6, late: true, id: 1 }]]);
    });
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

describe("by itself", () => {
  let driver: EmbeddedDriver;
  const begun = () => vi.mocked(driver.maintain).mock.results.map(({ value }) => value);

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    driver = await openEmbedded({ dataDir: null, loadFrom: template });
    vi.spyOn(driver, "maintain");
  }, 30_000);
  afterAll(async () => {
    await driver.close();
    vi.useRealTimers();
  });
  beforeEach(async () => {
    await driver.query("create table item (id int primary key)", [], "array");
  });
  afterEach(async () => {
    await driver.query("drop table item", [], "array");
  });

  const run = (text: string) => driver.transaction((tx) => tx.last(text, [], "array"));
  const state = async () => {
    const [row] = await driver.query(
      `select c.reltuples::int as rows, s.n_dead_tup as dead, s.analyze_count as analyzed, s.vacuum_count as vacuumed
      from pg_class c join pg_stat_user_tables s on s.relid = c.oid where c.relname = 'item'`,
      [],
      "object",
    );
    return row;
  };
  /** Lets an interval pass, and what it begins end. */
  const pass = async () => {
    vi.advanceTimersByTime(5000);
    await Promise.all(begun());
  };

  test("it analyses a table that was filled, and vacuums what was deleted once it is left alone", async () => {
    await run("insert into item select n from generate_series(1, 5000) n");
    expect(await state()).toMatchObject({ rows: -1 });
    await pass();
    expect(await state()).toMatchObject({ rows: 5000 });

    await run("delete from item");
    await pass();
    expect(await state()).toMatchObject({ rows: 0, dead: 5000 });
    await pass();
    expect(await state()).toMatchObject({ rows: 0, dead: 0 });
  });

  test("it vacuums after five minutes at the latest where it is never left alone", async () => {
    await run("insert into item select n from generate_series(1, 5000) n");
    await run("delete from item");
    for (let interval = 0; interval < 59; interval += 1) {
      await run("insert into item values (1) on conflict do nothing");
      await pass();
    }
    expect(await state()).toMatchObject({ vacuumed: 0 });
    await run("insert into item values (1) on conflict do nothing");
    await pass();
    expect(await state()).toMatchObject({ vacuumed: 1, dead: 0 });
  });

  test("it does nothing while nothing changes", async () => {
    await run("insert into item select n from generate_series(1, 5000) n");
    await pass();
    await pass();
    const rested = await state();
    expect(rested).toMatchObject({ rows: 5000 });
    for (let interval = 0; interval < 100; interval += 1) await pass();
    expect(await state()).toEqual(rested);
  });
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
