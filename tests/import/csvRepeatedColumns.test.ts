// Guarantees of what rows mean where several columns of a file have one meaning.

import { describe, expect, test } from "vitest";
import { interpretRows } from "../../src/import/csv/rows.js";

describe("several columns of one meaning", () => {
  const columns = { title: 0, description: [1, 2, 1], labels: [3, 4], assignee: [5, 6], checklist: [7, 8] };
  const read = (...cells: string[]) => {
    const { boards, warnings } = interpretRows([["A card", ...cells]], {
      mapping: columns,
      boardName: "Home",
      defaultListName: "To do",
    });
    return { labels: boards[0]?.labels, card: boards[0]?.cards[0], warnings };
  };

  test("are read one after the other", () => {
    const { labels, card } = read("one ", "two", "x, y", "Y;z", "Ann", "Bob, Cy", "a;b", "[x] c\nd");
    expect(labels).toEqual(["x", "y", "z"]);
    expect(card).toMatchObject({ description: "one \n\ntwo", labelIndexes: [0, 1, 2] });
    expect(card?.assignees.map(({ whole }) => whole)).toEqual(["Ann", "Bob, Cy"]);
    expect(card?.checklist?.items.map(({ title, completed }) => [title, completed])).toEqual([
      ["a", false],
      ["b", false],
      ["c", true],
      ["d", false],
    ]);
  });

  test("leave no gap where one is blank", () => {
    expect(read(" ", "two", "", "z", " ", "Bob").card).toMatchObject({
      description: "two",
      labelIndexes: [0],
      assignees: [{ whole: "Bob" }],
      checklist: null,
    });
  });

  test("are warned about cell by cell, a description as a whole", () => {
    const long = "x".repeat(30_000);
    const label = "y".repeat(65);
    expect(read(long, long, "ok", label).warnings).toEqual([
      { rowNumber: 1, reason: "valueTruncated", value: `${long}\n\n${long}` },
      { rowNumber: 1, reason: "valueTruncated", value: label },
    ]);
  });
});
