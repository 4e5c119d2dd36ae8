import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Board, contentsOf, expectError, type List, ok, testApp } from "../helpers/app.js";
import { eventsOf, lastEvent, miscounted } from "./events.js";

const { as, make, db } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";

interface Shown {
  publicId: string;
  name: string;
  index: number;
  cards: { publicId: string; index: number }[];
}

const listsOf = async ({ owner, publicId }: Board) =>
  ok(await as(owner).get<{ lists: Shown[] }>(`/boards/${publicId}`)).lists;

const names = async (board: Board) => (await listsOf(board)).map(({ name }) => name).join("");

async function boardOf(letters: string) {
  const { owner, workspace, board } = await make.board({ lists: [...letters] });
  const lists = Object.fromEntries((await listsOf(board)).map(({ name, publicId }) => [name, publicId]));
  return { owner, workspace, board, idOf: (letter: string) => lists[letter] ?? "" };
}

const asList = (board: Board, publicId: string): List => ({ publicId, name: "", owner: board.owner, board });

describe("creating", () => {
  test("a member adds a list at the end of a board, its name trimmed and perhaps repeated, with an event", async () => {
    const { workspace, board } = await boardOf("ab");
    const member = await make.member(workspace, "member");

    const made = ok(await as(member).post<Shown>("/lists", { name: " a ", boardPublicId: board.publicId }));

    expect(made).toEqual({ publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/), name: "a" });
    expect(await names(board)).toBe("aba");
    expect((await listsOf(board)).at(-1)).toEqual({ ...made, index: 2, cards: [] });
    expect(await eventsOf(db, workspace, 1)).toEqual([
      {
        seq: 2,
        type: "list.created",
        actor: member.publicId,
        board: board.publicId,
        card: null,
        data: { listPublicId: made.publicId, list: { ...made, index: 2 } },
      },
    ]);
  });

  test("lists added at once all stand on the board", async () => {
    const { owner, board } = await boardOf("");
    const answers = await Promise.all(
      [..."abcdefgh"].map((name) => as(owner).post("/lists", { name, boardPublicId: board.publicId })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect([...(await names(board))].sort().join("")).toBe("abcdefgh");
  });

  test.each<[string, object]>([
    ["name", {}],
    ["name", { name: " " }],
    ["name", { name: "x".repeat(256) }],
    ["name", { name: "a\ud800" }],
    ["index", { name: "x", index: 0 }],
    ["boardPublicId", { name: "x", boardPublicId: "short" }],
    ["boardPublicId", { name: "x", boardPublicId: null }],
  ])("a wrong %s is refused: %j", async (field, body) => {
    const { owner, board } = await boardOf("");
    const res = await as(owner).post("/lists", { boardPublicId: board.publicId, ...body });
    expectError(res, "BAD_REQUEST", field);
  });

  test("guests, strangers and who does not see the board cannot; an unknown board is FORBIDDEN", async () => {
    const { owner, workspace, board } = await make.board({ visibility: "private" });
    const body = { name: "Mine", boardPublicId: board.publicId };
    const before = await lastEvent(db, workspace);

    for (const person of [
      await make.member(board, "guest"),
      await make.member(workspace, "member"),
      await make.user(),
    ]) {
      expectError(await as(person).post("/lists", body), "FORBIDDEN");
    }
    expectError(await as(owner).post("/lists", { ...body, boardPublicId: UNKNOWN }), "FORBIDDEN");
    expectError(await as(owner).post("/lists", { name: "x", boardPublicId: workspace.publicId }), "FORBIDDEN");
    expect(await lastEvent(db, workspace)).toBe(before);
    expect(await listsOf(board)).toEqual([]);
  });
});

describe("updating", () => {
  test("a list is renamed, with an event that tells from and to", async () => {
    const { owner, workspace, board, idOf } = await boardOf("ab");

    const answer = ok(await as(owner).put(`/lists/${idOf("a")}`, { name: " A " }));

    expect(answer).toEqual({ publicId: idOf("a"), name: "A" });
    expect(await names(board)).toBe("Ab");
    expect(await eventsOf(db, workspace, 1)).toMatchObject([
      {
        type: "list.updated",
        board: board.publicId,
        card: null,
        data: { listPublicId: idOf("a"), changes: { name: { from: "a", to: "A" } } },
      },
    ]);
  });

  test.each([
    ["a", 2, "bcade", 0, 2],
    ["e", 0, "eabcd", 4, 0],
    ["d", 1, "adbce", 3, 1],
    ["b", 3, "acdbe", 1, 3],
    ["a", 4, "bcdea", 0, 4],
    ["c", 99, "abdec", 2, 4],
    ["a", 2_147_483_647, "bcdea", 0, 4],
    ["a", Number.MAX_SAFE_INTEGER, "bcdea", 0, 4],
  ])("%s moved to index %i stands there, one beyond the end at the end", async (letter, index, order, from, to) => {
    const { owner, workspace, board, idOf } = await boardOf("abcde");

    expect(ok(await as(owner).put(`/lists/${idOf(letter)}`, { index }))).toEqual({
      publicId: idOf(letter),
      name: letter,
    });

    expect(await names(board)).toBe(order);
    expect((await listsOf(board)).map((list) => list.index)).toEqual([0, 1, 2, 3, 4]);
    expect(await eventsOf(db, workspace, 1)).toMatchObject([
      { type: "list.moved", data: { listPublicId: idOf(letter), from: { index: from }, to: { index: to } } },
    ]);
  });

  test("name and index together change both, with an event for each", async () => {
    const { owner, workspace, board, idOf } = await boardOf("abc");

    ok(await as(owner).put(`/lists/${idOf("a")}`, { name: "x", index: 1 }));

    expect(await names(board)).toBe("bxc");
    expect(await eventsOf(db, workspace, 1)).toMatchObject([{ type: "list.updated" }, { type: "list.moved" }]);
    const { items } = ok(
      await as(owner).get<{ items: object[] }>(
        `/workspaces/${workspace.publicId}/events?boardPublicId=${board.publicId}`,
      ),
    );
    expect(items.at(-1)).toMatchObject({ type: "list.moved", data: { from: { index: 0 }, to: { index: 1 } } });
  });

  test("nothing given, the same name, or the index where it stands, clamped too, changes nothing and writes no event", async () => {
    const { owner, idOf } = await boardOf("abc");
    const before = await contentsOf(db);

    for (const body of [{}, { name: "c" }, { index: 2 }, { index: 50 }, { name: "c", index: 2 }]) {
      expect(ok(await as(owner).put(`/lists/${idOf("c")}`, body))).toEqual({ publicId: idOf("c"), name: "c" });
    }
    ok(await as(owner).put(`/lists/${idOf("a")}`, { index: 0 }));
    expect(await contentsOf(db)).toEqual(before);
  });

  test("renamed where it stands, a list keeps its place, also when the places had to be renumbered for it", async () => {
    const { owner, board, idOf } = await boardOf("abcd");
    await db.rows(sql`update list set position = -(2::bigint ^ 52)::bigint where public_id = ${idOf("a")}::text`);

    ok(await as(owner).put(`/lists/${idOf("a")}`, { name: "A", index: 0 }));
    ok(await as(owner).put(`/lists/${idOf("b")}`, { name: "B", index: 0 }));
    ok(await as(owner).put(`/lists/${idOf("b")}`, { name: "b", index: 0 }));

    expect(await names(board)).toBe("bAcd");
  });

  test("moved into the same gap a hundred times, lists keep the order they were given", async () => {
    const { owner, board, idOf } = await boardOf("abcd");
    for (let n = 0; n < 50; n += 1) {
      ok(await as(owner).put(`/lists/${idOf("c")}`, { index: 1 }));
      ok(await as(owner).put(`/lists/${idOf("b")}`, { index: 1 }));
    }
    expect(await names(board)).toBe("abcd");
  });

  test("of moves at once on one board none is lost: the lists stay a permutation with an event for each move", async () => {
    const { owner, workspace, board, idOf } = await boardOf("abcdefgh");

    const answers = await Promise.all(
      [..."abcdefghabcdefgh"].map((letter, n) => as(owner).put(`/lists/${idOf(letter)}`, { index: (n * 5) % 9 })),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect([...(await names(board))].sort().join("")).toBe("abcdefgh");
    const order = [..."abcdefgh"].map(idOf);
    for (const { type, data } of await eventsOf(db, workspace, 1)) {
      expect(type).toBe("list.moved");
      const { listPublicId, from, to } = data as {
        listPublicId: string;
        from: { index: number };
        to: { index: number };
      };
      expect(order.indexOf(listPublicId)).toBe(from.index);
      order.splice(from.index, 1);
      order.splice(to.index, 0, listPublicId);
    }
    expect((await listsOf(board)).map(({ publicId }) => publicId)).toEqual(order);
  });

  test.each<[string, object]>([
    ["index", { index: -1 }],
    ["index", { index: 0.5 }],
    ["index", { index: "1" }],
    ["index", { index: null }],
    ["index", { index: 2 ** 53 }],
    ["name", { name: "" }],
    ["name", { name: null }],
    ["listPublicId", { listPublicId: UNKNOWN }],
    ["boardPublicId", { boardPublicId: UNKNOWN }],
  ])("a wrong %s is refused: %j", async (field, body) => {
    const { owner, board, idOf } = await boardOf("ab");
    expectError(await as(owner).put(`/lists/${idOf("a")}`, body), "BAD_REQUEST", field);
    expect(await names(board)).toBe("ab");
  });

  test("guests, strangers and read tokens can neither change nor delete a list; an unknown list is NOT_FOUND", async () => {
    const { owner, board, idOf } = await boardOf("ab");
    const bystanders = [
      await make.member(board, "guest"),
      await make.user(),
      await make.token(owner, { scope: "read" }),
      await make.token(owner, { workspacePublicId: (await make.workspace({ owner })).workspace.publicId }),
    ];

    for (const person of bystanders) {
      expectError(await as(person).put(`/lists/${idOf("a")}`, { name: "Mine" }), "FORBIDDEN");
      expectError(await as(person).delete(`/lists/${idOf("a")}`), "FORBIDDEN");
    }
    expectError(await as(owner).put(`/lists/${UNKNOWN}`, { name: "x" }), "NOT_FOUND");
    expectError(await as(owner).delete(`/lists/${UNKNOWN}`), "NOT_FOUND");
    expect(await names(board)).toBe("ab");
  });
});

describe("deleting", () => {
  test("a deleted list archives its cards, each with an event, and keeps those that were archived before", async () => {
    const { owner, workspace, board, idOf } = await boardOf("abc");
    const list = asList(board, idOf("b"));
    const { card: one } = await make.card({ list });
    const { card: two } = await make.card({ list });
    const { card: old } = await make.card({ list });
    const { card: other } = await make.card({ list: asList(board, idOf("a")) });
    ok(await as(owner).post(`/cards/${old.publicId}/archive`));
    const archivedAt = ok(await as(owner).get(`/cards/${old.publicId}`)).archivedAt;
    const last = await lastEvent(db, workspace);

    expect(ok(await as(owner).delete(`/lists/${idOf("b")}`))).toEqual({ success: true });

    expect(await names(board)).toBe("ac");
    const events = await eventsOf(db, workspace, last);
    const from = { from: { listPublicId: idOf("b") } };
    expect(events).toMatchObject([
      { type: "card.archived", board: board.publicId, card: one.publicId, data: from },
      { type: "card.archived", board: board.publicId, card: two.publicId, data: from },
      { type: "list.deleted", board: board.publicId, card: null, data: { listPublicId: idOf("b"), name: "b" } },
    ]);
    for (const { publicId } of [one, two, old]) {
      const card = ok(await as(owner).get(`/cards/${publicId}`));
      expect(card).toMatchObject({ list: null, index: null, archivedAt: expect.any(String) });
      if (publicId === old.publicId) expect(card.archivedAt).toBe(archivedAt);
    }
    const archived = ok(await as(owner).get<{ items: Shown[] }>(`/boards/${board.publicId}/archived-cards`));
    expect(archived.items.map(({ publicId }) => publicId).sort()).toEqual(
      [one, two, old].map((c) => c.publicId).sort(),
    );
    expect(ok(await as(owner).get(`/cards/${other.publicId}`))).toMatchObject({ index: 0, archivedAt: null });
    const revisions = await db.rows<{ card: string; revision: number }>(sql`
      select public_id as card, revision from card where public_id in (${one.publicId}, ${two.publicId}, ${old.publicId})`);
    const seqOf = new Map(events.map(({ card, seq }) => [card, seq]));
    for (const { card, revision } of revisions) expect(revision).toBe(seqOf.get(card) ?? seqOf.get(null));
  });

  test("unarchived, its cards come to the end of the board's first list, those archived before too", async () => {
    const { owner, workspace, board, idOf } = await boardOf("abc");
    const { card: first } = await make.card({ list: asList(board, idOf("c")) });
    const { card } = await make.card({ list: asList(board, idOf("a")) });
    const { card: old } = await make.card({ list: asList(board, idOf("a")) });
    ok(await as(owner).post(`/cards/${old.publicId}/archive`));
    ok(await as(owner).delete(`/lists/${idOf("a")}`));
    ok(await as(owner).put(`/lists/${idOf("c")}`, { index: 0 }));
    const last = await lastEvent(db, workspace);

    for (const { publicId } of [old, card]) ok(await as(owner).post(`/cards/${publicId}/unarchive`));

    const [list] = await listsOf(board);
    expect(list?.cards.map(({ publicId }) => publicId)).toEqual([first.publicId, old.publicId, card.publicId]);
    expect(ok(await as(owner).get(`/cards/${old.publicId}`))).toMatchObject({
      list: { publicId: idOf("c"), name: "c" },
      index: 1,
      archivedAt: null,
    });
    expect(await eventsOf(db, workspace, last)).toMatchObject(
      [old, card].map(({ publicId }) => ({
        type: "card.unarchived",
        card: publicId,
        data: { to: { listPublicId: idOf("c") } },
      })),
    );
    expect(await miscounted(db, board)).toEqual([]);
  });

  test("with no list left a card cannot be unarchived, and can again once there is one", async () => {
    const { owner, board, list, card } = await make.card();
    ok(await as(owner).delete(`/lists/${list.publicId}`));

    expectError(await as(owner).post(`/cards/${card.publicId}/unarchive`), "BAD_REQUEST");
    const { list: fresh } = await make.list({ board });
    ok(await as(owner).post(`/cards/${card.publicId}/unarchive`));
    expect(await listsOf(board)).toMatchObject([{ publicId: fresh.publicId, cards: [{ publicId: card.publicId }] }]);
  });

  test("a list of 1000 cards is deleted with 1001 events", async () => {
    const { owner, workspace, board, list } = await make.list();
    const rows = Array.from({ length: 1000 }, (_, n) => [`Card ${n}`, list.name]);
    const imported = ok(
      await as(owner).post("/imports/csv/boards", {
        workspacePublicId: workspace.publicId,
        boardName: "Many",
        rows,
        mapping: { title: 0, list: 1 },
      }),
    );
    const many = { ...board, publicId: String(imported.boardPublicId) };
    const [only] = await listsOf(many);
    const last = await lastEvent(db, workspace);

    ok(await as(owner).delete(`/lists/${only?.publicId}`));

    expect(await eventsOf(db, workspace, last)).toHaveLength(1001);
    expect(await listsOf(many)).toEqual([]);
  });

  test("deleted twice at once, a list is deleted once, with one event", async () => {
    const { owner, workspace, idOf } = await boardOf("a");
    const answers = await Promise.all([1, 2].map(() => as(owner).delete(`/lists/${idOf("a")}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(await eventsOf(db, workspace, 1)).toMatchObject([{ type: "list.deleted" }]);
  });
});

describe("lists of elsewhere", () => {
  test("a list of another workspace is FORBIDDEN, an unknown one NOT_FOUND under PUT and FORBIDDEN under POST", async () => {
    const { owner, card } = await make.card();
    const { list: foreign } = await make.list({ board: (await make.board({ owner })).board });
    const before = await contentsOf(db);

    for (const [listPublicId, code] of [
      [foreign.publicId, "FORBIDDEN"],
      [UNKNOWN, "NOT_FOUND"],
    ] as const) {
      expectError(await as(owner).put(`/cards/${card.publicId}`, { listPublicId }), code);
      expectError(await as(owner).post(`/cards/${card.publicId}/duplicate`, { listPublicId }), "FORBIDDEN");
      const move = { cardPublicIds: [card.publicId], listPublicId };
      expectError(await as(owner).post("/cards/bulk/move", move), "FORBIDDEN");
    }
    expectError(await as(owner).post("/cards", { title: "x", listPublicId: UNKNOWN }), "FORBIDDEN");
    expect(await contentsOf(db)).toEqual(before);
  });

  test("a list of a private board that the caller is not on is FORBIDDEN, whatever is done with it", async () => {
    const { workspace, board, card } = await make.card();
    const { list: hidden } = await make.list({ board: (await make.board({ workspace, visibility: "private" })).board });
    const member = await make.member(board, "member");
    const before = await contentsOf(db);

    const listPublicId = hidden.publicId;
    expectError(await as(member).put(`/cards/${card.publicId}`, { listPublicId }), "FORBIDDEN");
    expectError(await as(member).post("/cards", { title: "x", listPublicId }), "FORBIDDEN");
    expectError(await as(member).put(`/lists/${listPublicId}`, { index: 0 }), "FORBIDDEN");
    expectError(await as(member).delete(`/lists/${listPublicId}`), "FORBIDDEN");
    expect(await contentsOf(db)).toEqual(before);
  });
});
