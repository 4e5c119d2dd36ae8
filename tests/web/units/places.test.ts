// Guarantees of moving things on an open board: what is said, where they go, and when they go back.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Role } from "../../../src/access/permissions.js";
import { loaded } from "./browser.js";
import { heard } from "./heard.js";
import { notedBoard } from "./noted.js";
import { boardOf, cardWith, meOf, wholeBoard } from "./states.js";

const { Moves, moveTogether, OpenBoard, placeAt, edgeScroller } = await loaded(async () => ({
  ...(await import("../../../packages/web/src/board/moving/moves.js")),
  ...(await import("../../../packages/web/src/board/undo/history.js")),
  ...(await import("../../../packages/web/src/board/selection/moveTogether.js")),
  ...(await import("../../../packages/web/src/board/openBoard.js")),
  ...(await import("../../../packages/web/src/board/dragging/placeAt.js")),
  ...(await import("../../../packages/web/src/board/dragging/scrollAtEdges.js")),
}));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", () => 0);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const cards = (...ids: string[]) => ids.map((id) => cardWith(id, { title: `Card ${id}` }));

/** An open board that only notes what is changed. */
function opened(isShown: (id: string) => boolean = () => true) {
  let board = wholeBoard(boardOf({ Ideas: cards("A", "B", "C"), Next: cards("D", "E"), Done: [] }));
  const { calls, followed } = notedBoard(() => board);
  const open = new OpenBoard(followed);
  const moves = new Moves(open, isShown);
  const setRole = (role: Role) => {
    board = { ...board, me: meOf(role) };
  };
  const forbid = (permission: string) => {
    const permissions = board.me.permissions.filter((one) => one !== permission);
    board = { ...board, me: { ...board.me, permissions } };
  };
  const remove = (id: string) => {
    board = {
      ...board,
      lists: board.lists.map((list) => ({ ...list, cardIds: list.cardIds.filter((one) => one !== id) })),
    };
  };
  return { open, moves, calls, setRole, forbid, remove };
}

const to = (cardPublicId: string, listPublicId: string, index: number) => [
  "card.update",
  { cardPublicId, listPublicId, index },
];

describe("a card that is moved", () => {
  test("one place by a key says where it is, or that it goes no further", async () => {
    const { moves, calls } = opened();
    moves.stepCard("A", "ArrowDown");
    expect(await heard()).toBe("Moved Card A, 2 of 3 in Ideas. Ctrl+Z takes it back");
    moves.stepCard("B", "ArrowRight");
    expect(await heard()).toBe("Moved Card B, 2 of 3 in Next. Ctrl+Z takes it back");
    moves.stepCard("D", "ArrowUp");
    expect(await heard()).toBe("First in Next");
    moves.stepCard("E", "ArrowDown");
    expect(await heard()).toBe("Last in Next");
    moves.stepCard("A", "ArrowLeft");
    expect(await heard()).toBe("First list");
    expect(calls).toEqual([to("A", "ideas", 1), to("B", "next", 1)]);
  });

  test("to a chosen place says its words, and changes nothing if it is there", async () => {
    const { moves, calls } = opened();
    moves.moveCard("B", { listPublicId: "ideas", index: 1 }, "2 of 3 in Ideas");
    expect(await heard()).toBe("2 of 3 in Ideas");
    expect(calls).toEqual([]);
    moves.moveCard("B", { listPublicId: "elsewhere", index: 0 }, "1 of 1 in Elsewhere");
    expect(calls).toEqual([to("B", "elsewhere", 0)]);
  });

  test("picked up by keys goes step by step, and is changed once when it is dropped", async () => {
    const { open, moves, calls } = opened();
    expect(moves.pickUp("card", "B", false)).toBe(1);
    expect(await heard()).toBe(
      "Card B picked up, 2 of 3 in Ideas. Arrows move it, Space drops it, Escape puts it back",
    );
    moves.step("ArrowUp");
    expect(await heard()).toBe("1 of 3 in Ideas");
    moves.step("ArrowUp");
    expect(await heard()).toBe("First in Ideas");
    moves.step("ArrowRight");
    expect(moves.targetText()).toBe("1 of 3 in Next");
    expect(calls).toEqual([]);
    moves.drop();
    expect([calls, open.moving.get()]).toEqual([[to("B", "next", 0)], null]);
    expect(await heard()).toBe("Dropped, 1 of 3 in Next. Ctrl+Z takes it back");
    expect(moves.targetText()).toBe("");
  });

  test("is not changed when it is dropped where it was, outside of the board, or put back", async () => {
    const { open, moves, calls } = opened();
    moves.pickUp("card", "B", true);
    moves.drop();
    expect(await heard()).toBe("Dropped, 2 of 3 in Ideas");
    moves.pickUp("card", "B", true);
    moves.setTarget(null);
    expect([await heard(), moves.targetText()]).toEqual(["back to its place", "back to its place"]);
    moves.drop();
    expect([await heard(), open.moving.get()]).toEqual(["Put back", null]);
    moves.pickUp("card", "B", false);
    moves.step("ArrowDown");
    moves.cancel();
    expect([await heard(), open.moving.get(), calls]).toEqual(["Put back", null, []]);
  });

  test("that is gone cannot be picked up", () => {
    const { open, moves } = opened();
    expect(moves.pickUp("card", "X", true)).toBe(0);
    expect(open.moving.get()).toBeNull();
  });

  test("takes the selected ones along when it is dragged, and not by keys", async () => {
    const { open, moves } = opened((id) => id !== "D");
    open.selection.add(["A", "C", "D"]);
    expect(moves.pickUp("card", "A", true)).toBe(2);
    expect(await heard()).toBe("2 cards picked up, 1 of 3 in Ideas");
    expect(moves.pickUp("card", "B", true)).toBe(1);
    expect(moves.pickUp("card", "A", false)).toBe(1);
  });

  test("is dropped by the bar of the selection if that does it", () => {
    const { open, moves, calls } = opened();
    const dropped: unknown[] = [];
    const bar = (isAll: boolean) => ({
      press: () => false,
      drop: (...drop: unknown[]) => dropped.push(drop) > 0 && isAll,
    });
    for (const [isDragged, isAll] of [
      [true, true],
      [true, false],
      [false, true],
    ] as const) {
      open.selection.bar = bar(isAll);
      moves.pickUp("card", "A", isDragged);
      moves.setTarget({ listPublicId: "done", index: 0 });
      moves.drop();
    }
    const place = { listPublicId: "done", index: 0 };
    expect(dropped).toEqual([
      ["A", place],
      ["A", place],
    ]);
    expect(calls).toEqual([to("A", "done", 0), to("A", "done", 0)]);
  });

  test.each<[string, (board: ReturnType<typeof opened>) => void, boolean]>([
    ["stays while nothing happens", () => {}, false],
    ["goes back when its reader may no longer move it", ({ setRole }) => setRole("guest"), true],
    ["goes back when it is gone", ({ remove }) => remove("B"), true],
    ["stays when another one is gone", ({ remove }) => remove("A"), false],
  ])("%s", (_, happens, isBack) => {
    const board = opened();
    board.moves.pickUp("card", "B", false);
    happens(board);
    board.moves.cancelIfLost();
    expect(board.open.moving.get() === null).toBe(isBack);
  });
});

describe("a list that is moved", () => {
  test("needs the permission for lists, and a card that for cards", () => {
    for (const [kind, id, other, own] of [
      ["list", "next", "card:edit", "list:edit"],
      ["card", "B", "list:edit", "card:edit"],
    ] as const) {
      const { open, moves, forbid } = opened();
      moves.pickUp(kind, id, true);
      forbid(other);
      moves.cancelIfLost();
      expect(open.moving.get()?.publicId).toBe(id);
      forbid(own);
      moves.cancelIfLost();
      expect(open.moving.get()).toBeNull();
    }
  });

  const byKey = "Ctrl+Z takes it back";
  test.each<[string, number, number | null, string]>([
    ["ideas", 1, 1, `Moved Ideas, 2 of 3. ${byKey}`],
    ["done", 0, 0, `Moved Done, 1 of 3. ${byKey}`],
    ["ideas", -1, null, "First list"],
    ["done", 3, null, "Last list"],
    ["done", 2, 2, "Moved Done, 3 of 3"],
  ])("%s to %i", async (list, index, place, sentence) => {
    const { moves, calls } = opened();
    moves.moveList(list, index);
    expect(calls).toEqual(place === null ? [] : [["board.lists.update", { listPublicId: list, index: place }]]);
    expect(await heard()).toBe(sentence);
  });

  test("by a pointer says where it is", async () => {
    const { moves, calls } = opened();
    moves.pickUp("list", "next", true);
    expect(await heard()).toBe("Next picked up, 2 of 3");
    moves.setTarget({ listPublicId: "next", index: 2 });
    moves.drop();
    expect(calls).toEqual([["board.lists.update", { listPublicId: "next", index: 2 }]]);
  });
});

describe("cards that are moved together", () => {
  const bulk = (cardPublicIds: string[], listPublicId: string, index: number) => [
    "card.bulk.move",
    { cardPublicIds, listPublicId, index },
  ];
  test.each<[string, string[][], string, string, number, unknown[]]>([
    ["to another list", [["A", "C"]], "A", "next", 1, [bulk(["A", "C"], "next", 1)]],
    ["to the top", [["D", "E"]], "E", "ideas", 0, [bulk(["D", "E"], "ideas", 0)]],
    ["behind what is not moved", [["A", "B"]], "B", "ideas", 2, [bulk(["A", "B"], "ideas", 1)]],
    ["to where they are", [["B", "C"]], "B", "ideas", 1, []],
    [
      "in two calls, the second behind the first",
      [["A"], ["B"]],
      "A",
      "next",
      2,
      [bulk(["A"], "next", 2), bulk(["B"], "next", 0)],
    ],
  ])("%s", (_, chunks, dropped, listPublicId, index, expected) => {
    const { open, calls } = opened();
    moveTogether(open, chunks, dropped, { listPublicId, index });
    expect(calls).toEqual(expected);
  });
});

/** An element at a place of the window. */
const box = (left: number, top: number, width: number, height: number, fields: object = {}) =>
  ({
    clientWidth: width,
    getBoundingClientRect: () => ({ left, top, width, height, right: left + width, bottom: top + height }),
    ...fields,
  }) as unknown as HTMLElement;

/** Three lists of 100 pixels, side by side, with cards of 40 pixels; the first card of each begins at 50. */
function laidOut(isShown: (id: string) => boolean = () => true, isRendered = isShown) {
  const { open, moves } = opened();
  const lists = () => open.followed.state().board?.lists ?? [];
  const root = box(0, 0, 300, 400, { scrollLeft: 0 });
  const none = { current: null };
  for (const [at, list] of lists().entries()) {
    const scroller = { current: box(at * 100, 50, 100, 350, { scrollTop: 0 }) };
    open.lists.add(list.publicId, {
      root: box(at * 100, 0, 100, 400),
      head: none,
      scroller,
      addButton: none,
      composer: none,
      rename: none,
    });
    for (const [index, id] of list.cardIds.filter(isRendered).entries())
      open.cards.add(id, { root: box(at * 100, 50 + index * 40, 100, 40), title: none, menuButton: none });
  }
  return {
    context: { root, open, moves, lists, isShown },
    scrollerOf: (id: string) => open.lists.get(id)?.scroller.current,
  };
}

describe("a point of the board", () => {
  const element = box(0, 0, 0, 0);
  const card = { kind: "card", publicId: "A", element } as const;
  test.each<[string, number, number, [string, number] | null]>([
    ["over the upper half of a card is the place before it", 150, 60, ["next", 0]],
    ["over the lower half of a card is the place behind it", 150, 80, ["next", 1]],
    ["below all cards is the end", 150, 300, ["next", 2]],
    ["of an empty list is its only place", 250, 60, ["done", 0]],
    ["over the card itself is where it is", 50, 60, ["ideas", 0]],
    ["behind the next card of its list is the place of that", 50, 115, ["ideas", 1]],
    ["at the right edge of a list is of the next one", 100, 60, ["next", 0]],
    ["left of the board is none", -1, 60, null],
    ["right of the board is none", 301, 60, null],
    ["above the board is none", 50, -1, null],
    ["below the board is none", 50, 401, null],
  ])("%s", (_, x, y, place) => {
    const { context } = laidOut();
    const expected = place && { listPublicId: place[0], index: place[1] };
    expect(placeAt(context, card, { x, y })).toEqual(expected);
  });

  test("of a list that renders none of its cards is the end", () => {
    const { context } = laidOut(undefined, () => false);
    expect(placeAt(context, card, { x: 150, y: 80 })).toEqual({ listPublicId: "next", index: 2 });
  });

  test("counts what is hidden, too", () => {
    const { context } = laidOut((id) => id !== "D");
    expect(placeAt(context, card, { x: 150, y: 80 })).toEqual({ listPublicId: "next", index: 2 });
  });

  test.each([
    [49, 0],
    [51, 1],
    [249, 1],
    [251, 2],
  ])("for a list at %i is among the middles of the others: %i", (x, index) => {
    const { context } = laidOut();
    const place = placeAt(context, { kind: "list", publicId: "next", element }, { x, y: 10 });
    expect(place).toEqual({ listPublicId: "next", index });
  });
});

describe("what is dragged to an edge", () => {
  const middle = { x: 150, y: 200 };
  test.each<[string, number, number, number, number]>([
    ["scrolls to the right", 299, 200, 1, 0],
    ["scrolls to the left", 1, 200, -1, 0],
    ["scrolls down", 150, 395, 0, 1],
    ["scrolls up", 150, 55, 0, -1],
    ["scrolls nothing in the middle", 150, 200, 0, 0],
  ])("%s", (_, x, y, across, down) => {
    const { context, scrollerOf } = laidOut();
    edgeScroller(context, true, middle)({ x, y }, 16);
    expect(Math.sign(context.root.scrollLeft)).toBe(across);
    expect(
      ["ideas", "next", "done"].map((id) => Math.sign(scrollerOf(id)?.scrollTop ?? 0)).reduce((a, b) => a + b),
    ).toBe(down);
  });

  test("scrolls faster nearer to the edge, and not while it moves away from it", () => {
    const stepAt = (x: number, begun = 150) => {
      const { context } = laidOut();
      edgeScroller(context, true, { x: begun, y: 200 })({ x, y: 200 }, 100);
      return context.root.scrollLeft;
    };
    expect(stepAt(299)).toBeGreaterThan(stepAt(270));
    expect(stepAt(270)).toBe(26);
    expect(stepAt(290, 299)).toBe(0);
    expect(stepAt(900)).toBe(120);
  });

  test("of a list scrolls the board alone", () => {
    const { context, scrollerOf } = laidOut();
    edgeScroller(context, false, middle)({ x: 150, y: 395 }, 16);
    expect(scrollerOf("next")?.scrollTop).toBe(0);
  });
});
