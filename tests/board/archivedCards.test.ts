import { describe, expect, test } from "vitest";
import { type Board, expectError, type List, ok, testApp } from "../helpers/app.js";
import { cursorWith, packed } from "../helpers/cursors.js";

const { as, make } = await testApp();

interface Page {
  items: { publicId: string; title: string }[];
  nextCursor: string | null;
}

const pathOf = ({ publicId }: Board) => `/boards/${publicId}/archived-cards`;

const page = async (board: Board, query = "") => ok(await as(board.owner).get<Page>(pathOf(board) + query));

async function listWith(count: number, on?: Board) {
  const { owner, board, list } = await make.list({ board: on });
  const ids = [];
  for (let n = 0; n < count; n += 1) ids.push((await make.card({ list, title: `${n}` })).card.publicId);
  return { owner, board, list, ids };
}

async function allPages(board: Board, limit: number, meanwhile: (n: number) => Promise<unknown> = async () => {}) {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (let n = 0; n === 0 || cursor !== null; n += 1) {
    const { items, nextCursor }: Page = await page(
      board,
      `?limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`,
    );
    expect(items.length).toBeLessThanOrEqual(limit);
    if (nextCursor !== null) expect(items).toHaveLength(limit);
    ids.push(...items.map(({ publicId }) => publicId));
    cursor = nextCursor;
    await meanwhile(n);
  }
  return ids;
}

const archive = ({ owner }: List | Board, publicId: string | undefined) => as(owner).post(`/cards/${publicId}/archive`);

test("the last archived card comes first, each as boards show cards, without an index", async () => {
  const { owner, board, list, ids } = await listWith(3);
  const { label } = await make.label({ board });
  ok(await as(owner).put(`/cards/${ids[1]}/labels/${label.publicId}`));
  ok(await as(owner).put(`/cards/${ids[1]}/members/${await ownerId(board)}`));
  for (const id of [ids[2], ids[0], ids[1]]) {
    ok(await archive(list, id));
    await new Promise((resolve) => setTimeout(resolve, 3));
  }

  const { items, nextCursor } = await page(board);

  expect(items.map(({ title }) => title)).toEqual(["1", "0", "2"]);
  expect(nextCursor).toBeNull();
  expect(items[0]).toEqual({
    publicId: ids[1],
    title: "1",
    description: "",
    cardNumber: 2,
    index: null,
    dueDate: null,
    dueHasTime: false,
    completedAt: null,
    priority: "none",
    labels: [{ publicId: label.publicId, name: label.name, colourCode: label.colourCode }],
    members: [{ publicId: await ownerId(board), name: owner.name, image: null }],
    checklistItems: { total: 0, completed: 0 },
    commentCount: 0,
    archivedAt: expect.stringMatching(/^20.+Z$/),
    listName: list.name,
  });
});

const ownerId = async ({ owner, publicId }: Board) => {
  const { members } = ok(await as(owner).get<{ members: { publicId: string }[] }>(`/boards/${publicId}`));
  return members[0]?.publicId;
};

describe("paging", () => {
  test.each([1, 4, 11, 12, 100])(
    "by %i gives each of 12 cards once, all archived in the same instant",
    async (limit) => {
      const { owner, board, list, ids } = await listWith(12);
      ok(await as(owner).delete(`/lists/${list.publicId}`));

      expect((await allPages(board, limit)).sort()).toEqual([...ids].sort());
    },
  );

  test("loses and doubles nothing while cards are archived, unarchived and deleted", async () => {
    const { owner, board, list, ids } = await listWith(14);
    const [spare, ...archived] = ids;
    for (const id of archived) ok(await archive(list, id));
    const order = (await page(board)).items.map(({ publicId }) => publicId);
    const steps = [
      () => archive(list, spare),
      () => as(owner).post(`/cards/${order[0]}/unarchive`),
      () => as(owner).delete(`/cards/${order[5]}`),
    ];

    const seen = await allPages(board, 3, async (n) => {
      const res = await steps[n]?.();
      if (res !== undefined) ok(res);
    });

    expect(seen).toEqual(order);
  });

  test("a limit is 1 to 100, 50 unless given", async () => {
    const { owner, board, list } = await listWith(51);
    ok(await as(owner).delete(`/lists/${list.publicId}`));

    expect((await page(board)).items).toHaveLength(50);
    expect((await page(board, "?limit=100")).items).toHaveLength(51);
    for (const limit of ["0", "101", "-1", "1.5", "x", ""]) {
      expectError(await as(owner).get(`${pathOf(board)}?limit=${limit}`), "BAD_REQUEST", "limit");
    }
  });

  const INSTANT = "2026-11-20T09:30:00.000Z";

  test.each<[string, unknown[]]>([
    ["nothing", []],
    ["too few values", [INSTANT]],
    ["too many values", [INSTANT, "AAAAAAAAAAAA", "x"]],
    ["no text", [INSTANT, 12]],
    ["no instant", ["yesterday", "AAAAAAAAAAAA"]],
    ["what JavaScript reads as an instant", ["12", "AAAAAAAAAAAA"]],
    ["a day that does not exist", ["2026-02-30T00:00:00.000Z", "AAAAAAAAAAAA"]],
    ["infinity", ["infinity", "AAAAAAAAAAAA"]],
    ["no identifier", [INSTANT, ""]],
    ["NUL", [INSTANT, "AAAAAAAAAA\u0000A"]],
    ["a lone surrogate", [INSTANT, "AAAAAAAAAA\ud800A"]],
  ])("one that names its list and holds %s is no cursor", async (_, values) => {
    const { owner, board, list, ids } = await listWith(2);
    for (const id of ids) ok(await archive(list, id));
    const { nextCursor } = await page(board, "?limit=1");
    await page(board, `?cursor=${cursorWith(nextCursor, [INSTANT, "AAAAAAAAAAAA"])}`);
    const wrong = `${pathOf(board)}?cursor=${cursorWith(nextCursor, values)}`;
    expectError(await as(owner).get(wrong), "BAD_REQUEST", "cursor");
  });

  test.each([
    ["nonsense", "nonsense"],
    ["an empty list", packed([])],
    ["an object", packed({ 0: 1 })],
    ["nothing", ""],
    ["too much", "A".repeat(201)],
  ])("%s is no cursor", async (_, cursor) => {
    const { owner, board } = await listWith(1);
    expectError(await as(owner).get(`${pathOf(board)}?cursor=${cursor}`), "BAD_REQUEST", "cursor");
  });
});

test("a guest of the board reads them; strangers are FORBIDDEN, but not before the cursor was checked; an unknown board is NOT_FOUND", async () => {
  const { owner, board, list, ids } = await listWith(1);
  ok(await archive(list, ids[0]));

  expect(ok(await as(await make.member(board, "guest")).get<Page>(pathOf(board))).items).toHaveLength(1);
  const stranger = await make.user();
  expectError(await as(stranger).get(pathOf(board)), "FORBIDDEN");
  expectError(await as(stranger).get(`${pathOf(board)}?cursor=nonsense`), "BAD_REQUEST", "cursor");
  expectError(await as(owner).get("/boards/AAAAAAAAAAAA/archived-cards"), "NOT_FOUND");
});

test("each has the time at which it was archived and the name of its list, null once that is deleted", async () => {
  const { owner, board, list, ids } = await listWith(1);
  ok(await as(owner).post(`/cards/${ids[0]}/archive`));
  const { archivedAt } = ok(await as(owner).get<{ archivedAt: string }>(`/cards/${ids[0]}`));
  expect((await page(board)).items).toMatchObject([{ publicId: ids[0], index: null, archivedAt, listName: list.name }]);
  ok(await as(owner).delete(`/lists/${list.publicId}`));
  expect((await page(board)).items).toMatchObject([{ publicId: ids[0], archivedAt, listName: null }]);
});

test("search finds those whose title or description contains a text, in any case, through all pages", async () => {
  const { owner, board, list } = await listWith(0);
  const texts = [
    ["Fix 100% of it", ""],
    ["other", "about FIX 100%"],
    ["fix 1000", ""],
    ["fix 100% open", ""],
  ];
  const ids = [];
  for (const [title = "", description = ""] of texts) {
    const { card } = await make.card({ list, title, description });
    ids.push(card.publicId);
    if (!title.includes("open")) ok(await as(owner).post(`/cards/${card.publicId}/archive`));
  }
  const query = `?search=${encodeURIComponent("fix 100%")}`;
  const idsOf = ({ items }: Page) => items.map(({ publicId }) => publicId);
  expect(idsOf(await page(board, query))).toEqual([ids[1], ids[0]]);
  const first = await page(board, `${query}&limit=1`);
  expect(idsOf(await page(board, `${query}&limit=1&cursor=${first.nextCursor}`))).toEqual([ids[0]]);
  expectError(await as(owner).get(`${pathOf(board)}?cursor=${first.nextCursor}`), "BAD_REQUEST", "cursor");
  expectError(await as(owner).get(`${pathOf(board)}?search=`), "BAD_REQUEST", "search");
});
