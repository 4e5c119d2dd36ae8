import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Board, expectError, expectTrpcError, type List, ok, testApp, type Workspace } from "../helpers/app.js";
import { cursorWith } from "../helpers/cursors.js";
import type { Bearer } from "../helpers/requests.js";

const { as, anonymous, make, db, trpcClient } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";

interface Found {
  type: "board" | "card";
  publicId: string;
  title: string;
  boardPublicId: string;
  boardName: string;
  cardNumber: number | null;
}

interface Page {
  items: Found[];
  nextCursor: string | null;
}

const pathOf = ({ publicId }: Workspace, query: string, more = "") =>
  `/workspaces/${publicId}/search?query=${encodeURIComponent(query)}${more}`;

const search = async (workspace: Workspace, query: string, person: Bearer = workspace.owner) =>
  ok(await as(person).get<Page>(pathOf(workspace, query, "&limit=100"))).items;

/** What is found, by title, best first. */
const titles = async (workspace: Workspace, query: string, person?: Bearer) =>
  (await search(workspace, query, person)).map(({ title }) => title);

/** A board with a list and cards of these titles, in this order. */
async function withCards(...cards: (string | { title: string; description: string })[]) {
  const { board } = await make.board({ name: "Plan" });
  const { list, workspace, owner } = await make.list({ board });
  const made = [];
  for (const card of cards) {
    made.push((await make.card({ list, ...(typeof card === "string" ? { title: card } : card) })).card);
  }
  return { board, list, workspace, owner, cards: made };
}

describe("words", () => {
  test("words are found in any order, in title and description together", async () => {
    const { workspace } = await withCards(
      { title: "Fix the login page", description: "" },
      { title: "Login", description: "the page flickers: fix it" },
      { title: "Fix the login", description: "" },
    );

    expect(await titles(workspace, "fix page login")).toEqual(["Fix the login page", "Login"]);
    expect(await titles(workspace, "login fix")).toEqual(["Fix the login", "Fix the login page", "Login"]);
    expect(await titles(workspace, "page  flickers")).toEqual(["Login"]);
    expect(await titles(workspace, "login missing")).toEqual([]);
  });

  test("the beginning of a word finds it, the middle and the end do not", async () => {
    const { workspace } = await withCards({ title: "Deprecation warnings", description: "Serializer" });

    for (const query of ["d", "depr", "deprecation", "warn dep", "serial", "dep ser"]) {
      expect(await titles(workspace, query), query).toEqual(["Deprecation warnings"]);
    }
    for (const query of ["cation", "arn", "deprecations", "x depr"]) {
      expect(await titles(workspace, query), query).toEqual([]);
    }
  });

  test("a word given twice, or with its own beginning, asks for it once", async () => {
    const { workspace } = await withCards("Deploy");
    expect(await titles(workspace, "deploy dep DEPLOY d deploy")).toEqual(["Deploy"]);
  });

  test.each([
    ["Überprüfung der Größe", ["uberprufung", "ÜBERPRÜFUNG", "Überprüfung", "grosse", "GRÖSSE", "größe"]],
    ["Crème brûlée façade", ["creme", "BRÛLÉE", "brulee", "facade", "Crème".normalize("NFD")]],
    ["Łódź Ørsted Đakovo", ["lodz", "Łódź", "orsted", "ØRSTED", "dakovo"]],
    ["Œuvre æsthetic Straße", ["oeuvre", "aesthetic", "STRASSE", "strasse"]],
    ["ΣΊΣΥΦΟΣ και Жёлтый", ["σισυφος", "Σίσυφος", "желтый", "ЖЁЛТЫЙ"]],
    ["İstanbul ILIK ılık", ["istanbul", "ISTANBUL", "ilik", "ılık"]],
    ["Ｆｕｌｌ ｗｉｄｔｈ ﬁnd №5", ["full", "WIDTH", "find", "no5"]],
    ["co\u00adoperate zero\u200bwidth", ["cooperate", "zerowidth"]],
    ["한국어 작업", ["한국어", "한국", "작업"]],
  ])("accents, case and forms of letters are ignored: %s", async (title, queries) => {
    const { workspace } = await withCards(title);
    for (const query of queries) expect(await titles(workspace, query), query).toEqual([title]);
  });

  test("punctuation parts words, wherever it stands", async () => {
    const title =
      "Bumped v6.0.0-alpha.2 (#6966): `mediaType`, snake_case, foo.bar@example.org/a?b=-5 don't “quoted”—dash…";
    const { workspace } = await withCards(title);

    for (const query of [
      ...[
        "v6",
        "alpha",
        "alpha.2",
        "v6.0.0-alpha.2",
        "6966",
        "#6966",
        "(#6966)",
        "mediaty",
        "`mediaType`",
        "snake_case",
      ],
      ...[
        "case",
        "bar",
        "foo.bar",
        "example.org",
        "foo.bar@example.org",
        "5",
        "-5",
        "don't",
        "don’t",
        "quoted",
        "dash",
      ],
    ]) {
      expect(await titles(workspace, query), query).toEqual([title]);
    }
  });

  test("what means something to PostgreSQL is text like any other", async () => {
    const { workspace } = await withCards("O'Neil \\ back:slash & (more) ! | <-> :* quote\"s %s $1 {a,b} NULL");

    for (const query of [
      ...[
        "o'neil",
        "'",
        "''neil",
        "\\",
        "back:slash",
        ":*",
        "more:*",
        "& more",
        "!more",
        "(more",
        "more)",
        "more | missing",
      ],
      ...['quote"s', "%s", "$1", "{a,b}", "null", "more <-> quote", "more'; drop table card; --", "%", "_"],
    ]) {
      const isFound = !/missing|drop|^['\\:*%_]+$/.test(query);
      expect(await search(workspace, query), query).toHaveLength(isFound ? 1 : 0);
    }
  });

  test("a query without letters and digits finds nothing", async () => {
    const { workspace } = await withCards("- ... -", "Anything");
    for (const query of [" ", "...", "--", "?!", "\u0301", "\u200b", "«»", "\n\t"]) {
      expect(await search(workspace, query), JSON.stringify(query)).toEqual([]);
    }
  });

  test("an emoji, an ideograph and a kana are each found by themselves", async () => {
    const title = "🚀launch 👍🏽 東京都の設計 データ";
    const { workspace } = await withCards(title);
    for (const query of ["🚀", "launch", "👍", "🚀👍🏽", "東京", "京都", "設計", "の", "デー", "ﾃﾞｰﾀ"]) {
      expect(await titles(workspace, query), query).toEqual([title]);
    }
    expect(await titles(workspace, "🐢")).toEqual([]);
    expect(await titles(workspace, "大阪")).toEqual([]);
  });
});

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
    });
    expect(items[2]).toEqual({
      type: "card",
      publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      title: "new search",
      boardPublicId: list.board.publicId,
      boardName: "Plan",
      cardNumber: 4,
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
    await db.rows(sql`update card set id = id + 7000000 where title like 'cursor %'`);
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

describe("what is found at once after a change", () => {
  test("a renamed card and board by their new names, not by their old", async () => {
    const { workspace, owner, board, cards } = await withCards({ title: "before", description: "earlier" });
    const [card] = cards;

    ok(await as(owner).put(`/cards/${card?.publicId}`, { title: "after" }));
    ok(await as(owner).put(`/boards/${board.publicId}`, { name: "Roadmap" }));
    expect(await titles(workspace, "before")).toEqual([]);
    expect(await search(workspace, "after")).toMatchObject([{ title: "after", boardName: "Roadmap" }]);
    expect(await titles(workspace, "plan")).toEqual([]);
    expect(await titles(workspace, "road")).toEqual(["Roadmap"]);

    ok(await as(owner).put(`/cards/${card?.publicId}`, { description: "later" }));
    expect(await titles(workspace, "earlier")).toEqual([]);
    expect(await titles(workspace, "later after")).toEqual(["after"]);
  });

  test("a moved card on its new board", async () => {
    const { workspace, owner, cards } = await withCards("wanderer");
    const { board } = await make.board({ workspace, name: "Elsewhere", visibility: "private" });
    const { list } = await make.list({ board });
    const member = await make.member(workspace, "member");
    expect(await titles(workspace, "wanderer", member)).toEqual(["wanderer"]);

    ok(await as(owner).put(`/cards/${cards[0]?.publicId}`, { listPublicId: list.publicId }));
    expect(await search(workspace, "wanderer")).toMatchObject([
      { boardPublicId: board.publicId, boardName: "Elsewhere" },
    ]);
    expect(await titles(workspace, "wanderer", member)).toEqual([]);
  });

  test("archived cards and boards are left out until they are brought back", async () => {
    const { workspace, owner, board, cards } = await withCards("archive me", { title: "me", description: "archive" });

    for (const { publicId } of cards) ok(await as(owner).post(`/cards/${publicId}/archive`));
    expect(await titles(workspace, "archive")).toEqual([]);
    expect(await titles(workspace, "#1")).toEqual([]);
    for (const { publicId } of cards) ok(await as(owner).post(`/cards/${publicId}/unarchive`));
    expect(await titles(workspace, "archive")).toEqual(["archive me", "me"]);

    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    for (const query of ["archive", "plan", "#1"]) expect(await titles(workspace, query), query).toEqual([]);
    ok(await as(owner).post(`/boards/${board.publicId}/unarchive`));
    expect(await titles(workspace, "plan")).toEqual(["Plan"]);
    expect(await titles(workspace, "archive")).toEqual(["archive me", "me"]);
  });

  test("deleted cards and boards are gone", async () => {
    const { workspace, owner, board, cards } = await withCards("gone one", "gone two");
    ok(await as(owner).delete(`/cards/${cards[0]?.publicId}`));
    expect(await titles(workspace, "gone")).toEqual(["gone two"]);
    ok(await as(owner).delete(`/boards/${board.publicId}`));
    for (const query of ["gone", "plan", "#2"]) expect(await titles(workspace, query), query).toEqual([]);
  });

  test("copies, imported cards and cards changed in bulk", async () => {
    const { workspace, owner, board, list, cards } = await withCards("origin");
    ok(await as(owner).post(`/cards/${cards[0]?.publicId}/duplicate`, { title: "origin copied" }));
    ok(await as(owner).post(`/boards/${board.publicId}/duplicate`, { name: "Second plan", withCards: true }));
    expect((await search(workspace, "origin")).map(({ title, boardName }) => `${boardName}: ${title}`).sort()).toEqual([
      ...["Plan: origin", "Plan: origin copied", "Second plan: origin", "Second plan: origin copied"],
    ]);
    expect(await titles(workspace, "plan")).toEqual(["Second plan", "Plan"]);

    ok(
      await as(owner).post("/imports/csv/boards", {
        workspacePublicId: workspace.publicId,
        boardName: "Backlog",
        rows: [["Imported title", "imported words"]],
        mapping: { title: 0, description: 1 },
      }),
    );
    expect(await search(workspace, "imp wor")).toMatchObject([{ title: "Imported title", boardName: "Backlog" }]);

    ok(await as(owner).post("/cards/bulk/archive", { cardPublicIds: await onList(list) }));
    expect((await search(workspace, "origin")).map(({ boardName }) => boardName)).toEqual([
      ...["Second plan", "Second plan"],
    ]);
  });

  const onList = async (list: List) =>
    (
      await db.rows<{ publicId: string }>(sql`
        select c.public_id as "publicId" from card c join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
        where l.public_id = ${list.publicId}::text`)
    ).map(({ publicId }) => publicId);
});

describe("limits", () => {
  test("words and texts of any length are stored, and found", async () => {
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
      [4, 1, UNKNOWN],
      [1, -1, UNKNOWN],
      [1, 1e16, UNKNOWN],
      [1, 1, "short"],
      [1, 1, `${UNKNOWN}\0`],
      [1, 1],
    ];
    for (const values of wrong) expectError(await as(owner).get(at(values)), "BAD_REQUEST", "cursor");
  });
});

describe("the index", () => {
  test("it answers for cards and boards, and reads entries of the workspace alone", async () => {
    const { workspace } = await withCards("indexed");
    const [row] = await db.rows<{ id: number }>(
      sql`select id from workspace where public_id = ${workspace.publicId}::text`,
    );
    for (const [table, searchTerms] of [
      ["card", "search_terms(workspace_id, title, description)"],
      ["board", "search_terms(workspace_id, name, '')"],
    ]) {
      const plan = await db.rows<Record<string, string>>(
        sql.raw(
          `explain select id from ${table} where ${searchTerms} @@ $$'${row?.id}tind':*$$::tsquery and archived_at is null`,
        ),
      );
      expect(JSON.stringify(plan)).toContain(`Bitmap Index Scan on ${table}_search`);
    }
  });

  test("ANALYZE computes no terms: it keeps no statistics of the index", async () => {
    await withCards("analysed");
    await db.rows(sql`analyze card`);
    expect(await db.rows(sql`select attname from pg_stats where tablename = 'card_search'`)).toEqual([]);
  });

  test("it is kept where no schema is on the search path, as by ANALYZE and pg_restore", async () => {
    await withCards("kept");
    const searchTerms = await db.transaction(async (tx) => {
      await tx.rows(sql`set local search_path = ''`);
      await tx.rows(sql`update public.card set title = title || ' again' where title = 'kept'`);
      return tx.rows<{ searchTerms: string }>(sql`
        select replace(public.search_terms(workspace_id, title, '')::text, workspace_id::text || 't', '') as "searchTerms"
        from public.card where title = 'kept again'`);
    });
    expect(searchTerms).toEqual([{ searchTerms: "'again' 'kept'" }]);
  });
});
