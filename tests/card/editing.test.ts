// Guarantees of edits of a card: what is given changes, what is not stays, and events tell of it.

import { describe, expect, test } from "vitest";
import { expectError, ok, testApp } from "../helpers/app.js";
import { storedOn, UNKNOWN } from "./stored.js";

const app = await testApp();
const { as, make } = app;
const { cardOf, newsOf, expectSound } = storedOn(app);

describe("editing", () => {
  test("what is given changes, what is not stays; one event tells from and to", async () => {
    const { owner, workspace, board, card } = await make.card({ title: "Old", description: "kept", priority: "low" });
    const news = await newsOf(workspace);
    const path = `/cards/${card.publicId}`;

    const answer = ok(await as(owner).put(path, { title: " New ", dueDate: "2026-11-20", priority: "high" }));

    const stored = { title: "New", description: "kept", dueDate: "2026-11-20T00:00:00.000Z", priority: "high" };
    expect(answer).toEqual({ publicId: card.publicId, ...stored });
    expect(await cardOf(owner, card)).toMatchObject(stored);
    expect(await news()).toMatchObject([
      {
        type: "card.updated",
        board: board.publicId,
        card: card.publicId,
        data: {
          changes: {
            title: { from: "Old", to: "New" },
            dueDate: { from: null, to: stored.dueDate },
            dueHasTime: { from: false, to: false },
            priority: { from: "low", to: "high" },
          },
        },
      },
    ]);
    expect(ok(await as(owner).put(path, { dueDate: null, description: "" }))).toMatchObject({ dueDate: null });
    expect(await cardOf(owner, card)).toMatchObject({ dueDate: null, description: "", title: "New" });
    expect(await news()).toHaveLength(1);
    await expectSound(workspace);
  });

  test("nothing given, or what is there already, is 200 and changes nothing", async () => {
    const { owner, workspace, card } = await make.card({
      title: "Same",
      dueDate: "2026-11-20T00:00Z",
      priority: "low",
    });
    const path = `/cards/${card.publicId}`;
    const before = await cardOf(owner, card);
    const news = await newsOf(workspace);

    for (const body of [
      undefined,
      {},
      { title: " Same", description: "", priority: "low", dueDate: "2026-11-20T01:00:00+01:00", completed: false },
      { index: 0 },
      { listPublicId: card.list.publicId },
      { index: 9, listPublicId: card.list.publicId, title: "Same" },
    ]) {
      ok(await as(owner).put(path, body));
    }
    expect(await news()).toEqual([]);
    expect(await cardOf(owner, card)).toEqual(before);
  });

  test("completed sets and clears completedAt once, with card.completed and card.reopened", async () => {
    const { owner, workspace, card } = await make.card();
    const news = await newsOf(workspace);
    const path = `/cards/${card.publicId}`;

    ok(await as(owner).put(path, { completed: true, title: "Done" }));
    const { completedAt } = await cardOf(owner, card);
    ok(await as(owner).put(path, { completed: true }));
    expect(await cardOf(owner, card)).toMatchObject({ completedAt });
    expect(Math.abs(Date.now() - Date.parse(completedAt ?? ""))).toBeLessThan(60_000);
    ok(await as(owner).put(path, { completed: false }));
    expect(await cardOf(owner, card)).toMatchObject({ completedAt: null });

    expect(await news()).toMatchObject([
      { type: "card.updated" },
      { type: "card.completed", card: card.publicId, data: { from: null, to: completedAt } },
      { type: "card.reopened", card: card.publicId, data: { from: completedAt, to: null } },
    ]);
    await expectSound(workspace);
  });

  test.each([
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2026-11-20T23:30:00.123456-05:30", "2026-11-21T05:00:00.123Z"],
    ["2024-02-29T00:00+14:00", "2024-02-28T10:00:00.000Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["0099-06-01T12:00:00Z", "0099-06-01T12:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("the date %s is read back as %s, and the same again is no change", async (dueDate, stored) => {
    const { owner, workspace, card } = await make.card({ dueDate });
    expect(await cardOf(owner, card)).toMatchObject({ dueDate: stored });
    const { card: other } = await make.card({ list: card.list });
    expect(ok(await as(owner).put(`/cards/${other.publicId}`, { dueDate }))).toMatchObject({ dueDate: stored });
    const news = await newsOf(workspace);
    for (const { publicId } of [card, other]) ok(await as(owner).put(`/cards/${publicId}`, { dueDate }));
    expect(await news()).toEqual([]);
  });

  test("guests, strangers and unknown cards are refused", async () => {
    const { owner, board, card } = await make.card({ title: "Mine" });
    const path = `/cards/${card.publicId}`;
    for (const person of [await make.member(board, "guest"), await make.user()]) {
      expectError(await as(person).put(path, { title: "x" }), "FORBIDDEN");
      expectError(await as(person).put(path, { index: 0 }), "FORBIDDEN");
      expectError(await as(person).delete(path), "FORBIDDEN");
      expectError(await as(person).post(`${path}/archive`), "FORBIDDEN");
      expectError(await as(person).post(`${path}/unarchive`), "FORBIDDEN");
    }
    for (const body of [{ title: "x" }, { index: 0 }]) {
      expectError(await as(owner).put(`/cards/${UNKNOWN}`, body), "NOT_FOUND");
    }
    expectError(await as(owner).delete(`/cards/${UNKNOWN}`), "NOT_FOUND");
    expectError(await as(owner).post(`/cards/${UNKNOWN}/archive`), "FORBIDDEN");
    expectError(await as(owner).post(`/cards/${UNKNOWN}/unarchive`), "FORBIDDEN");
    expect(await cardOf(owner, card)).toMatchObject({ title: "Mine", archivedAt: null });
  });
});
