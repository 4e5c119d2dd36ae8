// Guarantees of reading CSV text: what comes out is what was in the cells, and what cannot be read is said plainly.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/api/errors.js";
import { CSV_COLUMNS } from "../../src/board/csvFile.js";
import { type Delimiter, previewCsv } from "../../src/import/csv/text.js";

const backlog = readFileSync(new URL("../../examples/backlog.csv", import.meta.url), "utf8");

const read = (text: string, delimiter?: Delimiter) => previewCsv(text, { delimiter, hasHeader: true, limit: 2000 });

/** What is said about a text that cannot be read, and the line it names. */
function problemOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error.issues).toEqual([{ path: ["csv"], message: expect.any(String) }]);
    const message = error.issues[0]?.message ?? "";
    const line = /^Line (\d+): /.exec(message)?.[1];
    return { code: error.code, message, line: line === undefined ? undefined : Number(line) };
  }
  throw new Error("nothing was thrown");
}

describe("cells", () => {
  test.each([
    ["commas and quotes", 'a,b\n"x, y","say ""hi"""\n', [["x, y", 'say "hi"']]],
    ["line breaks of every kind in a cell", 'a,b\r\n"1\r\n2","3\n4\r5"\r\n', [["1\r\n2", "3\n4\r5"]]],
    [
      "LF",
      "a,b\n1,2\n3,4",
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
    [
      "CRLF",
      "a,b\r\n1,2\r\n3,4\r\n",
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
    [
      "CR",
      "a,b\r1,2\r3,4\r",
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
    [
      "line ends mixed",
      "a,b\r\n1,2\n3,4\r",
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
    ["a byte order mark", "\uFEFFa,b\n1,2\n", [["1", "2"]]],
    ["a byte order mark before a quote", '\uFEFF"a",b\n1,2\n', [["1", "2"]]],
    ["ragged rows as they are", "a,b\n1\n1,2,3\n", [["1"], ["1", "2", "3"]]],
    [
      "blank lines left out",
      "\n\r\na,b\n\n1,2\n  \t\n3,4\n\n",
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
    [
      "a row of empty cells, which is a row",
      "a,b\n,\n1,2\n",
      [
        ["", ""],
        ["1", "2"],
      ],
    ],
    ["a quoted empty cell, which is a row", 'a\n""\n', [[""]]],
    ["blanks in cells", "a,b\n 1 ,\t2\n", [[" 1 ", "\t2"]]],
    ["a quote within an unquoted cell", 'a,b\n27" screen,x "y" z\n', [['27" screen', 'x "y" z']]],
    ["text of every script", "a,b\né中,😀\n", [["é中", "😀"]]],
    ["a header and nothing else", "a,b", []],
  ])("%s", (_, text, rows) => {
    expect(read(text)).toMatchObject({ rows, rowCount: rows.length });
  });

  const OWN = CSV_COLUMNS.join();

  test.each([
    ["'=1+1", "=1+1"],
    ["'+1", "+1"],
    ["'-1", "-1"],
    ["'@me", "@me"],
    ["'＝1", "＝1"],
    ["'\tx", "\tx"],
    ['"\'\rx"', "\rx"],
    ["''=1", "'=1"],
    ["'x;=1", "x;=1"],
    ["''x;@me", "'x;@me"],
    ["'quoted'", "'quoted'"],
    ["'x; =1", "'x; =1"],
    ["'", "'"],
    ["=1+1", "=1+1"],
  ])("the apostrophe of an export is taken off once, and of no other file: %j is %j", (written, cell) => {
    const whole = cell === "\rx" ? "'\rx" : written;
    const own = read(`${OWN}\n${written},x\n`, ",");
    const older = read(
      `title,description,list,labels,dueDate,assignee,checklist,checklistName,board\n${written},x\n`,
      ",",
    );
    const other = read(`Title,Description\n${written},x\n`, ",");
    expect([own.rows, older.rows, other.rows]).toEqual([[[cell, "x"]], [[cell, "x"]], [[whole, "x"]]]);
  });

  test("a name in the header of another file keeps its apostrophe", () => {
    expect(read("Title,'+1\nA,1\n").header).toEqual(["Title", "'+1"]);
  });

  test("a table comes back as it was written, whatever its cells, delimiter and line ends", () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", '"', ",", ";", "\t", "|", "\n", "\r", " ", "é", "😀"),
      maxLength: 6,
    });
    // Blank cells alone between tabs are a blank line, which is no row.
    const row = fc.array(cell, { minLength: 2, maxLength: 5 }).filter((cells) => cells.join("").trim() !== "");
    const table = fc.array(row, { minLength: 1, maxLength: 6 });
    const delimiters = fc.constantFrom(",", ";", "\t", "|");
    fc.assert(
      fc.property(table, delimiters, fc.constantFrom("\n", "\r\n", "\r"), fc.boolean(), (rows, delimiter, end, all) => {
        const write = (text: string) => (all || /[",;\t|\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
        const text = rows.map((cells) => cells.map(write).join(delimiter)).join(end);
        expect(read(text, delimiter)).toMatchObject({
          header: rows[0],
          rows: rows.slice(1),
          rowCount: rows.length - 1,
        });
      }),
    );
  });

  test("any text is either read, with as many rows as are counted, or refused as input", () => {
    const text = fc.string({
      unit: fc.constantFrom('"', ",", ";", "\n", "\r", "\t", " ", "a", "'", "=", "\uFEFF"),
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, (csv) => {
        try {
          const { header, rows, rowCount } = read(csv);
          expect(rowCount).toBe(rows.length);
          expect(previewCsv(csv, { hasHeader: true, limit: 1 })).toMatchObject({
            header,
            rows: rows.slice(0, 1),
            rowCount: rows.length,
          });
        } catch (error) {
          expect(error).toMatchObject({ code: "BAD_REQUEST" });
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a file of Todoist", () => {
  const header = "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE";

  test("has neither its sections nor its lines about the view as rows, on any page", () => {
    const lines = [
      "meta,view_style=board,,,,,,,,",
      "task,One,,1,1,Ada (1),,,en,UTC",
      '"section",To do,,,,,,,,',
      "task,Two,,4,1,Ada (1),,,en,UTC",
      "section,Doing,,,,,,,,",
      "task,view_style=list,,,,,,,,",
      "task,section,,4,1,Ada (1),,,en,UTC",
    ];
    const csv = `\uFEFF${[header, ...lines].join("\r\n")}\r\n`;
    const titles = (offset: number, limit: number) => {
      const { rows, rowCount } = previewCsv(csv, { offset, limit });
      expect(rowCount).toBe(3);
      return rows.map(([, title]) => title);
    };
    expect([titles(0, 10), titles(1, 1), titles(2, 1)]).toEqual([["One", "Two", "section"], ["Two"], ["section"]]);
  });

  test("is known by its columns: other files have rows of the type section", () => {
    expect(previewCsv("Type,Title\nsection,A\ntask,B\n", { limit: 10 })).toMatchObject({
      header: ["Type", "Title"],
      rowCount: 2,
    });
  });
});

describe("a directive for Excel", () => {
  test.each<[string, string, Delimiter]>([
    ["with a semicolon", "sep=;\r\na;b,c\r\n1;2,3\r\n", ";"],
    ["with a comma", "sep=,\na,b\n1,2\n", ","],
    ["with a tab", "SEP=\t\na\tb\n1\t2\n", "\t"],
    ["with a pipe, after a byte order mark", "\uFEFFsep=|\ra|b\r1|2\r", "|"],
    ["in quotes", '"sep=;"\na;b\n1;2\n', ";"],
    ["for a delimiter that is not known", "sep=:\na;b\n1;2\n", ";"],
  ])("%s is no row, and tells the delimiter", (_, text, delimiter) => {
    const { header, rows, rowCount, ...found } = previewCsv(text, { hasHeader: true, limit: 10 });
    expect(found.delimiter).toBe(delimiter);
    expect([header[0], rows[0]?.[0], rowCount]).toEqual(["a", "1", 1]);
  });

  test("gives way to the delimiter asked for", () => {
    expect(read("sep=;\na,b;c\n", ",")).toMatchObject({ delimiter: ",", header: ["a", "b;c"] });
  });

  test("is a row where something else stands in its line", () => {
    expect(read("sep=;x,b\n1,2\n").header).toEqual(["sep=;x", "b"]);
  });

  test("counts as a line where a problem is told, and makes no file by itself", () => {
    expect(problemOf(() => read('sep=;\na;b\n"1;2\n')).line).toBe(3);
    expect(problemOf(() => read("sep=;\n")).message).toBe("The file is empty.");
  });
});

describe("the delimiter", () => {
  test.each([
    [",", "a,b\n1,2\n"],
    [";", "a;b\n1;2\n"],
    ["\t", "a\tb\n1\t2\n"],
    ["|", "a|b\n1|2\n"],
    [";", "Name;Price;Size\nx;1,5;2,5\ny;2,5;3,5\n"],
    [";", 'Name;Note\nx;"a, b, c"\ny;"d, e, f, g"\n'],
    [",", 'Name,Note\nx,"a; b; c; d; e"\ny,"f; g"\n'],
    [",", '"Name; all","Note; all"\n"a; b","c"\n'],
    ["\t", "Name\tNote, long\nx\ta, b\ny\tc, d, e\n"],
    [",", "Title,Labels,Due\nx,a|b|c,\ny,d|e|f,\n"],
    [",", "a,b,c,d\n1,2\n1,2,3\n1\n"],
    [";", "Start, planned;End\n1;2\n3;4\n"],
    [",", "Title\nx\ny\n"],
    [",", "Title,List"],
    [",", 'Title,Note\nx,"a\n;;;;\n;;;;"\ny,z\n'],
  ])("%j is found in %j", (delimiter, text) => {
    expect(read(text).delimiter).toBe(delimiter);
  });

  test("a file of one column keeps its text in one piece", () => {
    expect(read("Title\nBuy milk, bread\nSleep\n").rows).toEqual([["Buy milk, bread"], ["Sleep"]]);
  });

  test("the one asked for wins", () => {
    expect(read("a,b;c\n", ";")).toMatchObject({ delimiter: ";", header: ["a,b", "c"], rows: [] });
  });
});

describe("what cannot be read is refused", () => {
  test.each([
    ["nothing", "", undefined],
    ["a byte order mark alone", "\uFEFF", undefined],
    ["blank lines alone", "\n \r\n\t\n", undefined],
    ["a quote never closed", 'a,b\n1,2\n3,"4\n5,6\n', 3],
    ["a quote never closed in the header", 'a,"b\n1,2\n', 1],
    ["a quote never closed in a header with semicolons", 'a;"b\n1;2\n', 1],
    ["a quote never closed in a single cell", '"a\nb\n', 1],
    ["text behind a closing quote", 'a,b\r\n"x\r\ny" z,1\r\n', 3],
    ["bytes that were not UTF-8", "a,b\n1,caf\uFFFD\n", 2],
    ["binary", "PK\u0003\u0004\0\0", 1],
    ["a lone surrogate", "a,b\n1,x\uD83D\n2,\uFFFD\n", 2],
  ])("%s", (_, text, line) => {
    const problem = problemOf(() => previewCsv(text, { limit: 1 }));
    expect(problem).toMatchObject({ code: "BAD_REQUEST", line });
    if (line === undefined) expect(problem.message).toBe("The file is empty.");
  });

  test.each([
    ["a NUL", "a,b\n1,x\0\n", /^Line 2: .*NUL character/],
    ["UTF-16 that was read as another encoding", "a\0,\0b\0\n\0", /^Line 1: .*NUL character.*UTF-16/],
    ["a workbook", "PK\u0003\u0004\0\0", /^Line 1: .*Excel workbook/],
    ["bytes that were not UTF-8", "a,b\n1,caf\uFFFD\n", /^Line 2: this is not text in UTF-8/],
  ])("%s is called what it is", (_, text, message) => {
    expect(problemOf(() => previewCsv(text, { limit: 1 })).message).toMatch(message);
  });

  test("a quote never closed is found behind the rows asked for", () => {
    expect(problemOf(() => previewCsv('a,b\n1,2\n3,4\n5,"6\n', { limit: 1 })).line).toBe(4);
  });
});

describe("what 4.2 does not take is cut", () => {
  test.each([
    ["200 cells are taken", ",".repeat(199), 200],
    ["of 201 cells the last is left out", `${"x,".repeat(200)}y`, 200],
  ])("of a row, %s", (_, row, cells) => {
    const text = `a,b\n1,2\n${row}\n3,4\n`;
    const { rows, rowCount, warnings } = previewCsv(text, { hasHeader: true, limit: 3 });
    expect(rows.map(({ length }) => length)).toEqual([2, cells, 2]);
    expect(rows[2]).toEqual(["3", "4"]);
    expect([rowCount, warnings]).toEqual([3, []]);
  });

  test("a header of over 200 names is cut too, and its mapping names none of the others", () => {
    const names = ["Summary", ...Array.from({ length: 199 }, () => "Comment"), "Status"];
    const { header, suggestedMapping } = previewCsv(`${names.join()}\na,b\n`, { limit: 1 });
    expect(header).toHaveLength(200);
    expect(suggestedMapping).not.toHaveProperty("list");
  });

  test.each([
    ["20000 code points are taken", `"${"😀".repeat(19_998)}""x"`, `${"😀".repeat(19_998)}"x`, null],
    ["20001 code points are not", "😀".repeat(20_001), "😀".repeat(20_000), "😀".repeat(200)],
    ["line breaks count", `"${"\n".repeat(20_001)}"`, "\n".repeat(20_000), "\n".repeat(200)],
  ])("of a cell, %s", (_, written, cell, value) => {
    const { rows, warnings } = previewCsv(`a,b\n1,2\n3,${written}\n`, { hasHeader: true, limit: 2 });
    expect(rows[1]).toEqual(["3", cell]);
    expect(warnings).toEqual(value === null ? [] : [{ rowNumber: 2, reason: "valueTruncated", value }]);
  });

  test("warnings are about the rows of the page alone, and number them as the file does", () => {
    const long = "é".repeat(20_001);
    const text = `a,b\n${long},${long}\n\n1,2\n3,${long}\n`;
    const rowNumbers = (offset: number, limit: number) =>
      previewCsv(text, { hasHeader: true, offset, limit }).warnings.map(({ rowNumber }) => rowNumber);
    expect([rowNumbers(0, 3), rowNumbers(0, 2), rowNumbers(1, 1), rowNumbers(2, 5)]).toEqual([
      [1, 1, 3],
      [1, 1],
      [],
      [3],
    ]);
  });

  test("a file of one row of millions of cells, or of one cell of megabytes, is read", () => {
    expect(previewCsv(`Title\n${",".repeat(5_000_000)}`, { limit: 1 })).toMatchObject({ rowCount: 1 });
    const { rows } = previewCsv(`Title\n${"x".repeat(5_000_000)}`, { limit: 1 });
    expect(rows[0]?.[0]).toHaveLength(20_000);
  });
});

describe("the backlog", () => {
  test("is read whole, quotes, line breaks and all", () => {
    const { delimiter, header, rows } = read(backlog);
    const cells = rows.flat();

    expect(delimiter).toBe(",");
    expect(header).toEqual(["Title", "Description", "List", "Labels", "Due date", "Checklist"]);
    expect(rows).toHaveLength(2000);
    expect(rows.every((row) => row.length === 6)).toBe(true);
    expect(new Set(rows.map((row) => row[2])).size).toBe(10);
    expect(cells.filter((cell) => cell.includes("\n"))).toHaveLength(1226);
    expect(cells.filter((cell) => cell.includes('"'))).toHaveLength(97);
  });

  test("is cut to the rows asked for, and all are counted", () => {
    const preview = previewCsv(backlog, { limit: 20 });
    expect(preview.rowCount).toBe(2000);
    expect(preview.rows).toEqual(read(backlog).rows.slice(0, 20));
  });
});
