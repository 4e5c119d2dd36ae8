import { describe, expect, test } from "vitest";
import { type Board, contentsOf, expectError, ok, testApp, type Workspace } from "../helpers/app.js";
import { eventsOf } from "./events.js";

const { as, make, db } = await testApp();

const RESERVED = ["new", "settings", "archived", "import", "api", "docs"];

interface Made {
  publicId: string;
  slug: string;
}

const create = ({ owner, publicId }: Workspace, body: object) =>
  as(owner).post<Made>(`/workspaces/${publicId}/boards`, body);

const check = async ({ owner, publicId }: Board, slug: string) =>
  ok(await as(owner).get<{ isReserved: boolean }>(`/boards/${publicId}/check-slug-availability?boardSlug=${slug}`))
    .isReserved;

describe("made from the name", () => {
  test.each([
    ["Road map 2027!", "road-map-2027"],
    ["  --Ünïcödé -- Ñandú--", "unicode-nandu"],
    ["A", "a-board"],
    ["Ab", "ab-board"],
    ["日本語", "board"],
    ["🙂", "board"],
    ["Settings", "settings-2"],
    ["API", "api-2"],
    ["x".repeat(255), "x".repeat(60)],
    [`${"x".repeat(59)} y`, "x".repeat(59)],
  ])("the name %j gives the slug %j", async (name, slug) => {
    const { workspace } = await make.workspace();
    expect(ok(await create(workspace, { name })).slug).toBe(slug);
  });

  test("taken ones are numbered, each within 60 characters, archived boards counted", async () => {
    const { owner, workspace } = await make.workspace();
    const first = ok(await create(workspace, { name: "x".repeat(70) }));
    ok(await as(owner).post(`/boards/${first.publicId}/archive`));

    expect(ok(await create(workspace, { name: "x".repeat(70) })).slug).toBe(`${"x".repeat(58)}-2`);
    expect(ok(await create(workspace, { name: "X".repeat(61) })).slug).toBe(`${"x".repeat(58)}-3`);
  });

  test("the gap that a deleted board leaves is used again, and another workspace has slugs of its own", async () => {
    const { owner, workspace } = await make.workspace();
    const made = [];
    for (let n = 0; n < 3; n += 1) made.push(ok(await create(workspace, { name: "Same" })));
    expect(made.map(({ slug }) => slug)).toEqual(["same", "same-2", "same-3"]);
    ok(await as(owner).delete(`/boards/${made[1]?.publicId}`));

    expect(ok(await create(workspace, { name: "Same" })).slug).toBe("same-2");
    const { workspace: other } = await make.workspace({ owner });
    expect(ok(await create(other, { name: "Same" })).slug).toBe("same");
  });

  test("boards of one name made at once all succeed, with slugs and events of their own", async () => {
    const { workspace } = await make.workspace();

    const answers = await Promise.all(Array.from({ length: 20 }, () => create(workspace, { name: "Same" })));

    const slugs = answers.map((res) => ok(res).slug);
    expect(new Set(slugs)).toEqual(new Set(["same", ...Array.from({ length: 19 }, (_, n) => `same-${n + 2}`)]));
    expect(await eventsOf(db, workspace)).toHaveLength(20);
  });

  test("copies of boards of one name made at once all succeed too", async () => {
    const { owner, workspace } = await make.workspace();
    const boards = [];
    for (let n = 0; n < 8; n += 1) boards.push(ok(await create(workspace, { name: `Board ${n}` })));

    const answers = await Promise.all(
      boards.map(({ publicId }) => as(owner).post<Made>(`/boards/${publicId}/duplicate`, { name: "Same" })),
    );

    expect(new Set(answers.map((res) => ok(res).slug)).size).toBe(8);
  });
});

describe("given", () => {
  test("a slug is kept in lower case", async () => {
    const { workspace } = await make.workspace();
    expect(ok(await create(workspace, { name: "x", slug: "My-Board-1" })).slug).toBe("my-board-1");
  });

  test("a slug that is taken, in any case, by an archived board too, or reserved, is refused naming `slug`", async () => {
    const { owner, workspace, board } = await make.board({ slug: "mine" });
    const { board: second } = await make.board({ workspace });
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    const before = await contentsOf(db);

    for (const slug of ["mine", "MINE", ...RESERVED, "Archived"]) {
      expectError(await create(workspace, { name: "x", slug }), "BAD_REQUEST", "slug");
      expectError(await as(owner).put(`/boards/${second.publicId}`, { slug }), "BAD_REQUEST", "slug");
    }
    expect(await contentsOf(db)).toEqual(before);
  });

  test("of boards that take one slug at once a single one gets it, whether made or changed", async () => {
    const { owner, workspace } = await make.workspace();
    const boards = [];
    for (let n = 0; n < 4; n += 1) boards.push((await make.board({ workspace })).board);

    const answers = await Promise.all([
      ...boards.map(({ publicId }) => as(owner).put(`/boards/${publicId}`, { slug: "the-one" })),
      ...boards.map(() => create(workspace, { name: "x", slug: "The-One" })),
    ]);

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const res of answers.filter(({ status }) => status !== 200)) expectError(res, "BAD_REQUEST", "slug");
  });

  test("boards can exchange slugs one after the other", async () => {
    const { owner, workspace, board } = await make.board({ slug: "one" });
    const { board: other } = await make.board({ workspace, slug: "two" });

    ok(await as(owner).put(`/boards/${board.publicId}`, { slug: "three" }));
    ok(await as(owner).put(`/boards/${other.publicId}`, { slug: "one" }));
    ok(await as(owner).put(`/boards/${board.publicId}`, { slug: "two" }));
  });
});

describe("checking", () => {
  test("free ones and the board's own, in any case, are usable; others' and reserved ones are not", async () => {
    const { owner, workspace, board } = await make.board({ slug: "mine" });
    const { board: other } = await make.board({ workspace, slug: "theirs" });
    await make.board({ workspace: (await make.workspace({ owner })).workspace, slug: "elsewhere" });
    ok(await as(owner).post(`/boards/${other.publicId}/archive`));

    for (const slug of ["free", "mine", "MINE", "elsewhere"]) expect(await check(board, slug)).toBe(false);
    for (const slug of ["theirs", "Theirs", ...RESERVED, "API"]) expect(await check(board, slug)).toBe(true);
  });

  test("on an archived board it still answers, and it changes nothing", async () => {
    const { owner, board } = await make.board({ slug: "mine" });
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    const before = await contentsOf(db);

    expect(await check(board, "mine")).toBe(false);
    expect(await contentsOf(db)).toEqual(before);
  });

  test.each(["", "?boardSlug=", "?boardSlug=ab", "?boardSlug=---", "?boardSlug=a%20b", "?boardSlug=%C3%A4rger"])(
    "a wrong query is refused: %j",
    async (query) => {
      const { owner, board } = await make.board();
      const path = `/boards/${board.publicId}/check-slug-availability${query}`;
      expectError(await as(owner).get(path), "BAD_REQUEST", "boardSlug");
    },
  );

  test("of 3 to 60 characters, given once", async () => {
    const { owner, board } = await make.board();
    for (const slug of ["abc", "-a-", "x".repeat(60)]) expect(await check(board, slug)).toBe(false);
    const path = `/boards/${board.publicId}/check-slug-availability?boardSlug`;
    expectError(await as(owner).get(`${path}=${"x".repeat(61)}`), "BAD_REQUEST", "boardSlug");
    expectError(await as(owner).get(`${path}=abc&boardSlug=def`), "BAD_REQUEST", "boardSlug");
  });

  test("needs the right to edit the board; an unknown board is NOT_FOUND", async () => {
    const { owner, board } = await make.board();
    const path = `/boards/${board.publicId}/check-slug-availability?boardSlug=free`;

    ok(await as(await make.member(board, "member")).get(path));
    for (const person of [await make.member(board, "guest"), await make.user()]) {
      expectError(await as(person).get(path), "FORBIDDEN");
    }
    expectError(await as(owner).get("/boards/AAAAAAAAAAAA/check-slug-availability?boardSlug=free"), "NOT_FOUND");
  });
});
