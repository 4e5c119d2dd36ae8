// Guarantees of files that are imported: their kinds, their mistakes, and what is reported of them.

import { TRPCClientError } from "@trpc/client";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test, vi } from "vitest";
import { jsonMistake } from "../../../packages/web/src/imports/jsonMistake.js";
import { loaded } from "./browser.js";

const { reasonOf, WorkBoardError, PartFailure, readFile, ReportView, FirstCards } = await loaded(async () => ({
  ...(await import("work-board-client")),
  ...(await import("../../../packages/web/src/imports/failures.js")),
  ...(await import("../../../packages/web/src/imports/runCsv.js")),
  ...(await import("../../../packages/web/src/imports/readFile.js")),
  ...(await import("../../../packages/web/src/imports/ReportView.js")),
  ...(await import("../../../packages/web/src/imports/FirstCards.js")),
}));

/** A file as a form gives it. */
const fileOf = (name: string, content: string | Uint8Array) => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { name, size: bytes.length, arrayBuffer: async () => Uint8Array.from(bytes).buffer } as File;
};

describe("a file", () => {
  test.each<[string, string, string]>([
    ["cards.csv", "Title,List\nPaint,Ideas\n", "csv"],
    ["cards.csv", "[urgent],Title\n", "csv"],
    ["board.json", '{"format":"work-board","lists":[]}', "board"],
    ["board.json", '// A comment\n/* and another */ {"format":"x"}', "board"],
    ["trello.json", '{"lists":[],"cards":[]}', "trello"],
  ])("%s with %j is of the kind %s", async (name, content, kind) => {
    expect(await readFile(fileOf(name, content))).toMatchObject({ kind, name });
  });

  test.each<[string, string, string]>([
    ["empty.json", "{}", "The file holds no board."],
    ["lists.json", '{"lists":[]}', "The file holds no board."],
    ["array.json", "[]", "The file holds no board."],
    ["item.json", '{"item":1}', "The file holds no board."],
    ["planka.json", '{"item":1,"included":2}', "This is a file of Planka, which cannot be imported yet."],
    ["wekan.json", '{"_format":"wekan-board-1.0.0"}', "This is a file of Wekan, which cannot be imported yet."],
    ["broken.json", '// First\n{"a": }', "The file is no valid JSON: see line 2, column 7."],
    ["broken.txt", '{"a": }', "The file is no valid JSON: see line 1, column 7."],
  ])("%s with %j is refused", async (name, content, reason) => {
    await expect(readFile(fileOf(name, content))).rejects.toThrow(reason);
  });

  test("of more than 60 MB is refused before it is read", async () => {
    const read = vi.fn();
    const file = { name: "a.csv", size: 60 * 1024 * 1024 + 1, arrayBuffer: read } as unknown as File;
    await expect(readFile(file)).rejects.toThrow("The file is larger than 60 MB.");
    expect(read).not.toHaveBeenCalled();
  });

  test.each<[string, number[], string]>([
    ["UTF-16 by its mark", [0xff, 0xfe, 0x41, 0x00], "utf-16le"],
    ["UTF-16 of the other order by its mark", [0xfe, 0xff, 0x00, 0x41], "utf-16be"],
    ["UTF-8", [0x41, 0xc3, 0xbc], "utf-8"],
  ])("is read as %s", async (_, bytes, encoding) => {
    expect(await readFile(fileOf("a.csv", Uint8Array.from(bytes)))).toMatchObject({ encoding });
  });
});

test.each<[string, number]>([
  ['{"a": 1,}', 8],
  ["[1,]", 3],
  ["[1 2]", 3],
  ['{"a" 1}', 5],
  ['{"a": 1', 7],
  ["{a: 1}", 1],
  ["[1]]", 3],
  ['{"a": tru}', 6],
])("%j stops being JSON at %i", (text, at) => {
  expect(jsonMistake(text)).toBe(at);
});

describe("the reason of a failure", () => {
  const wrong = (...path: (string | number)[]) =>
    new WorkBoardError(
      new TRPCClientError("Refused", {
        result: {
          error: {
            message: "Refused",
            code: -32600,
            data: { code: "BAD_REQUEST", issues: [{ path, message: "Wrong" }] },
          },
        },
      } as never),
    );
  test.each<[string, unknown, string]>([
    ["names the row and the column", wrong("rows", 1, 0), "Row 2, column “Title”: Wrong"],
    [
      "names the row of the whole table",
      new PartFailure(wrong("rows", 1, 1), 2000, null),
      "Row 2002, column “Due”: Wrong",
    ],
    ["names the row where the column is unknown", wrong("rows", 0, 7), "Row 1: Wrong"],
    ["names the row alone", wrong("rows", 0), "Row 1: Wrong"],
    ["names the place in a board", wrong("board", "cards", 3, "title"), "At cards[3].title: Wrong"],
    ["names no place of the whole", wrong("board"), "Wrong"],
    ["says what the page found", new Error("No board"), "No board"],
  ])("%s", (_, error, text) => {
    expect(reasonOf(error, ["Title", "Due"])).toBe(text);
  });
});

describe("the report of an import", () => {
  const report = {
    ...{
      boardsCreated: 1,
      listsCreated: 0,
      cardsCreated: 2,
      labelsCreated: 1,
      checklistItemsCreated: 0,
      cardsAssigned: 0,
    },
    skippedRows: [{ rowNumber: 3, reason: "emptyRow", value: "" }],
    warnings: [
      { rowNumber: 1, reason: "invalidDate", value: "soon" },
      { rowNumber: 0, reason: "visibilityLowered", value: "" },
    ],
    unmatchedAssignees: ["Zoe"],
    boardPublicId: null,
  } as Parameters<typeof ReportView>[0]["report"];
  const textOf = (isTable: boolean, fields: object = {}) =>
    renderToStaticMarkup(createElement(ReportView, { heading: "Made", report: { ...report, ...fields }, isTable }))
      .replaceAll(/<[^>]+>/g, "|")
      .split("|")
      .filter((text) => text !== "");

  test("has figures that are not zero, and notes in the order of the file", () => {
    expect(textOf(true)).toEqual([
      ...["Made", "board", "1", "cards", "2", "new label", "1", "row skipped", "1"],
      "Left out, since they are no members: Zoe",
      "Row 0: the board is no longer public",
      "Row 1: the date cannot be read, and is left out: “soon”",
      "Row 3: the row is empty, and is skipped",
    ]);
  });

  test("names cards and the board where the file is no table", () => {
    const notes = textOf(false)
      .slice(-3)
      .map((note) => note.split(":")[0]);
    expect(notes).toEqual(["The board", "Card 1", "Card 3"]);
    expect(textOf(false)).toContain("card skipped");
  });

  test("shows a hundred notes, and counts the others", () => {
    const warnings = Array.from({ length: 101 }, (_, rowNumber) => ({ rowNumber, reason: "emptyRow", value: "" }));
    expect(textOf(true, { warnings, skippedRows: [] }).at(-1)).toBe("And 1 more.");
    expect(textOf(true, { warnings: warnings.slice(1), skippedRows: [] }).at(-1)).toContain("Row 100");
  });
});

test("the first cards have their titles, and their facts without what is empty", () => {
  const rows = [
    ["", "x", ""],
    ["Paint", "Sea", "high"],
    ["Tar", " ", "low"],
    ["Sand", "", ""],
    ["More", "", ""],
  ];
  const html = renderToStaticMarkup(createElement(FirstCards, { rows, meanings: ["title", "labels", "priority"] }));
  const texts = html
    .replaceAll(/<[^>]+>/g, "|")
    .split("|")
    .filter((text) => text !== "");
  expect(texts).toEqual(["First cards", "Paint", "high", "Sea", "Tar", "low", "Sand"]);
  expect(renderToStaticMarkup(createElement(FirstCards, { rows, meanings: [null, "title", null] }))).toContain("x");
});
