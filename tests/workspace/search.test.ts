// How the search answers: in which order and pages, to whom what, and within which limits.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Board, expectError, expectTrpcError, ok, testApp } from "../helpers/app.js";
import { cursorWith } from "../helpers/cursors.js";
import { type Found, type Page, pathOf, searchesOn } from "./searches.js";

const app = await testApp();
const { as, anonymous, make, db, trpcClient } = app;
const { search, titles, withCards } = searchesOn(app);

const UNKNOWN = "AAAAAAAAAAAA";

describe("order", () => {
  test("boards by name, then cards by title, then by description; the newest first", async () => {
    const { workspace, list } = await withCards(
      { title: "old text", description: "about search" },
      { title: "old search", description: "" },
      { title: "new text", description: "Search" },
      { title: "new search", description: "search" },
    );
    const { board: first } = await make.board({ workspace, name: "Search A" });
    const { board: second } = await make.board({ workspace, name: "Search B" });

    const items = await search(workspace, "search");

    expect(items.map(({ title }) => title)).toEqual([
      ...["Search B", "Search A", "new search", "old search", "new text", "old text"],
    ]);
    expect(items[1]).toEqual({
      type: "board",
      publicId: first.publicId,
      title: "Search A",
      boardPublicId: first.publicId,
      boardName: "Search A",
      cardNumber: null,
      excerpt: null,
    });
    expect(items[2]).toEqual({
      type: "card",
      publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      title: "new search",
      boardPublicId: list.board.publicId,
      boardName: "Plan",
      cardNumber: 4,
      excerpt: null,
    });
    expect(items[0]?.publicId).toBe(second.publicId);
    expect(
      await trpcClient(workspace.owner).workspace.search.query({
        workspacePublicId: workspace.publicId,
        query: "search",
      }),
    ).toEqual({ items, nextCursor: null });
  });

  test("a card quoted by its number stands first, once, then what has the number in its words", async () => {
    const { owner } = await make.workspace();
    const { workspace } = await make.workspace({ owner });
    ok(await as(owner).put(`/workspaces/${workspace.publicId}`, { cardPrefix: "QX7" }));
    const { list } = await make.list({ board: (await make.board({ workspace, name: "Room 2" })).board });
    for (const title of ["one", "two", "QX7 2 again", "2 of them", "QX7-2"]) await make.card({ list, title });

    for (const query of ["QX7-2", "qx7-2", " Qx7-2 "]) {
      expect(await titles(workspace, query), query).toEqual(["two", "QX7-2", "QX7 2 again"]);
    }
    for (const query of ["2", "#2"]) {
      expect(await titles(workspace, query), query).toEqual(["two", "Room 2", "QX7-2", "2 of them", "QX7 2 again"]);
    }
    expect(await titles(workspace, "qx7-3")).toEqual(["QX7 2 again"]);
    for (const query of ["WB-1", "QX-1", "QX7-1 x", "QX7-99", "QX7-0", "QX7-99999999999", "1-1", "-1-1", "##1"]) {
      expect(await titles(workspace, query), query).toEqual([]);
    }
    ok(await as(owner).put(`/workspaces/${workspace.publicId}`, { cardPrefix: "NEW" }));
    expect((await titles(workspace, "new-2"))[0]).toBe("two");
    expect(await titles(workspace, "QX7-1")).toEqual([]);
  });

  test("pages follow one another without loss or doubles, through every rank, in the order of the whole", async () => {
    const { workspace, list } = await withCards();
    for (let n = 0; n < 5; n += 1) {
      await make.card({ list, title: `page 3 ${n}` });
      await make.card({ list, title: `text ${n}`, description: "page 3" });
      await make.board({ workspace, name: `Page 3 ${n}` });
    }
    // Boards made at one instant are told apart as well.
    await db.rows(sql`update board set created_at = '2026-01-02T03:04:05.678Z' where name like 'Page 3 %'`);
    const whole = await search(workspace, "3");
    expect(whole).toHaveLength(15 + 1 - 1);

    for (const limit of [1, 2, 4, 7, 15]) {
      const items: Found[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = ok(
          await as(workspace.owner).get<Page>(
            pathOf(workspace, "3", `&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`),
          ),
        );
        expect(page.items.length).toBeLessThanOrEqual(limit);
        items.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(items, `limit ${limit}`).toEqual(whole);
    }
  });

  test("a page goes on where the last one ended, whatever came, went and changed before it", async () => {
    const { workspace, list, cards, owner } = await withCards("page a", "page b", "page c", "page d");
    const first = ok(await as(owner).get<Page>(pathOf(workspace, "page", "&limit=2")));
    expect(first.items.map(({ title }) => title)).toEqual(["page d", "page c"]);

    await make.card({ list, title: "page e" });
    await make.board({ workspace, name: "page board" });
    for (const { publicId } of cards.slice(2)) ok(await as(owner).delete(`/cards/${publicId}`));

    const second = ok(await as(owner).get<Page>(pathOf(workspace, "page", `&limit=2&cursor=${first.nextCursor}`)));
    expect(second.items.map(({ title }) => title)).toEqual(["page b", "page a"]);
    expect(second.nextCursor).toBeNull();
  });

  test("a cursor holds no key of the database", async () => {
    const { workspace, owner } = await withCards("cursor a", "cursor b");
    await db.transaction(async (tx) => {
      await tx.rows(sql`delete from card_text where title like 'cursor %'`);
      await tx.rows(sql`update card set id = id + 7000000 where title like 'cursor %'`);
      await tx.rows(sql`
        insert into card_text select workspace_id, id, title, description from card where title like 'cursor %'`);
    });
    const { nextCursor } = ok(await as(owner).get<Page>(pathOf(workspace, "cursor", "&limit=1")));
    expect(Buffer.from(nextCursor ?? "", "base64url").toString()).not.toContain("7000");
  });
});

describe("who sees what", () => {
  async function peopled() {
    const { workspace, owner: admin } = await make.workspace();
    const boards: Record<string, Board> = {};
    for (const visibility of ["workspace", "private", "public"] as const) {
      const { board } = await make.board({ workspace, visibility, name: `Find ${visibility}` });
      boards[visibility] = board;
      const { list } = await make.list({ board });
      await make.card({ list, title: `find ${visibility} title` });
      await make.card({ list, title: `${visibility} text`, description: "find" });
    }
    return { workspace, admin, boards };
  }

  const of = (...visibilities: string[]) => [
    ...visibilities.map((visibility) => `Find ${visibility}`),
    ...visibilities.map((visibility) => `find ${visibility} title`),
    ...visibilities.map((visibility) => `${visibility} text`),
  ];

  test("an admin finds what is on every board", async () => {
    const { workspace, admin } = await peopled();
    const other = await make.member(workspace, "admin");
    for (const person of [admin, other]) {
      expect(await titles(workspace, "find", person)).toEqual(of("public", "private", "workspace"));
    }
  });

  test("a member finds what is on private boards only as their member", async () => {
    const { workspace, boards } = await peopled();
    const member = await make.member(workspace, "member");
    expect(await titles(workspace, "find", member)).toEqual(of("public", "workspace"));
    for (const number of ["3", "#3", "4"]) expect(await titles(workspace, number, member)).toEqual([]);

    const insider = await make.member(boards.private ?? expect.fail(), "member");
    expect(await titles(workspace, "find", insider)).toEqual(of("public", "private", "workspace"));
    expect(await titles(workspace, "3", insider)).toEqual(["find private title"]);
  });

  test("a guest finds what is on its boards alone", async () => {
    const { workspace, boards } = await peopled();
    expect(await titles(workspace, "find", await make.member(workspace, "guest"))).toEqual([]);
    const guest = await make.member(boards.private ?? expect.fail(), "guest");
    expect(await titles(workspace, "find", guest)).toEqual(of("private"));
    expect(await titles(workspace, "1", guest)).toEqual([]);
  });

  test("nothing of another workspace is found, not even by one who belongs to both", async () => {
    const { workspace, owner } = await withCards("shared word");
    const { workspace: other } = await make.workspace({ owner });
    const { list } = await make.list({ board: (await make.board({ workspace: other, name: "shared" })).board });
    await make.card({ list, title: "shared too" });
    expect(await titles(workspace, "shared")).toEqual(["shared word"]);
    expect(await titles(other, "shared")).toEqual(["shared", "shared too"]);
  });

  test("a stranger is FORBIDDEN, an unknown workspace NOT_FOUND, nobody UNAUTHORIZED", async () => {
    const { workspace, owner } = await withCards("secret");
    expectError(await as(await make.user()).get(pathOf(workspace, "secret")), "FORBIDDEN");
    expectError(await as(owner).get(`/workspaces/${UNKNOWN}/search?query=secret`), "NOT_FOUND");
    expectError(await anonymous.get(pathOf(workspace, "secret")), "UNAUTHORIZED");
    await expectTrpcError(
      trpcClient(await make.user()).workspace.search.query({ workspacePublicId: workspace.publicId, query: "secret" }),
      "FORBIDDEN",
    );
  });

  test("a read token searches; a token bound to another workspace is FORBIDDEN", async () => {
    const { workspace, owner } = await withCards("token");
    const { workspace: other } = await make.workspace({ owner });
    const bound = await make.token(owner, { workspacePublicId: workspace.publicId, scope: "read" });

    expect(await titles(workspace, "token", bound)).toEqual(["token"]);
    expectError(await as(bound).get(pathOf(other, "token")), "FORBIDDEN");
  });
});

describe("limits", () => {
  test("words and texts of any length are stored, and found", { tags: ["slow"] }, async () => {
    const many = Array.from({ length: 25_000 }, (_, n) => String.fromCodePoint(0x20000 + n)).join(" ");
    const ideographs = Array.from({ length: 50_000 }, (_, n) => String.fromCodePoint(0x20000 + n)).join("");
    const numbers = Array.from({ length: 9_000 }, (_, n) => 10_000 + n)
      .join(" ")
      .slice(0, 50_000);
    const { workspace } = await withCards(
      { title: "x".repeat(2000), description: "y".repeat(50_000) },
      { title: "🚀".repeat(2000), description: `${"𝔞".repeat(49_990)} tail` },
      { title: "many", description: many },
      { title: "ideographs", description: ideographs },
      { title: "numbers", description: numbers },
      { title: "ligatures", description: "ﷺ㌖".repeat(25_000) },
      { title: "ligatures apart", description: "㌀㌁㌂ ".repeat(12_500) },
      { title: "marks", description: "\u0301\u0323\u3099\u093c".repeat(12_500) },
      { title: "hangul", description: `${"한".repeat(49_990)} 끝` },
    );

    expect((await search(workspace, "x".repeat(200))).length).toBe(1);
    expect((await search(workspace, "y".repeat(200))).length).toBe(1);
    expect((await search(workspace, `${"y".repeat(199)}x`)).length).toBe(0);
    expect((await search(workspace, "🚀")).length).toBe(1);
    expect((await search(workspace, "tail")).length).toBe(1);
    expect(await titles(workspace, String.fromCodePoint(0x20000 + 24_999))).toEqual(["ideographs", "many"]);
    expect(await titles(workspace, String.fromCodePoint(0x20000 + 49_000))).toEqual(["ideographs"]);
    expect(await titles(workspace, "18332 10000")).toEqual(["numbers"]);
    expect(await titles(workspace, "キロメートル")).toEqual(["ligatures"]);
    expect(await titles(workspace, "끝")).toEqual(["hangul"]);
  });

  test("a query may have 200 characters, of as many words as fit", async () => {
    const { workspace } = await withCards("a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9");
    expect(
      await search(workspace, "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9"),
    ).toHaveLength(1);
    expect(await search(workspace, "a ".repeat(100))).toHaveLength(1);
    expect(await search(workspace, "🙂".repeat(200))).toHaveLength(0);
    expectError(await as(workspace.owner).get(pathOf(workspace, "🙂".repeat(201))), "BAD_REQUEST", "query");
  });

  test.each([
    ["query", ""],
    ["query", "query="],
    ["query", "query=a%00b"],
    ["query", "query=a&query=b"],
    ["limit", "query=a&limit=0"],
    ["limit", "query=a&limit=101"],
    ["cursor", "query=a&cursor=x"],
  ])("a wrong %s is BAD_REQUEST: %s", async (field, query) => {
    const { workspace, owner } = await make.workspace();
    expectError(await as(owner).get(`/workspaces/${workspace.publicId}/search?${query}`), "BAD_REQUEST", field);
  });

  test("a cursor that holds no place of the order is BAD_REQUEST", async () => {
    const { workspace, owner } = await withCards("placed a", "placed b");
    const { nextCursor } = ok(await as(owner).get<Page>(pathOf(workspace, "placed", "&limit=1")));
    const at = (values: unknown[]) => pathOf(workspace, "placed", `&cursor=${cursorWith(nextCursor, values)}`);
    ok(await as(owner).get(at([1, 1, UNKNOWN])));
    const wrong = [
      [5, 1, UNKNOWN],
      [1, -1, UNKNOWN],
      [1, 1e16, UNKNOWN],
      [1, 1, "short"],
      [1, 1, `${UNKNOWN}\0`],
      [1, 1],
    ];
    for (const values of wrong) expectError(await as(owner).get(at(values)), "BAD_REQUEST", "cursor");
  });
});
