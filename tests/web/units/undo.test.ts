// Guarantees of what can be taken back and made again: for how long, by which changes, in which words, and what is left as it is.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { BoardState, FollowedBoard } from "work-board-client/board";
import { Undoables } from "../../../packages/web/src/board/undo/undoables.js";
import { loaded } from "./browser.js";
import { heard } from "./heard.js";
import { notedBoard } from "./noted.js";
import { boardOf, cardWith, people, wholeBoard } from "./states.js";

const { changeWithUndo, historyOf, OpenBoard, sentenceOf } = await loaded(async () => ({
  ...(await import("../../../packages/web/src/board/undo/changes.js")),
  ...(await import("../../../packages/web/src/board/undo/history.js")),
  ...(await import("../../../packages/web/src/board/undo/sentences.js")),
  ...(await import("../../../packages/web/src/board/openBoard.js")),
}));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a change that can be taken back", () => {
  interface Field {
    name: string;
    before: number;
    after: number;
  }

  /** Changes of named numbers. */
  const offered = () => {
    const values: Record<string, number> = {};
    const undoables = new Undoables<Field>({
      isThere: ({ name }) => values[name] !== undefined,
      is: ({ name, ...sides }, side) => values[name] === sides[side],
      make: (fields, side) => {
        for (const { name, ...sides } of fields) values[name] = sides[side];
      },
    });
    const set = (name: string, after: number, subject?: string) => {
      const before = values[name] ?? 0;
      values[name] = after;
      return undoables.offer({ text: `${name} is ${after}`, subject, parts: [{ name, before, after }] });
    };
    const text = () => undoables.offered.get()?.text;
    return { undoables, values, set, text };
  };

  test("is offered for eight seconds, and again once those behind it are taken back", () => {
    const { set, text, undoables } = offered();
    set("a", 1);
    vi.advanceTimersByTime(3000);
    set("b", 1);
    expect(text()).toBe("b is 1");
    undoables.takeBack();
    expect(text()).toBe("a is 1");
    vi.advanceTimersByTime(4999);
    expect(text()).toBe("a is 1");
    vi.advanceTimersByTime(1);
    expect(text()).toBeUndefined();
  });

  test("stays offered while it is held, and for eight seconds behind that, also if it is held at its end", () => {
    const { set, text, undoables } = offered();
    set("a", 1);
    vi.advanceTimersByTime(7999);
    undoables.hold(true);
    vi.advanceTimersByTime(60_000);
    expect(text()).toBe("a is 1");
    undoables.hold(false);
    vi.advanceTimersByTime(7999);
    expect(text()).toBe("a is 1");
    vi.advanceTimersByTime(1);
    expect(text()).toBeUndefined();
  });

  test("is taken back long after its offer has ended or was dismissed, and made again until something new is changed", () => {
    const { set, text, undoables, values } = offered();
    set("a", 1);
    undoables.dismiss();
    expect(text()).toBeUndefined();
    set("b", 2);
    vi.advanceTimersByTime(60_000);
    undoables.takeBack();
    undoables.takeBack();
    expect(values).toEqual({ a: 0, b: 0 });
    expect(undoables.takeBack()).toBeNull();
    expect(undoables.makeAgain()?.text).toBe("a is 1");
    expect(values).toEqual({ a: 1, b: 0 });
    set("c", 3);
    expect(undoables.makeAgain()).toBeNull();
    undoables.takeBack();
    undoables.makeAgain();
    expect(values).toEqual({ a: 1, b: 0, c: 3 });
  });

  test("is one of the last twenty: one that somebody changed since and one that is gone are left, which is said", () => {
    const { set, undoables, values } = offered();
    for (let at = 0; at <= 20; at += 1) set(`n${at}`, 1);
    values.n5 = 7;
    delete values.n6;
    const said = Array.from({ length: 21 }, () => sentenceOf(undoables.takeBack(), "before"));
    expect(said[0]).toBe("Taken back: n20 is 1");
    expect(said[14]).toBe("Not taken back: n6 is 1: it is no longer on the board");
    expect(said[15]).toBe("Not taken back: n5 is 1: somebody else changed it since");
    expect(said[19]).toBe("Taken back: n1 is 1");
    expect(said[20]).toBe("Nothing to take back");
    expect([values.n0, values.n1, values.n5, values.n6]).toEqual([1, 0, 7, undefined]);
    expect(sentenceOf(undoables.makeAgain(), "after")).toBe("Made again: n1 is 1");
  });

  test("of several things leaves those that somebody else changed since, and says both", () => {
    const { undoables, values } = offered();
    const names = ["a", "b", "c"];
    for (const name of names) values[name] = 1;
    undoables.offer({ text: "Three", parts: names.map((name) => ({ name, before: 0, after: 1 })) });
    values.b = 9;
    expect(sentenceOf(undoables.takeBack(), "before")).toBe(
      "2 changes taken back, 1 kept: somebody else changed it since",
    );
    expect(values).toEqual({ a: 0, b: 9, c: 0 });
    expect(sentenceOf(undoables.makeAgain(), "after")).toBe("Made again: Three");
    expect(values).toEqual({ a: 1, b: 9, c: 1 });
    expect(sentenceOf(undoables.makeAgain(), "after")).toBe("Nothing to make again");
  });

  test("is forgotten by its number alone", () => {
    const { set, text, undoables } = offered();
    const first = set("a", 1);
    set("b", 1);
    undoables.forget(first);
    expect(text()).toBe("b is 1");
    undoables.takeBack();
    expect(undoables.takeBack()).toBeNull();
  });

  test("is one with the moves of the same thing right before it: named by the last, taken back by the first", () => {
    const { set, undoables, values } = offered();
    set("other", 1);
    set("a", 1, "place of a");
    vi.advanceTimersByTime(7000);
    set("a", 2, "place of a");
    vi.advanceTimersByTime(7000);
    expect(undoables.takeBack()?.text).toBe("a is 2");
    expect(values).toEqual({ other: 1, a: 0 });
    undoables.makeAgain();
    expect(values).toEqual({ other: 1, a: 2 });
  });

  test("is one of its own beside moves of other things, behind another change, later, and without a subject", () => {
    const { set, undoables } = offered();
    set("a", 1, "place of a");
    set("b", 1, "place of b");
    set("a", 2, "place of a");
    vi.advanceTimersByTime(8000);
    set("a", 3, "place of a");
    set("c", 1);
    set("c", 2);
    let count = 0;
    while (undoables.takeBack() !== null) count += 1;
    expect(count).toBe(6);
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
    Next: [cardWith("D", { title: "Fourth", members: people("ada") })],
  }),
  labels: [
    { publicId: "bug", name: "Bug", colourCode: "#0090ff" },
    { publicId: "idea", name: "Idea", colourCode: "#0090ff" },
  ],
});

/** An open board that only notes what is changed. `refuses`: as the service would refuse it. */
function noted(refuses = false) {
  const refused = () => Promise.reject(new Error("refused"));
  let state = board;
  const { calls, followed } = notedBoard(() => state, refuses ? refused : undefined);
  const open = new OpenBoard(followed);
  const history = historyOf(open);
  const text = () => history.offered.get()?.text;
  /** Takes the change back on a board on which it was made. */
  const takeBack = (made: BoardState) => {
    state = made;
    calls.length = 0;
    const sentence = sentenceOf(history.takeBack(), "before");
    return { calls, sentence };
  };
  return { open, calls, text, takeBack };
}

type Made = Parameters<FollowedBoard["change"]>;
const update = (cardPublicId: string, fields: object): Made => ["card.update", { cardPublicId, ...fields }];
const place = (cardPublicId: string, listPublicId: string, index: number) =>
  update(cardPublicId, { listPublicId, index });
const cut = `${"word ".repeat(12).trimEnd()}…`;

/** The board after a change, as far as what takes that back compares it. */
function boardAfter([path, input]: Made): BoardState {
  const {
    cardPublicId = "",
    listPublicId = "",
    index,
    title,
    completed,
    dueDate,
    labelPublicId,
    memberPublicId,
    on,
  } = input as Record<string, string> & { index?: number; completed?: boolean; on?: boolean };
  const card = board.cards[cardPublicId] ?? cardWith("X");
  const put = (all: readonly string[], id: string, to = all.length) =>
    all.filter((one) => one !== id).toSpliced(to, 0, id);
  if (path === "board.lists.update") {
    const order = put(
      board.lists.map(({ publicId }) => publicId),
      listPublicId,
      index,
    );
    return { ...board, lists: order.flatMap((id) => board.lists.find(({ publicId }) => publicId === id) ?? []) };
  }
  const isMove = path === "card.archive" || (path === "card.update" && (index !== undefined || listPublicId !== ""));
  const home = board.lists.find(({ cardIds }) => cardIds.includes(cardPublicId))?.publicId;
  const lists = !isMove
    ? board.lists
    : board.lists.map((list) => {
        const isThere = path !== "card.archive" && list.publicId === (listPublicId || home);
        const others = list.cardIds.filter((id) => id !== cardPublicId);
        return { ...list, cardIds: isThere ? put(others, cardPublicId, index) : others };
      });
  const changed = {
    ...card,
    ...(title !== undefined && { title }),
    ...(completed !== undefined && { completedAt: completed ? at : null }),
    ...(dueDate !== undefined && { dueDate: `${dueDate}T00:00:00.000Z`, dueHasTime: false }),
    ...(labelPublicId !== undefined && { labelIds: on ? [...card.labelIds, labelPublicId] : [] }),
    ...(memberPublicId !== undefined && { members: on ? people(memberPublicId) : [] }),
  };
  return { ...board, lists, cards: { ...board.cards, [cardPublicId]: changed } };
}

describe("a change is told and taken back:", () => {
  test.each<[string, Made, string, unknown[][]]>([
    ["a move", place("A", "next", 0), "Moved Paint to Next", [place("A", "ideas", 0)]],
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
    ["completing", update("A", { completed: true }), "Completed Paint", [update("A", { completed: false })]],
    ["reopening", update("B", { completed: false }), `Reopened ${cut}`, [update("B", { completed: true })]],
    [
      "archiving",
      ["card.archive", { cardPublicId: "C" }],
      "Archived Third",
      [["card.unarchive", { cardPublicId: "C" }], place("C", "ideas", 2)],
    ],
    ["another title", update("A", { title: "New" }), "Renamed Paint to New", [update("A", { title: "Paint" })]],
    [
      "a due date",
      update("A", { dueDate: "2026-12-24" }),
      "Changed the due date of Paint",
      [update("A", { dueDate: null })],
    ],
    [
      "a label that is put on",
      ["card.toggleLabel", { cardPublicId: "A", labelPublicId: "idea", on: true }],
      "Put Idea on Paint",
      [["card.toggleLabel", { cardPublicId: "A", labelPublicId: "idea", on: false }]],
    ],
    [
      "a label that is taken off",
      ["card.toggleLabel", { cardPublicId: "A", labelPublicId: "bug", on: false }],
      "Took Bug off Paint",
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
      "Took Paint from Person ada",
      [["card.toggleMember", { cardPublicId: "A", memberPublicId: "ada", on: true }, ["Person ada"]]],
    ],
    [
      "a list that is moved",
      ["board.lists.update", { listPublicId: "next", index: 0 }],
      "Moved the list Next",
      [["board.lists.update", { listPublicId: "next", index: 1 }]],
    ],
  ])("%s", async (_, change, text, back) => {
    const board = noted();
    changeWithUndo(board.open, change);
    expect(board.calls.map(([path, input]) => [path, input])).toEqual([change]);
    expect(await heard()).toBe(`${text}. Ctrl+Z takes it back`);
    expect(board.text()).toBe(text);
    expect(board.takeBack(boardAfter(change))).toEqual({ calls: back, sentence: `Taken back: ${text}` });
    expect(board.text()).toBeUndefined();
  });

  test.each<[string, Made]>([
    ["a move to the place where it is", place("C", "ideas", 2)],
    ["a card that is on no list", place("X", "ideas", 0)],
    ["completing what is done", update("B", { completed: true })],
    ["reopening what is open", update("A", { completed: false })],
    ["the same title", update("A", { title: "Paint" })],
    ["another description", update("A", { description: "New" })],
    ["a label that is on", ["card.toggleLabel", { cardPublicId: "A", labelPublicId: "bug", on: true }]],
    ["a person who is assigned", ["card.toggleMember", { cardPublicId: "A", memberPublicId: "ada", on: true }]],
    ["a list that stays", ["board.lists.update", { listPublicId: "next", index: 1 }]],
    ["the name of a list", ["board.lists.update", { listPublicId: "next", name: "Then" }]],
    ["a card that is deleted", ["card.delete", { cardPublicId: "A" }]],
  ])("%s is made, and not offered to be taken back", async (_, change) => {
    const { open, calls, text } = noted();
    changeWithUndo(open, change);
    expect(await heard()).toBe("");
    expect(calls).toHaveLength(1);
    expect(text()).toBeUndefined();
  });

  test.each<[string, Made, BoardState]>([
    ["a card that somebody else moved", place("A", "next", 0), boardAfter(place("A", "ideas", 1))],
    ["a card that was moved within its list, too", place("A", "next", 0), boardAfter(place("A", "next", 1))],
    ["a title that somebody else changed", update("A", { title: "New" }), boardAfter(update("A", { title: "Newer" }))],
    [
      "a label that somebody else took off",
      ["card.toggleLabel", { cardPublicId: "A", labelPublicId: "idea", on: true }],
      boardAfter(["card.toggleLabel", { cardPublicId: "A", labelPublicId: "idea", on: false }]),
    ],
    ["a card that somebody else restored", ["card.archive", { cardPublicId: "A" }], board],
  ])("%s is left as it is", async (_, change, now) => {
    const { open, takeBack } = noted();
    changeWithUndo(open, change);
    await heard();
    const { calls, sentence } = takeBack(now);
    expect([calls, sentence]).toEqual([[], expect.stringMatching(/: somebody else changed it since$/)]);
  });

  test("a card that others changed otherwise, and between whose neighbours others came and went, is put back", async () => {
    const { open, takeBack } = noted();
    changeWithUndo(open, place("A", "next", 1));
    await heard();
    const moved = boardAfter(place("A", "next", 1));
    const lists = moved.lists.map((list) =>
      list.publicId === "next" ? { ...list, cardIds: ["new", ...list.cardIds.filter((id) => id !== "D")] } : list,
    );
    const cards = { ...moved.cards, A: cardWith("A", { title: "Renamed" }) };
    expect(takeBack({ ...moved, lists, cards }).calls).toEqual([place("A", "ideas", 0)]);
  });

  test("a card that is gone is left as it is", async () => {
    const { open, takeBack } = noted();
    changeWithUndo(open, update("A", { completed: true }));
    await heard();
    const { A: _, ...cards } = board.cards;
    expect(takeBack({ ...board, cards })).toEqual({
      calls: [],
      sentence: "Not taken back: Completed Paint: it is no longer on the board",
    });
  });

  test("a card that got its identifier meanwhile is changed by that", async () => {
    const { open, takeBack } = noted();
    changeWithUndo(open, update("A", { completed: true }));
    await heard();
    const { A = cardWith("A"), ...cards } = boardAfter(update("A", { completed: true })).cards;
    const known = { ...A, publicId: "known", key: "A" };
    expect(takeBack({ ...board, cards: { ...cards, known } }).calls).toEqual([update("known", { completed: false })]);
  });

  test("cards that were moved together are taken back together", async () => {
    const { open, takeBack } = noted();
    const move: Made = ["card.bulk.move", { cardPublicIds: ["A", "C"], listPublicId: "next", index: 0 }];
    changeWithUndo(open, move);
    await heard();
    const lists = board.lists.map((list) => ({
      ...list,
      cardIds: list.publicId === "next" ? ["A", "C", "D"] : ["B", "F"],
    }));
    expect(takeBack({ ...board, lists })).toEqual({
      calls: [place("A", "ideas", 0), place("C", "ideas", 2)],
      sentence: "Taken back: Moved 2 cards to Next",
    });
  });

  test("moves of one card are taken back as one", async () => {
    const { open, text, takeBack } = noted();
    changeWithUndo(open, place("C", "next", 0));
    changeWithUndo(open, place("C", "next", 1));
    await heard();
    expect(text()).toBe("Moved Third to Next");
    expect(takeBack(boardAfter(place("C", "next", 1))).calls).toEqual([place("C", "ideas", 2)]);
  });

  test("a change that the service refuses cannot be taken back", async () => {
    const { open, takeBack } = noted(true);
    changeWithUndo(open, place("C", "next", 0));
    await heard();
    expect(takeBack(board)).toEqual({ calls: [], sentence: "Nothing to take back" });
  });
});
