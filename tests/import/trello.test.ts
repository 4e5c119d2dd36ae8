// Guarantees of the import of boards from Trello: what the export says is on the board, or is told of.

import { describe, expect, onTestFinished, test } from "vitest";
import { appOn, contentsOf, expectError, ok, testApp } from "../helpers/app.js";
import { countingStatements, openTestDatabase } from "../helpers/databases.js";
import { filesOf } from "./boardFiles.js";
import { type Imported, importsOn, oneTo } from "./imports.js";
import {
  cardOf,
  commentOn,
  type Export,
  exportOf,
  reasons,
  sampleExport,
  trelloId,
  trelloImportsInto,
} from "./trello.js";

const app = await testApp();
const { as, make, db } = app;
const { workspace, owner } = await make.workspace();
const { send, imported } = trelloImportsInto(app, { workspace, owner });

describe("the sample", () => {
  test("comes in with its 3 lists, 3 cards and 5 custom fields, and tells what it lost", async () => {
    const { answer, file } = await imported(sampleExport());
    expect(answer).toMatchObject({ boardsCreated: 1, listsCreated: 3, cardsCreated: 3, labelsCreated: 6 });
    expect(file).toMatchObject({ name: "Project 100", visibility: "workspace" });
    expect(file.lists.map(({ name }) => name)).toEqual(["Todo", "In Progress", "Done"]);
    expect(file.labels.map(({ name }) => name)).toEqual(["green", "yellow", "red", "purple", "orange", "blue"]);
    const titles = file.cards.map(({ title, description }) => [title, description]);
    expect(titles).toEqual([
      ["Write code", "- Logical Value: yes\n- Date Value: 2021-01-07T10:00:00.000Z\n- Text Value: Hello"],
      ["Review code", ""],
      [
        "Visualize code",
        "- Logical Value: yes\n- Date Value: 2021-01-28T10:00:00.000Z\n- Dropdown: Down\n- Number Value: 100.32\n- Text Value: Test text",
      ],
    ]);
    expect(answer.unmatchedAssignees).toEqual(["Test User"]);
    expect(answer.warnings.map(({ rowNumber, reason, value }) => `${rowNumber} ${reason} ${value}`)).toEqual([
      "0 noPlace history: set a custom field of a card (8 times)",
      "0 noPlace history: created a custom field (5 times)",
      "0 noPlace history: changed a custom field (6 times)",
      "0 noPlace history: switched a Power-Up on",
      "0 noPlace history: assigned a person to a card (3 times)",
      "0 noPlace history: changed a card (2 times)",
      "0 noPlace history: created a card (3 times)",
      "0 noPlace history: created a list (3 times)",
      "0 noPlace history: added the board to a workspace",
      "0 noPlace history: created the board",
      "0 noPlace prefs",
      "1 personUnmatched Test User",
      "1 movedToDescription customFields: Text Value (2 times)",
      "1 movedToDescription customFields: Date Value (2 times)",
      "1 movedToDescription customFields: Logical Value (2 times)",
      "3 movedToDescription customFields: Number Value",
      "3 movedToDescription customFields: Dropdown",
    ]);
  });

  test("on a dry run answers the same and leaves no trace", async () => {
    const before = await contentsOf(db);
    const dry = ok(await send(sampleExport(), { dryRun: true }));
    expect(await contentsOf(db)).toEqual(before);
    expect(dry).toEqual({ ...ok(await send(sampleExport())), boardPublicId: null });
  });
});

describe("a board", () => {
  test("keeps the order of lists and cards; what is archived there is archived here, archived lists come last", async () => {
    const { answer, file } = await imported(
      exportOf({
        lists: [
          { id: "older", name: "Older", closed: true, pos: 2 },
          { id: "old", name: "Old", closed: true, pos: 1 },
          { id: "second", name: "Second", closed: false, pos: 20.5 },
          { id: "first", name: "First", closed: false, pos: 3 },
        ],
        cards: [
          cardOf(trelloId(1), { name: "b", idList: "first", pos: 2 }),
          cardOf(trelloId(2), { name: "a", idList: "first", pos: 1.5 }),
          cardOf(trelloId(3), { name: "gone", idList: "first", pos: 1, closed: true }),
          cardOf(trelloId(4), { name: "with its list", idList: "old", pos: 1 }),
        ],
        actions: [
          {
            type: "updateCard",
            date: "2024-03-01T10:00:00.000Z",
            data: { old: { closed: false }, card: { id: trelloId(3), closed: true } },
          },
        ],
      }),
    );
    expect(file.lists.map(({ name }) => name)).toEqual(["First", "Second", "Old", "Older"]);
    const listNames = new Map(file.lists.map(({ publicId, name }) => [publicId, name]));
    expect(
      file.cards.map(({ title, listPublicId, archivedAt }) => [
        title,
        listNames.get(listPublicId ?? ""),
        archivedAt === null,
      ]),
    ).toEqual([
      ["a", "First", true],
      ["b", "First", true],
      ["gone", "First", false],
      ["with its list", "Old", false],
    ]);
    expect(file.cards[2]?.archivedAt).toBe("2024-03-01T10:00:00.000Z");
    expect(file.cards[0]?.createdAt).toBe("2024-01-02T00:00:02.000Z");
    expect(reasons(answer, "listArchived")).toEqual([
      [0, "Old"],
      [0, "Older"],
    ]);
  });

  test.each([
    ["private", "private", []],
    ["org", "workspace", []],
    ["public", "workspace", [[0, "public"]]],
  ])("that is %s there is of visibility %s here", async (permissionLevel, visibility, lowered) => {
    const { answer, file } = await imported(exportOf({ prefs: { permissionLevel } }));
    expect(file.visibility).toBe(visibility);
    expect(reasons(answer, "visibilityLowered")).toEqual(lowered);
  });

  test("keeps every label apart and in its colour, those without a name too", async () => {
    const label = (id: string, name: string, color: string | null) => ({ id, name, color });
    const { answer, file } = await imported(
      exportOf({
        labels: [
          label("1", "", "green_dark"),
          label("2", "Bug", "red"),
          label("3", "bug", "blue_light"),
          label("4", "Bug", "red"),
          label("5", "", null),
          label("6", "x".repeat(70), "teal"),
        ],
        cards: [cardOf("a", { idLabels: ["4", "3", "9"] }), cardOf("b", { labels: [label("7", "Own", "sky")] })],
      }),
    );
    expect(file.labels.map(({ name, colourCode }) => [name, colourCode])).toEqual([
      ["green dark", "#1f845a"],
      ["Bug", "#f87168"],
      ["bug (blue light)", "#cce0ff"],
      ["no colour", "#b3b9c4"],
      ["x".repeat(64), expect.stringMatching(/^#[0-9a-f]{6}$/)],
      ["Own", "#6cc3e0"],
    ]);
    const names = new Map(file.labels.map(({ publicId, name }) => [publicId, name]));
    expect(file.cards.map(({ labelPublicIds }) => labelPublicIds.map((id) => names.get(id)))).toEqual([
      ["Bug", "bug (blue light)"],
      ["Own"],
    ]);
    expect(reasons(answer, "labelMerged")).toEqual([[0, "Bug"]]);
    expect(reasons(answer, "labelRenamed")).toEqual([[0, "bug (blue light)"]]);
    expect(reasons(answer, "colourReplaced")).toEqual([[0, "teal"]]);
    expect(reasons(answer, "danglingLink")).toEqual([[1, "cards.idLabels"]]);
  });

  test("has the labels that `labelNames` alone names, and a card those of `labels` beside `idLabels`", async () => {
    const { answer, file } = await imported(
      exportOf({
        labels: [
          { id: "1", name: "Bug", color: "red" },
          { id: "2", name: "", color: "green" },
        ],
        labelNames: { red: "bug ", green: "Ready", blue: "Later", sky: "", yellow_dark: "Own" },
        cards: [
          cardOf("a", {
            idLabels: ["1"],
            labels: [
              { id: "1", name: "Bug", color: "red" },
              { id: "2", name: "", color: "green" },
              { id: "3", name: "Own", color: "yellow_dark" },
            ],
          }),
          cardOf("b", { idLabels: [], labels: [{ id: "2", name: "", color: "green" }] }),
        ],
      }),
    );
    expect(file.labels.map(({ name, colourCode }) => [name, colourCode])).toEqual([
      ["Bug", "#f87168"],
      ["Ready", "#4bce97"],
      ["Own", "#946f00"],
      ["Later", "#579dff"],
    ]);
    const names = new Map(file.labels.map(({ publicId, name }) => [publicId, name]));
    expect(file.cards.map(({ labelPublicIds }) => labelPublicIds.map((id) => names.get(id)))).toEqual([
      ["Bug", "Ready", "Own"],
      ["Ready"],
    ]);
    expect(answer).toMatchObject({ labelsCreated: 4, warnings: [] });
  });

  test("of more than 100 names of colours is refused", async () => {
    const labelNames = Object.fromEntries(oneTo(101).map((n) => [`colour ${n}`, "x"]));
    expectError(await send(exportOf({ labelNames })), "BAD_REQUEST", ["board", "labelNames"]);
  });

  test("finds its members by address or name, and never a guest", async () => {
    const place = await make.workspace();
    const ada = await make.member(place.workspace, "member", await make.user({ name: "Ada Lovelace" }));
    const max = await make.member(
      place.workspace,
      "member",
      await make.user({ email: `max.${trelloId(1)}@example.org` }),
    );
    await make.member(place.workspace, "guest", await make.user({ name: "Guest of Trello" }));
    const members = [
      { id: "1", fullName: "ada lovelace", username: "somebody" },
      { id: "2", fullName: "Somebody Else", username: "max", email: max.email.toUpperCase() },
      { id: "3", fullName: "Guest of Trello", username: "guest" },
    ];
    const board = exportOf({ members, cards: [cardOf("a", { idMembers: ["1", "2", "3", "9"] })] });
    const client = as(place.owner);
    const answer = ok(
      await client.post<Imported>("/imports/trello/boards", { workspacePublicId: place.workspace.publicId, board }),
    );
    const file = await filesOf(client).exported(answer.boardPublicId);
    expect(file.cards[0]?.memberPublicIds).toEqual([ada.memberPublicId, max.memberPublicId]);
    expect(answer).toMatchObject({ cardsAssigned: 1, unmatchedAssignees: ["Guest of Trello"] });
    expect(reasons(answer, "danglingLink")).toEqual([[1, "cards.idMembers"]]);
  });
});

test("a private board has its members who are found, by username as well; the others are told by the first name they have", async () => {
  const place = await make.workspace();
  const ada = await make.member(place.workspace, "member", await make.user({ name: "ada.l" }));
  const members = [
    { id: "1", fullName: "Countess", username: "ada.l" },
    { id: "2", fullName: "", username: "second" },
    { id: "3", email: "third@example.org" },
    { id: "4" },
  ];
  const prefs = { permissionLevel: "private", isTemplate: false, background: "blue" };
  const { answer, file } = await trelloImportsInto(app, place).imported(exportOf({ members, prefs }));
  expect(file.people.map(({ email }) => email)).toEqual([place.owner.email, ada.email]);
  expect(file.memberPublicIds).toContain(ada.memberPublicId);
  expect(reasons(answer, "personUnmatched")).toEqual([
    [0, "second"],
    [0, "third@example.org"],
    [0, "Somebody"],
  ]);
  expect(reasons(answer, "noPlace")).toEqual([]);
  const template = await imported(exportOf({ prefs: { isTemplate: true } }));
  expect(reasons(template.answer, "noPlace")).toEqual([[0, "prefs"]]);
});

test("what has no place here, and what the import does not know, is told once with its count; what says nothing is not", async () => {
  const { answer } = await imported(
    exportOf({
      desc: "Our board",
      closed: true,
      brandNew: { deep: { inside: 1 } },
      emptyNew: { deep: [], other: { zero: 0 } },
      labelNames: { green: "" },
      lists: [{ id: "L", name: "Doing", softLimit: 5 }],
      cards: [
        cardOf("a", {
          stickers: [{ image: "heart" }],
          idMembersVoted: ["1"],
          cover: { color: null, idAttachment: null, size: "normal" },
        }),
        cardOf("b", { stickers: [{}], cover: { color: "red" }, dueReminder: -1, later: "x" }),
      ],
    }),
  );
  expect(reasons(answer, "noPlace")).toEqual([
    [0, "lists.softLimit"],
    [0, "desc"],
    [0, "closed"],
    [1, "cards.stickers (2 times)"],
    [1, "cards.idMembersVoted"],
    [2, "cards.cover"],
  ]);
  expect(reasons(answer, "unknownField")).toEqual([
    [0, "brandNew"],
    [2, "cards.later"],
  ]);
});

test("1000 cards and 5000 actions come in whole, in a number of statements that hardly grows with them", {
  tags: ["slow"],
  timeout: 120_000,
}, async () => {
  const counted = countingStatements();
  const database = await openTestDatabase(counted.through);
  onTestFinished(() => database.close());
  const other = await appOn(database.db, {});
  const place = await other.make.workspace();
  const big = (cards: number, actions: number) =>
    exportOf({
      labels: [{ id: "red", name: "Red", color: "red" }],
      cards: oneTo(cards).map((n) => cardOf(`card ${n}`, { pos: -n, idLabels: ["red"], badges: { comments: 5 } })),
      checklists: oneTo(cards).map((n) => ({
        id: `list ${n}`,
        name: "To do",
        idCard: `card ${n}`,
        checkItems: [{ name: `item ${n}`, state: "complete" }],
      })),
      actions: oneTo(actions).map((n) => commentOn(`card ${(n % cards) + 1}`, `said ${n}`, "2024-02-01T00:00:00.000Z")),
    });
  let made = "";
  const importing = (board: Export) => async () => {
    const body = { workspacePublicId: place.workspace.publicId, board };
    const answer = ok(await other.as(place.owner).post<Imported>("/imports/trello/boards", body));
    made = answer.boardPublicId;
    expect(answer.warnings.filter(({ reason }) => reason !== "commentsMissing")).toEqual([]);
  };
  // The first request of a token looks it up.
  await importing(big(1, 0))();
  const few = await counted.during(importing(big(1, 5)));
  const many = await counted.during(importing(big(1000, 5000)));
  // What 100 cards come to is one statement, and so are a thousand events.
  expect(many - few).toBeLessThan(20);
  const file = await filesOf(other.as(place.owner)).exported(made);
  expect(file.cards.map(({ title }) => title)).toEqual(
    oneTo(1000)
      .reverse()
      .map((n) => `card ${n}`),
  );
  expect(file.cards.every(({ comments }) => comments.length === 5)).toBe(true);
  await importsOn(other).expectDense(place.workspace);
});

test("an export cut at 1000 actions is told, and comments it lacks", async () => {
  const actions = oneTo(1000).map(() => ({ type: "updateBoard" }));
  const { answer } = await imported(exportOf({ cards: [cardOf("a", { badges: { comments: 2 } })], actions }));
  expect(reasons(answer, "commentsMissing")).toEqual([
    [0, "1000 actions: older ones may be missing"],
    [1, "0 of 2"],
  ]);
});

describe("a file that is wrong is refused with the place, and nothing is made", () => {
  test.each<[string, unknown, (string | number)[]]>([
    ["no export at all", { hello: "world" }, ["lists"]],
    ["a card of Trello", sampleExport().cards[0], ["lists"]],
    ["a list of boards", [exportOf({})], []],
    ["lists of another type", { ...exportOf({}), lists: { L: {} } }, ["lists"]],
    ["cards missing", { ...exportOf({}), cards: undefined }, ["cards"]],
    ["a card without a list", exportOf({ cards: [{ id: "a", name: "a" }] }), ["cards", 0, "idList"]],
    ["a card of an unknown list", exportOf({ cards: [cardOf("a", { idList: "Z" })] }), ["cards", 0, "idList"]],
    ["a place that is text", exportOf({ cards: [cardOf("a"), cardOf("b", { pos: "top" })] }), ["cards", 1, "pos"]],
    ["a flag that is text", exportOf({ cards: [cardOf("a", { closed: "yes" })] }), ["cards", 0, "closed"]],
    ["two cards of one identifier", exportOf({ cards: [cardOf("a"), cardOf("a")] }), ["cards", 1, "id"]],
    ...["labels", "checklists", "customFields", "members", "lists"].map((part): [string, unknown, string[]] => [
      `two ${part} of one identifier`,
      exportOf({ [part]: [1, 2].map(() => ({ id: "a", name: "a" })) }),
      [part, 1, "id"] as never,
    ]),
    ["a name with NUL", exportOf({ cards: [cardOf("a", { name: "a\0" })] }), ["cards", 0, "name"]],
    [
      "an item without a name",
      exportOf({ cards: [cardOf("a")], checklists: [{ id: "1", name: "c", idCard: "a", checkItems: [{}] }] }),
      ["checklists", 0, "checkItems", 0, "name"],
    ],
    ["an action that is none", exportOf({ actions: [{ type: "createCard" }, "text" as never] }), ["actions", 1]],
  ])("%s", async (_, board, path) => {
    const before = await contentsOf(db);
    expectError(await send(board), "BAD_REQUEST", ["board", ...path]);
    expect(await contentsOf(db)).toEqual(before);
  });

  test("a number that JSON cannot hold", async () => {
    const text = JSON.stringify({
      workspacePublicId: workspace.publicId,
      board: exportOf({ cards: [cardOf("a", { pos: 7 })] }),
    });
    const res = await as(owner).send({
      method: "POST",
      url: "/api/v1/imports/trello/boards",
      body: text.replace('"pos":7', '"pos":1e999'),
    });
    expectError(res, "BAD_REQUEST", ["board", "cards", 0, "pos"]);
  });

  test("a million mistakes are answered with the first", { tags: ["slow"] }, async () => {
    for (const board of [
      { ...exportOf({}), cards: Array(1_000_000).fill({}) },
      { ...exportOf({}), actions: Array(150_000).fill({}) },
      exportOf({ checklists: [{ id: "1", name: "c", checkItems: Array(1_000_000).fill({}) }] }),
    ]) {
      const res = await send(board);
      expectError(res, "BAD_REQUEST");
      expect(res.text.length).toBeLessThan(10_000);
    }
  });
});
