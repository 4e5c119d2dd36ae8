// Guarantees of calls that name many cards (specification 4.6, contract section 2).

import { describe, expect, test } from "vitest";
import {
  type Card,
  contentsOf,
  expectError,
  type Fields,
  type List,
  ok,
  type Person,
  testApp,
} from "../helpers/app.js";
import { storedOn, UNKNOWN } from "./stored.js";

const app = await testApp();
const { as, make, db } = app;
const { cardOf, boardOf, titlesIn, listOf, newsOf, expectSound } = storedOn(app);

const VERBS = ["move", "update", "archive", "delete"] as const;
type Verb = (typeof VERBS)[number];

const LABELS = Array.from({ length: 100 }, (_, n) => `Label ${n}`);

interface BoardAnswer {
  lists: { cards: Card[] }[];
  labels: { publicId: string }[];
}

const idsOf = (cards: readonly { publicId: string }[]) => cards.map(({ publicId }) => publicId);

function call(person: Person, verb: Verb, cardPublicIds: readonly string[], list: List, fields: Fields = {}) {
  const does = { move: { listPublicId: list.publicId }, update: { priority: "high" }, archive: {}, delete: {} };
  return as(person).post<{ count: number }>(`/cards/bulk/${verb}`, { cardPublicIds, ...does[verb], ...fields });
}

async function threeLists() {
  const one = await listOf(["a", "b", "c"]);
  const two = await listOf(["x", "y"], { board: one.board });
  const { board: other } = await make.board({ workspace: one.workspace });
  const three = await listOf(["p", "q"], { board: other });
  const all = new Map([...one.cards, ...two.cards, ...three.cards].map((card) => [card.title, card]));
  const named = (titles: string) => [...titles].map((title): Card => all.get(title) ?? expect.fail(`no card ${title}`));
  return { owner: one.owner, workspace: one.workspace, one, two, three, named };
}

describe("every call", () => {
  test.each(VERBS)("%s counts each card once, and writes one event a card", async (verb) => {
    const { owner, workspace, three, named } = await threeLists();
    const ids = idsOf(named("bxb"));
    const news = await newsOf(workspace);

    expect(ok(await call(owner, verb, [...ids, ...ids], three.list))).toEqual({ count: 2 });

    const events = (await news()).filter(({ card }) => card !== null);
    expect(events.map(({ card }) => card)).toEqual(idsOf(named("bx")));
    const types = { move: "card.moved", update: "card.updated", archive: "card.archived", delete: "card.deleted" };
    expect(events.map(({ type }) => type)).toEqual([types[verb], types[verb]]);
    await expectSound(workspace);
  });

  test.each(VERBS)("%s does all or nothing: unknown and foreign cards are FORBIDDEN", async (verb) => {
    const { owner, two, named } = await threeLists();
    const { card: own } = await make.card({ board: (await make.board({ owner })).board });
    const { card: foreign } = await make.card();
    const before = await contentsOf(db);

    for (const publicId of [UNKNOWN, own.publicId, foreign.publicId]) {
      expectError(
        await call(owner, verb, [...idsOf(named("ab")), publicId, ...idsOf(named("c"))], two.list),
        "FORBIDDEN",
      );
      expectError(await call(owner, verb, [publicId, ...idsOf(named("ab"))], two.list), "FORBIDDEN");
    }
    expect(await contentsOf(db)).toEqual(before);
  });

  test.each(VERBS)("%s needs the right to it on every board", async (verb) => {
    const { owner, workspace, one, two, three, named } = await threeLists();
    const { board: hidden } = await make.board({ workspace, visibility: "private" });
    const { list, card } = await make.card({ list: (await make.list({ board: hidden })).list });
    const member = await make.member(workspace, "member");
    const before = await contentsOf(db);

    expectError(await call(member, verb, [...idsOf(named("a")), card.publicId], two.list), "FORBIDDEN");
    if (verb === "move") expectError(await call(member, verb, idsOf(named("a")), list), "FORBIDDEN");
    expect(await contentsOf(db)).toEqual(before);
    expectError(await call(await make.member(one.board, "guest"), verb, idsOf(named("a")), two.list), "FORBIDDEN");
    expect(ok(await call(owner, verb, [card.publicId, ...idsOf(named("ap"))], three.list))).toEqual({ count: 3 });
    await expectSound(workspace);
  });

  test.each(VERBS)("%s is refused where one of the boards is archived", async (verb) => {
    const { owner, two, three, named } = await threeLists();
    ok(await as(owner).post(`/boards/${three.board.publicId}/archive`));
    const before = await contentsOf(db);
    expectError(await call(owner, verb, idsOf(named("ap")), two.list), "BAD_REQUEST");
    expectError(await call(owner, "move", idsOf(named("a")), three.list), "BAD_REQUEST");
    expect(await contentsOf(db)).toEqual(before);
  });

  test.each(VERBS)("%s takes 1 to 1000 identifiers and no fields of others", async (verb) => {
    const { owner, two, named } = await threeLists();
    const [id = ""] = idsOf(named("a"));
    expectError(await call(owner, verb, [], two.list), "BAD_REQUEST", "cardPublicIds");
    expectError(await call(owner, verb, Array(1001).fill(id), two.list), "BAD_REQUEST", "cardPublicIds");
    expectError(await call(owner, verb, [id, "short"], two.list), "BAD_REQUEST", ["cardPublicIds", 1]);
    const [field, value] = verb === "move" ? ["priority", "high"] : ["index", 0];
    expectError(await call(owner, verb, [id], two.list, { [field]: value }), "BAD_REQUEST", field);
    expect(ok(await call(owner, verb, Array(1000).fill(id), two.list))).toEqual({ count: 1 });
  });

  test("1000 cards are updated, moved to another board, archived and deleted in one call each", {
    tags: ["slow"],
  }, async () => {
    const { owner, workspace, board, list } = await make.list();
    const { label } = await make.label({ board });
    const rows = Array.from({ length: 1000 }, (_, n) => [`Card ${n}`]);
    const body = { workspacePublicId: workspace.publicId, boardName: "Many", rows, mapping: { title: 0 } };
    const { boardPublicId } = ok(await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", body));
    const { lists } = ok(
      await as(owner).get<{ lists: { cards: { publicId: string }[] }[] }>(`/boards/${boardPublicId}`),
    );
    const ids = idsOf(lists[0]?.cards ?? []).reverse();
    const news = await newsOf(workspace);
    const many = async (verb: string, fields: Fields) =>
      expect(ok(await as(owner).post(`/cards/bulk/${verb}`, { cardPublicIds: ids, ...fields }))).toEqual({
        count: 1000,
      });

    await many("move", { listPublicId: list.publicId });
    expect((await titlesIn(list)).slice(0, 3)).toEqual(["Card 999", "Card 998", "Card 997"]);
    expect(await news()).toHaveLength(2000);
    await many("update", { dueDate: "2026-11-20", completed: true, addLabelPublicIds: [label.publicId] });
    expect(await news()).toHaveLength(3000);
    expect((await boardOf(board)).lists[0]?.cards[999]?.labels).toHaveLength(1);
    await expectSound(workspace);
    await many("archive", {});
    await many("delete", {});
    expect(await news()).toHaveLength(2000);
    await expectSound(workspace);
  });
});

describe("moving", () => {
  test("cards of several lists and boards go to the end of the list, in the order in which they are named", async () => {
    const { owner, workspace, one, two, three, named } = await threeLists();
    const news = await newsOf(workspace);

    expect(ok(await call(owner, "move", idsOf(named("qxca")), one.list))).toEqual({ count: 4 });

    expect(await titlesIn(one.list)).toEqual(["b", "q", "x", "c", "a"]);
    expect(await titlesIn(two.list)).toEqual(["y"]);
    expect(await titlesIn(three.list)).toEqual(["p"]);
    const at = (index: number) => ({ listPublicId: one.list.publicId, index });
    const [left, ...moved] = await news();
    expect(left).toMatchObject({ type: "card.moved", board: three.board.publicId, card: null });
    expect(moved.map(({ data: { from, to } }) => ({ from, to }))).toMatchObject([
      { from: { boardPublicId: three.board.publicId, listPublicId: three.list.publicId, index: 1 }, to: at(3) },
      { from: { listPublicId: two.list.publicId, index: 0 }, to: at(4) },
      { from: at(2), to: at(4) },
      { from: at(0), to: at(4) },
    ]);
    // Each step by itself, as whoever follows the log takes it.
    const order = ["a", "b", "c", "q", "x"];
    for (const from of [2, 0]) order.push(...order.splice(from, 1));
    expect(order).toEqual(await titlesIn(one.list));
    await expectSound(workspace);
  });

  test("cards leave their list one by one, in whatever order they are named", async () => {
    const { owner, workspace, one, two, named } = await threeLists();
    const news = await newsOf(workspace);
    expect(ok(await call(owner, "move", idsOf(named("cab")), two.list))).toEqual({ count: 3 });
    expect((await news()).map(({ data: { from, to } }) => ({ from, to }))).toMatchObject([
      { from: { index: 2 }, to: { index: 2 } },
      { from: { index: 0 }, to: { index: 3 } },
      { from: { index: 0 }, to: { index: 4 } },
    ]);
    expect([await titlesIn(one.list), await titlesIn(two.list)]).toEqual([[], ["x", "y", "c", "a", "b"]]);
    await expectSound(workspace);
  });

  test("cards that are the end of the list already stay, without an event", async () => {
    const { owner, workspace, one, named } = await threeLists();
    const news = await newsOf(workspace);
    expect(ok(await call(owner, "move", idsOf(named("bcb")), one.list))).toEqual({ count: 2 });
    expect(await news()).toEqual([]);
    ok(await call(owner, "move", idsOf(named("cb")), one.list));
    expect(await titlesIn(one.list)).toEqual(["a", "c", "b"]);
    await expectSound(workspace);
  });

  test("an archived card is BAD_REQUEST, an unknown or foreign list FORBIDDEN, and nothing moves", async () => {
    const { owner, one, two, named } = await threeLists();
    const { list: own } = await make.list({ board: (await make.board({ owner })).board });
    ok(await as(owner).post(`/cards/${named("b")[0]?.publicId}/archive`));
    const before = await contentsOf(db);

    expectError(await call(owner, "move", idsOf(named("abc")), two.list), "BAD_REQUEST");
    for (const listPublicId of [UNKNOWN, own.publicId]) {
      expectError(await call(owner, "move", idsOf(named("ac")), two.list, { listPublicId }), "FORBIDDEN");
    }
    expect(await contentsOf(db)).toEqual(before);
    expect(await titlesIn(one.list)).toEqual(["a", "c"]);
  });

  test("on another board labels go by name and blind assignees are dropped, for every card", async () => {
    const { owner, workspace, board } = await make.board({ labels: [{ name: "Bug", colourCode: "#112233" }] });
    const { board: target } = await make.board({ workspace, visibility: "private" });
    const { list: to } = await make.list({ board: target });
    const withoutAccess = await make.member(workspace, "member");
    const fields = {
      labelPublicIds: idsOf((await boardOf(board)).labels),
      memberPublicIds: [withoutAccess.memberPublicId],
    };
    const { list } = await make.list({ board });
    const cards = [];
    for (let n = 0; n < 3; n += 1) cards.push((await make.card({ list, ...fields })).card);
    const news = await newsOf(workspace);

    ok(await call(owner, "move", idsOf(cards), to));

    const { labels } = await boardOf(target);
    expect(labels).toMatchObject([{ name: "Bug", colourCode: "#112233" }]);
    for (const card of cards) expect(await cardOf(owner, card)).toMatchObject({ labels, members: [] });
    const each = ["card.label.removed", "card.member.removed", "card.moved", "card.moved", "card.label.added"];
    expect((await news()).map(({ type }) => type)).toEqual(["label.created", ...each, ...each, ...each]);
    await expectSound(workspace);
  });
});

describe("updating", () => {
  test("of more than 10 000 single changes is BAD_REQUEST and changes nothing", { tags: ["slow"] }, async () => {
    const { owner, workspace } = await make.workspace();
    const rows = Array.from({ length: 122 }, (_, row) => [`Card ${row}`, row === 0 ? LABELS.join() : ""]);
    const { boardPublicId } = ok(
      await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", {
        workspacePublicId: workspace.publicId,
        boardName: "Large",
        rows,
        mapping: { title: 0, labels: 1 },
      }),
    );
    const { lists, labels } = ok(await as(owner).get<BoardAnswer>(`/boards/${boardPublicId}`));
    const cardPublicIds = lists.flatMap(({ cards }) => idsOf(cards));
    const news = await newsOf(workspace);

    const tooMany = { cardPublicIds, addLabelPublicIds: idsOf(labels).slice(0, 82) };
    expectError(await as(owner).post("/cards/bulk/update", tooMany), "BAD_REQUEST", "cardPublicIds");

    expect([cardPublicIds.length, labels.length]).toEqual([122, 100]);
    expect(await news()).toEqual([]);
    const one = { cardPublicIds: cardPublicIds.slice(0, 100), addLabelPublicIds: idsOf(labels) };
    ok(await as(owner).post("/cards/bulk/update", one));
  });

  test("labels and members count together towards the 10 000, whether they are added or removed", {
    tags: ["slow"],
  }, async () => {
    const { owner, workspace } = await make.workspace();
    const rows = Array.from({ length: 1000 }, (_, row) => [`Card ${row}`, row === 0 ? LABELS.join() : ""]);
    const body = { workspacePublicId: workspace.publicId, boardName: "Large", rows, mapping: { title: 0, labels: 1 } };
    const { boardPublicId } = ok(await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", body));
    const board = ok(await as(owner).get<BoardAnswer>(`/boards/${boardPublicId}`));
    const cardPublicIds = board.lists.flatMap(({ cards }) => idsOf(cards));
    const labels = idsOf(board.labels).slice(1);
    const { memberPublicId } = await make.member(workspace, "member");
    const news = await newsOf(workspace);
    const update = (fields: Fields) => as(owner).post("/cards/bulk/update", { cardPublicIds, ...fields });

    for (const labelled of ["addLabelPublicIds", "removeLabelPublicIds"]) {
      for (const assigned of ["addMemberPublicIds", "removeMemberPublicIds"]) {
        const tooMany = { [labelled]: labels.slice(0, 10), [assigned]: [memberPublicId] };
        expectError(await update(tooMany), "BAD_REQUEST", "cardPublicIds");
      }
    }
    expect(await news()).toEqual([]);
    const most = { removeLabelPublicIds: labels.slice(0, 9), removeMemberPublicIds: [memberPublicId] };
    expect(ok(await update(most))).toEqual({ count: 1000 });
  });

  test("only the cards that differ change and are told of, with one event for each thing done", async () => {
    const { owner, workspace, one, named } = await threeLists();
    const { label } = await make.label({ board: one.board });
    const member = await make.member(workspace, "member");
    const [a, b, c] = named("abc");
    ok(await as(owner).put(`/cards/${a?.publicId}`, { priority: "high", completed: true }));
    ok(await as(owner).put(`/cards/${b?.publicId}/labels/${label.publicId}`));
    const fields = {
      completed: true,
      dueDate: null,
      addLabelPublicIds: [label.publicId, label.publicId],
      addMemberPublicIds: [member.memberPublicId],
    };
    const news = await newsOf(workspace);

    expect(ok(await call(owner, "update", idsOf(named("abc")), one.list, fields))).toEqual({ count: 3 });

    const logged = (await news()).map(({ type, card }) => [type, card]);
    expect(logged).toEqual([
      ["card.label.added", a?.publicId],
      ["card.member.added", a?.publicId],
      ...["card.updated", "card.completed", "card.member.added"].map((type) => [type, b?.publicId]),
      ...["card.updated", "card.completed", "card.label.added", "card.member.added"].map((type) => [type, c?.publicId]),
    ]);
    await expectSound(workspace);
    ok(await call(owner, "update", idsOf(named("abc")), one.list, fields));
    expect(await news()).toEqual([]);

    const off = { removeLabelPublicIds: [label.publicId], removeMemberPublicIds: [member.memberPublicId] };
    ok(await call(owner, "update", idsOf(named("ab")), one.list, { ...off, completed: false }));
    expect(await cardOf(owner, named("a")[0] ?? named("b")[0] ?? expect.fail())).toMatchObject({
      labels: [],
      members: [],
      completedAt: null,
      priority: "high",
    });
    expect(await news()).toHaveLength(6);
    await expectSound(workspace);

    // What is put on and taken off at once is taken off.
    const both = { addLabelPublicIds: [label.publicId], addMemberPublicIds: [member.memberPublicId], ...off };
    ok(await call(owner, "update", idsOf(named("abc")), one.list, both));
    expect((await news()).map(({ type, card }) => [type, card])).toEqual([
      ["card.label.removed", c?.publicId],
      ["card.member.removed", c?.publicId],
    ]);
    await expectSound(workspace);
  });

  test("labels go with cards of one board alone; people must see every board", async () => {
    const { owner, workspace, one, three, named } = await threeLists();
    const { label } = await make.label({ board: one.board });
    const { label: other } = await make.label({ board: three.board });
    const guest = await make.member(one.board, "guest");
    const stranger = await make.member((await make.workspace()).workspace, "member");
    const before = await contentsOf(db);
    const update = (titles: string, fields: Fields) => call(owner, "update", idsOf(named(titles)), one.list, fields);

    for (const field of ["addLabelPublicIds", "removeLabelPublicIds"]) {
      expectError(await update("ap", { [field]: [label.publicId] }), "FORBIDDEN");
      for (const id of [other.publicId, UNKNOWN]) expectError(await update("ab", { [field]: [id] }), "FORBIDDEN");
    }
    for (const field of ["addMemberPublicIds", "removeMemberPublicIds"]) {
      for (const id of [stranger.memberPublicId, UNKNOWN])
        expectError(await update("ab", { [field]: [id] }), "FORBIDDEN");
    }
    const wrong = await update("ap", { addMemberPublicIds: [guest.memberPublicId] });
    expectError(wrong, "BAD_REQUEST", "addMemberPublicIds");
    expectError(await update("a", { title: "x" }), "BAD_REQUEST", "title");
    expect(await contentsOf(db)).toEqual(before);
    ok(await update("ab", { addMemberPublicIds: [guest.memberPublicId] }));
    await expectSound(workspace);
  });

  test("nothing given is 200 and changes nothing", async () => {
    const { owner, workspace, named } = await threeLists();
    const news = await newsOf(workspace);
    const body = { cardPublicIds: idsOf(named("apx")) };
    expect(ok(await as(owner).post("/cards/bulk/update", body))).toEqual({ count: 3 });
    expect(await news()).toEqual([]);
  });
});

test("archived cards are updated, archived without an event, and deleted, along with active ones", async () => {
  const { owner, workspace, one, two, named } = await threeLists();
  ok(await call(owner, "archive", idsOf(named("ax")), one.list));
  const news = await newsOf(workspace);

  expect(ok(await call(owner, "update", idsOf(named("ab")), one.list))).toEqual({ count: 2 });
  expect(await news()).toHaveLength(2);
  expect(ok(await call(owner, "archive", idsOf(named("abx")), one.list))).toEqual({ count: 3 });
  expect(await news()).toMatchObject([{ type: "card.archived", card: named("b")[0]?.publicId }]);
  expect(await titlesIn(one.list)).toEqual(["c"]);
  ok(await as(owner).delete(`/lists/${two.list.publicId}`));
  expect(ok(await call(owner, "delete", idsOf(named("axc")), one.list))).toEqual({ count: 3 });
  expect(await titlesIn(one.list)).toEqual([]);
  await expectSound(workspace);
});
