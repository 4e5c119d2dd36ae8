// What the search knows of boards and cards: which words find them, at once after every change.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type List, ok, testApp } from "../helpers/app.js";
import { searchesOn } from "./searches.js";

const app = await testApp();
const { as, make, db } = app;
const { search, titles, withCards } = searchesOn(app);

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

  test("a card that is edited while it is archived comes back by its new words", async () => {
    const { workspace, owner, cards } = await withCards({ title: "old", description: "text" });
    const path = `/cards/${cards[0]?.publicId}`;

    ok(await as(owner).post(`${path}/archive`));
    ok(await as(owner).put(path, { title: "new" }));
    expect(await titles(workspace, "new")).toEqual([]);
    ok(await as(owner).post(`${path}/unarchive`));
    expect(await titles(workspace, "new text")).toEqual(["new"]);
    expect(await titles(workspace, "old")).toEqual([]);
  });

  test("cards of a deleted list are archived, and so not found", async () => {
    const { workspace, owner, list } = await withCards("on the list");
    ok(await as(owner).delete(`/lists/${list.publicId}`));
    expect(await titles(workspace, "list")).toEqual([]);
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

describe("the index", () => {
  test("it answers for cards and boards, and reads entries of the workspace alone", async () => {
    const { workspace } = await withCards("indexed");
    const [row] = await db.rows<{ id: number }>(
      sql`select id from workspace where public_id = ${workspace.publicId}::text`,
    );
    const query = `$$'${row?.id}tind':*$$::tsquery`;
    for (const [index, statement] of [
      ["card_search", `select id from card_text where search_terms(workspace_id, title, description) @@ ${query}`],
      [
        "board_search",
        `select id from board where search_terms(workspace_id, name, '') @@ ${query} and archived_at is null`,
      ],
    ]) {
      const plan = await db.rows<Record<string, string>>(sql.raw(`explain ${statement}`));
      expect(JSON.stringify(plan)).toContain(`Bitmap Index Scan on ${index}`);
    }
  });

  test("what changes no text of a card leaves its words as they are, however long the text is", async () => {
    const { workspace, owner, list, cards } = await withCards(
      { title: "heavy", description: "word ".repeat(5000) },
      "light",
    );
    const [heavy] = cards;
    const path = `/cards/${heavy?.publicId}`;
    const written = () =>
      db.rows(sql`
        select t.ctid::text, t.xmin::text from card_text t join workspace w on w.id = t.workspace_id
        where w.public_id = ${workspace.publicId}::text and t.title = 'heavy'`);
    const before = await written();

    const { list: other } = await make.list({ board: list.board });
    ok(await as(owner).put(path, { index: 1 }));
    ok(await as(owner).put(path, { listPublicId: other.publicId }));
    ok(await as(owner).put(path, { title: "heavy", priority: "high", completed: true }));
    ok(await as(owner).post(`${path}/comments`, { comment: "beside it" }));

    expect(before).toHaveLength(1);
    expect(await written()).toEqual(before);
  });

  test("ANALYZE computes no terms: it keeps no statistics of the index", async () => {
    await withCards("analysed");
    await db.rows(sql`analyze card_text`);
    expect(await db.rows(sql`select attname from pg_stats where tablename = 'card_search'`)).toEqual([]);
  });

  test("it is kept where no schema is on the search path, as by ANALYZE and pg_restore", async () => {
    await withCards("kept");
    const searchTerms = await db.transaction(async (tx) => {
      await tx.rows(sql`set local search_path = ''`);
      await tx.rows(sql`update public.card_text set title = title || ' again' where title = 'kept'`);
      return tx.rows<{ searchTerms: string }>(sql`
        select replace(public.search_terms(workspace_id, title, '')::text, workspace_id::text || 't', '') as "searchTerms"
        from public.card_text where title = 'kept again'`);
    });
    expect(searchTerms).toEqual([{ searchTerms: "'again' 'kept'" }]);
  });
});
