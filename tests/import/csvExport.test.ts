// Guarantees of the CSV of a board: any reader of CSV reads it, and what preview and import take back is the same board.

import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Board, ok, testApp, type Workspace } from "../helpers/app.js";
import type { BoardFile } from "./boardFiles.js";
import { bodyFor, type Imported, type Preview } from "./imports.js";

const app = await testApp();
const { as, make } = app;

const HEADER = "title,description,list,labels,dueDate,assignee,checklist,checklistName,board,priority,completed".split(
  ",",
);

async function csvOf(board: { publicId: string }, person = owner): Promise<string> {
  return ok(await as(person).get<string>(`/boards/${board.publicId}/export?format=csv`));
}

/** Cells as another reader of CSV finds them. */
const cellsOf = (csv: string): string[][] => parse(csv, { bom: true, record_delimiter: "\r\n" });

/** Takes CSV in, by the columns that the preview suggests. */
async function taken(into: Workspace, csv: string): Promise<{ preview: Preview; board: { publicId: string } }> {
  const client = as(into.owner);
  const preview = ok(await client.post<Preview>("/imports/csv/preview", { csv, limit: 2000 }));
  const body = bodyFor(into, preview.rows, { mapping: preview.suggestedMapping });
  const { boardPublicId, boardsCreated } = ok(await client.post<Imported>("/imports/csv/boards", body));
  expect(boardsCreated).toBe(1);
  return { preview, board: { publicId: boardPublicId } };
}

const { workspace, owner } = await make.workspace();

test("the backlog's 2000 cards leave as they came and come back as they left, cell by cell", {
  tags: ["slow"],
  timeout: 120_000,
}, async () => {
  const file = readFileSync(new URL("../../examples/backlog.csv", import.meta.url), "utf8");
  const { board, preview: source } = await taken(workspace, file);

  const csv = await csvOf(board);
  const again = await taken(workspace, csv);

  expect(again.preview).toMatchObject({ delimiter: ",", header: HEADER, rowCount: 2000 });
  expect(again.preview.suggestedMapping).toEqual(Object.fromEntries(HEADER.map((key, column) => [key, column])));
  expect(await csvOf(again.board)).toBe(csv);

  const lists = [...new Set(source.rows.map((row) => row[2]))];
  const inOrder = lists.flatMap((list) => source.rows.filter((row) => row[2] === list));
  const items = (cell = "") => cell.split("\n").flatMap((line) => (line === "" ? [] : `[ ] ${line.trim()}`));
  expect(
    again.preview.rows.map(([title, description, list, , dueDate]) => [title, description, list, dueDate]),
  ).toEqual(inOrder.map(([title, description, list, , dueDate]) => [title, description, list, dueDate]));
  expect(again.preview.rows.map((row) => items((row[6] ?? "").replaceAll("[ ] ", "")))).toEqual(
    inOrder.map((row) => items(row[5])),
  );
});

describe("a cell", () => {
  const BEGINNINGS = [
    "＝1",
    "x;=1+1",
    "'x;@me",
    "x; =1",
    "=1+1",
    "+1",
    "-1",
    "@me",
    "'quoted'",
    "'=1",
    "''=1",
    "'",
    '"',
    "plain",
    "a\r\nb",
    " ; | \t,",
  ];

  test("that a spreadsheet would run as a formula has an apostrophe, and comes back without", async () => {
    const { board } = await make.board({ workspace });
    const { list } = await make.list({ board, name: "=list()" });
    const { label } = await make.label({ board, name: "@label" });
    for (const title of BEGINNINGS.filter((text) => text.trim() === text)) await make.card({ list, title });
    for (const description of [...BEGINNINGS, "\t=x", "\r=x", "'\tx", "''\rx", "  spaces  "]) {
      await make.card({ list, description, labelPublicIds: [label.publicId] });
    }

    const csv = await csvOf(board);
    for (const cell of cellsOf(csv).flat()) expect(cell).not.toMatch(/^[=+\-@＝\t\r]/);
    expect(cellsOf(csv)[5]).toEqual(["'=1+1", "", "'=list()", "", "", "", "", "", "", "none", ""]);

    const { preview, board: copy } = await taken(workspace, csv);
    const cards = await cardsOf(board);
    expect(preview.rows.map(([title, description]) => ({ title, description }))).toEqual(cards);
    expect(await cardsOf(copy)).toEqual(cards);
    expect(await csvOf(copy)).toBe(csv);
  });

  test("that another list separator would split into a formula has an apostrophe in front", async () => {
    const { board } = await make.board({ workspace });
    const { list } = await make.list({ board });
    const guarded = ["a;=1", "a;+1", "a;-1", "a;@me", "a;＝1", "a;b;=1"];
    const plain = ["a; =1", "a=1", "a;b", "a;'=1"];
    for (const title of [...guarded, ...plain]) await make.card({ list, title });

    const csv = await csvOf(board);

    expect(cellsOf(csv).map(([title]) => title)).toEqual(["title", ...guarded.map((cell) => `'${cell}`), ...plain]);
    const { board: copy } = await taken(workspace, csv);
    expect((await cardsOf(copy)).map(({ title }) => title)).toEqual([...guarded, ...plain]);
  });

  test("holds the items of a card's checklists in order and state, whatever they look like", async () => {
    const { board } = await make.board({ workspace });
    const { list } = await make.list({ board });
    const { card: several } = await make.card({ list });
    const { checklist } = await make.checklist({ card: several, name: "First" });
    for (const title of ["[x] as text", "- dash", "a; b", "(link)"]) await make.item({ checklist, title });
    const { checklist: second } = await make.checklist({ card: several, name: "Second" });
    const { item } = await make.item({ checklist: second, title: "done" });
    ok(await as(owner).put(`/checklist-items/${item.publicId}`, { completed: true }));
    const { card: single } = await make.card({ list });
    await make.item({ checklist: (await make.checklist({ card: single, name: "One" })).checklist, title: "one; two" });

    const csv = await csvOf(board);
    expect(cellsOf(csv).map((row) => [row[6], row[7]])).toEqual([
      ["checklist", "checklistName"],
      ["[ ] [x] as text\n[ ] - dash\n[ ] a; b\n[ ] (link)\n[x] done", "First"],
      ['[ ] "one; two"', "One"],
    ]);
    const { board: copy } = await taken(workspace, csv);
    expect(await csvOf(copy)).toBe(csv);
  });

  test("holds labels and items whatever separates or breaks them, and they come back as they were", async () => {
    const { board } = await make.board({ workspace });
    const { list } = await make.list({ board });
    const names = ["a, b", "c;d", "e|f", '"quoted"', 'say "hi", now', '"open', "plain", "=1,2", "line\nbreak"];
    const labels = await Promise.all(names.map(async (name) => (await make.label({ board, name })).label.publicId));
    const titles = ["one\ntwo", "a\r\nb; c", '"quoted"', '27" screen', "x; y", '"open\nend'];
    const { card } = await make.card({ list, title: "all", labelPublicIds: labels });
    const { checklist } = await make.checklist({ card });
    for (const title of titles) await make.item({ checklist, title });
    for (const [index, title] of titles.entries()) {
      const { card: single } = await make.card({ list, title: "one", labelPublicIds: labels.slice(index, index + 1) });
      await make.item({ checklist: (await make.checklist({ card: single })).checklist, title });
    }
    const shownOn = async ({ publicId }: { publicId: string }) => {
      const { cards, labels } = ok(await as(owner).get<BoardFile>(`/boards/${publicId}/export`));
      const nameOf = (id: string) => labels.find((label) => label.publicId === id)?.name;
      return cards.map(({ labelPublicIds, checklists }) => [
        labelPublicIds.map(nameOf).sort(),
        checklists.map(({ items }) => items),
      ]);
    };

    const csv = await csvOf(board);
    const { board: copy } = await taken(workspace, csv);

    expect(await shownOn(copy)).toEqual(await shownOn(board));
    expect((await shownOn(copy))[0]).toEqual([
      [...names].sort(),
      [titles.map((title) => ({ title, completed: false }))],
    ]);
  });

  test("quotes an assignee's name that an import would part, and it is found again", async () => {
    const { workspace: place } = await make.workspace();
    const ada = await make.member(place, "member", await make.user({ name: "Lovelace, Ada" }));
    const bob = await make.member(place, "member", await make.user({ name: "Bob" }));
    const { board } = await make.board({ workspace: place });
    const { list } = await make.list({ board });
    await make.card({ list, memberPublicIds: [ada.memberPublicId, bob.memberPublicId] });
    ok(await as(place.owner).put(`/workspaces/${place.publicId}`, { showEmailsToMembers: false }));

    const csv = await csvOf(board, bob);
    expect(cellsOf(csv)[1]?.[5]).toBe(`"Lovelace, Ada", ${bob.email}`);
    const { rows, suggestedMapping } = ok(await as(bob).post<Preview>("/imports/csv/preview", { csv }));
    const body = bodyFor(place, rows, { mapping: suggestedMapping });
    const answer = ok(await as(bob).post<Imported>("/imports/csv/boards", body));
    expect(answer).toMatchObject({ cardsAssigned: 1, unmatchedAssignees: [] });
    expect(cellsOf(await csvOf({ publicId: answer.boardPublicId }, bob))[1]?.[5]).toBe(cellsOf(csv)[1]?.[5]);
  });

  test("names assignees by the address where the reader may see it, else by name", async () => {
    const { board } = await make.board({ workspace });
    const member = await make.member(board, "member");
    const guest = await make.member(board, "guest");
    const { list } = await make.list({ board });
    await make.card({ list, dueDate: "2027-05-13", memberPublicIds: [member.memberPublicId] });
    await make.card({ list, dueDate: "2027-05-13T10:30:00.5Z" });

    const rows = cellsOf(await csvOf(board));
    expect(rows.slice(1).map((row) => [row[4], row[5]])).toEqual([
      ["2027-05-13", member.email],
      ["2027-05-13T10:30:00.500Z", ""],
    ]);
    expect(cellsOf(await csvOf(board, guest))[1]?.[5]).toBe(member.name);
    const { board: copy } = await taken(workspace, await csvOf(board));
    expect(cellsOf(await csvOf(copy))).toEqual(rows);
  });
});

test("a file has a byte order mark, the columns of the import, and the open cards in their order alone", async () => {
  const { board } = await make.board({ workspace, lists: ["B", "A"] });
  const { lists } = ok(
    await as(owner).get<{ lists: { publicId: string; name: string }[] }>(`/boards/${board.publicId}`),
  );
  const [b, a] = lists.map((list) => ({ ...list, owner, board }));
  if (a === undefined || b === undefined) throw new Error("Both lists are there");
  await make.card({ list: a, title: "3" });
  const { card } = await make.card({ list: b, title: "gone" });
  await make.card({ list: b, title: "2" });
  await make.card({ list: b, title: "1", index: 0 });
  ok(await as(owner).post(`/cards/${card.publicId}/archive`));

  const csv = await csvOf(board);

  expect(csv.startsWith("\uFEFFtitle,")).toBe(true);
  expect(csv.endsWith("\r\n")).toBe(true);
  expect(cellsOf(csv).map(([title, , list]) => [title, list])).toEqual([
    ["title", "list"],
    ["1", "B"],
    ["2", "B"],
    ["3", "A"],
  ]);
});

describe("cards of any kind", () => {
  const text = (maxLength: number) =>
    fc.string({
      unit: fc.constantFrom("a", "=", "'", '"', ",", ";", "|", "\t", "\n", "\r", " ", "+", "-", "@", "＝", "é", "😀"),
      maxLength,
    });
  const name = text(8).filter((one) => one.trim() !== "" && one.trim() === one);
  const Cards = fc.array(
    fc.record({
      title: name,
      description: text(12),
      priority: fc.constantFrom("urgent", "high", "medium", "low", "none"),
      completed: fc.boolean(),
      dueDate: fc.constantFrom(null, "2027-05-13", "2027-05-13T10:30:00.000Z", "2027-05-13T00:00:00.000Z"),
      list: name,
      label: name,
      items: fc.array(name, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const PRIORITY = HEADER.indexOf("priority");
  const COMPLETED = HEADER.indexOf("completed");

  test("leave, come back and leave again as the same file", async () => {
    await fc.assert(
      fc.asyncProperty(Cards, async (cards) => {
        const { board } = await make.board({ workspace });
        const lists = new Map<string, Awaited<ReturnType<typeof make.list>>["list"]>();
        const labels = new Map<string, string>();
        for (const { list: inList, label: withLabel, items, completed, dueDate, ...fields } of cards) {
          const list = lists.get(inList) ?? (await make.list({ board, name: inList })).list;
          const label = labels.get(withLabel) ?? (await make.label({ board, name: withLabel })).label.publicId;
          lists.set(inList, list);
          labels.set(withLabel, label);
          const { card } = await make.card({
            list,
            labelPublicIds: [label],
            ...fields,
            ...(dueDate !== null && { dueDate }),
          });
          if (completed) ok(await as(owner).put(`/cards/${card.publicId}`, { completed }));
          if (items.length === 0) continue;
          const { checklist } = await make.checklist({ card });
          for (const title of items) await make.item({ checklist, title });
        }

        const csv = await csvOf(board);
        const { board: copy, preview } = await taken(workspace, csv);

        expect(preview.warnings).toEqual([]);
        expect(await csvOf(copy)).toBe(csv);
        const [, ...rows] = cellsOf(csv);
        expect(rows.map((row) => row[PRIORITY]).sort()).toEqual(cards.map(({ priority }) => priority).sort());
        expect(rows.filter((row) => row[COMPLETED] !== "")).toHaveLength(
          cards.filter(({ completed }) => completed).length,
        );
      }),
      { numRuns: 15 },
    );
  });
});

async function cardsOf(board: Pick<Board, "publicId">) {
  const { lists } = ok(
    await as(owner).get<{ lists: { cards: { title: string; description: string }[] }[] }>(`/boards/${board.publicId}`),
  );
  return lists.flatMap(({ cards }) => cards.map(({ title, description }) => ({ title, description })));
}
