// Guarantees about cards that change while a call waits for its workspace. With PostgreSQL the calls wait behind a session that
// holds the workspace's counter; the embedded database runs them one after the other, which must give the same.

import { describe, expect, test } from "vitest";
import { type Answer, expectError, type List, ok, testApp } from "../helpers/app.js";
import { deadlocksIn } from "../helpers/databases.js";
import { timeFor } from "../helpers/drawing.js";
import { racingOn } from "../helpers/racing.js";
import { storedOn } from "./stored.js";

const app = await testApp();
const { as, make, db } = app;
const { cardOf, titlesIn, listOf, expectSound } = storedOn(app);
const { raced } = racingOn(app);

async function scene() {
  const { owner, workspace, board, list, card } = await make.card();
  const { checklist } = await make.checklist({ card });
  const { item } = await make.item({ checklist });
  const { list: near } = await listOf(["x"], { board });
  const { list: far } = await listOf(["y"], { board: (await make.board({ workspace })).board });
  const path = `/cards/${card.publicId}`;
  const moveTo =
    ({ publicId }: List, index?: number) =>
    () =>
      as(owner).put(path, { listPublicId: publicId, index });
  const bulk = (verb: string, fields = {}) =>
    as(owner).post(`/cards/bulk/${verb}`, { cardPublicIds: [card.publicId], ...fields });
  const calls: Record<string, () => Promise<Answer>> = {
    edit: () => as(owner).put(path, { title: "edited" }),
    index: () => as(owner).put(path, { index: 0 }),
    archive: () => as(owner).post(`${path}/archive`),
    unarchive: () => as(owner).post(`${path}/unarchive`),
    duplicate: () => as(owner).post(`${path}/duplicate`),
    delete: () => as(owner).delete(path),
    "bulk update": () => bulk("update", { priority: "high" }),
    "bulk move": () => bulk("move", { listPublicId: near.publicId }),
    "bulk archive": () => bulk("archive"),
    "bulk delete": () => bulk("delete"),
    "new checklist": () => as(owner).post(`${path}/checklists`, { name: "new" }),
    "rename checklist": () => as(owner).put(`/checklists/${checklist.publicId}`, { name: "new" }),
    "new item": () => as(owner).post(`/checklists/${checklist.publicId}/items`, { title: "new" }),
    "tick item": () => as(owner).put(`/checklist-items/${item.publicId}`, { completed: true }),
    "delete item": () => as(owner).delete(`/checklist-items/${item.publicId}`),
  };
  return { owner, workspace, board, list, near, far, card, path, moveTo, calls };
}

const CALLS = Object.keys((await scene()).calls);

describe("a card that moves while a call waits for it", () => {
  test.each(CALLS)("to another board: %s finds it there", async (name) => {
    const { workspace, moveTo, far, calls } = await scene();
    for (const res of await raced(workspace, moveTo(far, 0), calls[name] ?? expect.fail(name))) ok(res);
    await expectSound(workspace);
  });

  test.each(CALLS)("to another list: %s finds it there", async (name) => {
    const { workspace, moveTo, near, calls } = await scene();
    for (const res of await raced(workspace, moveTo(near, 0), calls[name] ?? expect.fail(name))) ok(res);
    await expectSound(workspace);
  });

  test("goes where the last of several moves says, whatever came between", async () => {
    const { owner, workspace, list, near, far, card, moveTo } = await scene();
    const answers = await raced(workspace, moveTo(near, 0), moveTo(far, 1), moveTo(list), moveTo(near), moveTo(far, 0));
    for (const res of answers) ok(res);
    const { list: last } = await cardOf(owner, card);
    const found = [list, near, far].filter(({ publicId }) => publicId === last?.publicId);
    for (const each of [list, near, far]) {
      expect((await titlesIn(each)).filter((title) => title === card.title)).toHaveLength(found.includes(each) ? 1 : 0);
    }
    await expectSound(workspace);
  });
});

test("the same cards, moved by sixty at once, over and over, lie in one list in the end, and nobody is turned away", {
  tags: ["slow"],
  timeout: 120_000,
}, async () => {
  const { board, workspace, owner } = await make.board();
  const lists: List[] = [];
  for (let n = 0; n < 4; n += 1) lists.push((await make.list({ board })).list);
  const cardPublicIds: string[] = [];
  for (let n = 0; n < 60; n += 1) cardPublicIds.push((await make.card({ list: lists[n % 4] })).card.publicId);
  const move = (_: unknown, n: number) =>
    as(owner).post("/cards/bulk/move", { cardPublicIds, listPublicId: lists[n % 4]?.publicId });
  const isInTime = timeFor(15_000);
  for (let wave = 0; wave < 3 && isInTime(); wave += 1) {
    for (const res of await Promise.all(Array.from({ length: 60 }, move))) ok(res);
  }
  const titles = await Promise.all(lists.map((list) => titlesIn(list)));
  expect(titles.map(({ length }) => length).sort((a, b) => a - b)).toEqual([0, 0, 0, 60]);
  await expectSound(workspace);
});

test("several duplicates of a card that each find it moved do not wait for each other in a circle", async () => {
  const { workspace, moveTo, near, far, calls } = await scene();
  const duplicate = calls.duplicate ?? expect.fail();
  const before = await deadlocksIn(db);
  for (const list of [near, far, near, far]) {
    for (const res of await raced(workspace, moveTo(list, 0), ...Array.from({ length: 5 }, () => duplicate))) ok(res);
  }
  expect(await deadlocksIn(db)).toBe(before);
  await expectSound(workspace);
});

describe("what goes away while a call waits for it", () => {
  test.each(CALLS)("a deleted card is not there for %s", async (name) => {
    const { workspace, calls } = await scene();
    const [deleted, res] = await raced(workspace, calls.delete ?? expect.fail(), calls[name] ?? expect.fail(name));
    ok(deleted ?? expect.fail());
    expect([403, 404]).toContain(res?.status);
    await expectSound(workspace);
  });

  test("a deleted list takes no card; its own are archived first", async () => {
    const { owner, workspace, near, card, moveTo, calls } = await scene();
    const [deleted, res] = await raced(workspace, () => as(owner).delete(`/lists/${near.publicId}`), moveTo(near));
    ok(deleted ?? expect.fail());
    expectError(res ?? expect.fail(), "NOT_FOUND");
    const { list } = await cardOf(owner, card);
    const [gone, moved] = await raced(
      workspace,
      () => as(owner).delete(`/lists/${list?.publicId}`),
      calls.index ?? expect.fail(),
    );
    ok(gone ?? expect.fail());
    expectError(moved ?? expect.fail(), "BAD_REQUEST");
    await expectSound(workspace);
  });

  test.each(["unarchive", "duplicate"])(
    "a list that goes as its archived card comes back: %s takes the first one left",
    async (name) => {
      const { owner, workspace, list, near, path, calls } = await scene();
      ok(await as(owner).post(`${path}/archive`));
      const answers = await raced(
        workspace,
        () => as(owner).delete(`/lists/${list.publicId}`),
        calls[name] ?? expect.fail(name),
      );
      for (const res of answers) ok(res);
      expect(await titlesIn(near)).toHaveLength(2);
      await expectSound(workspace);
    },
  );
});
