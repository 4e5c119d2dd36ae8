import { describe, expect, test } from "vitest";
import { type Board, contentsOf, expectError, ok, testApp, type Workspace } from "../helpers/app.js";
import { eventsOf, lastEvent } from "./events.js";

const { as, anonymous, make, db } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";

interface Named {
  publicId: string;
  name: string;
}

interface Listed extends Named {
  openCards: number;
  isFavourite: boolean;
  isArchived: boolean;
}

const boardsPath = ({ publicId }: Workspace) => `/workspaces/${publicId}/boards`;

const listed = async (workspace: Workspace, query = "", person = workspace.owner) =>
  ok(await as(person).get<Listed[]>(boardsPath(workspace) + query));

const names = (boards: { name: string }[]) => boards.map(({ name }) => name);

const openCards = async (board: Board) => (await listed(board.workspace))[0]?.openCards;

describe("creating", () => {
  test("a board begins with the lists and labels of the call, in order, and its creator as its member", async () => {
    const { workspace } = await make.workspace();
    const member = await make.member(workspace, "member");
    const labels = [
      { name: "Bug", colourCode: "#FF0000" },
      { name: "idea", colourCode: "#00ff00" },
    ];

    const made = ok(
      await as(member).post(boardsPath(workspace), {
        name: "  Road map ",
        lists: ["To do", " Doing", "To do"],
        labels,
      }),
    );

    expect(made).toEqual({ publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/), name: "Road map", slug: "road-map" });
    const board = ok(await as(member).get<{ lists: Named[]; labels: Named[] }>(`/boards/${made.publicId}`));
    expect(board).toMatchObject({
      ...made,
      visibility: "workspace",
      isArchived: false,
      isFavourite: false,
      tags: [],
      labels,
      members: [{ publicId: member.memberPublicId, role: "member", status: "active" }],
      lists: [
        { name: "To do", index: 0, cards: [] },
        { name: "Doing", index: 1, cards: [] },
        { name: "To do", index: 2, cards: [] },
      ],
    });
    expect(await eventsOf(db, workspace)).toEqual([
      {
        seq: 1,
        type: "board.created",
        actor: member.publicId,
        board: made.publicId,
        card: null,
        data: {
          board: {
            ...made,
            visibility: "workspace",
            isArchived: false,
            tags: [],
            labels: board.labels,
            members: [{ publicId: member.memberPublicId, role: "member", status: "active" }],
            lists: board.lists.map(({ publicId, name }, index) => ({ publicId, name, index })),
          },
        },
      },
    ]);
  });

  test("without lists and labels a board has none", async () => {
    const { owner, board } = await make.board();
    expect(ok(await as(owner).get(`/boards/${board.publicId}`))).toMatchObject({
      lists: [],
      labels: [],
      members: [{}],
    });
  });

  test("only an admin makes a public board; a member makes private ones", async () => {
    const { owner, workspace } = await make.workspace();
    const member = await make.member(workspace, "member");
    const before = await contentsOf(db);

    const body = { name: "Open", visibility: "public" };
    expectError(await as(member).post(boardsPath(workspace), body), "FORBIDDEN");
    expect(await contentsOf(db)).toEqual(before);

    const open = ok(await as(owner).post<{ publicId: string }>(boardsPath(workspace), body));
    const hidden = ok(
      await as(member).post<{ publicId: string }>(boardsPath(workspace), { name: "Hidden", visibility: "private" }),
    );
    expect(ok(await as(owner).get(`/boards/${open.publicId}`))).toMatchObject({ visibility: "public" });
    expect(ok(await as(member).get(`/boards/${hidden.publicId}`))).toMatchObject({ visibility: "private" });
  });

  test.each<[string | (string | number)[], object]>([
    ["name", {}],
    ["name", { name: " \t" }],
    ["name", { name: "x".repeat(256) }],
    ["name", { name: null }],
    ["slug", { name: "x", slug: "ab" }],
    ["slug", { name: "x", slug: "---" }],
    ["slug", { name: "x", slug: "a b c" }],
    ["slug", { name: "x", slug: "x".repeat(61) }],
    ["visibility", { name: "x", visibility: "secret" }],
    ["lists", { name: "x", lists: Array(51).fill("List") }],
    [["lists", 1], { name: "x", lists: ["a", ""] }],
    ["labels", { name: "x", labels: Array.from({ length: 51 }, (_, n) => ({ name: `${n}`, colourCode: "#000000" })) }],
    ["labels", { name: "x", labels: ["Äpfel", "äPFEL"].map((name) => ({ name, colourCode: "#000000" })) }],
    [["labels", 0, "colourCode"], { name: "x", labels: [{ name: "a", colourCode: "red" }] }],
    [["labels", 0, "colour"], { name: "x", labels: [{ name: "a", colourCode: "#000000", colour: 1 }] }],
    ["isFavourite", { name: "x", isFavourite: true }],
    ["workspacePublicId", { name: "x", workspacePublicId: UNKNOWN }],
  ])("a wrong %s is refused (%#)", async (field, body) => {
    const { owner, workspace } = await make.workspace();
    expectError(await as(owner).post(boardsPath(workspace), body), "BAD_REQUEST", field);
    expect(await listed(workspace)).toEqual([]);
  });

  test("50 lists and 50 labels are allowed, and a name of 255 characters as people count them", async () => {
    const { owner, workspace } = await make.workspace();
    const name = "🙂".repeat(255);
    const lists = Array.from({ length: 50 }, (_, n) => `List ${n}`);
    const labels = lists.map((list) => ({ name: list, colourCode: "#abcdef" }));

    const made = ok(await as(owner).post<{ publicId: string }>(boardsPath(workspace), { name, lists, labels }));

    const board = ok(await as(owner).get<{ lists: { name: string }[] }>(`/boards/${made.publicId}`));
    expect(board).toMatchObject({ name, labels });
    expect(names(board.lists)).toEqual(lists);
  });

  test("guests, strangers, read tokens and tokens bound elsewhere cannot, and an unknown workspace is FORBIDDEN", async () => {
    const { owner, workspace } = await make.workspace();
    const { workspace: other } = await make.workspace({ owner });
    const before = await contentsOf(db);
    const bystanders = [
      await make.member(workspace, "guest"),
      await make.user(),
      await make.token(owner, { scope: "read" }),
      await make.token(owner, { workspacePublicId: other.publicId }),
    ];

    for (const person of bystanders) {
      expectError(await as(person).post(boardsPath(workspace), { name: "Mine" }), "FORBIDDEN");
    }
    expectError(await as(owner).post(`/workspaces/${UNKNOWN}/boards`, { name: "Mine" }), "FORBIDDEN");
    expectError(await anonymous.post(boardsPath(workspace), { name: "" }), "UNAUTHORIZED");
    expect((await contentsOf(db)).board).toBe(before.board);
  });
});

describe("listing", () => {
  test("boards come by name as people sort them, each with exactly the fields of the contract", async () => {
    const { owner, workspace } = await make.workspace();
    const { tag } = await make.tag({ workspace });
    for (const name of ["zebra", "Board 10", "board 2", "Äther"]) await make.board({ workspace, name });
    const [first] = await listed(workspace);
    ok(await as(owner).put(`/boards/${first?.publicId}/tags/${tag.publicId}`));
    await make.board();

    const boards = await listed(workspace);

    expect(names(boards)).toEqual(["Äther", "board 2", "Board 10", "zebra"]);
    expect(boards[0]).toEqual({
      publicId: first?.publicId,
      name: "Äther",
      slug: "ather",
      visibility: "workspace",
      isArchived: false,
      isFavourite: false,
      tags: [tag],
      openCards: 0,
    });
  });

  test("archived boards are left out, and are all that `archived=true` lists", async () => {
    const { owner, workspace, board } = await make.board({ name: "Old" });
    await make.board({ workspace, name: "New" });
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));

    expect(names(await listed(workspace))).toEqual(["New"]);
    expect(names(await listed(workspace, "?archived=false"))).toEqual(["New"]);
    expect(await listed(workspace, "?archived=true")).toMatchObject([{ name: "Old", isArchived: true }]);
    expectError(await as(owner).get(`${boardsPath(workspace)}?archived=1`), "BAD_REQUEST", "archived");
    expectError(await as(owner).get(`${boardsPath(workspace)}?archived=`), "BAD_REQUEST", "archived");
  });

  test("favourites are the caller's own, and filter both ways", async () => {
    const { owner, workspace, board } = await make.board({ name: "Mine" });
    await make.board({ workspace, name: "Other" });
    const member = await make.member(workspace, "member");
    ok(await as(member).put(`/boards/${board.publicId}`, { isFavourite: true }));

    expect(names(await listed(workspace, "?favourite=true", member))).toEqual(["Mine"]);
    expect(names(await listed(workspace, "?favourite=false", member))).toEqual(["Other"]);
    expect(await listed(workspace, "?favourite=true", owner)).toEqual([]);
    expect((await listed(workspace)).every(({ isFavourite }) => !isFavourite)).toBe(true);
  });

  test("a tag filters, and one that is unknown or of another workspace gives nothing", async () => {
    const { owner, workspace, board } = await make.board();
    await make.board({ workspace });
    const { tag } = await make.tag({ workspace, name: "Zoo" });
    const { tag: second } = await make.tag({ workspace, name: "apple" });
    const { tag: foreign } = await make.tag();
    for (const { publicId } of [tag, second]) ok(await as(owner).put(`/boards/${board.publicId}/tags/${publicId}`));

    const found = await listed(workspace, `?tagPublicId=${tag.publicId}`);

    expect(found).toMatchObject([{ publicId: board.publicId, tags: [second, tag] }]);
    for (const id of [foreign.publicId, UNKNOWN]) expect(await listed(workspace, `?tagPublicId=${id}`)).toEqual([]);
    expectError(await as(owner).get(`${boardsPath(workspace)}?tagPublicId=short`), "BAD_REQUEST", "tagPublicId");
  });

  test("openCards is right after every way in which cards come and go", async () => {
    const { owner, board } = await make.board({ lists: ["a", "b"] });
    const { lists } = ok(await as(owner).get<{ lists: { publicId: string }[] }>(`/boards/${board.publicId}`));
    const [a, b] = lists.map((list) => ({ ...list, name: "", owner, board }));
    const cards = [];
    for (let n = 0; n < 4; n += 1) cards.push((await make.card({ list: a })).card);
    const [one, two, three, four] = cards.map(({ publicId }) => publicId);
    expect(await openCards(board)).toBe(4);

    ok(await as(owner).put(`/cards/${one}`, { listPublicId: b?.publicId }));
    expect(await openCards(board)).toBe(4);
    ok(await as(owner).post(`/cards/${one}/archive`));
    ok(await as(owner).post(`/cards/${one}/archive`));
    expect(await openCards(board)).toBe(3);
    ok(await as(owner).post(`/cards/${one}/unarchive`));
    ok(await as(owner).post(`/cards/${two}/duplicate`));
    expect(await openCards(board)).toBe(5);
    ok(await as(owner).post("/cards/bulk/archive", { cardPublicIds: [two, three] }));
    expect(await openCards(board)).toBe(3);
    ok(await as(owner).delete(`/cards/${two}`));
    expect(await openCards(board)).toBe(3);
    ok(await as(owner).delete(`/cards/${four}`));
    expect(await openCards(board)).toBe(2);
    ok(await as(owner).post("/cards/bulk/move", { cardPublicIds: [one], listPublicId: a?.publicId }));
    ok(await as(owner).delete(`/lists/${a?.publicId}`));
    expect(await openCards(board)).toBe(0);
    ok(await as(owner).post(`/cards/${one}/unarchive`));
    expect(await openCards(board)).toBe(1);
    const { list: elsewhere } = await make.list({ board: (await make.board({ workspace: board.workspace })).board });
    ok(await as(owner).put(`/cards/${one}`, { listPublicId: elsewhere.publicId }));
    const counts = (await listed(board.workspace)).map(({ publicId, openCards: count }) => [publicId, count]);
    expect(Object.fromEntries(counts)).toEqual({ [board.publicId]: 0, [elsewhere.board.publicId]: 1 });
  });

  test("a private board is listed to admins and its members alone, and a guest sees only its own boards", async () => {
    const { owner, workspace, board: hidden } = await make.board({ name: "Hidden", visibility: "private" });
    const { board: open } = await make.board({ workspace, name: "Open", visibility: "public" });
    await make.board({ workspace, name: "Shared" });

    const list = async (person: { token: string }) => names(ok(await as(person).get<Listed[]>(boardsPath(workspace))));
    expect(await list(owner)).toEqual(["Hidden", "Open", "Shared"]);
    expect(await list(await make.member(workspace, "admin"))).toEqual(["Hidden", "Open", "Shared"]);
    expect(await list(await make.member(workspace, "member"))).toEqual(["Open", "Shared"]);
    expect(await list(await make.member(hidden, "member"))).toEqual(["Hidden", "Open", "Shared"]);
    expect(await list(await make.member(workspace, "guest"))).toEqual([]);
    expect(await list(await make.member(open, "guest"))).toEqual(["Open"]);
  });

  test("strangers and tokens bound elsewhere are FORBIDDEN, an unknown workspace is NOT_FOUND", async () => {
    const { owner, workspace } = await make.board();
    const { workspace: other } = await make.workspace({ owner });
    const bound = await make.token(owner, { workspacePublicId: other.publicId });

    expectError(await as(await make.user()).get(boardsPath(workspace)), "FORBIDDEN");
    expectError(await as(bound).get(boardsPath(workspace)), "FORBIDDEN");
    expectError(await as(owner).get(`/workspaces/${UNKNOWN}/boards`), "NOT_FOUND");
    expect(await lastEvent(db, workspace)).toBe(1);
  });
});
