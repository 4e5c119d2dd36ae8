// Guarantees of the writes that a change buffers: merged into few statements, they do what they would do one after the other, and
// what was read before its turn does not follow writes that were taken back.

import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { badRequest } from "../../src/api/errors.js";
import { texts } from "../../src/db/client.js";
import { Invalidation } from "../../src/db/earlyReads.js";
import { tag } from "../../src/db/schema/index.js";
import { compile } from "../../src/db/statements.js";
import type { UnitOfWork } from "../../src/db/unitOfWork.js";
import { appOn } from "../helpers/app.js";
import { openTestDatabase } from "../helpers/databases.js";
import { keyOf } from "./changes.js";

const { db, close } = await openTestDatabase();
afterAll(close);
const { make } = await appOn(db, {});

const newTag = (unit: UnitOfWork, id: number, name: string) => ({
  ...{ id, name, publicId: unit.newPublicId(), nameKey: `${id}`, colourCode: "#112233" },
});

const tagsIn = (key: number) =>
  db.rows<{ id: number; name: string; colour: string }>(sql`
    select id, name, colour_code as colour from tag where workspace_id = ${key}::bigint order by id`);

/** A write of one of three rows, which may be sent by a read behind it. */
const write = fc.record({
  id: fc.integer({ min: 1, max: 3 }),
  does: fc.constantFrom("name", "colour", "both", "each", "remove", "add"),
  reads: fc.boolean(),
});

test("writes that no read parts end as they would one behind the other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async (writes) => {
      const key = keyOf((await make.workspace()).workspace);
      const model = new Map<number, { id: number; name: string; colour: string }>();
      await db.change(key, { accountId: null }, async (unit) => {
        await unit.db.rows(sql`select 1`);
        model.clear();
        for (const [n, { id, does, reads }] of writes.entries()) {
          const [name, colour] = [`name ${n}`, `#${String(n).padStart(6, "0")}`];
          const known = model.get(id);
          if (known === undefined) {
            unit.add(tag, newTag(unit, id, name));
            model.set(id, { id, name, colour: "#112233" });
          } else if (does === "remove") {
            unit.remove(tag, { id });
            model.delete(id);
          } else if (does === "each") {
            unit.setEach(
              tag,
              [...model.keys()].map((one) => ({ id: one, name: `${name} ${one}` })),
            );
            for (const one of model.values()) one.name = `${name} ${one.id}`;
          } else {
            const values = { ...(does !== "colour" && { name }), ...(does !== "name" && { colourCode: colour }) };
            unit.set(tag, { id }, values);
            if (does !== "colour") known.name = name;
            if (does !== "name") known.colour = colour;
          }
          if (reads) await unit.db.rows(sql`select 1`);
        }
      });
      expect(await tagsIn(key)).toEqual([...model.values()].sort((a, b) => a.id - b.id));
    }),
    { numRuns: 15 },
  );
});

test("rows are found by any of several texts, whatever characters these have", async () => {
  const key = keyOf((await make.workspace()).workspace);
  const keys = ['"', "\\", "\\n", "a\nb", "\t\r\b\f\v\u0001\u007f\u2028", "NULL", "", "{a,b}", " ", "🦊é"];
  const other = "n";
  await db.change(key, { accountId: null }, async (unit) => {
    await unit.db.rows(sql`select 1`);
    for (const [id, nameKey] of [...keys, other].entries()) unit.add(tag, { ...newTag(unit, id, nameKey), nameKey });
  });
  const [read] = await db.rows<{ keys: string[] }>(sql`select to_json(${texts(keys)}) as keys`);
  expect(read).toEqual({ keys });
  await db.change(key, { accountId: null }, async (unit) => {
    await unit.db.rows(sql`select 1`);
    unit.remove(tag, { nameKey: keys });
  });
  expect((await tagsIn(key)).map(({ name }) => name)).toEqual([other]);
});

test("of two updates of one row without a read between them the second holds", async () => {
  const key = keyOf((await make.workspace()).workspace);
  await db.change(key, { accountId: null }, async (unit) => {
    await unit.db.rows(sql`select 1`);
    unit.add(tag, newTag(unit, 1, "made"));
    await unit.flush();
    unit.set(tag, { id: 1 }, { name: "first" });
    unit.set(tag, { id: 1 }, { name: "second" });
  });
  expect(await tagsIn(key)).toMatchObject([{ id: 1, name: "second" }]);
});

test("what was read before its turn follows what was written before it, and nothing that was taken back", async () => {
  const key = keyOf((await make.workspace()).workspace);
  const statement = sql`select name from tag where workspace_id = ${key}::bigint and id = 1`;
  await db.change(key, { accountId: null }, async (unit) => {
    await unit.db.rows(sql`select 1`);
    unit.add(tag, newTag(unit, 1, "stored"));
  });
  // Takes every write of a tag for one of this.
  const compiled = compile(statement);
  const invalidation = Invalidation.of(compiled.text, [[tag, () => ({ name: "followed" })]]);
  const reading = () =>
    db.change(
      key,
      { accountId: 2, early: [{ ...compiled, invalidation }] },
      async (unit) => (await unit.db.rows<{ name: string }>(statement))[0]?.name,
    );
  const writing = (isRefused: boolean) =>
    db.change(key, { accountId: 1 }, async (unit) => {
      await unit.db.rows(sql`select 1`);
      unit.set(tag, { id: 1 }, { name: "written" });
      if (isRefused) throw badRequest("Refused");
    });

  /** Comes first, so that the others wait together. */
  const before = () => db.change(key, { accountId: 3 }, (unit) => unit.db.rows(sql`select 1`));

  const refused = () => writing(true).catch(() => "refused");
  expect(await Promise.all([before(), refused(), reading()])).toMatchObject([{}, "refused", "stored"]);
  expect(await Promise.all([before(), writing(false), reading()])).toMatchObject([{}, undefined, "followed"]);
});
