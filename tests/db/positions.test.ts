// Guarantees of places among siblings: order, gaps, and what happens when a gap is used up.

import { sql } from "drizzle-orm";
import { bigint, pgTable } from "drizzle-orm/pg-core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { between, GAP, placeIn, type Siblings } from "../../src/db/positions.js";
import { openTestDatabase } from "../helpers/databases.js";

const { db, close } = await openTestDatabase();
const LIMIT = 2 ** 52;

const ref = (name: string) => bigint(name, { mode: "number" }).notNull();
const place = pgTable("place", { workspaceId: ref("workspace_id"), id: ref("id"), position: ref("position") });

beforeAll(async () => {
  await db.rows(sql`create table place (workspace_id bigint not null default 1, id bigint generated always as identity,
    parent int not null, position bigint not null, primary key (workspace_id, id), unique (parent, position))`);
});
afterAll(close);

let parents = 0;

async function parentOf(positions: readonly number[]) {
  parents += 1;
  const parent = parents;
  const of = sql`workspace_id = 1 and parent = ${parent}::int`;
  const siblings: Siblings = { table: place, of, size: sql`select count(*) from place where ${of}` };
  const insert = async (position: number) => {
    const [row] = await db.rows<{ id: number }>(sql`
      insert into place (parent, position) values (${parent}::int, ${position}::bigint) returning id`);
    return row?.id ?? 0;
  };
  const ids: number[] = [];
  for (const position of positions) ids.push(await insert(position));
  const rows = () =>
    db.rows<{ id: number; position: number }>(sql`
      select id, position from place where parent = ${parent}::int order by position`);
  const order = async () => (await rows()).map(({ id }) => id);

  const tx = { db, write: db.rows, workspaceId: 1 };
  /** Moves a row as a caller does: reads it, finds its place, writes it; null where it stands there already. */
  async function move(id: number, index: number) {
    const row = (await rows()).find((each) => each.id === id);
    const { from, to, position } = await placeIn(tx, siblings, index, row?.position ?? 0);
    if (from === to) return null;
    await db.rows(sql`update place set position = ${position}::bigint where id = ${id}::bigint`);
    return { from, to };
  }
  const add = async (index: number | "end") => insert((await placeIn(tx, siblings, index)).position);
  return { ids, rows, order, move, add };
}

describe("between two places", () => {
  test("is a whole number that lies between them, or none when there is no such number", () => {
    const place = fc.integer({ min: -LIMIT, max: LIMIT });
    fc.assert(
      fc.property(place, place, (one, other) => {
        const [before, after] = [Math.min(one, other), Math.max(one, other)];
        const middle = between(before, after);
        if (after - before < 2) expect(middle).toBeNull();
        else expect(middle).toSatisfy((n: number) => Number.isSafeInteger(n) && before < n && n < after);
      }),
    );
  });

  test("beside a single neighbour it is a gap away, unless that leaves the range", () => {
    expect(between(null, null)).toBe(0);
    expect(between(5, null)).toBe(5 + GAP);
    expect(between(null, 5)).toBe(5 - GAP);
    expect(between(LIMIT, null)).toBeNull();
    expect(between(null, -LIMIT)).toBeNull();
  });
});

describe("inserting", () => {
  test("at an index, at the end, and beyond it", async () => {
    const { ids, order, add } = await parentOf([0, GAP, 2 * GAP]);
    const [a, b, c] = ids;
    const first = await add(0);
    const middle = await add(2);
    const end = await add("end");
    const beyond = await add(2_147_483_647);
    expect(await order()).toEqual([first, a, middle, b, c, end, beyond]);
  });

  test.each([
    ["the start", 0],
    ["one place", 3],
    ["the end", "end"],
  ] as const)("200 times at %s keeps the order", async (_, index) => {
    const { ids, order, add } = await parentOf([0, 1, 2, 3, 4]);
    const model = [...ids];
    for (let n = 0; n < 200; n += 1) {
      const id = await add(index);
      model.splice(index === "end" ? model.length : index, 0, id);
    }
    expect(await order()).toEqual(model);
  });

  test.each([
    ["in the middle of the range", [0, 1, 2, 3], 2],
    ["at its upper end", [LIMIT - 3, LIMIT - 2, LIMIT - 1, LIMIT], "end"],
    ["between neighbours at its upper end", [LIMIT - 3, LIMIT - 2, LIMIT - 1, LIMIT], 1],
    ["at its lower end", [-LIMIT, 1 - LIMIT, 2 - LIMIT], 0],
    ["with rows at both ends", [-LIMIT, 1 - LIMIT, LIMIT - 1, LIMIT], 0],
    ["with rows at both ends, at the end", [-LIMIT, 1 - LIMIT, LIMIT - 1, LIMIT], "end"],
    ["with rows at both ends, between neighbours", [-LIMIT, 1 - LIMIT, LIMIT - 1, LIMIT], 3],
  ] as const)("a gap that is used up is made again, %s", async (_, positions, index) => {
    const { ids, order, rows, add } = await parentOf(positions);
    const id = await add(index);
    expect(await order()).toEqual(ids.toSpliced(index === "end" ? ids.length : index, 0, id));
    for (const { position } of await rows()) expect(Math.abs(position)).toBeLessThan(2 * LIMIT);
    const again = await add(1);
    expect((await order()).indexOf(again)).toBe(1);
  });

  test("only the parent whose gap is used up is renumbered", async () => {
    const one = await parentOf([0, 1]);
    const other = await parentOf([0, 1]);
    await one.add(1);
    expect((await other.rows()).map(({ position }) => position)).toEqual([0, 1]);
  });
});

describe("a move", () => {
  test("where a row stands there already is none, and renumbers nothing", async () => {
    const { ids, move, rows } = await parentOf([0, 1, 2]);
    const before = await rows();
    for (const [index, id] of ids.entries()) expect(await move(id, index)).toBeNull();
    for (const index of [2, 9]) expect(await move(ids[2] ?? 0, index)).toBeNull();
    expect(await rows()).toEqual(before);
  });

  test("tells the index before and after, whatever the gaps", async () => {
    const { ids, move, order } = await parentOf([-7, 0, 1, 2, 5 * GAP]);
    const [a, b, c, d, e] = ids;
    expect(await move(a ?? 0, 3)).toMatchObject({ from: 0, to: 3 });
    expect(await order()).toEqual([b, c, d, a, e]);
    expect(await move(e ?? 0, 1)).toMatchObject({ from: 4, to: 1 });
    expect(await order()).toEqual([b, e, c, d, a]);
    expect(await move(b ?? 0, 2_147_483_647)).toMatchObject({ from: 0, to: 4 });
    expect(await order()).toEqual([e, c, d, a, b]);
  });

  test("random moves and inserts, from wherever the rows lie, do what they would do to an array", async () => {
    const start = fc.uniqueArray(
      fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: LIMIT - 3, max: LIMIT }), fc.constant(-LIMIT)),
      { minLength: 1, maxLength: 6 },
    );
    const step = fc.record({ row: fc.nat(9), index: fc.nat(9), adds: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(start, fc.array(step, { maxLength: 12 }), async (positions, steps) => {
        const { order, move, add } = await parentOf(positions);
        const model = await order();
        for (const { row, index, adds } of steps) {
          const from = row % model.length;
          const id = adds ? await add(index) : (model.splice(from, 1)[0] ?? 0);
          const to = Math.min(index, model.length);
          const taken = adds ? null : await move(id, index);
          model.splice(index, 0, id);
          expect(await order()).toEqual(model);
          if (!adds) expect(taken).toEqual(from === to ? null : { from, to });
        }
      }),
      { numRuns: 25 },
    );
  });
});
