import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type Board,
  expectError,
  expectTrpcError,
  type List,
  ok,
  type Person,
  testApp,
  type Workspace,
} from "../helpers/app.js";

const { as, anonymous, make, trpcClient } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";

interface Entry {
  publicId: string;
  title: string;
  dueDate: string;
}

type Query = Record<string, string>;

const pathOf = ({ publicId }: Pick<Workspace, "publicId">, query: Query = {}) =>
  `/workspaces/${publicId}/calendar?${new URLSearchParams(query)}`;

const calendar = async (workspace: Workspace, query: Query = {}, reader: { token: string } = workspace.owner) =>
  ok(await as(reader).get<Entry[]>(pathOf(workspace, query)));

const titles = async (workspace: Workspace, query: Query = {}, reader?: { token: string }) =>
  (await calendar(workspace, query, reader)).map(({ title }) => title);

/** A list with a card for each instant, titled by it. */
async function dueAt(...instants: string[]) {
  const { workspace, board, list } = await make.list();
  for (const dueDate of instants) await make.card({ list, title: dueDate, dueDate });
  return { workspace, board, list };
}

const dueCard = (list: List, title: string, fields: object = {}) =>
  make.card({ list, title, dueDate: "2027-01-15T12:00:00.000Z", ...fields });

const JANUARY = { anchor: "2027-01-20" };

describe("what is shown", () => {
  test("a card that is due is shown with exactly the fields of the specification", async () => {
    const { owner, workspace, board, list } = await make.list();
    const { card } = await dueCard(list, "Pay", { priority: "high", description: "The rent" });
    const { card: done } = await make.card({ list, title: "Done", dueDate: "2027-01-31" });
    ok(await as(owner).put(`/cards/${done.publicId}`, { completed: true }));
    await make.card({ list, title: "Not due" });

    expect(await calendar(workspace, JANUARY)).toEqual([
      {
        publicId: card.publicId,
        title: "Pay",
        cardNumber: 1,
        dueDate: "2027-01-15T12:00:00.000Z",
        completedAt: null,
        priority: "high",
        boardPublicId: board.publicId,
        boardName: board.name,
        listName: list.name,
      },
      {
        publicId: done.publicId,
        title: "Done",
        cardNumber: 2,
        dueDate: "2027-01-31T00:00:00.000Z",
        completedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        priority: "none",
        boardPublicId: board.publicId,
        boardName: board.name,
        listName: list.name,
      },
    ]);
  });

  test("cards come by due date, then by number, across boards", async () => {
    const { workspace, list } = await make.list();
    const { list: other } = await make.list({ board: (await make.board({ workspace })).board });
    for (const [title, day, on] of [
      ["third", "2027-01-09", list],
      ["first", "2027-01-02", other],
      ["fourth", "2027-01-09", other],
      ["second", "2027-01-08T23:59:59.999Z", list],
    ] as const) {
      await make.card({ list: on, title, dueDate: day });
    }

    expect(await titles(workspace, JANUARY)).toEqual(["first", "second", "third", "fourth"]);
  });

  test("archived cards, archived boards and other workspaces are left out", async () => {
    const { owner, workspace, list } = await make.list();
    const { card: archived } = await dueCard(list, "archived");
    ok(await as(owner).post(`/cards/${archived.publicId}/archive`));
    const { board: closed, list: inClosed } = await make.list({ board: (await make.board({ workspace })).board });
    await dueCard(inClosed, "on an archived board");
    ok(await as(owner).post(`/boards/${closed.publicId}/archive`));
    const { list: elsewhere } = await make.list({ board: (await make.board({ owner })).board });
    await dueCard(elsewhere, "elsewhere");
    await dueCard(list, "open");

    expect(await titles(workspace, JANUARY)).toEqual(["open"]);
    expect(await titles(workspace, { ...JANUARY, boardPublicId: closed.publicId })).toEqual([]);
    expect(await titles(workspace, { ...JANUARY, boardPublicId: elsewhere.board.publicId })).toEqual([]);
  });
});

describe("the window", () => {
  test("a month holds its first instant and not that of the next month", async () => {
    const { workspace } = await dueAt(
      "2026-12-31T23:59:59.999Z",
      "2027-01-01T00:00:00.000Z",
      "2027-01-31T23:59:59.999Z",
      "2027-02-01T00:00:00.000Z",
    );
    const january = ["2027-01-01T00:00:00.000Z", "2027-01-31T23:59:59.999Z"];

    expect(await titles(workspace, { anchor: "2027-01-31" })).toEqual(january);
    expect(await titles(workspace, { anchor: "2027-01-01", view: "month" })).toEqual(january);
  });

  test("a day holds its 24 hours", async () => {
    const { workspace } = await dueAt(
      "2027-01-14T23:59:59.999Z",
      "2027-01-15",
      "2027-01-15T23:59:59.999Z",
      "2027-01-16",
    );

    expect(await titles(workspace, { anchor: "2027-01-15", view: "day" })).toEqual([
      "2027-01-15",
      "2027-01-15T23:59:59.999Z",
    ]);
  });

  test("a week begins on the workspace's first day of the week, whichever that is", async () => {
    const days = Array.from({ length: 21 }, (_, n) => `2027-01-${String(n + 4).padStart(2, "0")}`);
    const { workspace } = await dueAt(...days);
    const week = () => titles(workspace, { anchor: "2027-01-14", view: "week" });

    expect(await week(), "Monday by default").toEqual(days.slice(7, 14));
    for (let weekStartDay = 0; weekStartDay <= 6; weekStartDay += 1) {
      ok(await as(workspace.owner).put(`/workspaces/${workspace.publicId}`, { weekStartDay }));
      const shown = await week();
      expect(shown).toHaveLength(7);
      expect(new Date(shown[0] ?? "").getUTCDay()).toBe(weekStartDay);
      expect(shown).toContain("2027-01-14");
    }
  });

  test("days begin in the time zone, also where the clocks change", async () => {
    const { workspace } = await dueAt(
      "2026-03-28T22:59:59.999Z",
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T21:59:59.999Z",
      "2026-03-29T22:00:00.000Z",
    );
    const rome = { timeZone: "Europe/Rome", anchor: "2026-03-29" };

    expect(await titles(workspace, { ...rome, view: "day" })).toEqual([
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T21:59:59.999Z",
    ]);
    expect(await titles(workspace, { ...rome, anchor: "2026-03-23", view: "week" })).not.toContain(
      "2026-03-29T22:00:00.000Z",
    );
    expect(await titles(workspace, { ...rome, view: "day", timeZone: "europe/ROME" })).toHaveLength(2);
    expect(await titles(workspace, { view: "day", anchor: "2026-03-29" }), "UTC by default").toEqual([
      "2026-03-29T21:59:59.999Z",
      "2026-03-29T22:00:00.000Z",
    ]);
  });

  test("a month in the far west begins and ends with its own days", async () => {
    const { workspace } = await dueAt(
      "2027-01-01T11:59:59.999Z",
      "2027-01-01T12:00:00.000Z",
      "2027-02-01T11:59:59.999Z",
    );

    expect(await titles(workspace, { anchor: "2027-01-10", timeZone: "Etc/GMT+12" })).toEqual([
      "2027-01-01T12:00:00.000Z",
      "2027-02-01T11:59:59.999Z",
    ]);
  });

  test("without an anchor it is the month of today", async () => {
    const now = new Date();
    const inMonths = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15));
    const [past, present, future] = [-1, 0, 1].map((months) => inMonths(months).toISOString());
    const { workspace } = await dueAt(...[past, present, future].flatMap((instant) => instant ?? []));

    expect(await titles(workspace)).toEqual([present]);
  });

  test("the legacy month is the month view of its first day, whatever the view, and yields to the anchor", async () => {
    const { workspace } = await dueAt("2027-01-01", "2027-01-31", "2027-02-10");

    expect(await titles(workspace, { month: "2027-01" })).toEqual(["2027-01-01", "2027-01-31"]);
    expect(await titles(workspace, { month: "2027-01", view: "day" })).toEqual(["2027-01-01", "2027-01-31"]);
    expect(await titles(workspace, { month: "2027-01", anchor: "2027-02-10" })).toEqual(["2027-02-10"]);
    expect(await titles(workspace, { month: "2027-01", anchor: "2027-02-10", view: "day" })).toEqual(["2027-02-10"]);
  });

  test("the first and the last month of the calendar are shown whole, in any time zone", async () => {
    const first = "0001-01-01T00:00:00.000Z";
    const last = "9999-12-31T23:59:59.999Z";
    const { workspace } = await dueAt(first, last);

    for (const timeZone of ["UTC", "Asia/Tokyo"]) {
      expect(await titles(workspace, { month: "0001-01", timeZone })).toEqual([first]);
      expect(await titles(workspace, { anchor: "0001-01-01", view: "week", timeZone })).toEqual([first]);
    }
    for (const timeZone of ["UTC", "Etc/GMT+12"]) {
      expect(await titles(workspace, { month: "9999-12", timeZone })).toEqual([last]);
      expect(await titles(workspace, { anchor: "9999-12-31", view: "week", timeZone })).toEqual([last]);
      expect(await titles(workspace, { anchor: "9999-12-31", view: "day", timeZone })).toEqual([last]);
    }
  });
});

describe("who sees what", () => {
  test("a private board is shown to its members and to admins, a guest sees its own boards alone", async () => {
    const { workspace } = await make.workspace();
    const on = async (visibility: "workspace" | "private") => {
      const { board } = await make.board({ workspace, visibility });
      const { list } = await make.list({ board });
      await dueCard(list, visibility);
      return board;
    };
    const [open, secret] = [await on("workspace"), await on("private")];
    const read = async (place: Workspace | Board, role: "admin" | "member" | "guest") =>
      titles(workspace, JANUARY, await make.member(place, role));

    expect(await read(workspace, "admin")).toEqual(["workspace", "private"]);
    expect(await read(workspace, "member")).toEqual(["workspace"]);
    expect(await read(secret, "member")).toEqual(["workspace", "private"]);
    expect(await read(workspace, "guest")).toEqual([]);
    expect(await read(open, "guest")).toEqual(["workspace"]);
    expect(await read(secret, "guest")).toEqual(["private"]);

    const member = await make.member(workspace, "member");
    expect(await titles(workspace, { ...JANUARY, boardPublicId: secret.publicId }, member)).toEqual([]);
  });

  test("strangers, tokens of another workspace and nobody at all see nothing", async () => {
    const { owner, workspace } = await make.workspace();
    const { workspace: other } = await make.workspace({ owner });
    const bound = await make.token(owner, { workspacePublicId: other.publicId });
    const read = await make.token(owner, { scope: "read" });

    expectError(await as(await make.user()).get(pathOf(workspace)), "FORBIDDEN");
    expectError(await as(bound).get(pathOf(workspace)), "FORBIDDEN");
    expectError(await anonymous.get(pathOf(workspace)), "UNAUTHORIZED");
    expectError(await as(owner).get(pathOf({ publicId: UNKNOWN })), "NOT_FOUND");
    expect(ok(await as(read).get(pathOf(workspace)))).toEqual([]);
  });

  test("over tRPC it answers the same, and refuses the same", async () => {
    const { workspace } = await dueAt("2027-01-15T12:00:00.000Z");
    const workspacePublicId = workspace.publicId;
    const client = trpcClient(workspace.owner).workspace.calendar;

    expect(await client.query({ workspacePublicId, ...JANUARY })).toEqual(await calendar(workspace, JANUARY));
    await expectTrpcError(client.query({ workspacePublicId, anchor: "2026-02-30" }), "BAD_REQUEST", "anchor");
    await expectTrpcError(client.query({ workspacePublicId: UNKNOWN }), "NOT_FOUND");
  });
});

describe("filters", () => {
  test("by board, assignee, priority and text, alone and together", async () => {
    const { owner, workspace, board, list } = await make.list();
    const { board: second, list: other } = await make.list({ board: (await make.board({ workspace })).board });
    const ada = await make.member(workspace, "member");
    const bob = await make.member(workspace, "member");
    const assigned = (...people: { memberPublicId: string }[]) => ({
      memberPublicIds: people.map(({ memberPublicId }) => memberPublicId),
    });
    await dueCard(list, "Rent", { priority: "high", ...assigned(ada) });
    await dueCard(list, "Water", { priority: "low", description: "Rent of the meter", ...assigned(ada, bob) });
    await dueCard(other, "Power", { priority: "high" });
    const shown = (query: Query, reader: Person = owner) => titles(workspace, { ...JANUARY, ...query }, reader);

    expect(await shown({ boardPublicId: board.publicId })).toEqual(["Rent", "Water"]);
    expect(await shown({ boardPublicId: second.publicId })).toEqual(["Power"]);
    expect(await shown({ memberPublicId: ada.memberPublicId })).toEqual(["Rent", "Water"]);
    expect(await shown({ memberPublicId: bob.memberPublicId }, ada)).toEqual(["Water"]);
    expect(await shown({ priority: "high" })).toEqual(["Rent", "Power"]);
    expect(await shown({ priority: "none" })).toEqual([]);
    expect(await shown({ search: "rENt" })).toEqual(["Rent", "Water"]);
    expect(await shown({ search: "rent", priority: "low", boardPublicId: board.publicId })).toEqual(["Water"]);
    expect(await shown({ memberPublicId: ada.memberPublicId, boardPublicId: second.publicId })).toEqual([]);
  });

  test("an identifier that names nothing gives an empty answer", async () => {
    const { workspace, list } = await make.list();
    await dueCard(list, "Pay");
    const { workspace: other } = await make.workspace();
    const stranger = await make.member(other, "member");

    const queries: Query[] = [
      { boardPublicId: UNKNOWN },
      { memberPublicId: UNKNOWN },
      { memberPublicId: stranger.memberPublicId },
      { boardPublicId: list.publicId },
      { boardPublicId: "' or true --" },
    ];
    for (const query of queries) {
      expect(await calendar(workspace, { ...JANUARY, ...query })).toEqual([]);
    }
  });

  test("search means each character as it stands, in any case of letters, beyond ASCII too", async () => {
    const { workspace, list } = await make.list();
    for (const title of [
      "100% sure",
      "1000 sure",
      "snake_case",
      "snakeXcase",
      "back\\slash",
      "Größe ÄPFEL",
      "🎉 party",
    ]) {
      await dueCard(list, title);
    }
    const found = (search: string) => titles(workspace, { ...JANUARY, search });

    expect(await found("0%")).toEqual(["100% sure"]);
    expect(await found("e_c")).toEqual(["snake_case"]);
    expect(await found("k\\s")).toEqual(["back\\slash"]);
    expect(await found("\\")).toEqual(["back\\slash"]);
    expect(await found("äpfel")).toEqual(["Größe ÄPFEL"]);
    expect(await found("🎉")).toEqual(["🎉 party"]);
    expect(await found("true")).toEqual([]);
    expect(await found("100")).toEqual(["100% sure", "1000 sure"]);
  });
});

describe("wrong input is BAD_REQUEST that names the parameter", () => {
  test.each([
    ["anchor", ["2026-02-30", "2026-13-01", "2026-00-10", "2025-02-29", "0000-01-01", "26-01-01", "2026-1-1", "today"]],
    ["anchor", ["2026-01-01T00:00:00Z", "2026-01-01 ", "+002026-01-01", "10000-01-01", "2026-01-01\n"]],
    ["month", ["2026-13", "2026-00", "2026-1", "0000-01", "2026-01-01", "2026", "20260-1", "2026-01 "]],
    ["timeZone", ["Europe/Rom", "+02:00", "2026-01-01T00:00Z", "Z", "Europe/Rome ", "CET-1CEST", "x".repeat(65), "\0"]],
    ["view", ["year", "Month", "agenda"]],
    ["priority", ["critical", "HIGH"]],
    ["search", ["x".repeat(201), "a\0b"]],
    ["boardPublicId", ["short", "x".repeat(65)]],
    ["memberPublicId", ["short"]],
  ])("%s: %j", async (name, values) => {
    const { owner, workspace } = await make.workspace();
    for (const value of values) {
      const res = await as(owner).get(pathOf(workspace, { [name]: value }));
      expectError(res, "BAD_REQUEST", name);
      expect(Object(res.body).issues, value).toHaveLength(1);
    }
    expectError(await as(owner).get(`${pathOf(workspace)}${name}=`), "BAD_REQUEST", name);
    expectError(
      await as(owner).get(`${pathOf(workspace)}${name}=${values[0]}&${name}=${values[0]}`),
      "BAD_REQUEST",
      name,
    );
  });

  test("a month is checked also beside an anchor, and before who calls", async () => {
    const { owner, workspace } = await make.workspace();
    const stranger = await make.user();

    for (const person of [owner, stranger]) {
      expectError(
        await as(person).get(pathOf(workspace, { month: "2026-13", anchor: "2026-01-01" })),
        "BAD_REQUEST",
        "month",
      );
    }
  });
});

test("the document marks the legacy month as deprecated, and has the patterns of the specification", () => {
  const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
  const { parameters } = document.paths["/workspaces/{workspacePublicId}/calendar"].get;
  const parameter = (wanted: string) => parameters.find(({ name }: { name?: string }) => name === wanted);

  expect(parameter("month")).toMatchObject({
    deprecated: true,
    schema: { type: "string", pattern: "^(?!0000)\\d{4}-(0[1-9]|1[0-2])$" },
  });
  expect(parameter("anchor")).toMatchObject({ schema: { type: "string", pattern: "^(?!0000)\\d{4}-\\d{2}-\\d{2}$" } });
  expect(parameter("anchor")).not.toHaveProperty("deprecated");
  expect(parameter("view").schema).toEqual({ type: "string", enum: ["month", "week", "day"], default: "month" });
});
