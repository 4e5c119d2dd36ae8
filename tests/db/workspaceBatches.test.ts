// Which changes of a workspace share a transaction, in which order they run, and how many wait.

import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { appOn } from "../helpers/app.js";
import { openTestDatabase } from "../helpers/databases.js";
import { addTag, keyOf } from "./changes.js";

const { db, close } = await openTestDatabase();
afterAll(close);
const { make } = await appOn(db, {});

test("the changes of one account run in their order again after one of them failed", async () => {
  const { workspace } = await make.tag({ name: "Taken" });
  const order: number[] = [];
  const outcomes = await Promise.allSettled(
    ["a", "b", "c", "taken"].map((name, n) =>
      db.change(keyOf(workspace), { accountId: 1 }, async (unit) => {
        order.push(n);
        await unit.db.rows(sql`select 1`);
        addTag(unit, name);
      }),
    ),
  );
  expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, true, true, false]);
  expect(order).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
});

test("those that share one are sixteen at most, and none that must be alone or that failed among others", async () => {
  const { workspace } = await make.tag({ name: "Taken" });
  const transactions: string[] = [];
  const change = (n: number, fields: { alone?: boolean; name?: string } = {}) =>
    db.change(keyOf(workspace), { accountId: n, alone: fields.alone ?? false }, async (unit) => {
      const [row] = await unit.db.rows<{ id: string }>(sql`select pg_current_xact_id()::text as id`);
      transactions.push(row?.id ?? "");
      addTag(unit, fields.name ?? `Tag ${n}`);
    });
  const sizes = () => {
    const ids = transactions.splice(0);
    return [...new Set(ids)].map((id) => ids.filter((other) => other === id).length);
  };

  await Promise.all(Array.from({ length: 20 }, (_, n) => change(n)));
  expect(sizes()).toEqual([16, 4]);
  await Promise.all([change(21), change(22), change(23, { alone: true }), change(24), change(25)]);
  expect(sizes()).toEqual([4, 1]);
  const failing = [change(31), change(32, { name: "taken" }), change(33)];
  await Promise.allSettled(failing);
  expect(sizes().slice(-3)).toEqual([1, 1, 1]);
});

test("beyond a thousand that wait, changes of the workspace are refused at once", async () => {
  const { workspace } = await make.workspace();
  let end = () => {};
  const gate = new Promise<void>((resolve) => {
    end = resolve;
  });
  const change = (run: () => Promise<void>) => db.change(keyOf(workspace), { accountId: 1 }, run);
  await new Promise<void>((begun) => {
    void change(async () => {
      begun();
      await gate;
    });
  });
  const waiting = Array.from({ length: 1000 }, () => change(async () => {}));
  await expect(change(async () => {})).rejects.toThrow("Too many changes of the workspace wait");
  end();
  await Promise.all(waiting);
});

test("a change of several workspaces locks them in one order, whichever was named first", async () => {
  const keys = [keyOf((await make.workspace()).workspace), keyOf((await make.workspace()).workspace)];
  for (const named of [keys, keys.toReversed()]) {
    const locked = await db.changeAll(
      async () => named,
      async (_, units) => [...units.keys()],
    );
    expect(locked).toEqual(keys.toSorted((a, b) => a - b));
  }
});
