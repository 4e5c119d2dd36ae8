// Guarantees of what can be taken back: for how long, by which changes, and in which words.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { BoardState, FollowedBoard } from "work-board-client/board";
import { Undoables } from "../../../packages/web/src/board/moving/undoables.js";
import { loaded } from "./browser.js";
import { notedBoard } from "./noted.js";
import { boardOf, cardWith, people, wholeBoard } from "./states.js";

const { changeWithUndo, OpenBoard } = await loaded(async () => ({
  ...(await import("../../../packages/web/src/board/moving/inverses.js")),
  ...(await import("../../../packages/web/src/board/openBoard.js")),
}));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a change that can be taken back", () => {
  const offered = () => {
    const undoables = new Undoables();
    const done: string[] = [];
    const offer = (text: string, subject?: string) =>
      undoables.offer({ text, ...(subject && { subject }), run: () => void done.push(text) });
    const texts = () => undoables.all.get().map(({ text }) => text);
    const takeBack = () => {
      const latest = undoables.all.get().at(-1);
      if (latest !== undefined) undoables.takeBack(latest);
    };
    return { undoables, done, offer, texts, takeBack };
  };

  test("is offered for eight seconds, each for its own", () => {
    const { offer, texts } = offered();
    offer("first");
    vi.advanceTimersByTime(3000);
    offer("second");
    expect(texts()).toEqual(["first", "second"]);
    vi.advanceTimersByTime(4999);
    expect(texts()).toEqual(["first", "second"]);
    vi.advanceTimersByTime(1);
    expect(texts()).toEqual(["second"]);
    vi.advanceTimersByTime(3000);
    expect(texts()).toEqual([]);
  });

  test("is taken back once, the last one first", () => {
    const { offer, texts, takeBack, done } = offered();
    offer("first");
    offer("second");
    takeBack();
    expect([texts(), done]).toEqual([["first"], ["second"]]);
    takeBack();
    takeBack();
    expect([texts(), done]).toEqual([[], ["second", "first"]]);
  });

  test("is forgotten by its number alone", () => {
    const { offer, texts, undoables } = offered();
    const first = offer("first");
    offer("second");
    undoables.forget(first);
    expect(texts()).toEqual(["second"]);
  });

  test("is one with the moves of the same thing right before it: named by the last, taken back by the first", () => {
    const { offer, texts, takeBack, done } = offered();
    offer("another");
    offer("to Next", "place of A");
    vi.advanceTimersByTime(7000);
    offer("to Done", "place of A");
    expect(texts()).toEqual(["another", "to Done"]);
    vi.advanceTimersByTime(7000);
    expect(texts()).toEqual(["to Done"]);
    takeBack();
    expect(done).toEqual(["to Next"]);
  });

  test("is one of its own beside moves of other things, behind another change, and without a subject", () => {
    const { offer, texts } = offered();
    offer("A", "place of A");
    offer("B", "place of B");
    offer("A again", "place of A");
    offer("plain");
    offer("plain, too");
    expect(texts()).toEqual(["A", "B", "A again", "plain", "plain, too"]);
  });
});

const at = "2026-12-10T09:30:00.000Z";
const long = `${"word ".repeat(12)}end`;
const board: BoardState = wholeBoard({
  ...boardOf({
    Ideas: [
      cardWith("A", { title: "Paint", cardNumber: 7, labelIds: ["bug"], members: people("ada") }),
      cardWith("B", { title: long, completedAt: at }),
      cardWith("C", { title: "Third" }),
      cardWith("F", { title: "x".repeat(60) }),
    ],
    Next: [cardWith("D", { title: "Fourth" })],
  }),
  labels: [
    { publicId: "bug", name: "Bug", colourCode: "#0090ff" },
    { publicId: "idea", name: "Idea", colourCode: "#0090ff" },
  ],
});

/** An open board that only notes what is changed. `refuses`: as the service would refuse it. */
function noted(refuses = false) {
  const refused = () => Promise.reject(new Error("refused"));
  const { calls, followed } = notedBoard(() => board, refuses ? refused : undefined);
  const open = new OpenBoard(followed);
  const texts = () => open.undoables.all.get().map(({ text }) => text);
  const takeBack = () => {
    const [latest] = open.undoables.all.get().slice(-1);
    calls.length = 0;
    if (latest !== undefined) open.undoables.takeBack(latest);
    return calls;
  };
  return { open, calls, texts, takeBack };
}

type Made = Parameters<FollowedBoard["change"]>;
const update = (cardPublicId: string, fields: object): Made => ["card.update", { cardPublicId, ...fields }];
const place = (cardPublicId: string, listPublicId: string, index: number) =>
  update(cardPublicId, { listPublicId, index });
const cut = `${"word ".repeat(12).trimEnd()}…`;

describe("a change is told and taken back:", () => {
  test.each<[string, Made, string, unknown[][]]>([
    ["a move", place("A", "next", 0), "Moved Paint (WB-7) to Next", [place("A", "ideas", 0)]],
    [
      "a move by its list alone",
      update("C", { listPublicId: "next" }),
      "Moved Third to Next",
      [place("C", "ideas", 2)],
    ],
    ["a move within a list", update("C", { index: 0 }), "Moved Third to Ideas", [place("C", "ideas", 2)]],
    [
      "a move away",
      update("D", { listPublicId: "elsewhere" }),
      "Moved Fourth to another board",
      [place("D", "next", 0)],
    ],
    ["a title that is cut", place("B", "next", 1), `Moved ${cut} to Next`, [place("B", "ideas", 1)]],
    ["a title as long as may be", place("F", "next", 0), `Moved ${"x".repeat(60)} to Next`, [place("F", "ideas", 3)]],
    ["completing", update("A", { completed: true }), "Completed Paint (WB-7)", [update("A", { completed: false })]],
    ["reopening", update("B", { completed: false }), `Reopened ${cut}`, [update("B", { completed: true })]],
    [
      "archiving",
      ["card.archive", { cardPublicId: "C" }],
      "Archived Third",
      [["card.unarchive", { cardPublicId: "C" }], place("C", "ideas", 2)],
    ],
    [
      "a label that is put on",
      ["card.toggleLabel", { cardPublicId: "A", labelPublicId: "idea", on: true }],
      "Put Idea on Paint (WB-7)",
      [["card.toggleLabel", { cardPublicId: "A", labelPublicId: "idea", on: false }]],
    ],
    [
      "a label that is taken off",
      ["card.toggleLabel", { cardPublicId: "A", labelPublicId: "bug", on: false }],
      "Took Bug off Paint (WB-7)",
      [["card.toggleLabel", { cardPublicId: "A", labelPublicId: "bug", on: true }]],
    ],
    [
      "a person who is assigned",
      ["card.toggleMember", { cardPublicId: "C", memberPublicId: "ada", on: true }],
      "Assigned Third to Person ada",
      [["card.toggleMember", { cardPublicId: "C", memberPublicId: "ada", on: false }, ["Person ada"]]],
    ],
    [
      "a person who is no longer assigned",
      ["card.toggleMember", { cardPublicId: "A", memberPublicId: "ada", on: false }],
      "Took Paint (WB-7) from Person ada",
      [["card.toggleMember", { cardPublicId: "A", memberPublicId: "ada", on: true }, ["Person ada"]]],
    ],
    [
      "a list that is moved",
      ["board.lists.update", { listPublicId: "next", index: 0 }],
      "Moved the list Next",
      [["board.lists.update", { listPublicId: "next", index: 1 }]],
    ],
  ])("%s", (_, change, text, back) => {
    const { open, calls, texts, takeBack } = noted();
    changeWithUndo(open, ...change);
    expect(calls.map(([path, input]) => [path, input])).toEqual([change]);
    expect(texts()).toEqual([text]);
    expect(takeBack()).toEqual(back);
    expect(texts()).toEqual([]);
  });

  test.each<[string, Made]>([
    ["a move to the place where it is", place("C", "ideas", 2)],
    ["a card that is on no list", place("X", "ideas", 0)],
    ["completing what is done", update("B", { completed: true })],
    ["reopening what is open", update("A", { completed: false })],
    ["another title", update("A", { title: "New" })],
    ["a label that is on", ["card.toggleLabel", { cardPublicId: "A", labelPublicId: "bug", on: true }]],
    ["a person who is assigned", ["card.toggleMember", { cardPublicId: "A", memberPublicId: "ada", on: true }]],
    ["a list that stays", ["board.lists.update", { listPublicId: "next", index: 1 }]],
    ["the name of a list", ["board.lists.update", { listPublicId: "next", name: "Then" }]],
    ["a card that is deleted", ["card.delete", { cardPublicId: "A" }]],
  ])("%s is made, and not offered to be taken back", (_, change) => {
    const { open, calls, texts } = noted();
    changeWithUndo(open, ...change);
    expect(calls).toHaveLength(1);
    expect(texts()).toEqual([]);
  });

  test("moves of one card are taken back as one", () => {
    const { open, texts, takeBack } = noted();
    changeWithUndo(open, ...place("C", "next", 0));
    changeWithUndo(open, ...place("C", "next", 1));
    expect(texts()).toEqual(["Moved Third to Next"]);
    expect(takeBack()).toEqual([place("C", "ideas", 2)]);
  });

  test("a change that the service refuses cannot be taken back", async () => {
    const { open, texts } = noted(true);
    changeWithUndo(open, ...place("C", "next", 0));
    expect(texts()).toEqual(["Moved Third to Next"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(texts()).toEqual([]);
  });
});
