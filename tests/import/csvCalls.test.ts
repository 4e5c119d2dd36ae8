// Guarantees of calling the import of CSV: for those who may, within its limits, all of it or nothing, one beside another.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { documentText } from "../../src/document.js";
import { contentsOf, expectError, expectTrpcError, ok, testApp, unique } from "../helpers/app.js";
import { bodyFor, cardsOf, type Imported, importsOn, oneTo, type Preview } from "./imports.js";

const app = await testApp();
const { as, anonymous, make, db, trpcClient } = app;
const { importInto, boardOf, numbersIn, expectDense } = importsOn(app);

describe("who may", () => {
  test("members and admins import; others do not, and nothing is made", async () => {
    const { workspace } = await make.workspace();
    const { workspace: elsewhere } = await make.workspace();
    const member = await make.member(workspace, "member");
    const guest = await make.member(workspace, "guest");
    const bound = await make.token(workspace.owner, { workspacePublicId: workspace.publicId });
    const reading = await make.token(workspace.owner, { scope: "read" });
    const body = bodyFor(workspace, [["A"]]);
    const before = await contentsOf(db);

    const refused = [
      as(elsewhere.owner).post("/imports/csv/boards", body),
      as(guest).post("/imports/csv/boards", body),
      as(guest).post("/imports/csv/boards", { ...body, dryRun: true }),
      as(reading).post("/imports/csv/boards", body),
      as(bound).post("/imports/csv/boards", bodyFor(elsewhere, [["A"]])),
      as(workspace.owner).post("/imports/csv/boards", bodyFor({ publicId: "unknown00000" }, [["A"]])),
    ];
    for (const res of await Promise.all(refused)) expectError(res, "FORBIDDEN");
    expectError(await anonymous.post("/imports/csv/boards", body), "UNAUTHORIZED");
    expect(await contentsOf(db)).toEqual(before);

    const { boardPublicId } = ok(await as(member).post<Imported>("/imports/csv/boards", body));
    expect((await boardOf(member, boardPublicId)).members).toMatchObject([{ name: member.name }]);
    ok(await as(bound).post("/imports/csv/boards", body));
  });

  test("an accountless guest neither imports nor previews, whatever the role", async () => {
    const { workspace } = await make.workspace();
    const { inviteCode } = ok(
      await as(workspace.owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`),
    );
    const joined = await anonymous.post("/invites/accept", { inviteCode });
    ok(joined);
    const guest = { token: joined.headers["x-access-token"] ?? "" };
    const body = bodyFor(workspace, [["A"]]);
    const { board: target } = await make.board({ workspace });
    const exported = ok(await as(workspace.owner).get(`/boards/${target.publicId}/export`));
    const board = { name: "From Trello", lists: [], cards: [] };
    const { workspacePublicId } = body;
    const calls: [string, object][] = [
      ["/imports/csv/preview", { csv: "Title\nA\n" }],
      ["/imports/csv/boards", body],
      ["/imports/csv/boards", { ...body, dryRun: true }],
      ["/imports/csv/boards", { ...body, boardPublicId: target.publicId, mapping: { title: 0 } }],
      ["/imports/trello/boards", { workspacePublicId, board, dryRun: true }],
      ["/imports/boards", { workspacePublicId, board: exported }],
    ];
    await db.rows(sql`
      update member set role = 'admin' from account a, workspace w where a.id = member.account_id and a.is_guest
        and w.id = member.workspace_id and w.public_id = ${workspace.publicId}::text`);
    const before = await contentsOf(db);
    for (const [path, input] of calls) expectError(await as(guest).post(path, input), "FORBIDDEN");
    expect(await contentsOf(db)).toEqual(before);
  });

  test("anyone else with a token previews", async () => {
    const person = await make.user();
    const body = { csv: "Title\nA\n" };
    expect(ok(await as(person).post("/imports/csv/preview", body))).toMatchObject({ rows: [["A"]], rowCount: 1 });
    expectError(await anonymous.post("/imports/csv/preview", body), "UNAUTHORIZED");
  });
});

describe("input", async () => {
  const { workspace } = await make.workspace();
  const post = (more: object, rows: unknown = [["A"]]) =>
    as(workspace.owner).post("/imports/csv/boards", bodyFor(workspace, rows, more));
  const bad = (cell: unknown) => [["A"], ["B", "C"], ["D", "E", cell, 0]];

  test.each<[string, unknown, (string | number)[]]>([
    ["nothing", undefined, ["rows"]],
    ["text", "A", ["rows"]],
    ["no row", [], ["rows"]],
    ["2001 rows", Array.from({ length: 2001 }, () => ["A"]), ["rows"]],
    ["a row that is no list", [["A"], "B"], ["rows", 1]],
    ["201 cells", [["A"], Array(201).fill("")], ["rows", 1]],
    ["a number", bad(1), ["rows", 2, 2]],
    ["null", bad(null), ["rows", 2, 2]],
    ["20 001 characters", bad("é".repeat(20_001)), ["rows", 2, 2]],
    ["20 001 characters beyond the basic plane", bad("😀".repeat(20_001)), ["rows", 2, 2]],
    ["NUL", bad("a\0b"), ["rows", 2, 2]],
    ["a lone surrogate", bad("a\uD83D"), ["rows", 2, 2]],
  ])("rows of %s are refused where they are wrong, with one issue", async (_, rows, path) => {
    const res = await post({ rows });
    expectError(res, "BAD_REQUEST", path);
    expect(res.body.issues).toHaveLength(1);
  });

  test("2000 rows, 200 cells and 20 000 characters are taken", async () => {
    const wide = ["A", ...Array(198).fill(""), "😀".repeat(20_000)];
    const rows = [wide, ...Array.from({ length: 1999 }, (_, index) => [`${index}`])];
    const answer = ok(await post({ mapping: { title: 0, description: 199 } }, rows));
    expect(answer).toMatchObject({ cardsCreated: 2000, warnings: [] });
  });

  test.each<[string, object, (string | number)[]]>([
    ["no mapping", { mapping: undefined }, ["mapping"]],
    ["no title", { mapping: { list: 0 } }, ["mapping", "title"]],
    ["several titles", { mapping: { title: [0, 1] } }, ["mapping", "title"]],
    ["several lists", { mapping: { title: 0, list: [0] } }, ["mapping", "list"]],
    ["no column of several", { mapping: { title: 0, labels: [] } }, ["mapping", "labels"]],
    ["a column above 199 among several", { mapping: { title: 0, labels: [0, 200] } }, ["mapping", "labels", 1]],
    ["an unknown column", { mapping: { title: 0, colour: 1 } }, ["mapping", "colour"]],
    ["a column below 0", { mapping: { title: -1 } }, ["mapping", "title"]],
    ["a column above 199", { mapping: { title: 0, list: 200 } }, ["mapping", "list"]],
    ["half a column", { mapping: { title: 0.5 } }, ["mapping", "title"]],
    ["a column as text", { mapping: { title: "0" } }, ["mapping", "title"]],
    ["no board name", { boardName: undefined }, ["boardName"]],
    ["a blank board name", { boardName: " " }, ["boardName"]],
    ["a long board name", { boardName: "n".repeat(256) }, ["boardName"]],
    ["a blank list name", { defaultListName: "" }, ["defaultListName"]],
    ["a long list name", { defaultListName: "n".repeat(256) }, ["defaultListName"]],
    ["a dry run as text", { dryRun: "true" }, ["dryRun"]],
    ["an unknown field", { visibility: "public" }, ["visibility"]],
    ["no workspace", { workspacePublicId: undefined }, ["workspacePublicId"]],
    ["a short workspace", { workspacePublicId: "short" }, ["workspacePublicId"]],
  ])("%s is refused", async (_, more, path) => {
    expectError(await post(more), "BAD_REQUEST", path);
  });

  test("is described by the document as it is taken", () => {
    const text = { type: "string", maxLength: 20_000 };
    const rows = { type: "array", minItems: 1, maxItems: 2000, items: { type: "array", maxItems: 200, items: text } };
    const schema = { required: ["workspacePublicId", "rows", "mapping"], properties: { rows } };
    expect(JSON.parse(documentText("0", {}))).toMatchObject({
      paths: {
        "/imports/csv/boards": { post: { requestBody: { content: { "application/json": { schema } } } } },
      },
    });
  });

  test("is looked at before who may", async () => {
    const stranger = await make.user();
    expectError(await as(stranger).post("/imports/csv/boards", bodyFor(workspace, [[1]])), "BAD_REQUEST", [
      "rows",
      0,
      0,
    ]);
  });

  const numbered = (count: number, separator: string, from = 0) =>
    Array.from({ length: count }, (_, index) => (from + index).toString(36)).join(separator);

  test.each([
    ["checklist items", { title: "A", checklist: numbered(5000, ";") }, 21],
    ["labels on cards", { title: "A", labels: numbered(5000, ",") }, 21],
    ["assignees on cards", { title: "A", assignee: numbered(5000, "|") }, 21],
  ])("too many %s in all are refused, and nothing is made", async (_, row, count) => {
    const before = await contentsOf(db);
    expectError(await importInto(workspace, Array(count).fill(row)), "BAD_REQUEST", "rows");
    expect(await contentsOf(db)).toEqual(before);
    expect(ok(await importInto(workspace, Array(count - 1).fill(row), { dryRun: true }))).toMatchObject({
      cardsCreated: count - 1,
    });
  });

  test("too many different labels are refused", async () => {
    const rows = [0, 1, 2].map((index) => ({ title: "A", labels: numbered(3500, ",", index * 3500) }));
    expectError(await importInto(workspace, rows), "BAD_REQUEST", "rows");
    expect(ok(await importInto(workspace, rows.slice(0, 2)))).toMatchObject({ labelsCreated: 7000 });
  });
});

describe("an import", () => {
  test.each([
    ["in the middle", "checklist_item", "title <> 'y'"],
    ["at its end", "event", "type <> 'board.imported'"],
  ])("that fails %s leaves nothing", async (_, table, condition) => {
    const { workspace } = await make.workspace();
    const before = await contentsOf(db);
    await db.rows(sql.raw(`alter table ${table} add constraint refusing check (${condition}) not valid`));

    const cells = { title: "A", labels: "x", checklist: "y", assignee: workspace.owner.name };
    const res = await importInto(workspace, [cells]);
    await db.rows(sql.raw(`alter table ${table} drop constraint refusing`));

    expectError(res, "INTERNAL_SERVER_ERROR");
    expect(await contentsOf(db)).toEqual(before);
    ok(await importInto(workspace, [cells]));
    await expectDense(workspace);
  });

  test("leaves other boards and workspaces alone", async () => {
    const { workspace, board, card } = await make.card({ title: "Mine" });
    const shown = await boardOf(workspace.owner, board.publicId);

    ok(await importInto(workspace, [{ title: "A", board: board.name, list: shown.lists[0]?.name ?? "" }]));

    expect(await boardOf(workspace.owner, board.publicId)).toEqual(shown);
    expect((await numbersIn(workspace)).map(({ publicId }) => publicId)[0]).toBe(card.publicId);
    await expectDense(workspace);
  });

  test("runs beside others in one workspace, and beside people at work", { tags: ["slow"] }, async () => {
    const { workspace, list } = await make.list();
    const member = await make.member(workspace, "member");
    const rows = oneTo(200).map((n) => ({ title: `Card ${n}`, labels: "a, b", checklist: "1;2" }));
    const imports = [workspace.owner, member, workspace.owner, member].map((person) =>
      importInto(workspace, rows, { boardName: "Same name" }, person),
    );
    const cards = oneTo(40).map((n) =>
      as(n % 2 === 0 ? member : workspace.owner).post("/cards", { title: `By hand ${n}`, listPublicId: list.publicId }),
    );

    const answers = await Promise.all(imports);
    for (const res of await Promise.all(cards)) ok(res);

    const slugs = answers.map(async (res) => (await boardOf(workspace.owner, ok(res).boardPublicId)).slug);
    expect((await Promise.all(slugs)).sort()).toEqual(["same-name", "same-name-2", "same-name-3", "same-name-4"]);
    expect(await numbersIn(workspace)).toHaveLength(840);
    await expectDense(workspace);
  });

  test("is open to TypeScript too, as large as over REST", { tags: ["slow"] }, async () => {
    const { workspace } = await make.workspace();
    const client = trpcClient(workspace.owner);
    const csv = `Title,Notes\n${`A,"${"text, ".repeat(3000)}"\n`.repeat(100)}`;

    const { rows, suggestedMapping } = await client.import.csvPreview.mutate({ csv, limit: 100 });
    const { title = 0, ...others } = suggestedMapping;
    const answer = await client.import.csv.mutate({
      workspacePublicId: workspace.publicId,
      boardName: unique("Board"),
      rows,
      mapping: { title, ...others },
    });

    expect(answer).toMatchObject({ cardsCreated: 100, warnings: [] });
    const input = { workspacePublicId: workspace.publicId, boardName: "B", rows: [["a\0"]], mapping: { title: 0 } };
    await expectTrpcError(client.import.csv.mutate(input), "BAD_REQUEST", ["rows", 0, 0]);
  });
});

describe("a preview", async () => {
  const person = await make.user();
  const preview = (body: object) => as(person).post<Preview>("/imports/csv/preview", body);

  test("shows the first rows, counts all, and guesses columns", async () => {
    const csv = `Name;Status;Due date\n${oneTo(30)
      .map((n) => `Task ${n};Open;2027-01-01\n`)
      .join("")}`;

    expect(ok(await preview({ csv }))).toEqual({
      delimiter: ";",
      header: ["Name", "Status", "Due date"],
      rows: oneTo(20).map((n) => [`Task ${n}`, "Open", "2027-01-01"]),
      rowCount: 30,
      suggestedMapping: { title: 0, list: 1, dueDate: 2 },
      warnings: [],
    });
    expect(ok(await preview({ csv, limit: 2 })).rows).toHaveLength(2);
    expect(ok(await preview({ csv, delimiter: "," }))).toMatchObject({
      delimiter: ",",
      header: ["Name;Status;Due date"],
    });
  });

  test("gives any page of a file, and imports of all pages make every card", async () => {
    const { workspace, owner } = await make.workspace();
    const csv = `Title\n${oneTo(4500)
      .map((n) => `Card ${n}\n`)
      .join("")}`;
    let made = 0;
    for (let offset = 0; ; offset += 2000) {
      const body = { csv, offset, limit: 2000 };
      const { rows, rowCount, suggestedMapping } = ok(await as(owner).post<Preview>("/imports/csv/preview", body));
      expect(rowCount).toBe(4500);
      if (rows.length === 0) break;
      expect(rows[0]).toEqual([`Card ${offset + 1}`]);
      const page = bodyFor(workspace, rows, { mapping: suggestedMapping, dryRun: true });
      made += ok(await as(owner).post<Imported>("/imports/csv/boards", page)).cardsCreated;
    }
    expect(made).toBe(4500);
  });

  test("takes a file without a header as one, and a line for Excel as none of its rows", async () => {
    expect(ok(await preview({ csv: "sep=|\nBuy milk|2027-01-01\n" }))).toEqual({
      delimiter: "|",
      header: [],
      rows: [["Buy milk", "2027-01-01"]],
      rowCount: 1,
      suggestedMapping: { title: 0, dueDate: 1 },
      warnings: [],
    });
    expect(ok(await preview({ csv: "Name\nA\n", hasHeader: false }))).toMatchObject({ header: [], rowCount: 2 });
  });

  test.each<[string, object, string]>([
    ["no text", {}, "csv"],
    ["an empty text", { csv: "" }, "csv"],
    ["text that was not UTF-8", { csv: "Title\ncaf\uFFFD\n" }, "csv"],
    ["an open quote", { csv: 'Title\n"A\n' }, "csv"],
    ["another delimiter", { csv: "Title", delimiter: ":" }, "delimiter"],
    ["a limit of 0", { csv: "Title", limit: 0 }, "limit"],
    ["a limit of 2001", { csv: "Title", limit: 2001 }, "limit"],
    ["an offset below 0", { csv: "Title", offset: -1 }, "offset"],
    ["half an offset", { csv: "Title", offset: 0.5 }, "offset"],
    ["a header as text", { csv: "Title", hasHeader: "true" }, "hasHeader"],
  ])("of %s is refused", async (_, body, field) => {
    expectError(await preview(body), "BAD_REQUEST", field);
  });

  test("gives rows that an import takes, however long the cells and rows of the file are", async () => {
    const { workspace, owner } = await make.workspace();
    const { list, board } = await make.list({ board: (await make.board({ workspace })).board });
    const description = "é".repeat(30_000);
    await make.card({ list, title: "Long", description });
    const csv = ok(await as(owner).get<string>(`/boards/${board.publicId}/export?format=csv`));
    const long = `${csv}Wide${",".repeat(150)}${"x,".repeat(250)}\r\n`;

    const { rows, suggestedMapping, warnings } = ok(await preview({ csv: long }));
    const body = bodyFor(workspace, rows, { mapping: suggestedMapping });
    const answer = ok(await as(owner).post<Imported>("/imports/csv/boards", body));

    expect(warnings).toEqual([{ rowNumber: 1, reason: "valueTruncated", value: "é".repeat(200) }]);
    expect(answer.cardsCreated).toBe(2);
    expect(cardsOf(await boardOf(owner, answer.boardPublicId))).toMatchObject([
      { title: "Long", description: "é".repeat(20_000) },
      { title: "Wide" },
    ]);
  });

  test("says on which line a file breaks", async () => {
    const { body } = await preview({ csv: 'Title,Notes\nA,"b\nc"\nB,"x" y\n' });
    expect(body).toMatchObject({ issues: [{ path: ["csv"], message: expect.stringMatching(/^Line 4: /) }] });
  });
});
