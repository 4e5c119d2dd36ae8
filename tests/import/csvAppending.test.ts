// Guarantees of importing CSV onto a board that is there (capabilities section 0, CSV).

import { describe, expect, test } from "vitest";
import { PALETTE } from "../../src/import/palette.js";
import { eventsOf, expectComplete, lastEvent, miscounted } from "../board/events.js";
import { type Board, contentsOf, expectError, expectTrpcError, ok, type Person, testApp } from "../helpers/app.js";
import { type Cells, cardsOf, type Imported, importsOn, rowOf, titlesOf } from "./imports.js";

const { as, make, db, trpcClient } = await testApp();
const { boardOf, expectDense } = importsOn({ as, db });

const mapping = {
  title: 0,
  description: 1,
  list: 2,
  labels: 3,
  dueDate: 4,
  assignee: 5,
  checklist: 6,
  checklistName: 7,
};

const bodyOnto = (board: Board, cells: Cells[], more: object = {}) => ({
  workspacePublicId: board.workspace.publicId,
  boardName: "Ignored",
  rows: cells.map(rowOf),
  mapping,
  boardPublicId: board.publicId,
  ...more,
});

const append = (board: Board, cells: Cells[], more: object = {}, person: Person = board.owner) =>
  as(person).post<Imported>("/imports/csv/boards", bodyOnto(board, cells, more));

async function boardWithCards() {
  const { board } = await make.board({
    lists: ["Doing", "Done", "done"],
    labels: [{ name: "Urgent", colourCode: "#123456" }],
  });
  const { lists } = await boardOf(board.owner, board.publicId);
  for (const { publicId: listPublicId, name } of lists) {
    ok(await as(board.owner).post("/cards", { title: `First of ${name}`, listPublicId }));
  }
  return board;
}

test("cards go to the ends of the lists of their names, in the order of the rows; lists and labels that lack are made", async () => {
  const board = await boardWithCards();
  const answer = ok(
    await append(board, [
      { title: "A", list: "DONE", labels: "urgent, New" },
      { title: "B", list: "Later", checklist: "one; [x] two" },
      { title: "C", list: "done", labels: "new; Other" },
      { title: "D" },
      { title: "E", list: "later" },
      {},
    ]),
  );

  expect(answer).toEqual({
    boardsCreated: 0,
    listsCreated: 2,
    cardsCreated: 5,
    labelsCreated: 2,
    checklistItemsCreated: 2,
    cardsAssigned: 0,
    unmatchedAssignees: [],
    skippedRows: [{ rowNumber: 6, reason: "emptyRow", value: "" }],
    warnings: [],
    boardPublicId: board.publicId,
  });
  const read = await boardOf(board.owner, board.publicId);
  expect(read.name).toBe(board.name);
  expect(titlesOf(read)).toEqual([
    ["Doing", ["First of Doing"]],
    ["Done", ["First of Done", "A", "C"]],
    ["done", ["First of done"]],
    ["Later", ["B", "E"]],
    ["To do", ["D"]],
  ]);
  expect(cardsOf(read).map(({ index }) => index)).toEqual([0, 0, 1, 2, 0, 0, 1, 0]);
  const labelled = cardsOf(read).map(({ title, labels }) => [title, labels.map(({ name }) => name).sort()]);
  expect(labelled).toContainEqual(["A", ["New", "Urgent"]]);
  expect(labelled).toContainEqual(["C", ["New", "Other"]]);
  const colours = Object.fromEntries(read.labels.map(({ name, colourCode }) => [name, colourCode]));
  expect(colours).toEqual({ Urgent: "#123456", New: PALETTE[1], Other: PALETTE[2] });
  expect(await miscounted(db, board)).toEqual([]);
});

test("what is made is complete in the log, in one operation, by the import", async () => {
  const board = await boardWithCards();
  const before = await lastEvent(db, board.workspace);
  const res = await append(board, [
    { title: "A", list: "Later", labels: "New", checklist: "one; two" },
    { title: "B", list: "Done", labels: "Urgent" },
  ]);
  ok(res);

  const events = await eventsOf(db, board.workspace, before);
  expect(events.map(({ type }) => type)).toEqual(["list.created", "label.created", "card.created", "card.created"]);
  const read = await boardOf(board.owner, board.publicId);
  const [{ cards: __, ...later } = { cards: [] }] = read.lists.filter(({ name }) => name === "Later");
  expect(events[0]?.data).toMatchObject({ list: later });
  expect(events[1]?.data).toMatchObject({ label: read.labels.find(({ name }) => name === "New") });
  await expectComplete(events, async (path) => ok(await as(board.owner).get(path)));
  const path = `/workspaces/${board.workspace.publicId}/events?after=${before}`;
  const { items } = ok(await as(board.owner).get<{ items: { operationPublicId: string; origin: object }[] }>(path));
  expect(new Set(items.map((event) => event.operationPublicId))).toEqual(new Set([res.headers["operation-id"]]));
  expect(items.map(({ origin }) => origin)).toEqual(items.map(() => ({ kind: "import" })));
  expect(res.headers["event-id"]).toBe(String(before + 4));
  await expectDense(board.workspace);
});

test("boardName is not required; with or without it the answer is the same", async () => {
  const [one, other] = [await boardWithCards(), await boardWithCards()];
  const cells = [{ title: "A", list: "Done" }];
  const answer = ok(await append(one, cells, { boardName: undefined }));
  expect(answer).toEqual({ ...ok(await append(other, cells)), boardPublicId: one.publicId });
  const { name } = await boardOf(one.owner, one.publicId);
  expect(name).not.toBe("");
});

test("rows that make no card change nothing; boardName has no effect", async () => {
  const board = await boardWithCards();
  const before = await contentsOf(db);
  const answer = ok(await append(board, [{}, { description: "without a title" }], { boardName: "Another" }));
  expect(answer).toMatchObject({ boardsCreated: 0, listsCreated: 0, cardsCreated: 0, boardPublicId: board.publicId });
  expect(answer.skippedRows.map(({ reason }) => reason)).toEqual(["emptyRow", "missingTitle"]);
  expect(await contentsOf(db)).toEqual(before);
});

test("a dry run counts the same, and uses up nothing", async () => {
  const board = await boardWithCards();
  const before = await contentsOf(db);
  const rows = [{ title: "A", list: "Later", labels: "New, Urgent", assignee: "Nobody" }];
  const tried = ok(await append(board, rows, { dryRun: true }));
  expect(await contentsOf(db)).toEqual(before);
  expect(tried).toEqual({ ...ok(await append(board, rows)), boardPublicId: null });
  expect(tried).toMatchObject({ listsCreated: 1, labelsCreated: 1, cardsCreated: 1, unmatchedAssignees: ["Nobody"] });
});

test("assignees are members who see the board: guests on it, and on a private one nobody else", async () => {
  const { board } = await make.board({ visibility: "private" });
  const onBoard = await make.member(board, "member");
  const guest = await make.member(board, "guest");
  const outside = await make.member(board.workspace, "member");
  const assignee = [onBoard, guest, outside].map(({ email }) => email).join(", ");
  const answer = ok(await append(board, [{ title: "A", assignee }]));
  expect(answer).toMatchObject({ cardsAssigned: 1, unmatchedAssignees: [outside.email] });
  const [card] = cardsOf(await boardOf(board.owner, board.publicId));
  const assigned = card?.members.map(({ publicId }) => publicId).sort();
  expect(assigned).toEqual([onBoard.memberPublicId, guest.memberPublicId].sort());
});

test("imports one after the other stay dense, page by page of a file", async () => {
  const { board } = await make.board();
  const page = (from: number) => Array.from({ length: 400 }, (_, n) => ({ title: `${from + n}`, list: "All" }));
  for (const from of [0, 400, 800]) ok(await append(board, page(from)));
  const [list] = (await boardOf(board.owner, board.publicId)).lists;
  expect(list?.cards.map(({ title, index }) => [title, index])).toEqual(
    Array.from({ length: 1200 }, (_, n) => [`${n}`, n]),
  );
  await expectDense(board.workspace);
});

test("over tRPC, and with an Idempotency-Key once", async () => {
  const { board } = await make.board();
  const body = bodyOnto(board, [{ title: "A" }]);
  expect(await trpcClient(board.owner).import.csv.mutate(body)).toMatchObject({ boardPublicId: board.publicId });
  for (let n = 0; n < 2; n += 1) {
    ok(await as(board.owner).post("/imports/csv/boards", body, { "idempotency-key": "again" }));
  }
  expect(cardsOf(await boardOf(board.owner, board.publicId))).toHaveLength(2);
});

describe("refused, and changes nothing, is", () => {
  test("`mapping.board`, whose issue names it", async () => {
    const { board } = await make.board();
    const body = bodyOnto(board, [{ title: "A" }], { mapping: { ...mapping, board: 8 } });
    const before = await contentsOf(db);
    expectError(await as(board.owner).post("/imports/csv/boards", body), "BAD_REQUEST", ["mapping", "board"]);
    const large = { method: "POST", url: "/api/v1/imports/csv/boards" } as const;
    const padded = JSON.stringify(body) + " ".repeat(2 * 1024 * 1024);
    expectError(await as(board.owner).send({ ...large, body: padded }), "BAD_REQUEST", ["mapping", "board"]);
    await expectTrpcError(trpcClient(board.owner).import.csv.mutate(body), "BAD_REQUEST");
    expect(await contentsOf(db)).toEqual(before);
  });

  test("an archived board", async () => {
    const { board } = await make.board();
    ok(await as(board.owner).post(`/boards/${board.publicId}/archive`));
    const before = await contentsOf(db);
    expectError(await append(board, [{ title: "A" }]), "BAD_REQUEST");
    expectError(await append(board, [{ title: "A" }], { dryRun: true }), "BAD_REQUEST");
    expect(await contentsOf(db)).toEqual(before);
  });

  test.each([{}, { dryRun: true }])("whoever may not make cards there: %j", async (more) => {
    const { board } = await make.board({ visibility: "private" });
    const { board: elsewhere } = await make.board({ owner: board.owner });
    const guest = await make.member(board, "guest");
    const outside = await make.member(board.workspace, "member");
    const before = await contentsOf(db);
    const rows = [{ title: "A" }];
    for (const person of [guest, outside]) expectError(await append(board, rows, more, person), "FORBIDDEN");
    const foreign = { ...more, boardPublicId: elsewhere.publicId };
    expectError(await append(board, rows, foreign), "FORBIDDEN");
    expectError(await append(board, rows, { ...more, boardPublicId: "AAAAAAAAAAAA" }), "FORBIDDEN");
    expect(await contentsOf(db)).toEqual(before);
  });
});

test.each([{}, { dryRun: true }])("a guest on the board appends nothing to lists that are there: %j", async (more) => {
  const { board, list } = await make.list();
  const guest = await make.member(board, "guest");
  const before = await contentsOf(db);
  expectError(await append(board, [{ title: "A", list: list.name }], more, guest), "FORBIDDEN");
  expect(await contentsOf(db)).toEqual(before);
});
