// Guarantees of moving one card: within its list, to another list, to another board; and off the board and back.

import { describe, expect, test } from "vitest";
import { type Board, contentsOf, expectError, type Fields, ok, testApp } from "../helpers/app.js";
import { storedOn, UNKNOWN } from "./stored.js";

const app = await testApp();
const { as, make, db } = app;
const { cardOf, boardOf, titlesIn, listOf, newsOf, expectSound } = storedOn(app);

function titled<T extends { title: string }>(cards: readonly T[], title: string): T {
  const card = cards.find((each) => each.title === title);
  if (card === undefined) throw new Error(`No card ${title}`);
  return card;
}

/** Two lists of one board: a, b, c, d and x, y. */
async function twoLists() {
  const from = await listOf(["a", "b", "c", "d"]);
  const to = await listOf(["x", "y"], { board: from.board });
  const { owner, workspace, board } = from;
  const move = async (title: string, body: Fields) =>
    ok(await as(owner).put(`/cards/${titled(from.cards, title).publicId}`, body));
  return { owner, workspace, board, from, to, move };
}

const archive = (board: Board) => as(board.owner).post(`/boards/${board.publicId}/archive`);

describe("within a board", () => {
  test.each([
    ["a", 0, "abcd"],
    ["a", 1, "bacd"],
    ["a", 2, "bcad"],
    ["a", 3, "bcda"],
    ["a", 99, "bcda"],
    ["b", 0, "bacd"],
    ["b", 1, "abcd"],
    ["c", 1, "acbd"],
    ["d", 0, "dabc"],
    ["d", 3, "abcd"],
    ["d", 2_147_483_647, "abcd"],
    ["a", Number.MAX_SAFE_INTEGER, "bcda"],
  ])("index alone puts %s at %i of its list: %s", async (title, index, order) => {
    const { workspace, from, move } = await twoLists();
    const news = await newsOf(workspace);
    const { listPublicId, ...was } = { listPublicId: from.list.publicId, index: "abcd".indexOf(title) };

    await move(title, { index });

    expect((await titlesIn(from.list)).join("")).toBe(order);
    const data = { from: { listPublicId, ...was }, to: { listPublicId, index: order.indexOf(title) } };
    const moved = { type: "card.moved", card: titled(from.cards, title).publicId, data };
    expect(await news()).toEqual(order === "abcd" ? [] : [expect.objectContaining(moved)]);
    await expectSound(workspace);
  });

  test("a card that is moved again and again stays where it is put, and standing still is no event", async () => {
    const { workspace, from, move } = await twoLists();
    for (const index of [3, 1, 2, 0, 2, 1, 3, 0]) {
      await move("b", { index });
      expect((await titlesIn(from.list)).indexOf("b")).toBe(index);
      const news = await newsOf(workspace);
      await move("b", { index });
      expect(await news()).toEqual([]);
    }
    await expectSound(workspace);
  });

  test("listPublicId alone puts a card at the end of a list, also of its own", async () => {
    const { workspace, from, to, move } = await twoLists();
    const news = await newsOf(workspace);
    const [own, other] = [from.list.publicId, to.list.publicId];

    // Of the places of the other list this one's has no equal.
    await move("d", { listPublicId: other });
    await move("a", { listPublicId: own });

    expect(await titlesIn(from.list)).toEqual(["b", "c", "a"]);
    expect(await titlesIn(to.list)).toEqual(["x", "y", "d"]);
    expect((await news()).map(({ type, data }) => ({ type, ...data }))).toEqual([
      { type: "card.moved", from: { listPublicId: own, index: 3 }, to: { listPublicId: other, index: 2 } },
      { type: "card.moved", from: { listPublicId: own, index: 0 }, to: { listPublicId: own, index: 2 } },
    ]);
    await expectSound(workspace);
  });

  test("both together put a card at a place of a list, cut to its end, along with an edit", async () => {
    const { owner, workspace, from, to, move } = await twoLists();
    const news = await newsOf(workspace);
    const listPublicId = to.list.publicId;

    expect(await move("d", { listPublicId, index: 1, title: "D", completed: true })).toMatchObject({ title: "D" });
    await move("a", { listPublicId, index: 100 });
    await move("c", { listPublicId, index: 0 });

    expect(await titlesIn(from.list)).toEqual(["b"]);
    expect(await titlesIn(to.list)).toEqual(["c", "x", "D", "y", "a"]);
    expect((await news()).map(({ type, data }) => [type, Object(data.to).index])).toEqual([
      ["card.updated", undefined],
      ["card.completed", undefined],
      ["card.moved", 1],
      ["card.moved", 3],
      ["card.moved", 0],
    ]);
    expect(await cardOf(owner, titled(from.cards, "d"))).toMatchObject({
      list: { publicId: listPublicId },
      completedAt: expect.any(String),
    });
    await expectSound(workspace);
  });

  test("an unknown list is NOT_FOUND, one of another workspace FORBIDDEN, and nothing moves", async () => {
    const { owner, from, move } = await twoLists();
    const { list: own } = await make.list({ board: (await make.board({ owner })).board });
    const { list: foreign } = await make.list();
    const before = await contentsOf(db);
    const path = `/cards/${titled(from.cards, "a").publicId}`;

    for (const index of [undefined, 0]) {
      expectError(await as(owner).put(path, { listPublicId: UNKNOWN, index }), "NOT_FOUND");
      for (const { publicId } of [own, foreign]) {
        expectError(await as(owner).put(path, { listPublicId: publicId, index, title: "x" }), "FORBIDDEN");
      }
    }
    expectError(await as(owner).put(path, { listPublicId: "short" }), "BAD_REQUEST", "listPublicId");
    expect(await contentsOf(db)).toEqual(before);
    await move("a", { title: "a" });
  });
});

describe("to another board", () => {
  test("labels go by name without regard to case, missing ones are made, blind assignees are dropped, both logs tell", async () => {
    const {
      owner,
      workspace,
      board: old,
    } = await make.board({
      labels: ["Bug", "Später", "Unused"].map((name) => ({ name, colourCode: "#112233" })),
    });
    const { board } = await make.board({
      workspace,
      visibility: "private",
      labels: [{ name: "BUG", colourCode: "#445566" }],
    });
    const seeing = await make.member(board, "member");
    const withoutAccess = await make.member(workspace, "member");
    const labels = (await boardOf(old)).labels.filter(({ name }) => name !== "Unused");
    const { list: from, card } = await make.card({
      list: (await make.list({ board: old })).list,
      labelPublicIds: labels.map(({ publicId }) => publicId),
      memberPublicIds: [seeing.memberPublicId, withoutAccess.memberPublicId],
    });
    const { list: to } = await listOf(["x", "y"], { board });
    const news = await newsOf(workspace);

    ok(await as(owner).put(`/cards/${card.publicId}`, { listPublicId: to.publicId, index: 1 }));

    expect(await titlesIn(from)).toEqual([]);
    expect(await titlesIn(to)).toEqual(["x", card.title, "y"]);
    const moved = await cardOf(owner, card);
    const made = (await boardOf(board)).labels;
    expect(made.map(({ name, colourCode }) => [name, colourCode])).toEqual([
      ["BUG", "#445566"],
      ["Später", "#112233"],
    ]);
    expect(moved).toMatchObject({ labels: made, board: { publicId: board.publicId }, cardNumber: card.cardNumber });
    expect(moved.members.map(({ publicId }) => publicId)).toEqual([seeing.memberPublicId]);
    expect((await boardOf(old)).labels).toHaveLength(3);
    const data = {
      from: { boardPublicId: old.publicId, listPublicId: from.publicId, index: 0 },
      to: { boardPublicId: board.publicId, listPublicId: to.publicId, index: 1 },
    };
    const events = await news();
    const onOld = { board: old.publicId, card: card.publicId };
    const onNew = { board: board.publicId, card: card.publicId };
    expect(events).toMatchObject([
      { type: "label.created", board: board.publicId, data: { labelPublicId: made[1]?.publicId, label: made[1] } },
      ...labels.map(({ publicId }) => ({ type: "card.label.removed", ...onOld, data: { labelPublicId: publicId } })),
      { type: "card.member.removed", ...onOld, data: { memberPublicId: withoutAccess.memberPublicId } },
      { type: "card.moved", board: old.publicId, card: null, data: { cardPublicId: card.publicId, ...data } },
      { type: "card.moved", ...onNew, data },
      ...made.map(({ publicId }) => ({ type: "card.label.added", ...onNew, data: { labelPublicId: publicId } })),
    ]);
    const arrived = { ...moved, labels: [], members: [{ publicId: seeing.memberPublicId }] };
    expect(events.find(({ type, card }) => type === "card.moved" && card !== null)?.data).toEqual({
      ...data,
      card: arrived,
    });
    await expectSound(workspace);
  });

  test("cards that bring one new label at once make it once, with one event", async () => {
    const { owner, workspace, board: target } = await make.board();
    const { list: to } = await make.list({ board: target });
    const cards = [];
    for (const name of ["new", "New", "NEW", "neW"]) {
      const { board } = await make.board({ workspace, labels: [{ name, colourCode: "#112233" }] });
      const labelPublicIds = (await boardOf(board)).labels.map(({ publicId }) => publicId);
      cards.push((await make.card({ list: (await make.list({ board })).list, labelPublicIds })).card);
    }
    const news = await newsOf(workspace);

    const answers = await Promise.all(
      cards.map(({ publicId }) => as(owner).put(`/cards/${publicId}`, { listPublicId: to.publicId })),
    );

    for (const res of answers) ok(res);
    const { labels } = await boardOf(target);
    expect(labels).toHaveLength(1);
    for (const card of cards) expect((await cardOf(owner, card)).labels).toEqual(labels);
    expect((await news()).filter(({ type }) => type === "label.created")).toHaveLength(1);
    await expectSound(workspace);
  });

  test("who does not see the other board cannot move a card there, and an archived board takes and gives none", async () => {
    const { owner, workspace, from, move } = await twoLists();
    const { board: other } = await make.board({ workspace, visibility: "private" });
    const { list: hidden } = await make.list({ board: other });
    const member = await make.member(workspace, "member");
    const path = `/cards/${titled(from.cards, "a").publicId}`;

    expectError(await as(member).put(path, { listPublicId: hidden.publicId }), "FORBIDDEN");
    ok(await archive(other));
    expectError(await as(owner).put(path, { listPublicId: hidden.publicId }), "BAD_REQUEST");
    ok(await as(owner).post(`/boards/${other.publicId}/unarchive`));
    ok(await archive(from.board));
    for (const body of [{ listPublicId: hidden.publicId }, { index: 2 }, { title: "x" }]) {
      expectError(await as(owner).put(path, body), "BAD_REQUEST");
    }
    expectError(await as(owner).delete(path), "BAD_REQUEST");
    expectError(await as(owner).post(`${path}/archive`), "BAD_REQUEST");
    ok(await as(owner).post(`/boards/${from.board.publicId}/unarchive`));
    expect(await titlesIn(from.list)).toEqual(["a", "b", "c", "d"]);
    await move("a", { listPublicId: hidden.publicId });
    await expectSound(workspace);
  });
});

describe("archiving", () => {
  test("a card leaves its list and comes back at its end; doing either again changes nothing", async () => {
    const { owner, workspace, board, list, cards } = await listOf(["a", "b", "c"]);
    const card = titled(cards, "a");
    const path = `/cards/${card.publicId}`;
    const news = await newsOf(workspace);

    for (const _ of "twice") expect(ok(await as(owner).post(`${path}/archive`))).toEqual({ success: true });
    expect(await titlesIn(list)).toEqual(["b", "c"]);
    expect(await cardOf(owner, card)).toMatchObject({ archivedAt: expect.any(String), index: null });
    await expectSound(workspace);
    for (const _ of "twice") expect(ok(await as(owner).post(`${path}/unarchive`))).toEqual({ success: true });

    expect(await titlesIn(list)).toEqual(["b", "c", "a"]);
    expect(await cardOf(owner, card)).toMatchObject({ archivedAt: null, index: 2 });
    const place = { listPublicId: list.publicId };
    expect(await news()).toMatchObject([
      { type: "card.archived", board: board.publicId, card: card.publicId, data: { from: place } },
      { type: "card.unarchived", board: board.publicId, card: card.publicId, data: { to: place } },
    ]);
    await expectSound(workspace);
  });

  test("an archived card can be edited, not moved", async () => {
    const { owner, workspace, from, to, move } = await twoLists();
    const path = `/cards/${titled(from.cards, "b").publicId}`;
    ok(await as(owner).post(`${path}/archive`));

    for (const body of [
      { index: 0 },
      { listPublicId: to.list.publicId },
      { listPublicId: from.list.publicId, index: 1 },
    ]) {
      expectError(await as(owner).put(path, { ...body, title: "moved" }), "BAD_REQUEST");
    }
    await move("b", { title: "edited", completed: true, priority: "low" });
    expect(await cardOf(owner, titled(from.cards, "b"))).toMatchObject({ title: "edited", index: null });
    await expectSound(workspace);
  });

  test("a card whose list was deleted comes back on the board's first list; with none left that is refused", async () => {
    const { owner, workspace, board, from, to } = await twoLists();
    const { list: first } = await make.list({ board });
    ok(await as(owner).put(`/lists/${first.publicId}`, { index: 0 }));
    const [a, b] = [titled(from.cards, "a"), titled(from.cards, "b")];
    ok(await as(owner).post(`/cards/${a.publicId}/archive`));
    ok(await as(owner).delete(`/lists/${from.list.publicId}`));

    ok(await as(owner).post(`/cards/${a.publicId}/unarchive`));
    expect(await titlesIn(first)).toEqual(["a"]);
    for (const { publicId } of [first, to.list]) ok(await as(owner).delete(`/lists/${publicId}`));
    const before = await contentsOf(db);
    expectError(await as(owner).post(`/cards/${b.publicId}/unarchive`), "BAD_REQUEST");
    expectError(await as(owner).put(`/cards/${b.publicId}`, { index: 0 }), "BAD_REQUEST");
    expect(await contentsOf(db)).toEqual(before);

    const { list: last } = await make.list({ board });
    ok(await as(owner).post(`/cards/${b.publicId}/unarchive`));
    expect(await titlesIn(last)).toEqual(["b"]);
    await expectSound(workspace);
  });

  test("an archived board neither takes cards back nor lets them go", async () => {
    const { owner, workspace, board, card } = await make.card();
    ok(await as(owner).post(`/cards/${card.publicId}/archive`));
    ok(await archive(board));
    const news = await newsOf(workspace);
    expectError(await as(owner).post(`/cards/${card.publicId}/unarchive`), "BAD_REQUEST");
    expectError(await as(owner).put(`/cards/${card.publicId}`, { title: "x" }), "BAD_REQUEST");
    expectError(await as(owner).delete(`/cards/${card.publicId}`), "BAD_REQUEST");
    expect(await news()).toEqual([]);
  });
});
