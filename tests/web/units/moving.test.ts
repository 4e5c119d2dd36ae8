// Guarantees of places on a board: of cards that keys and pointers move, also under a filter, and of those that are put back.

import { describe, expect, test } from "vitest";
import type { BoardState } from "work-board-client/board";
import {
  isSamePlace,
  othersIn,
  placeAmong,
  placeBeside,
  placeOf,
  placeOfList,
} from "../../../packages/web/src/board/moving/places.js";
import { movedBack, unarchived, updatedBack } from "../../../packages/web/src/board/undo/bulkInverses.js";
import type { Inverse } from "../../../packages/web/src/board/undo/inverse.js";
import { callsFor } from "../../../packages/web/src/board/undo/parts.js";
import { boardOf, cardWith, people, wholeBoard } from "./states.js";

const cards = (...ids: string[]) => ids.map((id) => cardWith(id));
const { lists } = boardOf({ Ideas: cards("A", "B", "C", "D"), Next: cards("E"), Done: [] });
const [ideas] = lists;
if (ideas === undefined) throw new Error("No list");
const all = () => true;
const without =
  (...hidden: string[]) =>
  (id: string) =>
    !hidden.includes(id);

test("a card and a list have the place where they stand, and none when they are gone", () => {
  expect(placeOf(lists, "C")).toEqual({ listPublicId: "ideas", index: 2 });
  expect(placeOf(lists, "E")).toEqual({ listPublicId: "next", index: 0 });
  expect(placeOf(lists, "X")).toBeNull();
  expect(placeOfList(lists, "ideas")).toEqual({ listPublicId: "ideas", index: 0 });
  expect(placeOfList(lists, "done")).toEqual({ listPublicId: "done", index: 2 });
  expect(placeOfList(lists, "gone")).toBeNull();
  expect(othersIn(ideas, "B")).toEqual(["A", "C", "D"]);
  expect(othersIn(undefined, "B")).toEqual([]);
});

test("two places are the same by list and index", () => {
  const place = { listPublicId: "ideas", index: 1 };
  expect(isSamePlace(place, { ...place })).toBe(true);
  expect(isSamePlace(place, { ...place, index: 2 })).toBe(false);
  expect(isSamePlace(place, { ...place, listPublicId: "next" })).toBe(false);
  expect(isSamePlace(place, null)).toBe(false);
  expect(isSamePlace(null, null)).toBe(true);
});

describe("a card with a number of others above it", () => {
  test.each<[string, string, number, (id: string) => boolean, number]>([
    ["comes first", "C", 0, all, 0],
    ["comes behind the first one", "D", 1, all, 1],
    ["stays where it stands", "B", 1, all, 1],
    ["comes last", "A", 3, all, 3],
    ["comes from another list to the end", "E", 4, all, 4],
    ["comes right behind the shown one, whatever is hidden there", "E", 1, without("B", "C"), 1],
    ["comes before the first shown one", "E", 0, without("A"), 1],
    ["stays between the same shown ones", "C", 1, without("B"), 2],
    ["comes last where all are hidden", "E", 0, without("A", "B", "C", "D"), 4],
  ])("%s", (_, card, above, isShown, index) => {
    expect(placeAmong(ideas, card, above, isShown)).toEqual({ listPublicId: "ideas", index });
  });
});

describe("an arrow key", () => {
  const at = (listPublicId: string, index: number) => ({ listPublicId, index });
  test.each<[string, string, ReturnType<typeof at>, string, (id: string) => boolean, ReturnType<typeof at> | null]>([
    ["up", "B", at("ideas", 1), "ArrowUp", all, at("ideas", 0)],
    ["up from the top", "A", at("ideas", 0), "ArrowUp", all, null],
    ["up over a hidden card", "C", at("ideas", 2), "ArrowUp", without("B"), at("ideas", 0)],
    ["down", "B", at("ideas", 1), "ArrowDown", all, at("ideas", 2)],
    ["down to the end", "C", at("ideas", 2), "ArrowDown", all, at("ideas", 3)],
    ["down from the end", "D", at("ideas", 3), "ArrowDown", all, null],
    ["down over a hidden card", "A", at("ideas", 0), "ArrowDown", without("B"), at("ideas", 2)],
    ["right, to as many others above as there are", "C", at("ideas", 2), "ArrowRight", all, at("next", 1)],
    ["right, from the top", "A", at("ideas", 0), "ArrowRight", all, at("next", 0)],
    ["right, into an empty list", "E", at("next", 0), "ArrowRight", all, at("done", 0)],
    ["left", "E", at("next", 0), "ArrowLeft", all, at("ideas", 0)],
    ["right of the last list", "E", at("done", 0), "ArrowRight", all, null],
    ["left of the first list", "A", at("ideas", 0), "ArrowLeft", all, null],
    ["in a list that is gone", "A", at("gone", 0), "ArrowDown", all, null],
  ])("%s", (_, card, from, key, isShown, to) => {
    expect(placeBeside(lists, card, from, key, isShown)).toEqual(to);
  });
});

/** What taking a change back calls. */
function callsOf(inverse: Inverse | null, board: BoardState): unknown[] {
  return inverse === null ? [] : callsFor(inverse.parts, board, "before");
}

describe("taking back a change of several cards", () => {
  const board = wholeBoard(boardOf({ Ideas: cards("A", "B", "C"), Next: cards("D", "E") }));
  const many = Array.from({ length: 101 }, (_, index) => `card ${index}`);

  test("puts moved cards back, from the top of each list down", () => {
    const inverse = movedBack(board, { cardPublicIds: ["E", "C", "A", "gone"], listPublicId: "next" });
    expect(inverse?.text).toBe("Moved 4 cards to Next");
    expect(callsOf(inverse, board)).toEqual([
      ["card.update", { cardPublicId: "A", listPublicId: "ideas", index: 0 }],
      ["card.update", { cardPublicId: "E", listPublicId: "next", index: 1 }],
      ["card.update", { cardPublicId: "C", listPublicId: "ideas", index: 2 }],
    ]);
  });

  test("is not offered for moves to a list that is gone, or of more than 100 cards", () => {
    expect(movedBack(board, { cardPublicIds: ["A"], listPublicId: "gone" })).toBeNull();
    expect(movedBack(board, { cardPublicIds: many, listPublicId: "next" })).toBeNull();
    expect(movedBack(board, { cardPublicIds: many.slice(1), listPublicId: "next" })).not.toBeNull();
    expect(unarchived(board, { cardPublicIds: many })).toBeNull();
    expect(unarchived(board, { cardPublicIds: many.slice(1) })).not.toBeNull();
  });

  test("takes cards from the archive, and then puts each where it was", () => {
    const inverse = unarchived(board, { cardPublicIds: ["E", "A"] });
    expect(inverse?.text).toBe("Archived 2 cards");
    expect(callsOf(inverse, board)).toEqual([
      ["card.unarchive", { cardPublicId: "A" }],
      ["card.update", { cardPublicId: "A", listPublicId: "ideas", index: 0 }],
      ["card.unarchive", { cardPublicId: "E" }],
      ["card.update", { cardPublicId: "E", listPublicId: "next", index: 1 }],
    ]);
  });

  const at = "2026-12-10T09:30:00.000Z";
  const changed = wholeBoard(
    boardOf({
      Ideas: [
        cardWith("A", { labelIds: ["bug"], completedAt: at, members: people("ada") }),
        cardWith("B", { dueDate: "2026-12-10T00:00:00.000Z" }),
        cardWith("C", { labelIds: ["idea"], dueDate: at, dueHasTime: true, members: people("bob") }),
        cardWith("D", { dueDate: "2026-12-10T00:00:00.000Z" }),
      ],
    }),
  );
  const bulk = (cardPublicIds: string[], fields: object) => ["card.bulk.update", { cardPublicIds, ...fields }];
  test.each<[string, object, unknown[]]>([
    ["reopens those that were open", { completed: true }, [bulk(["B", "C", "D"], { completed: false })]],
    ["completes those that were done", { completed: false }, [bulk(["A"], { completed: true })]],
    [
      "gives each its date: none, a day, an instant",
      { dueDate: "2026-12-24" },
      [bulk(["A"], { dueDate: null }), bulk(["B", "D"], { dueDate: "2026-12-10" }), bulk(["C"], { dueDate: at })],
    ],
    [
      "takes a label from those that did not have it",
      { addLabelPublicIds: ["bug"] },
      [bulk(["B", "C", "D"], { removeLabelPublicIds: ["bug"] })],
    ],
    [
      "gives labels back to those that had them",
      { removeLabelPublicIds: ["bug", "idea"] },
      [bulk(["A"], { addLabelPublicIds: ["bug"] }), bulk(["C"], { addLabelPublicIds: ["idea"] })],
    ],
    [
      "takes a person from those that did not have them",
      { addMemberPublicIds: ["ada"] },
      [bulk(["B", "C", "D"], { removeMemberPublicIds: ["ada"] })],
    ],
    [
      "gives people back to those that had them",
      { removeMemberPublicIds: ["bob"] },
      [bulk(["C"], { addMemberPublicIds: ["bob"] })],
    ],
    ["is not offered where nothing changed", { removeLabelPublicIds: ["other"] }, []],
  ])("%s", (_, fields, calls) => {
    const inverse = updatedBack(changed, { cardPublicIds: ["A", "B", "C", "D", "gone"], ...fields });
    expect(inverse?.text ?? null).toBe(calls.length === 0 ? null : "Changed 5 cards");
    expect(callsOf(inverse, changed)).toEqual(calls);
  });

  test("leaves other cards of the board alone", () => {
    const inverse = updatedBack(changed, { cardPublicIds: ["B"], completed: true });
    expect(callsOf(inverse, changed)).toEqual([bulk(["B"], { completed: false })]);
  });
});
