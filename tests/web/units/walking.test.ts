// Guarantees of walking and selecting on a board: the cards and lists beside one, ranges, and the keys of each role.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Elements } from "../../../packages/web/src/board/elements.js";
import { isArrow, isSideways, listsBeside, neighbourOf } from "../../../packages/web/src/board/neighbours.js";
import { Selection, selectedOn } from "../../../packages/web/src/board/selection/selection.js";
import { texts } from "../../../packages/web/src/texts/later.js";
import type { Role } from "../../../src/access/permissions.js";
import { loaded } from "./browser.js";
import { heard } from "./heard.js";
import { notedBoard } from "./noted.js";
import { boardOf, cardWith, meOf, wholeBoard } from "./states.js";

const { BoardContext, focusNeighbour, OpenBoard, useCardActions } = await loaded(async () => ({
  ...(await import("../../../packages/web/src/board/focus.js")),
  ...(await import("../../../packages/web/src/board/context.js")),
  ...(await import("../../../packages/web/src/board/openBoard.js")),
  ...(await import("../../../packages/web/src/board/cardActions.js")),
}));

const cards = (...ids: string[]) => ids.map((id) => cardWith(id));
const shown = boardOf({ Ideas: cards("A", "B", "C"), Empty: [], Next: cards("D", "E"), Done: cards("F") });
const { lists } = shown;
const without =
  (...hidden: string[]) =>
  (id: string) =>
    !hidden.includes(id);

test("arrows are the keys that walk, and two of them go sideways", () => {
  const keys = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", "a"];
  expect(keys.filter(isArrow)).toEqual(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);
  expect(keys.filter(isSideways)).toEqual(["ArrowLeft", "ArrowRight"]);
});

test("lists beside one are the nearest first", () => {
  expect(listsBeside(["a", "b", "c", "d"], 1, "ArrowRight")).toEqual(["c", "d"]);
  expect(listsBeside(["a", "b", "c", "d"], 2, "ArrowLeft")).toEqual(["b", "a"]);
  expect(listsBeside(["a", "b"], 1, "ArrowRight")).toEqual([]);
  expect(listsBeside(["a", "b"], 0, "ArrowLeft")).toEqual([]);
  expect(listsBeside(["a", "b"], -1, "ArrowLeft")).toEqual([]);
});

describe("the neighbour of a card", () => {
  test.each<[string, string, string, (id: string) => boolean, string | undefined]>([
    ["up", "B", "ArrowUp", without(), "A"],
    ["up from the top", "A", "ArrowUp", without(), undefined],
    ["up over what is hidden", "C", "ArrowUp", without("B"), "A"],
    ["down", "B", "ArrowDown", without(), "C"],
    ["down from the end", "C", "ArrowDown", without(), undefined],
    ["down over what is hidden", "A", "ArrowDown", without("B"), "C"],
    ["right, over an empty list", "A", "ArrowRight", without(), "D"],
    ["right, at the same height", "B", "ArrowRight", without(), "E"],
    ["right, to the last one of a shorter list", "C", "ArrowRight", without(), "E"],
    ["right, over a list of which nothing is shown", "A", "ArrowRight", without("D", "E"), "F"],
    ["right, at the height that is shown", "C", "ArrowRight", without("A", "B"), "D"],
    ["right of the last list", "F", "ArrowRight", without(), undefined],
    ["left", "E", "ArrowLeft", without(), "B"],
    ["left, the nearest list first", "F", "ArrowLeft", without(), "D"],
    ["left of the first list", "A", "ArrowLeft", without(), undefined],
    ["of a card that is gone", "X", "ArrowDown", without(), undefined],
  ])("%s", (_, card, key, isShown, next) => {
    expect(neighbourOf(lists, card, key, isShown)).toBe(next);
  });
});

describe("the selection", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const selecting = () => {
    const selection = new Selection();
    return { selection, ids: () => [...selection.ids.get()].sort() };
  };

  test("takes a card and gives it back, and says how many there are", async () => {
    const { selection, ids } = selecting();
    selection.toggle("A");
    selection.toggle("B");
    expect([ids(), await heard(), selection.last]).toEqual([["A", "B"], "2 selected", "B"]);
    selection.toggle("A");
    expect([ids(), await heard(), selection.last]).toEqual([["B"], "1 selected", "A"]);
    selection.clear();
    expect([ids(), await heard(), selection.last]).toEqual([[], "0 selected", "A"]);
  });

  test("says nothing when there was nothing to clear", async () => {
    const { selection } = selecting();
    selection.clear();
    expect(await heard()).toBe("");
  });

  test("adds to what is selected", () => {
    const { selection, ids } = selecting();
    selection.add(["A", "B"]);
    selection.add(["B", "C"]);
    expect([ids(), selection.last]).toEqual([["A", "B", "C"], "C"]);
    selection.add([]);
    expect([ids(), selection.last]).toEqual([["A", "B", "C"], "C"]);
  });

  test.each<[string, string[], string, string[]]>([
    ["down from the last one", ["B"], "D", ["B", "C", "D"]],
    ["up from the last one", ["D"], "B", ["B", "C", "D"]],
    ["to itself", ["B"], "B", ["B"]],
    ["without one before", [], "C", ["C"]],
    ["from another list", ["X"], "C", ["C", "X"]],
    ["up from one that was given back", ["A", "D", "D"], "B", ["A", "B", "C", "D"]],
    ["from the one that was selected last", ["D", "B"], "A", ["A", "B", "D"]],
  ])("goes on to a card %s", (_, before, to, after) => {
    const { selection, ids } = selecting();
    for (const id of before) selection.toggle(id);
    selection.addUpTo(["A", "B", "C", "D"], to);
    expect(ids()).toEqual(after);
    expect(selection.last).toBe(to);
  });

  test("begins anew behind one that was cleared", () => {
    const { selection, ids } = selecting();
    selection.toggle("A");
    selection.clear();
    selection.addUpTo(["A", "B", "C"], "C");
    expect(ids()).toEqual(["C"]);
  });

  test("has the shown cards in the order of the board", () => {
    const board = wholeBoard(shown);
    const ids = new Set(["F", "gone", "D", "B", "A"]);
    expect(selectedOn(board, ids, without("B"))).toEqual(["A", "D", "F"]);
    expect(selectedOn(board, new Set(), without())).toEqual([]);
  });
});

test("an element belongs to the thing around it, also when another one of that name has come", () => {
  const inside = (parent: unknown) => ({ parentElement: parent }) as Element;
  const [first, second] = [inside(null) as HTMLElement, inside(null) as HTMLElement];
  const elements = new Elements<{ root: HTMLElement }>();
  const remove = elements.add("A", { root: first });
  expect(elements.idAt(inside(inside(first)))).toBe("A");
  expect(elements.idAt(inside(null))).toBeUndefined();
  expect(elements.idAt(null)).toBeUndefined();
  elements.add("A", { root: second });
  remove();
  expect(elements.get("A")?.root).toBe(second);
  elements.add("B", { root: first })();
  expect(elements.get("B")).toBeUndefined();
});

type Actions = ReturnType<typeof useCardActions>;

/** Reads the actions as a component does. */
function Reader({
  openers,
  read,
}: {
  openers: Parameters<typeof useCardActions>[0];
  read: (actions: Actions) => void;
}) {
  read(useCardActions(openers));
  return null;
}

describe("the keys of a card", () => {
  const noted = (role: Role) => {
    const members = [{ publicId: "me", name: "Ada", image: null }];
    const done = cardWith("B", { completedAt: "2026-12-10T09:30:00.000Z" });
    const board = wholeBoard({ ...boardOf({ Ideas: [cardWith("A", { members }), done] }), me: meOf(role) });
    const { calls, followed } = notedBoard(() => board);
    const open = new OpenBoard(followed);
    const may = (permission: (typeof board.me.permissions)[number]) => board.me.permissions.includes(permission);
    const opened: unknown[] = [];
    const note =
      (name: string) =>
      (...values: unknown[]) =>
        void opened.push([name, ...values]);
    const openers = { rename: note("rename"), compose: note("compose"), openMenu: note("menu"), move: note("move") };
    let actions: Actions = {};
    const read = (all: Actions) => {
      actions = all;
    };
    const reader = createElement(Reader, { openers: { ...openers, pick: note("pick") }, read });
    const value = { followed, open, may, meId: "me" };
    renderToStaticMarkup(createElement(BoardContext, { value }, reader));
    return { actions, calls, opened, open };
  };

  test.each<[Role, string]>([
    ["admin", ".acdeilmnpxy"],
    ["member", ".acdeilmnpxy"],
    ["guest", ".y"],
  ])("are those that the role may use: %s %s", (role, keys) => {
    expect(Object.keys(noted(role).actions).sort().join("")).toBe(keys);
  });

  test.each<[string, string, unknown]>([
    [".", "A", ["menu", "A"]],
    ["e", "A", ["rename", "A"]],
    ["m", "A", ["move", "A"]],
    ["n", "A", ["compose", "ideas"]],
    ["l", "A", ["pick", "A", "labels"]],
    ["p", "A", ["pick", "A", "people"]],
    ["d", "A", ["pick", "A", "dueDate"]],
    ["i", "A", ["card.toggleMember", { cardPublicId: "A", memberPublicId: "me", on: false }, ["Ada"]]],
    ["i", "B", ["card.toggleMember", { cardPublicId: "B", memberPublicId: "me", on: true }, ["Ada"]]],
    ["c", "A", ["card.update", { cardPublicId: "A", completed: true }]],
    ["c", "B", ["card.update", { cardPublicId: "B", completed: false }]],
    ["a", "A", ["card.archive", { cardPublicId: "A" }]],
  ])("%s on %s does %j", (key, card, does) => {
    const { actions, calls, opened } = noted("member");
    actions[key]?.(card);
    expect([...calls, ...opened]).toEqual([does]);
  });

  test("a moves the focus on to the card that stays, and x selects", () => {
    const { actions, open } = noted("member");
    actions.a?.("A");
    expect(open.focused.get()).toBe("B");
    actions.x?.("B");
    expect([...open.selection.ids.get()]).toEqual(["B"]);
  });

  test("a moves the focus back from the last card, and from the only one to the button that adds one", () => {
    const { actions, open } = noted("member");
    actions.a?.("B");
    expect(open.focused.get()).toBe("A");
    const after = boardOf({ Ideas: cards("A", "B", "C") });
    const three = new OpenBoard(notedBoard(() => wholeBoard(after)).followed);
    focusNeighbour(three, ["C"], without());
    expect(three.focused.get()).toBe("B");
    const focused: string[] = [];
    const none = { current: null };
    const addButton = { current: { focus: () => focused.push("add") } as unknown as HTMLElement };
    const root = {} as HTMLElement;
    three.lists.add("ideas", { root, addButton, head: none, scroller: none, composer: none, rename: none });
    focusNeighbour(three, ["A", "B", "C"], without());
    expect(focused).toEqual(["add"]);
  });

  test("all stand in the list of keys", () => {
    const named = texts.keys.groups.flatMap(({ keys }) =>
      keys.flatMap(([, ...caps]) => caps.map((cap) => cap.toLowerCase())),
    );
    expect(Object.keys(noted("admin").actions).filter((key) => !named.includes(key))).toEqual([]);
  });
});
