// Guarantees of files that other tools write: preview and import read them without any help.

import { expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { bodyFor, type Imported, importsOn, type Preview } from "./imports.js";

const app = await testApp();
const { as, make } = app;
const { boardsIn } = importsOn(app);

/** The cards of a board by title, as the preview and the import make them of a file without any help. */
async function cardsFrom(csv: string) {
  const { workspace } = await make.workspace();
  const client = as(workspace.owner);
  const { rows, suggestedMapping } = ok(await client.post<Preview>("/imports/csv/preview", { csv }));
  const body = bodyFor(workspace, rows, { mapping: suggestedMapping });
  const answer = ok(await client.post<Imported>("/imports/csv/boards", body));
  expect(answer).toMatchObject({ skippedRows: [], warnings: [] });
  const boards = [...(await boardsIn(workspace)).values()];
  const cards = boards.flatMap(({ name, lists }) =>
    lists.flatMap((list) =>
      list.cards.map(({ title, description, dueDate, labels, checklistItems }) => {
        const labelNames = labels.map((label) => label.name).join("+");
        return [name, list.name, title, description, dueDate?.slice(0, 16), labelNames, checklistItems.total];
      }),
    ),
  );
  const states = boards.flatMap(({ lists }) =>
    lists.flatMap((list) =>
      list.cards.map(({ title, priority, completedAt }) => [title, priority, completedAt?.slice(0, 10) ?? null]),
    ),
  );
  return { cards, states, unmatched: answer.unmatchedAssignees };
}

test("a file of Jira: labels in several columns, dates with the month's name", async () => {
  const csv = [
    "Summary,Issue key,Issue id,Issue Type,Status,Project name,Assignee,Due date,Labels,Labels,Labels,Description",
    'Fix login,WB-1,10001,Bug,In Progress,Web,ada,10/Jan/24 12:00 AM,ui,auth,,"Steps:\n# open"',
    "Write docs,WB-2,10002,Task,To Do,Web,,13/Feb/24 5:30 PM,,,docs,",
  ].join("\n");
  expect(await cardsFrom(csv)).toMatchObject({
    cards: [
      ["Web", "In Progress", "Fix login", "Steps:\n# open", "2024-01-10T00:00", "auth+ui", 0],
      ["Web", "To Do", "Write docs", "", "2024-02-13T17:30", "docs", 0],
    ],
    unmatched: ["ada"],
  });
});

test("a file of Asana: sections, notes and tags", async () => {
  const csv = [
    "Task ID,Created At,Completed At,Last Modified,Name,Section/Column,Assignee,Assignee Email,Start Date,Due Date,Tags,Notes,Projects,Parent task",
    '1201,2024-01-02,,2024-01-03,Plan,Doing,Ada,ada@example.org,,2024-01-10,"a,b",Do it,Launch,',
  ].join("\n");
  expect(await cardsFrom(csv)).toMatchObject({
    cards: [["Launch", "Doing", "Plan", "Do it", "2024-01-10T00:00", "a+b", 0]],
    unmatched: ["Ada"],
  });
});

test("a file of Linear: its way of writing an instant", async () => {
  const csv = [
    '"ID","Team","Title","Description","Status","Estimate","Priority","Project","Assignee","Labels","Due Date"',
    '"WB-1","Web","Fix","Text","Todo","","High","Launch","ada@example.org","Bug, Feature","Fri Jan 10 2025 00:00:00 GMT+0000 (GMT)"',
  ].join("\n");
  expect(await cardsFrom(csv)).toMatchObject({
    cards: [["Launch", "Todo", "Fix", "Text", "2025-01-10T00:00", "Bug+Feature", 0]],
    unmatched: ["ada@example.org"],
  });
});

test("a file of Notion: dates in words, and ranges of them", async () => {
  const csv = [
    "\uFEFFName,Assign,Date,Status,Tags",
    'A,"Ada Lovelace, Bob","May 13, 2027",In progress,"x, y"',
    'B,,"May 1, 2027 → May 14, 2027 5:00 PM",Done,',
  ].join("\r\n");
  expect(await cardsFrom(csv)).toMatchObject({
    cards: [
      ["Imported", "In progress", "A", "", "2027-05-13T00:00", "x+y", 0],
      ["Imported", "Done", "B", "", "2027-05-14T17:00", "", 0],
    ],
    unmatched: ["Ada Lovelace", "Bob"],
  });
});

test("a file of Excel in German: its directive, its words, days before months", async () => {
  const csv = [
    "sep=;",
    "Aufgabe;Beschreibung;Spalte;Schlagwörter;Fällig am;Teilaufgaben",
    "Rechnung;Nr. 5, eilig;Offen;Geld|Büro;03.04.2027;prüfen\nzahlen",
    "Urlaub;;Offen;;13.05.2027;",
  ]
    .join("\r\n")
    .replace("prüfen\nzahlen", '"prüfen\nzahlen"');
  expect(await cardsFrom(csv)).toMatchObject({
    cards: [
      ["Imported", "Offen", "Rechnung", "Nr. 5, eilig", "2027-04-03T00:00", "Büro+Geld", 2],
      ["Imported", "Offen", "Urlaub", "", "2027-05-13T00:00", "", 0],
    ],
    unmatched: [],
  });
});

test("a file without a header: every row is a card", async () => {
  expect(await cardsFrom("Buy milk,05/13/2027\nSleep,06/01/2027\n")).toMatchObject({
    cards: [
      ["Imported", "To do", "Buy milk", "", "2027-05-13T00:00", "", 0],
      ["Imported", "To do", "Sleep", "", "2027-06-01T00:00", "", 0],
    ],
    unmatched: [],
  });
});

test.each([
  [
    "Jira",
    [
      "Summary,Issue key,Status,Priority,Resolution,Resolved",
      "A,WB-1,Done,Highest,Done,10/Jan/24 5:30 PM",
      "B,WB-2,To Do,Medium,,",
      "C,WB-3,To Do,Lowest,,",
    ],
    [
      ["A", "urgent", "2024-01-10"],
      ["B", "medium", null],
      ["C", "low", null],
    ],
  ],
  [
    "Linear",
    [
      '"ID","Title","Status","Priority","Completed","Canceled"',
      '"WB-1","A","Done","Urgent","Fri Jan 10 2025 00:00:00 GMT+0000 (GMT)",""',
      '"WB-2","B","Todo","No priority","",""',
    ],
    [
      ["A", "urgent", "2025-01-10"],
      ["B", "none", null],
    ],
  ],
  [
    "Planner in German, without a date of completion",
    [
      "Aufgabenname;Bucketname;Fortschritt;Priorität",
      "A;Offen;Abgeschlossen;Wichtig",
      "B;Offen;In Bearbeitung;Niedrig",
      "C;Offen;Nicht begonnen;Mittel",
    ],
    [
      ["A", "high", expect.any(String)],
      ["B", "low", null],
      ["C", "medium", null],
    ],
  ],
])("a file of %s: priorities and completion", async (_, lines, states) => {
  expect((await cardsFrom(lines.join("\n"))).states).toEqual(states);
});
