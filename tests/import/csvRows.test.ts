// Guarantees of what rows mean: which boards, lists, labels and cards come of them, and what is said about the rest.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameKey } from "../../src/db/nameKey.js";
import { namesIn } from "../../src/import/csv/names.js";
import { interpretRows, type Mapping } from "../../src/import/csv/rows.js";
import { previewCsv } from "../../src/import/csv/text.js";

const mapping = {
  title: 0,
  description: 1,
  list: 2,
  labels: 3,
  dueDate: 4,
  assignee: 5,
  checklist: 6,
  checklistName: 7,
  board: 8,
  priority: 9,
  completed: 10,
} satisfies Mapping;

const NOW = "2027-02-03T04:05:06.789Z";

type Cells = Partial<Record<keyof Mapping, string>>;

function rowOf(cells: Cells): string[] {
  const row: string[] = [];
  for (const [key, text] of Object.entries({ title: "A card", ...cells })) {
    const column = Object.entries(mapping).find(([name]) => name === key)?.[1] ?? 0;
    row[column] = text;
  }
  return Array.from(row, (cell) => cell ?? "");
}

function interpret(...rows: Cells[]) {
  return interpretRows(rows.map(rowOf), { mapping, boardName: "Home", defaultListName: "To do", now: NOW });
}

function cardOf(cells: Cells) {
  const { boards, warnings } = interpret(cells);
  const board = boards.find(({ cards }) => cards.length > 0);
  const card = board?.cards[0];
  if (board === undefined || card === undefined) throw new Error("no card was made");
  const labels = card.labelIndexes.map((index) => board.labels[index]);
  return { ...card, list: board.lists[card.listIndex], labels, board: board.name, warnings };
}

describe("rows", () => {
  test("a row of nothing but white space is skipped as empty", () => {
    const rows = [[], ["", " \t", "\u00a0"], ["A card"]];
    const { boards, skippedRows, warnings } = interpretRows(rows, {
      mapping,
      boardName: "Home",
      defaultListName: "To do",
    });

    expect(skippedRows).toEqual([
      { rowNumber: 1, reason: "emptyRow", value: "" },
      { rowNumber: 2, reason: "emptyRow", value: "" },
    ]);
    expect(boards[0]?.cards).toMatchObject([{ rowNumber: 3, title: "A card" }]);
    expect(warnings).toEqual([]);
  });

  test("a row without a title is skipped, leaves nothing behind and is not warned about", () => {
    const { boards, skippedRows, warnings } = interpret({ title: " ", list: "New", board: "Other", dueDate: "never" });

    expect(skippedRows).toEqual([{ rowNumber: 1, reason: "missingTitle", value: "" }]);
    expect(boards).toEqual([{ name: "Home", lists: [], labels: [], cards: [] }]);
    expect(warnings).toEqual([]);
  });

  test("text in a column that is not mapped makes a row without a title, not an empty one", () => {
    const { skippedRows } = interpretRows([["", "x"]], { mapping: { title: 0 }, boardName: "B", defaultListName: "L" });
    expect(skippedRows).toMatchObject([{ reason: "missingTitle" }]);
  });

  test("a column beyond the row, or not mapped, reads as empty", () => {
    const options = { mapping: { title: 0, dueDate: 150 }, boardName: "Home", defaultListName: "To do" };
    expect(interpretRows([["A card", "x"]], options).boards).toEqual([
      {
        name: "Home",
        lists: ["To do"],
        labels: [],
        cards: [
          {
            rowNumber: 1,
            title: "A card",
            description: "",
            listIndex: 0,
            labelIndexes: [],
            dueDate: null,
            assignees: [],
            checklist: null,
            priority: "none",
            completedAt: null,
          },
        ],
      },
    ]);
  });
});

describe("text", () => {
  test("titles and names are trimmed, descriptions are kept as sent", () => {
    const cells = {
      title: " A ",
      description: " d\r\n ",
      list: "\tL ",
      labels: " x , y ",
      checklistName: " N ",
      board: " B ",
    };
    expect(cardOf({ ...cells, checklist: " i " })).toMatchObject({
      title: "A",
      description: " d\r\n ",
      list: "L",
      labels: ["x", "y"],
      checklist: { name: "N", items: [{ title: "i" }] },
      board: "B",
    });
  });

  test("a title of 2000 code points is taken as it is", () => {
    const title = "😀".repeat(2000);
    expect(cardOf({ title })).toMatchObject({ title, description: "", warnings: [] });
  });

  test.each([
    ["", ""],
    ["More.", "\n\nMore."],
  ])("a longer title is cut and kept whole at the head of the description %j", (description, rest) => {
    const title = ` ${"😀".repeat(2001)} `;
    expect(cardOf({ title, description })).toMatchObject({
      title: "😀".repeat(2000),
      description: title.trim() + rest,
      warnings: [{ rowNumber: 1, reason: "titleTruncated", value: title }],
    });
  });

  test("a cut title has no blank at its end", () => {
    expect(cardOf({ title: `${"x".repeat(1999)} y` }).title).toBe("x".repeat(1999));
  });

  test("a description over 50000 code points is cut", () => {
    const description = "😀".repeat(50_001);
    expect(cardOf({ description })).toMatchObject({
      description: "😀".repeat(50_000),
      warnings: [{ rowNumber: 1, reason: "valueTruncated", value: description }],
    });
  });

  test.each([
    ["list", 255, (card: ReturnType<typeof cardOf>) => card.list],
    ["board", 255, (card: ReturnType<typeof cardOf>) => card.board],
    ["labels", 64, (card: ReturnType<typeof cardOf>) => card.labels[0]],
    ["checklist", 500, (card: ReturnType<typeof cardOf>) => card.checklist?.items[0]?.title],
    ["checklistName", 255, (card: ReturnType<typeof cardOf>) => card.checklist?.name],
  ] as const)("%s is cut at %i code points, with one warning", (key, limit, read) => {
    const fits = cardOf({ checklist: "item", [key]: "😀".repeat(limit) });
    expect(read(fits)).toBe("😀".repeat(limit));
    expect(fits.warnings).toEqual([]);

    const value = `${"😀".repeat(limit - 1)} y`;
    const cut = cardOf({ checklist: "item", [key]: value });
    expect(read(cut)).toBe("😀".repeat(limit - 1));
    expect(cut.warnings).toEqual([{ rowNumber: 1, reason: "valueTruncated", value }]);
  });

  test("several labels too long for one cell are one warning, with the whole cell", () => {
    const labels = `${"a".repeat(65)},ok,${"b".repeat(65)}`;
    expect(cardOf({ labels })).toMatchObject({
      labels: ["a".repeat(64), "ok", "b".repeat(64)],
      warnings: [{ reason: "valueTruncated", value: labels }],
    });
  });
});

describe("boards and lists", () => {
  test("the board of the call comes first, others in order of appearance, matched without regard to case", () => {
    const { boards } = interpret(
      { board: "Été" },
      { board: "" },
      { board: "E\u0301TE\u0301 " },
      { board: "HOME" },
      { board: "Z" },
    );
    expect(boards.map(({ name, cards }) => [name, cards.map((card) => card.rowNumber)])).toEqual([
      ["Home", [2, 4]],
      ["Été", [1, 3]],
      ["Z", [5]],
    ]);
  });

  test.each([
    ["no row makes a card", [{ title: "" }], ["Home"]],
    ["a row names it", [{ board: "Other" }, { board: "home" }], ["Home", "Other"]],
    ["a row names none", [{ board: "Other" }, {}], ["Home", "Other"]],
  ])("the board of the call is made, and first, where %s", (_, rows, names) => {
    expect(interpret(...rows).boards.map(({ name }) => name)).toEqual(names);
  });

  test("the board of the call is not made where all cards go to others", () => {
    const { boards } = interpret({ board: "Other" }, { title: "", board: "" }, { board: "Third" });
    expect(boards.map(({ name }) => name)).toEqual(["Other", "Third"]);
  });

  test("lists come in order of appearance in each board, the default one only where it is used", () => {
    const rows = [
      { list: "Doing" },
      { list: "" },
      { list: "DOING" },
      { list: "to DO" },
      { list: "Done", board: "Other" },
    ];
    const { boards } = interpret(...rows);
    expect(boards.map(({ lists }) => lists)).toEqual([["Doing", "To do"], ["Done"]]);
    expect(boards[0]?.cards.map((card) => card.listIndex)).toEqual([0, 1, 0, 1]);
  });

  test("names that are one after cutting are one list", () => {
    const name = "x".repeat(255);
    expect(interpret({ list: `${name}a` }, { list: `${name}b` }).boards[0]?.lists).toEqual([name]);
  });
});

describe("labels and assignees", () => {
  test("labels are separated by comma, semicolon or pipe, each once, the first spelling for the board", () => {
    const { boards } = interpret(
      { labels: "Bug, ui;Docs|bug,, ;" },
      { labels: "UI|New" },
      { labels: "BUG", board: "Other" },
    );
    expect(boards[0]?.labels).toEqual(["Bug", "ui", "Docs", "New"]);
    expect(boards[0]?.cards.map((card) => card.labelIndexes)).toEqual([
      [0, 1, 2],
      [1, 3],
    ]);
    expect(boards[1]?.labels).toEqual(["BUG"]);
  });

  test("assignees can be told as a whole, in groups between semicolons and pipes, and one by one", () => {
    expect(cardOf({ assignee: ' Lee, Ann; bob@example.org|"Cy, D"; "E", F,; ' }).assignees).toEqual([
      {
        whole: 'Lee, Ann; bob@example.org|"Cy, D"; "E", F,;',
        groups: [
          { text: "Lee, Ann", names: ["Lee", "Ann"] },
          { text: "bob@example.org", names: ["bob@example.org"] },
          { text: "Cy, D", names: ["Cy, D"] },
          { text: '"E", F,', names: ["E", "F"] },
        ],
      },
    ]);
  });

  test.each([
    ['"a, b"; c', ["a, b", "c"]],
    [' "a; b" |"c|d", "" ', ["a; b", "c|d"]],
    ['"say ""hi"", now"', ['say "hi", now']],
    ['"a" b, 27" c, "d', ['"a" b', '27" c', '"d']],
    ['"a\nb",c', ["a\nb", "c"]],
  ])("names in quotes may hold what separates names: %j", (labels, names) => {
    expect(cardOf({ labels }).labels).toEqual(names);
  });

  test("any names come back as they were, when quoted where they must be", () => {
    const name = fc.string({
      unit: fc.constantFrom("a", '"', ",", ";", "|", " ", "\n", "é"),
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(name), fc.constantFrom(", ", ";", "|"), (names, separator) => {
        const wanted = [...new Set(names.map((text) => text.trim()))].filter((text) => text !== "");
        const quoted = wanted.map((text) => (/[,;|]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
        expect(namesIn(quoted.join(separator))).toEqual(wanted);
      }),
    );
  });
});

describe("due dates", () => {
  test.each([
    ["2027-05-13", "2027-05-13", []],
    ["  ", null, []],
    ["04/05/2027", null, [{ rowNumber: 1, reason: "ambiguousDate", value: "04/05/2027" }]],
    [" soon ", null, [{ rowNumber: 1, reason: "invalidDate", value: " soon " }]],
  ])("%j is %s", (cell, dueDate, warnings) => {
    expect(cardOf({ dueDate: cell })).toMatchObject({ dueDate, warnings });
  });

  test("ambiguous ones follow the others of their column, also those of rows that make no card", () => {
    const rows = [{ dueDate: "04/05/2027" }, { title: "", dueDate: "13/05/2027" }, { dueDate: "May 1, 2027" }];
    const { boards, warnings } = interpret(...rows);
    expect(boards[0]?.cards.map((card) => card.dueDate)).toEqual(["2027-05-04", "2027-05-01"]);
    expect(warnings).toEqual([]);
    expect(interpret(...rows, { dueDate: "05/13/2027" }).warnings).toEqual([
      { rowNumber: 1, reason: "ambiguousDate", value: "04/05/2027" },
    ]);
  });
});

describe("checklists", () => {
  test.each([
    ["one item a line", "a\nb\r\nc\rd", ["a", "b", "c", "d"]],
    ["semicolons in a single line", "a; b;c", ["a", "b", "c"]],
    ["semicolons are text where there are lines", "a; b\nc", ["a; b", "c"]],
    ["a line break at the end makes no second line", "a;b\n", ["a", "b"]],
    ["leading marks are dropped", "- a\n* b\n[ ] c\n- [ ] d\n* [ ] e\n  - f", ["a", "b", "c", "d", "e", "f"]],
    ["ticks mark done", "[x] a\n- [x] b\n- [X] c\n* [x] d", ["+a", "+b", "+c", "+d"]],
    ["ticks in a single line", "[x] a; [ ] b; - [x] c", ["+a", "b", "+c"]],
    ["empty items are dropped", "a\n\n-\n- \n[ ]\n- [x]\n*\nb;;", ["a", "b;;"]],
    [
      "what only looks like a mark is text",
      "-a\n*b*\n[y] c\n[x](link)\n--- d",
      ["-a", "*b*", "[y] c", "[x](link)", "--- d"],
    ],
    ["a mark is dropped once", "- - a\n- [ ] [x] b", ["- a", "[x] b"]],
  ])("%s", (_, checklist, expected) => {
    const items = expected.map((item) => ({ title: item.replace(/^\+/, ""), completed: item.startsWith("+") }));
    expect(cardOf({ checklist })).toMatchObject({ checklist: { name: "Checklist", items }, warnings: [] });
  });

  test.each([
    ["line breaks in quotes", '[x] "a\nb; c"\r\n- [ ] "d ""e"""\n"f"', ["+a\nb; c", 'd "e"', "f"]],
    ["semicolons in quotes", '"a; b"; [x] "c"', ["a; b", "+c"]],
    ["quotes within", '"a" b\n27" c\n"d', ['"a" b', '27" c', '"d']],
    ["a line break at the beginning", '"\na\n"', ["a"]],
  ])("an item may hold %s", (_, checklist, expected) => {
    const items = expected.map((item) => ({ title: item.replace(/^\+/, ""), completed: item.startsWith("+") }));
    expect(cardOf({ checklist })).toMatchObject({ checklist: { items }, warnings: [] });
  });

  test("a cell of blanks, quotes or marks alone takes no longer than its length", () => {
    const before = performance.now();
    for (const text of [" ", '"', '"a"" ', '\n"', "- ", "[ ] "]) {
      cardOf({ checklist: `x\n${text.repeat(20_000 / text.length - 1)}y`, labels: text.repeat(1000) });
    }
    expect(performance.now() - before).toBeLessThan(2000);
  });

  test.each(["", " \n ", ";;", "- \n[ ]"])("%j is no checklist, whatever its name", (checklist) => {
    expect(cardOf({ checklist, checklistName: "x".repeat(300) })).toMatchObject({ checklist: null, warnings: [] });
  });
});

describe("priorities", () => {
  // The words as the tools write them, in the order of our five levels.
  test.each([
    ["ours", "urgent,high,medium,low,none"],
    ["Jira", "Highest,High,Medium,Low,-"],
    ["Jira, lowest", "-,-,-,Lowest,-"],
    ["Jira's older ones", "Blocker,Major,-,Trivial,-"],
    ["Linear", "Urgent,High,Medium,Low,No priority"],
    ["Planner", "Urgent,Important,Medium,Low,-"],
    ["Todoist", "1,2,3,-,4"],
    ["Todoist's flags", "p1,P2,Priority 3,-,p4"],
    ["German", "Dringend,Wichtig,Mittel,Niedrig,Keine"],
    ["German Jira", "Höchste,Hoch,Mittel,Niedrigste,-"],
    ["French", "Urgent,Élevée,Moyenne,Faible,Aucune"],
    ["Spanish", "Urgente,Alta,Media,Baja,Ninguna"],
    ["Portuguese", "Urgente,Importante,Média,Baixa,Nenhuma"],
    ["Italian", "Urgente,Alta,Media,Bassa,Nessuna"],
    ["Dutch", "Dringend,Belangrijk,Gemiddeld,Laag,Geen"],
    ["Polish", "Pilne,Ważne,Średni,Niski,Brak"],
    ["Russian", "Срочно,Важно,Средний,Низкий,Нет"],
    ["Japanese", "緊急,重要,中,低,なし"],
    ["Chinese", "紧急,重要,中等,低,无"],
  ])("of %s are known", (_, words) => {
    const levels = ["urgent", "high", "medium", "low", "none"];
    const cells = words.split(",").flatMap((priority, index) => (priority === "-" ? [] : [{ priority, index }]));
    const { boards, warnings } = interpret(...cells.map(({ priority }) => ({ priority })));
    expect(boards[0]?.cards.map(({ priority }) => priority)).toEqual(cells.map(({ index }) => levels[index]));
    expect(warnings).toEqual([]);
  });

  test("of other words are none, and a warning where no word of the column is known", () => {
    const mixed = interpret({ priority: "High" }, { priority: " later " }, { priority: "" }, {});
    expect(mixed.boards[0]?.cards.map(({ priority }) => priority)).toEqual(["high", "none", "none", "none"]);
    expect(mixed.warnings).toEqual([]);
    const unknown = interpret({ priority: "soon" }, { priority: " later " }, { priority: " " });
    expect(unknown.boards[0]?.cards.map(({ priority }) => priority)).toEqual(["none", "none", "none"]);
    expect(unknown.warnings).toEqual([
      { rowNumber: 1, reason: "invalidValue", value: "soon" },
      { rowNumber: 2, reason: "invalidValue", value: " later " },
    ]);
  });
});

describe("completion", () => {
  const completed = (...cells: string[]) => {
    const { boards, warnings } = interpret(...cells.map((cell) => ({ completed: cell })));
    return { at: boards[0]?.cards.map(({ completedAt }) => completedAt), warnings };
  };

  test.each([
    ["ours", "2027-01-02T03:04:05.678Z", "2027-01-02T03:04:05.678Z"],
    ["a day", "2027-01-02", "2027-01-02T00:00:00.000Z"],
    ["Jira", "10/Jan/24 5:30 PM", "2024-01-10T17:30:00.000Z"],
    ["Linear", "Fri Jan 10 2025 00:00:00 GMT+0000 (GMT)", "2025-01-10T00:00:00.000Z"],
    ["Planner", "01/13/2027", "2027-01-13T00:00:00.000Z"],
  ])("at the time that %s writes", (_, cell, instant) => {
    expect(completed(cell, "")).toEqual({ at: [instant, null], warnings: [] });
  });

  test.each([
    ["Done", "To Do"],
    ["Closed", "Reopened"],
    ["yes", "no"],
    ["x", ""],
    ["TRUE", "FALSE"],
    ["1", "0"],
    ["100%", "50%"],
    ["✓", " "],
    ["✅", "In progress"],
    ["Completed", "Not started"],
    ["Abgeschlossen", "Nicht begonnen"],
    ["Terminé", "En cours"],
    ["Completado", "Sin iniciar"],
    ["Concluído", "Não iniciado"],
    ["Completato", "Da fare"],
    ["Voltooid", "Niet gestart"],
    ["Ukończone", "W toku"],
    ["Завершено", "Не начато"],
    ["完了", "未着手"],
    ["已完成", "尚未开始"],
  ])("now for %s, not for %s", (done, open) => {
    expect(completed(done, open)).toEqual({ at: [NOW, null], warnings: [] });
    expect(completed(open).warnings).toEqual([]);
  });

  test("means open for any other word, with a warning where no cell of the column is known", () => {
    expect(completed("Done", "Waiting for Ann")).toEqual({ at: [NOW, null], warnings: [] });
    expect(completed("Waiting for Ann", "Somewhere")).toMatchObject({
      at: [null, null],
      warnings: [
        { rowNumber: 1, reason: "invalidValue", value: "Waiting for Ann" },
        { rowNumber: 2, reason: "invalidValue", value: "Somewhere" },
      ],
    });
  });

  test("follows the order of day and month of its own column, and an ambiguous date is warned about", () => {
    expect(completed("04/05/2027", "13/05/2027").at?.[0]).toBe("2027-05-04T00:00:00.000Z");
    expect(completed("04/05/2027")).toEqual({
      at: [NOW],
      warnings: [{ rowNumber: 1, reason: "ambiguousDate", value: "04/05/2027" }],
    });
  });
});

test("names that differ in case, outer blanks or composition have one key", () => {
  expect(new Set([" Été", "ÉTÉ ", "e\u0301te\u0301"].map(nameKey))).toEqual(new Set(["été"]));
  expect(nameKey("a b")).not.toBe(nameKey("ab"));
});

test("the backlog becomes one board with every row a card", () => {
  const csv = readFileSync(new URL("../../examples/backlog.csv", import.meta.url), "utf8");
  const { rows, suggestedMapping } = previewCsv(csv, { limit: 2000 });
  const plan = interpretRows(rows, {
    mapping: { title: 0, ...suggestedMapping },
    boardName: "Backlog",
    defaultListName: "To do",
  });
  const [board] = plan.boards;
  const cards = board?.cards ?? [];
  const items = cards.flatMap((card) => card.checklist?.items ?? []);

  expect(plan).toMatchObject({ boards: [{ name: "Backlog" }], skippedRows: [], warnings: [] });
  expect(board?.lists).toEqual(
    "Tests,Documentation,Inbox,Bugs,Build,Features,Refactoring,Chores,Performance,Types".split(","),
  );
  expect(board?.labels).toHaveLength(103);
  expect(cards).toHaveLength(2000);
  expect(cards.filter((card) => card.listIndex === 2)).toHaveLength(530);
  expect(cards.flatMap((card) => card.labelIndexes)).toHaveLength(411);
  expect(cards.filter((card) => card.dueDate !== null)).toHaveLength(2000);
  expect(cards.map((card) => [...card.title].length).reduce((sum, length) => sum + length)).toBe(84_976);
  expect(cards.map((card) => [...card.description].length).reduce((sum, length) => sum + length)).toBe(174_768);
  expect(cards.filter((card) => card.checklist !== null)).toHaveLength(603);
  expect(items).toHaveLength(2404);
  expect(items.filter((item) => item.completed)).toEqual([]);
});
