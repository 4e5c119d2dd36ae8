// Guarantees of the import of CSV: what a file says is what the boards hold.

import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { PALETTE } from "../../src/import/palette.js";
import { expectComplete } from "../board/events.js";
import { contentsOf, ok, testApp } from "../helpers/app.js";
import {
  type Board,
  bodyFor,
  type CardWithChecklists,
  type Cells,
  cardsOf,
  type Imported,
  importsOn,
  oneTo,
  type Preview,
  titlesOf,
} from "./imports.js";

const app = await testApp();
const { as, make, db } = app;
const { importInto, boardOf, boardsIn, eventsOf, numbersIn, expectDense } = importsOn(app);

describe("a whole file", () => {
  const file = readFileSync(new URL("../../examples/backlog.csv", import.meta.url), "utf8");
  const records: Record<string, string>[] = parse(file, { columns: true, bom: true });
  const linesOf = (cell: string) => cell.split("\n").filter((line) => line !== "");
  const namesIn = (cell: string) => cell.split(",").flatMap((name) => name.trim() || []);
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase()).sort();

  /** What the file says, read by the test itself: cards by list, in the order of the rows. */
  const wanted = new Map<string, ReturnType<typeof cardFrom>[]>();
  for (const record of records) {
    const list = record.List ?? "";
    wanted.set(list, [...(wanted.get(list) ?? []), cardFrom(record)]);
  }

  function cardFrom(record: Record<string, string>) {
    return {
      title: record.Title,
      description: record.Description,
      labels: [...new Set(lower(namesIn(record.Labels ?? "")))],
      dueDate: record["Due date"] ? `${record["Due date"]}T00:00:00.000Z` : null,
      items: linesOf(record.Checklist ?? "").map((title) => ({ title: title.trim(), completed: false })),
    };
  }

  /** The checklist items of a board's cards, in order, by the cards' identifiers. */
  async function checklistsOn(board: Board) {
    const rows = await db.rows<{ card: string; title: string; completed: boolean }>(sql`
      select c.public_id as card, i.title, i.completed
      from board b
      join card c on c.workspace_id = b.workspace_id and c.board_id = b.id
      join checklist k on k.workspace_id = c.workspace_id and k.card_id = c.id
      join checklist_item i on i.workspace_id = k.workspace_id and i.checklist_id = k.id
      where b.public_id = ${board.publicId}::text order by k.id, i.position`);
    const items = new Map<string, { title: string; completed: boolean }[]>();
    for (const { card, ...item } of rows) items.set(card, [...(items.get(card) ?? []), item]);
    return items;
  }

  test("comes in as it is, by the columns that the preview suggests", async () => {
    const { workspace } = await make.workspace();
    const preview = ok(await as(workspace.owner).post<Preview>("/imports/csv/preview", { csv: file, limit: 2000 }));
    expect(preview).toMatchObject({ delimiter: ",", rowCount: 2000, header: Object.keys(records[0] ?? {}) });

    const body = bodyFor(workspace, preview.rows, { mapping: preview.suggestedMapping, boardName: "Backlog" });
    const answer = ok(await as(workspace.owner).post<Imported>("/imports/csv/boards", body));
    const labels = new Set(records.flatMap((record) => lower(namesIn(record.Labels ?? ""))));
    expect(answer).toEqual({
      boardsCreated: 1,
      listsCreated: wanted.size,
      cardsCreated: 2000,
      labelsCreated: labels.size,
      checklistItemsCreated: records.flatMap((record) => linesOf(record.Checklist ?? "")).length,
      cardsAssigned: 0,
      unmatchedAssignees: [],
      skippedRows: [],
      warnings: [],
      boardPublicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
    });

    const board = await boardOf(workspace.owner, answer.boardPublicId);
    expect(board).toMatchObject({ name: "Backlog", slug: "backlog", visibility: "workspace" });
    expect(board.members.map(({ name }) => name)).toEqual([workspace.owner.name]);
    expect(lower(board.labels.map(({ name }) => name))).toEqual([...labels].sort());
    expect(board.lists.map(({ name }) => name)).toEqual([...wanted.keys()]);
    for (const { name, cards } of board.lists) {
      const shown = cards.map((card) => ({
        title: card.title,
        description: card.description,
        labels: lower(card.labels.map((label) => label.name)),
        dueDate: card.dueDate,
      }));
      expect(shown).toEqual(wanted.get(name)?.map(({ items, ...card }) => card));
    }

    const itemsOf = await checklistsOn(board);
    for (const { name, cards } of board.lists) {
      const items = wanted.get(name)?.map((card) => card.items);
      expect(cards.map(({ publicId }) => itemsOf.get(publicId) ?? [])).toEqual(items);
      expect(cards.map(({ checklistItems }) => checklistItems)).toEqual(
        items?.map(({ length }) => ({ total: length, completed: 0 })),
      );
    }
    const [first] = cardsOf(board).filter(({ checklistItems }) => checklistItems.total > 1);
    const card = ok(await as(workspace.owner).get<CardWithChecklists>(`/cards/${first?.publicId}`));
    expect(card.checklists).toMatchObject([{ name: "Checklist", items: itemsOf.get(card.publicId) }]);
    await expectDense(workspace);
  });

  test("answers the same on a dry run, which leaves no trace", async () => {
    const { workspace } = await make.workspace();
    const rows = parse(file, { from: 2 });
    const body = bodyFor(workspace, rows, { mapping: { title: 0, list: 2, labels: 3, dueDate: 4, checklist: 5 } });
    const before = await contentsOf(db);

    const dry = ok(await as(workspace.owner).post("/imports/csv/boards", { ...body, dryRun: true }));

    expect(await contentsOf(db)).toEqual(before);
    const answer = ok(await as(workspace.owner).post("/imports/csv/boards", body));
    expect(dry).toEqual({ ...answer, boardPublicId: null });
    expect([...(await boardsIn(workspace)).values()].map(({ slug }) => slug)).toEqual(["imported"]);
  });
});

describe("rows", () => {
  test("say what they lost, each for its reason", async () => {
    const { workspace } = await make.workspace();
    const longTitle = "é".repeat(2001);
    const longName = "n".repeat(256);
    const rows: Cells[] = [
      { title: " ", description: "\t" },
      { description: "no title" },
      { title: longTitle, description: "rest" },
      { title: "list", list: longName },
      { title: "ambiguous", dueDate: "03/04/2027" },
      { title: "invalid", dueDate: "soon" },
      { title: "one order alone", dueDate: "13/05/2027" },
      { title: "the other order alone", dueDate: "05/14/2027" },
      { title: "a time", dueDate: "2027-05-13 14:30" },
    ];

    const answer = ok(await importInto(workspace, rows));

    expect(answer).toMatchObject({
      cardsCreated: 7,
      skippedRows: [
        { rowNumber: 1, reason: "emptyRow", value: "" },
        { rowNumber: 2, reason: "missingTitle", value: "" },
      ],
      warnings: [
        { rowNumber: 3, reason: "titleTruncated", value: longTitle },
        { rowNumber: 4, reason: "valueTruncated", value: longName },
        { rowNumber: 5, reason: "ambiguousDate", value: "03/04/2027" },
        { rowNumber: 6, reason: "invalidDate", value: "soon" },
      ],
    });
    const board = await boardOf(workspace.owner, answer.boardPublicId);
    const cards = cardsOf(board);
    const dueOf = (title: string) => cards.find((card) => card.title === title)?.dueDate;
    expect(titlesOf(board)?.map(([name]) => name)).toEqual(["To do", "n".repeat(255)]);
    expect(cards[0]).toMatchObject({ title: "é".repeat(2000), description: `${longTitle}\n\nrest` });
    expect([dueOf("ambiguous"), dueOf("invalid")]).toEqual([null, null]);
    expect([dueOf("one order alone"), dueOf("a time")]).toEqual([
      "2027-05-13T00:00:00.000Z",
      "2027-05-13T14:30:00.000Z",
    ]);
  });

  test("may be ragged, and may use few columns or one twice", async () => {
    const { workspace } = await make.workspace();
    const body = bodyFor(workspace, [["One"], ["Two", "x", "ignored"]], {
      mapping: { title: 0, description: 0, labels: 1 },
      defaultListName: " Inbox ",
    });

    const { boardPublicId } = ok(await as(workspace.owner).post<Imported>("/imports/csv/boards", body));

    const board = await boardOf(workspace.owner, boardPublicId);
    expect(titlesOf(board)).toEqual([["Inbox", ["One", "Two"]]]);
    expect(cardsOf(board)).toMatchObject([
      { description: "One", labels: [] },
      { description: "Two", labels: [{ name: "x" }] },
    ]);
  });

  test("of every script come back as they were", async () => {
    const { workspace } = await make.workspace();
    const text = `😀 "quoted" \\ {a,b} 'x' \u0001 \u2028 ${"中".repeat(3000)}`;

    const { boardPublicId } = ok(
      await importInto(workspace, [{ title: "Ünï 🎉", description: text, checklist: text }]),
    );

    const [card] = cardsOf(await boardOf(workspace.owner, boardPublicId));
    expect(card).toMatchObject({ title: "Ünï 🎉", description: text });
  });

  test("make checklists whose items keep order and marks", async () => {
    const { workspace } = await make.workspace();
    const rows = [
      { title: "A", checklist: "- [x] done\n\n* open\n[ ] boxed", checklistName: "Steps" },
      { title: "B", checklist: "one; [X] two" },
    ];

    const answer = ok(await importInto(workspace, rows));

    expect(answer).toMatchObject({ checklistItemsCreated: 5 });
    const cards = cardsOf(await boardOf(workspace.owner, answer.boardPublicId));
    expect(cards.map(({ checklistItems }) => checklistItems)).toEqual([
      { total: 3, completed: 1 },
      { total: 2, completed: 1 },
    ]);
    const path = `/cards/${cards[0]?.publicId}`;
    expect(ok(await as(workspace.owner).get<CardWithChecklists>(path)).checklists).toMatchObject([
      {
        name: "Steps",
        items: [
          { title: "done", completed: true },
          { title: "open", completed: false },
          { title: "boxed", completed: false },
        ],
      },
    ]);
  });

  test("share lists and labels without regard to case, the first spelling kept, colours in turn", async () => {
    const { workspace } = await make.workspace();
    const names = Array.from({ length: 13 }, (_, index) => `label ${String(index).padStart(2, "0")}`);
    const rows = [
      { title: "A", list: "Doing", labels: "Bug; ÉTÉ" },
      { title: "B", list: "DOING", labels: "bug, été | BUG" },
      { title: "C", list: "doing ", labels: names.join("|") },
    ];

    const answer = ok(await importInto(workspace, rows));

    expect(answer).toMatchObject({ listsCreated: 1, labelsCreated: 15 });
    const board = await boardOf(workspace.owner, answer.boardPublicId);
    expect(titlesOf(board)).toEqual([["Doing", ["A", "B", "C"]]]);
    expect(cardsOf(board).map(({ labels }) => labels.map(({ name }) => name))).toEqual([
      ["Bug", "ÉTÉ"],
      ["Bug", "ÉTÉ"],
      names,
    ]);
    const colours = ["Bug", "ÉTÉ", ...names].map((name) => board.labels.find((l) => l.name === name)?.colourCode);
    expect(colours).toEqual([...PALETTE, ...PALETTE].slice(0, 15));
    expect(board.labels.every(({ colourCode }) => /^#[0-9a-f]{6}$/.test(colourCode))).toBe(true);
  });

  test("can be moved and added to like any others", async () => {
    const { workspace } = await make.workspace();
    const { boardPublicId } = ok(await importInto(workspace, [{ title: "A" }, { title: "B" }, { title: "C" }]));
    const board = await boardOf(workspace.owner, boardPublicId);
    const [list] = board.lists;
    const listPublicId = list?.publicId;

    ok(await as(workspace.owner).put(`/cards/${list?.cards[2]?.publicId}`, { index: 1 }));
    ok(await as(workspace.owner).post("/cards", { title: "D", listPublicId }));

    expect(titlesOf(await boardOf(workspace.owner, boardPublicId))).toEqual([["To do", ["A", "C", "B", "D"]]]);
    expect((await numbersIn(workspace)).map(({ cardNumber }) => cardNumber)).toEqual([1, 2, 3, 4]);
  });
});

describe("boards", () => {
  test("are made by name, rows without one go to the first", async () => {
    const { workspace } = await make.workspace();
    const rows = [
      { title: "1", board: "Home" },
      { title: "2" },
      { title: "3", board: "HOME", list: "Later" },
      { title: "4", board: "Work" },
      { title: "5", board: "imported" },
    ];

    const answer = ok(await importInto(workspace, rows));

    expect(answer).toMatchObject({ boardsCreated: 3, listsCreated: 4, cardsCreated: 5 });
    const boards = await boardsIn(workspace);
    expect(boards.get("Imported")?.publicId).toBe(answer.boardPublicId);
    expect(titlesOf(boards.get("Imported"))).toEqual([["To do", ["2", "5"]]]);
    expect(titlesOf(boards.get("Home"))).toEqual([
      ["To do", ["1"]],
      ["Later", ["3"]],
    ]);
    expect(titlesOf(boards.get("Work"))).toEqual([["To do", ["4"]]]);
    await expectDense(workspace);
    const events = (await eventsOf(workspace)).filter(({ type }) => type === "board.imported");
    const named = ["Imported", "Home", "Work"].map((name) => boards.get(name)?.publicId);
    expect(events.map(({ board }) => board)).toEqual(named);
    const seen = async <Read>(path: string) => ok(await as(workspace.owner).get<Read>(path));
    await expectComplete(await eventsOf(workspace), seen);
  });

  test("are made also when no row is left", async () => {
    const { workspace } = await make.workspace();
    const answer = ok(await importInto(workspace, [{}, { description: "x" }]));
    expect(answer).toMatchObject({ boardsCreated: 1, listsCreated: 0, cardsCreated: 0 });
    expect(await boardOf(workspace.owner, answer.boardPublicId)).toMatchObject({ name: "Imported", lists: [] });
  });

  test("are only those that cards go to: the board of `boardName` is left out where none does", async () => {
    const { workspace } = await make.workspace();
    const rows = [
      { title: "", board: "" },
      { title: "1", board: "First" },
      { title: "2", board: "Second" },
    ];

    const answer = ok(await importInto(workspace, rows));

    expect(answer).toMatchObject({ boardsCreated: 2, cardsCreated: 2 });
    const boards = await boardsIn(workspace);
    expect([...boards.keys()].sort()).toEqual(["First", "Second"]);
    expect(boards.get("First")?.publicId).toBe(answer.boardPublicId);
    await expectDense(workspace);
  });

  test("get slugs that are legal, free and not reserved", async () => {
    const { workspace } = await make.workspace();
    const path = `/workspaces/${workspace.publicId}/boards`;
    const slugs = async () =>
      ok(await as(workspace.owner).get<Board[]>(path))
        .map(({ slug }) => slug)
        .sort();
    const rows = ["New", "Déjà vu", "Deja-Vu", "日本", "Settings", "Ab"].map((board) => ({ title: "A", board }));

    ok(await importInto(workspace, rows, { boardName: "New" }));

    expect(await slugs()).toEqual(["ab-board", "board", "deja-vu", "deja-vu-2", "new-2", "settings-2"]);
    ok(await importInto(workspace, [{ title: "A" }], { boardName: "New" }));
    expect(await slugs()).toContain("new-3");
  });

  test("of 2000 names are as many boards", { tags: ["slow"] }, async () => {
    const { workspace } = await make.workspace();
    const rows = oneTo(2000).map((n) => ({ title: `Card ${n}`, board: `板 ${n}` }));
    expect(ok(await importInto(workspace, rows))).toMatchObject({ boardsCreated: 2000, listsCreated: 2000 });
    await expectDense(workspace);
  });
});
