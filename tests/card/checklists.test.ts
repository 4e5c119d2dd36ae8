// Guarantees of checklists and their items, and of the counts that boards show of them.

import { describe, expect, test } from "vitest";
import { contentsOf, expectError, type Fields, ok, testApp } from "../helpers/app.js";
import { storedOn, UNKNOWN } from "./stored.js";

const app = await testApp();
const { as, make, db } = app;
const { cardOf, boardOf, newsOf, expectSound } = storedOn(app);

interface Item {
  publicId: string;
  title: string;
  completed: boolean;
}

async function checklistOf(titles: readonly string[]) {
  const { owner, card, checklist } = await make.checklist();
  const { board } = card.list;
  const items = new Map<string, Item>();
  for (const title of titles) items.set(title, (await make.item({ checklist, title })).item);
  const pathOf = (title: string) => `/checklist-items/${items.get(title)?.publicId}`;
  const update = async (title: string, body: Fields) => ok(await as(owner).put<Item>(pathOf(title), body));
  const itemsNow = async () => (await cardOf(owner, card)).checklists[0]?.items ?? [];
  const titlesNow = async () => (await itemsNow()).map(({ title }) => title).join("");
  /** The counts as the board shows them, which the card must show too. */
  async function countsNow() {
    const shown = (await boardOf(board)).lists[0]?.cards[0]?.checklistItems;
    expect((await cardOf(owner, card)).checklistItems).toEqual(shown);
    return [shown?.total, shown?.completed];
  }
  const { workspace } = board;
  return { owner, workspace, board, card, checklist, items, pathOf, update, itemsNow, titlesNow, countsNow };
}

describe("checklists", () => {
  test("are added in the order in which they are made, renamed and deleted, each with one event", async () => {
    const { owner, workspace, board, card, checklist, countsNow } = await checklistOf(["a", "b"]);
    const news = await newsOf(workspace);
    const path = `/checklists/${checklist.publicId}`;

    const second = ok(await as(owner).post<Item>(`/cards/${card.publicId}/checklists`, { name: " Second " }));
    expect(second).toEqual({ publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/), name: "Second" });
    expect(ok(await as(owner).put(path, { name: "First" }))).toEqual({ publicId: checklist.publicId, name: "First" });
    ok(await as(owner).put(path, { name: "First " }));
    expect((await cardOf(owner, card)).checklists.map(({ name }) => name)).toEqual(["First", "Second"]);
    expect(ok(await as(owner).delete(path))).toEqual({ success: true });
    expect(await countsNow()).toEqual([0, 0]);
    expect((await cardOf(owner, card)).checklists).toEqual([{ ...second, items: [] }]);
    expectError(await as(owner).delete(path), "NOT_FOUND");

    const logged = { board: board.publicId, card: card.publicId };
    expect(await news()).toMatchObject([
      { type: "checklist.created", ...logged, data: { checklistPublicId: second.publicId, checklist: second } },
      {
        type: "checklist.updated",
        ...logged,
        data: { checklistPublicId: checklist.publicId, changes: { name: { from: checklist.name, to: "First" } } },
      },
      { type: "checklist.deleted", ...logged, data: { checklistPublicId: checklist.publicId, name: "First" } },
    ]);
    await expectSound(workspace);
  });

  test.each([
    ["name", { name: "" }],
    ["name", { name: "  " }],
    ["name", { name: "🙂".repeat(256) }],
    ["name", { name: "a\u0000" }],
    ["name", { name: "\ud800" }],
    ["name", { name: null }],
    ["name", {}],
    ["title", { name: "x", title: "x" }],
  ])("a wrong %s is refused: %#", async (field, body) => {
    const { owner, card, checklist } = await make.checklist();
    expectError(await as(owner).post(`/cards/${card.publicId}/checklists`, body), "BAD_REQUEST", field);
    expectError(await as(owner).put(`/checklists/${checklist.publicId}`, body), "BAD_REQUEST", field);
  });

  test("a name may have 255 characters, counted as people count", async () => {
    const name = "🙂".repeat(255);
    expect((await make.checklist({ name })).checklist.name).toBe(name);
  });

  test("an identifier that is not exactly 12 characters is BAD_REQUEST; an unknown one NOT_FOUND, or FORBIDDEN to a POST", async () => {
    const { owner } = await make.checklist();
    for (const id of ["AAAAAAAAAAA", "AAAAAAAAAAAAA", "A".repeat(40)]) {
      const path = `/checklists/${id}`;
      expectError(await as(owner).put(path, { name: "x" }), "BAD_REQUEST", "checklistPublicId");
      expectError(await as(owner).delete(path), "BAD_REQUEST", "checklistPublicId");
      expectError(await as(owner).post(`${path}/items`, { title: "x" }), "BAD_REQUEST", "checklistPublicId");
    }
    expectError(await as(owner).put(`/checklists/${UNKNOWN}`, { name: "x" }), "NOT_FOUND");
    expectError(await as(owner).delete(`/checklists/${UNKNOWN}`), "NOT_FOUND");
    expectError(await as(owner).post(`/checklists/${UNKNOWN}/items`, { title: "x" }), "FORBIDDEN");
    expectError(await as(owner).put(`/checklist-items/${UNKNOWN}`, { title: "x" }), "NOT_FOUND");
    expectError(await as(owner).delete(`/checklist-items/${UNKNOWN}`), "NOT_FOUND");
    expectError(await as(owner).post(`/cards/${UNKNOWN}/checklists`, { name: "x" }), "FORBIDDEN");
  });

  test("guests and strangers may change nothing, nor may anyone on an archived board", async () => {
    const { owner, board, card, checklist, pathOf } = await checklistOf(["a"]);
    const path = `/checklists/${checklist.publicId}`;
    const before = await cardOf(owner, card);
    const attempts = async (person: typeof owner) => [
      await as(person).post(`/cards/${card.publicId}/checklists`, { name: "x" }),
      await as(person).put(path, { name: "x" }),
      await as(person).post(`${path}/items`, { title: "x" }),
      await as(person).put(pathOf("a"), { completed: true }),
      await as(person).delete(pathOf("a")),
      await as(person).delete(path),
    ];

    for (const person of [await make.member(board, "guest"), await make.user()]) {
      const rows = await contentsOf(db);
      for (const res of await attempts(person)) expectError(res, "FORBIDDEN");
      expect(await contentsOf(db)).toEqual(rows);
    }
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    for (const res of await attempts(owner)) expectError(res, "BAD_REQUEST");
    expect(await cardOf(owner, card)).toEqual(before);
  });

  test("those of an archived card can still be changed", async () => {
    const { owner, workspace, card, update, countsNow } = await checklistOf(["a"]);
    ok(await as(owner).post(`/cards/${card.publicId}/archive`));
    await update("a", { completed: true });
    expect((await cardOf(owner, card)).checklistItems).toEqual({ total: 1, completed: 1 });
    ok(await as(owner).post(`/cards/${card.publicId}/unarchive`));
    expect(await countsNow()).toEqual([1, 1]);
    await expectSound(workspace);
  });
});

describe("items", () => {
  test("are added at the end, ticked, renamed and deleted; the board's counts follow every step", async () => {
    const { owner, workspace, card, checklist, update, itemsNow, countsNow, pathOf } = await checklistOf([
      "a",
      "b",
      "c",
    ]);
    const news = await newsOf(workspace);
    expect(await itemsNow()).toMatchObject(["a", "b", "c"].map((title) => ({ title, completed: false })));
    expect(await countsNow()).toEqual([3, 0]);

    expect(await update("b", { completed: true })).toMatchObject({ title: "b", completed: true });
    expect(await countsNow()).toEqual([3, 1]);
    await update("a", { completed: true, title: " A " });
    expect(await countsNow()).toEqual([3, 2]);
    await update("b", { completed: false });
    expect(await countsNow()).toEqual([3, 1]);
    ok(await as(owner).delete(pathOf("a")));
    expect(await countsNow()).toEqual([2, 0]);
    expectError(await as(owner).delete(pathOf("a")), "NOT_FOUND");
    const added = ok(await as(owner).post(`/checklists/${checklist.publicId}/items`, { title: " d " }));
    expect(added).toEqual({ publicId: expect.any(String), title: "d", completed: false });
    expect(await countsNow()).toEqual([3, 0]);
    expect((await itemsNow()).map(({ title }) => title)).toEqual(["b", "c", "d"]);

    const events = await news();
    expect(events.map(({ type }) => type.replace("checklist.item.", ""))).toEqual([
      ...["completed", "updated", "completed", "reopened", "deleted", "created"],
    ]);
    for (const event of events) {
      expect(event).toMatchObject({ card: card.publicId, data: { checklistPublicId: checklist.publicId } });
    }
    expect(events[1]?.data).toMatchObject({ changes: { title: { from: "a", to: "A" } } });
    await expectSound(workspace);
  });

  test.each([
    ["a", 0, "abcd"],
    ["a", 1, "bacd"],
    ["a", 2, "bcad"],
    ["b", 2, "acbd"],
    ["d", 0, "dabc"],
    ["d", Number.MAX_SAFE_INTEGER, "abcd"],
    ["c", 99, "abdc"],
  ])("index puts %s at %i: %s", async (title, index, order) => {
    const { workspace, update, titlesNow, countsNow } = await checklistOf(["a", "b", "c", "d"]);
    const news = await newsOf(workspace);

    await update(title, { index });

    expect(await titlesNow()).toBe(order);
    expect(await countsNow()).toEqual([4, 0]);
    const changes = { index: { from: "abcd".indexOf(title), to: order.indexOf(title) } };
    expect((await news()).map(({ data }) => data.changes)).toEqual(order === "abcd" ? [] : [changes]);
    await expectSound(workspace);
  });

  test("moved at random, items stand where they were put; standing still is no event", async () => {
    const { workspace, update, titlesNow } = await checklistOf(["a", "b", "c", "d"]);
    const order = ["a", "b", "c", "d"];
    const news = await newsOf(workspace);
    let moves = 0;
    for (const [title, index] of [..."dcbadbcabdacdabc"].map((letter, n) => [letter, (n * 7) % 5] as const)) {
      const from = order.indexOf(title);
      order.splice(from, 1);
      order.splice(index, 0, title);
      if (order.indexOf(title) !== from) moves += 1;
      await update(title, { index });
      expect(await titlesNow()).toBe(order.join(""));
    }
    expect(await news()).toHaveLength(moves);
  });

  test("nothing given, or what is there already, changes nothing and writes no event", async () => {
    const { workspace, update, card, owner } = await checklistOf(["a", "b"]);
    const before = await cardOf(owner, card);
    const news = await newsOf(workspace);
    for (const body of [{}, { title: " b" }, { completed: false }, { index: 1 }, { index: 9, title: "b" }]) {
      await update("b", body);
    }
    expect(await news()).toEqual([]);
    expect(await cardOf(owner, card)).toEqual(before);
  });

  test.each([
    ["title", { title: "" }],
    ["title", { title: "🙂".repeat(501) }],
    ["title", { title: "a\u0000" }],
    ["title", { title: "\udc00" }],
    ["title", { title: null }],
    ["completed", { title: "x", completed: "false" }],
    ["index", { title: "x", index: -1 }],
    ["index", { title: "x", index: 1.5 }],
    ["name", { title: "x", name: "x" }],
  ])("a wrong %s is refused: %#", async (field, body) => {
    const { owner, checklist, pathOf } = await checklistOf(["a"]);
    expectError(await as(owner).put(pathOf("a"), body), "BAD_REQUEST", field);
    expectError(await as(owner).post(`/checklists/${checklist.publicId}/items`, body), "BAD_REQUEST", field);
  });

  test("a title may have 500 characters, counted as people count", async () => {
    const title = "🙂".repeat(500);
    expect((await make.item({ title })).item.title).toBe(title);
  });

  test("added, ticked, moved and deleted at once, they keep the counts and the order whole", async () => {
    const { owner, workspace, checklist, itemsNow, countsNow, pathOf } = await checklistOf([..."abcdefgh"]);

    const answers = await Promise.all(
      [..."abcdefgh"].flatMap((title, n) => [
        as(owner).put(pathOf(title), { completed: true, index: n % 3 }),
        as(owner).post(`/checklists/${checklist.publicId}/items`, { title: `new ${n}` }),
        ...(n % 2 === 0 ? [as(owner).delete(pathOf(title))] : [as(owner).put(pathOf(title), { index: 0 })]),
      ]),
    );

    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect(await itemsNow()).toHaveLength(12);
    expect(await countsNow()).toEqual([12, 4]);
    await expectSound(workspace);
  });
});
