// Copies of a whole database: every value as it was, in pieces of bounded size, and all or nothing.

import { getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { describe, expect, test } from "vitest";
import { type Chunk, type Copy, copiedTables, copyFrom, mustBeOfThisVersion } from "../../src/db/copy/reading.js";
import { TableCounters } from "../../src/db/copy/tallies.js";
import { writeCopy } from "../../src/db/copy/writing.js";
import type { Connection, Driver } from "../../src/db/driver.js";
import { knownMigrations, type Migration, migrate } from "../../src/db/migrate.js";
import * as schema from "../../src/db/schema/index.js";
import { KINDS, newDriver } from "../helpers/copies.js";

const run = (driver: Driver, text: string) => driver.query(text, [], "object");

const copied = (from: Driver, to: Driver, change = (copy: Copy) => copy) =>
  from.snapshot(copiedTables(), async (connection) => writeCopy(to, change(await copyFrom(connection))));

const tallied = (driver: Driver) =>
  driver.snapshot(copiedTables(), async (connection) => {
    const { contents, chunks } = await copyFrom(connection);
    const counters = new TableCounters(contents.tables);
    for await (const { table, rows } of chunks()) counters.add(table, rows);
    return { contents, counters };
  });

/** Changes the chunks of a copy on their way. */
const through =
  (change: (chunk: Chunk) => Chunk) =>
  (copy: Copy): Copy => ({
    ...copy,
    chunks: async function* () {
      for await (const chunk of copy.chunks()) yield change(chunk);
    },
  });

const ROWS = 2500;
const LONG_ROWS = 30;
const source = await newDriver("embedded");
// Values at the ends of their types, and texts that mean something in an array, in JSON or in a row.
await run(
  source,
  `insert into account (public_id, name, email, created_at, deleted_at)
  select 'p' || g, (array['NULL', '{}', '', '"q" \\ {,}', E'a\\r\\n\\tb', 'Ünï 👩‍👩‍👧', '\\N'])[g % 7 + 1],
    case g % 3 when 0 then null when 1 then '' || g else 'null' || g end,
    timestamptz '1970-01-01' + g * interval '1.001 days', case g % 2 when 0 then timestamptz '0001-01-01' end
  from generate_series(1, ${ROWS}) g`,
);
await run(
  source,
  `insert into workspace (id, public_id, name, slug, card_prefix)
  values (1, 'w', 'w', 'w', 'W'), (9007199254740991, 'x', 'x', 'x', 'X')`,
);
await run(source, "insert into workspace_counter (workspace_id) select id from workspace");
await run(
  source,
  `insert into event (workspace_id, seq, type, created_at, data, operation_public_id, origin)
  select 1, g, 'x', '9999-12-31T23:59:59.999Z', jsonb_build_object('n', 1.50, 'e', 1e30, 'z', '"\\', 'deep', '[null, {}]'::jsonb), '', 'user'
  from generate_series(1, ${ROWS}) g`,
);
// One text in ten is longer than the others of its chunk together.
await run(
  source,
  `insert into event (workspace_id, seq, type, created_at, data, operation_public_id, origin)
  select 9007199254740991, g, 'x', now(), jsonb_build_object('t', repeat('é', case g % 10 when 0 then 300000 else 10 end)), '', 'user'
  from generate_series(1, ${LONG_ROWS}) g`,
);

test("every table of the schema is copied, each after those that it refers to", async () => {
  const tables = Object.values(schema).filter((value) => is(value, PgTable));
  const { contents } = await tallied(source);
  const names = contents.tables.map(({ name }) => name);
  expect([...names].sort()).toEqual(tables.map(getTableName).sort());
  const places = new Map(names.map((name, place) => [name, place]));
  expect(places.get("comment")).toBeGreaterThan(places.get("card") ?? Number.NaN);
  expect(places.get("card")).toBeGreaterThan(places.get("list") ?? Number.NaN);
});

describe.each(KINDS)("into %s", async (kind) => {
  const target = await newDriver(kind);
  const rowsIn = async (table: string) => (await run(target, `select count(*) as rows from ${table}`))[0];

  test("a database that is not empty is refused, and stays as it is", async () => {
    await run(target, "insert into sign_in_failure (email) values ('ada@example.org')");
    const refusal = 'The target is not empty: its table "sign_in_failure" has rows';
    await expect(copied(source, target)).rejects.toThrow(refusal);
    expect([await rowsIn("account"), await rowsIn("sign_in_failure")]).toEqual([{ rows: 0 }, { rows: 1 }]);
    await run(target, "delete from sign_in_failure");
  });

  test("rows that are lost on the way are noticed, and nothing is written", async () => {
    const losing = through(({ table, rows }) => ({ table, rows: table === "event" ? rows.slice(1) : rows }));
    const complaint = `The table "event" has ${ROWS + LONG_ROWS} rows, of which`;
    await expect(copied(source, target, losing)).rejects.toThrow(complaint);
    expect(await rowsIn("account")).toEqual({ rows: 0 });
  });

  test("whoever gives up leaves the target as it was", async () => {
    const ending = new AbortController();
    const leaving = through((chunk) => {
      if (chunk.table === "event") ending.abort(new Error("given up"));
      return chunk;
    });
    const writing = source.snapshot([], async (connection) =>
      writeCopy(target, leaving(await copyFrom(connection)), { signal: ending.signal }),
    );
    await expect(writing).rejects.toThrow("given up");
    expect(await rowsIn("account")).toEqual({ rows: 0 });
  });

  test("a copy of a newer version is refused, and so is one of an older version where the target has newer tables", async () => {
    const of = (migrations: string[]) => (copy: Copy) => ({ ...copy, contents: { ...copy.contents, migrations } });
    const known = knownMigrations().map(({ hash }) => hash);
    await expect(copied(source, target, of([...known, "unknown"]))).rejects.toThrow(
      "The copy is of a newer version of work-board",
    );
    const older = "The target was migrated by a newer version than the copy is of";
    await run(target, "insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 0)");
    await expect(copied(source, target)).rejects.toThrow(older);
    await run(target, "delete from drizzle.__drizzle_migrations where hash = 'later'");
  });

  test("what is written is what was read, and the target counts on from there", async () => {
    expect(await copied(source, target)).toEqual({ tables: copiedTables().length, rows: 2 * ROWS + LONG_ROWS + 4 });
    const [read, written] = [await tallied(source), await tallied(target)];
    expect(written.contents).toEqual(read.contents);
    expect(written.counters.firstDifference(read.counters)).toBeNull();
    const made = await run(target, "insert into account (public_id, name) values ('new', 'new') returning id");
    expect(made).toEqual([{ id: ROWS + 1 }]);
  });
});

test("a copy of an older version is written as it was, then migrated", {
  tags: ["slow"],
  timeout: 120_000,
}, async () => {
  const kind = KINDS.at(-1) ?? "embedded";
  const [older, target] = [await newDriver(kind, "empty"), await newDriver(kind, "empty")];
  const known = knownMigrations();
  const later = { hash: "later", sql: ["alter table account add column shoe_size int default 40"] };
  const migrations: Migration[] = [...known, { ...later, folderMillis: Date.now(), bps: true }];
  await migrate(older);
  await run(older, "insert into account (public_id, name) values ('old', 'Old')");
  await expect(mustBeOfThisVersion(older, migrations)).rejects.toThrow("older version");

  await older.snapshot([], async (connection) => writeCopy(target, await copyFrom(connection), { migrations }));
  await mustBeOfThisVersion(target, migrations);
  expect(await run(target, "select name, shoe_size from account")).toEqual([{ name: "Old", shoe_size: 40 }]);
});

test.runIf(KINDS.includes("postgres"))(
  "a server is read as it was at the beginning, whatever is written meanwhile",
  async () => {
    const server = await newDriver("postgres");
    const add = () => run(server, "insert into sign_in_failure (email) values ('ada@example.org')");
    await add();
    const read = await server.snapshot(copiedTables(), async (connection) => {
      const { contents, chunks } = await copyFrom(connection);
      await add();
      const counters = new TableCounters(contents.tables);
      for await (const { table, rows } of chunks()) counters.add(table, rows);
      return counters.rowsOf("sign_in_failure");
    });
    expect(read).toBe(1);
    expect((await tallied(server)).counters.rowsOf("sign_in_failure")).toBe(2);
  },
);

test("no chunk is longer than a mebibyte and a row, and long rows are not read over and over", async () => {
  const sizes: number[] = [];
  let statements = 0;
  await source.snapshot([], async (connection) => {
    const counting: Connection = {
      query: (...args) => {
        statements += 1;
        return connection.query(...args);
      },
    };
    for await (const { rows } of (await copyFrom(counting)).chunks()) {
      sizes.push(
        rows.reduce((sum, row) => sum + row.reduce((bytes, value) => bytes + Buffer.byteLength(value ?? ""), 0), 0),
      );
    }
  });
  expect(Math.max(...sizes)).toBeLessThan(2 * 2 ** 20);
  expect(statements).toBeLessThan(copiedTables().length * 2 + 60);
});

test("a table has the same hash in whatever order its rows are read, and another if one is changed, missing or twice there", () => {
  const hashOf = (...rows: (string | null)[][]) => {
    const counters = new TableCounters([{ name: "t" }]);
    counters.add("t", rows);
    return counters;
  };
  const [a, b] = [
    ["1", "a"],
    ["2", null],
  ];
  expect(hashOf(a, b).firstDifference(hashOf(b, a))).toBeNull();
  for (const other of [[a], [a, a], [a, b, b], [a, ["2", ""]], [a, ["2", "null"]]]) {
    expect(hashOf(a, b).firstDifference(hashOf(...other))).not.toBeNull();
  }
});
