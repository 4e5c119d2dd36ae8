// Guarantees of single cards: made, read and deleted.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { contentsOf, expectError, ok, testApp } from "../helpers/app.js";
import { storedOn, UNKNOWN } from "./stored.js";

const app = await testApp();
const { as, anonymous, make, db } = app;
const { cardOf, titlesIn, listOf, newsOf, expectSound } = storedOn(app);

interface Made {
  publicId: string;
  cardNumber: number;
}

describe("creating", () => {
  test("the event holds the whole card as it is read, its people by their identifiers alone", async () => {
    const { owner, workspace, board, list } = await make.list();
    const labelPublicIds = [];
    for (const name of ["b", "A"]) labelPublicIds.push((await make.label({ board, name })).label.publicId);
    const { memberPublicId } = await make.member(workspace, "member");
    const fields = { title: "Whole", description: "Text", dueDate: "2026-11-20", priority: "high", index: 0 };
    const news = await newsOf(workspace);

    const { card } = await make.card({ list, ...fields, labelPublicIds, memberPublicIds: [memberPublicId] });

    const read = { ...(await cardOf(owner, card)), members: [{ publicId: memberPublicId }] };
    expect((await news()).map(({ type, data }) => [type, data])).toEqual([
      ["card.created", { card: read, to: { listPublicId: list.publicId, index: 0 } }],
    ]);
  });

  test("a card goes to the end of its list, unless an index is given, which is cut to the end", async () => {
    const { owner, workspace, board, list } = await make.list();
    const news = await newsOf(workspace);
    const add = async (title: string, index?: number) =>
      ok(await as(owner).post<Made>("/cards", { title, listPublicId: list.publicId, index }));

    const first = await add("one");
    await add("two");
    await add("zero", 0);
    await add("between", 2);
    await add("last", Number.MAX_SAFE_INTEGER);

    expect(await titlesIn(list)).toEqual(["zero", "one", "between", "two", "last"]);
    expect(first).toEqual({ publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/), cardNumber: 1 });
    const events = await news();
    expect(events.map(({ data }) => data)).toMatchObject(
      [
        ["one", 0],
        ["two", 1],
        ["zero", 0],
        ["between", 2],
        ["last", 4],
      ].map(([title, index]) => ({ card: { title, index, list: { publicId: list.publicId, name: list.name } } })),
    );
    expect(events[0]).toMatchObject({
      type: "card.created",
      board: board.publicId,
      card: first.publicId,
      actor: owner.publicId,
    });
    await expectSound(workspace);
  });

  test("every field is kept as sent, the title trimmed", async () => {
    const { owner, workspace, board, list } = await make.list();
    const { label } = await make.label({ board });
    const member = await make.member(workspace, "member");
    const body = {
      title: "  Häuser\t",
      description: " kept \n",
      dueDate: "2026-11-20T10:30:00+01:00",
      priority: "urgent",
      labelPublicIds: [label.publicId, label.publicId],
      memberPublicIds: [member.memberPublicId],
      listPublicId: list.publicId,
    };

    const made = ok(await as(member).post<Made>("/cards", body));

    expect(await cardOf(owner, made)).toMatchObject({
      ...made,
      title: "Häuser",
      description: " kept \n",
      dueDate: "2026-11-20T09:30:00.000Z",
      priority: "urgent",
      completedAt: null,
      archivedAt: null,
      index: 0,
      labels: [{ publicId: label.publicId }],
      members: [{ publicId: member.memberPublicId, name: member.name }],
      list: { publicId: list.publicId, name: list.name },
      board: { publicId: board.publicId, name: board.name },
      workspace: { publicId: workspace.publicId },
      checklists: [],
    });
  });

  test("labels and members that are unknown or of another place are FORBIDDEN, and nothing is made", async () => {
    const { owner, workspace, list } = await make.list();
    const { label } = await make.label({ board: (await make.board({ workspace })).board });
    const { workspace: elsewhere } = await make.workspace({ owner });
    const stranger = await make.member(elsewhere, "member");
    const before = await contentsOf(db);

    for (const fields of [
      { labelPublicIds: [label.publicId] },
      { labelPublicIds: [UNKNOWN] },
      { memberPublicIds: [stranger.memberPublicId] },
      { memberPublicIds: [UNKNOWN] },
    ]) {
      const body = { title: "x", listPublicId: list.publicId, ...fields };
      expectError(await as(owner).post("/cards", body), "FORBIDDEN");
    }
    expect(await contentsOf(db)).toEqual(before);
  });

  test("a member who does not see the board is refused by the name of the field", async () => {
    const { workspace } = await make.workspace();
    const { owner, board } = await make.board({ workspace, visibility: "private" });
    const { list } = await make.list({ board });
    const withoutAccess = [await make.member(workspace, "member"), await make.member(workspace, "guest")];
    const seeing = await make.member(board, "guest");
    const body = { title: "x", listPublicId: list.publicId };

    for (const { memberPublicId } of withoutAccess) {
      const res = await as(owner).post("/cards", { ...body, memberPublicIds: [seeing.memberPublicId, memberPublicId] });
      expectError(res, "BAD_REQUEST", "memberPublicIds");
    }
    ok(await as(owner).post("/cards", { ...body, memberPublicIds: [seeing.memberPublicId] }));
  });

  test("unknown lists, lists of others and archived boards are refused, as are guests, strangers and nobody", async () => {
    const { owner, workspace, board, list } = await make.list();
    const { list: foreign } = await make.list();
    const body = { title: "x", listPublicId: list.publicId };

    for (const listPublicId of [UNKNOWN, foreign.publicId]) {
      expectError(await as(owner).post("/cards", { ...body, listPublicId }), "FORBIDDEN");
    }
    for (const person of [
      await make.member(board, "guest"),
      await make.member(workspace, "guest"),
      await make.user(),
    ]) {
      expectError(await as(person).post("/cards", body), "FORBIDDEN");
      expectError(await as(person).post("/cards", { ...body, title: "" }), "BAD_REQUEST", "title");
    }
    expectError(await anonymous.post("/cards", body), "UNAUTHORIZED");
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    expectError(await as(owner).post("/cards", body), "BAD_REQUEST");
    expect(await titlesIn(list)).toEqual([]);
  });

  test.each([
    ["title", { title: " \t" }],
    ["title", { title: "🙂".repeat(2001) }],
    ["title", { title: "a\u0000" }],
    ["title", { title: "\ud800" }],
    ["title", { title: null }],
    ["description", { description: "🙂".repeat(50_001) }],
    ["description", { description: "a\u0000" }],
    ["description", { description: "\udfff" }],
    ["description", { description: null }],
    ["dueDate", { dueDate: "2026-02-30" }],
    ["dueDate", { dueDate: "2026-11-20T09:30:00" }],
    ["dueDate", { dueDate: "0000-01-01" }],
    ["dueDate", { dueDate: "9999-12-31T23:59:59-01:00" }],
    ["priority", { priority: "highest" }],
    ["index", { index: -1 }],
    ["index", { index: 0.5 }],
    ["index", { index: "0" }],
    ["index", { index: null }],
    ["cardNumber", { cardNumber: 7 }],
  ])("a wrong %s is refused, when made and when edited", async (field, fields) => {
    const { owner, list, card } = await make.card({ title: "whole" });
    const body = { title: "x", listPublicId: list.publicId, ...fields };
    expectError(await as(owner).post("/cards", body), "BAD_REQUEST", field);
    expectError(await as(owner).put(`/cards/${card.publicId}`, fields), "BAD_REQUEST", field);
    expect(await titlesIn(list)).toEqual(["whole"]);
  });

  test("title and description may be as long as the contract says, counted as people count", async () => {
    const title = "🙂".repeat(2000);
    const description = "🙂".repeat(50_000);
    const { owner, card } = await make.card({ title, description });
    expect(await cardOf(owner, card)).toMatchObject({ title, description });
    const other = { title: "é".repeat(2000), description: "\n".repeat(50_000) };
    expect(ok(await as(owner).put(`/cards/${card.publicId}`, other))).toMatchObject(other);
    expect(await cardOf(owner, card)).toMatchObject(other);
  });

  test("card numbers count from 1 in each workspace, without gap or repeat under 50 creates at once and failed ones", async () => {
    const { owner, workspace, board, list } = await make.list();
    const { list: second } = await make.list({ board });
    await make.card();

    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        as(owner).post<Made>("/cards", {
          title: `Card ${n}`,
          listPublicId: (n % 2 === 0 ? list : second).publicId,
          index: n % 3 === 0 ? 0 : undefined,
          ...(n % 6 === 5 && { labelPublicIds: [UNKNOWN] }),
        }),
      ),
    );

    const numbers = answers.filter(({ status }) => status === 200).map(({ body }) => body.cardNumber);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect((await titlesIn(list)).length + (await titlesIn(second)).length).toBe(50);
    await expectSound(workspace);
  });
});

describe("reading", () => {
  test("everyone who sees the board reads a card; others, and unknown ones, do not", async () => {
    const { owner, workspace, board, card } = await make.card();
    const whole = await cardOf(owner, card);

    for (const person of [await make.member(workspace, "member"), await make.member(board, "guest")]) {
      expect(await cardOf(person, card)).toEqual(whole);
    }
    for (const person of [await make.member(workspace, "guest"), await make.user()]) {
      expectError(await as(person).get(`/cards/${card.publicId}`), "FORBIDDEN");
    }
    expectError(await as(owner).get(`/cards/${UNKNOWN}`), "NOT_FOUND");
    expectError(await as(owner).get("/cards/short"), "BAD_REQUEST", "cardPublicId");
  });

  test("the index is the place in the list, null once archived; the list is null once it is deleted", async () => {
    const { owner, list, cards } = await listOf(["a", "b", "c"]);
    const [a, b, c] = await Promise.all(cards.map((card) => cardOf(owner, card)));
    expect([a?.index, b?.index, c?.index]).toEqual([0, 1, 2]);
    const [first, second] = cards;
    if (first === undefined || second === undefined) throw new Error("no cards");

    ok(await as(owner).post(`/cards/${first.publicId}/archive`));
    expect(await cardOf(owner, first)).toMatchObject({ index: null, list: { publicId: list.publicId } });
    expect(await cardOf(owner, second)).toMatchObject({ index: 0 });
    ok(await as(owner).delete(`/lists/${list.publicId}`));
    for (const card of [first, second]) {
      expect(await cardOf(owner, card)).toMatchObject({ index: null, list: null, archivedAt: expect.any(String) });
    }
  });
});

describe("deleting", () => {
  test("a card goes with everything on it, archived or not; its number is not given again", async () => {
    const { owner, workspace, board, list, cards } = await listOf(["a", "b", "c"]);
    const [a, b] = cards;
    if (a === undefined || b === undefined) throw new Error("no cards");
    const { label } = await make.label({ board });
    ok(await as(owner).put(`/cards/${a.publicId}/labels/${label.publicId}`));
    await make.item({ checklist: (await make.checklist({ card: a })).checklist });
    ok(await as(owner).post(`/cards/${b.publicId}/archive`));
    const news = await newsOf(workspace);

    for (const { publicId } of [a, b]) {
      expect(ok(await as(owner).delete(`/cards/${publicId}`))).toEqual({ success: true });
      expectError(await as(owner).delete(`/cards/${publicId}`), "NOT_FOUND");
      expectError(await as(owner).get(`/cards/${publicId}`), "NOT_FOUND");
    }

    expect(await titlesIn(list)).toEqual(["c"]);
    expect(await news()).toMatchObject(
      [a, b].map(({ publicId, cardNumber }) => ({
        type: "card.deleted",
        board: board.publicId,
        card: publicId,
        data: { cardNumber },
      })),
    );
    expect(
      await db.rows(sql`select k.id from checklist k join workspace w on w.id = k.workspace_id
        where w.public_id = ${workspace.publicId}::text`),
    ).toEqual([]);
    expect((await make.card({ list })).card.cardNumber).toBe(4);
    await expectSound(workspace);
  });

  test("deleted twice at once, a card is deleted once", async () => {
    const { owner, workspace, card } = await make.card();
    const news = await newsOf(workspace);
    const path = `/cards/${card.publicId}`;
    const answers = await Promise.all([as(owner).delete(path), as(owner).delete(path), as(owner).delete(path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(await news()).toHaveLength(1);
  });
});
