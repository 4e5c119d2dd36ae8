import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Board, contentsOf, expectError, type MemberPerson, ok, testApp } from "../helpers/app.js";
import { eventsOf, expectComplete, lastEvent, miscounted } from "./events.js";

const { as, make, db } = await testApp();

interface Made {
  publicId: string;
  name: string;
  slug: string;
}

interface ShownCard {
  publicId: string;
  cardNumber: number;
  members: { publicId: string }[];
}

interface ShownBoard {
  publicId: string;
  members: { publicId: string }[];
  lists: { publicId: string; cards: ShownCard[] }[];
}

const duplicate = (board: Board, body: object = {}, person: { token: string } = board.owner) =>
  as(person).post<Made>(`/boards/${board.publicId}/duplicate`, body);

/** A board as read, but for where it stands in the log. */
async function read({ publicId }: { publicId: string }, person: { token: string }) {
  const { eventId: _, ...board } = ok(await as(person).get<ShownBoard & { eventId: number }>(`/boards/${publicId}`));
  return board;
}

async function wholeOf(board: { publicId: string }, person: { token: string }) {
  const shown = await read(board, person);
  const lists = [];
  for (const list of shown.lists) {
    const cards = [];
    for (const card of list.cards) {
      const { checklists } = ok(await as(person).get(`/cards/${card.publicId}`));
      cards.push({ ...card, checklists });
    }
    lists.push({ ...list, cards });
  }
  return { ...shown, lists };
}

const OWN = new Set(["publicId", "cardNumber", "slug"]);

/** A value without what a copy has of its own: card numbers, slug and identifiers but those of people, tags and workspace. */
function withoutOwn(value: unknown, isShared = false): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutOwn(entry, isShared));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isShared || !OWN.has(key))
      .map(([key, inner]) => [key, withoutOwn(inner, isShared || ["members", "tags", "workspace"].includes(key))]),
  );
}

/** A board with a bit of everything, cards moved about, one archived. */
async function fullBoard(visibility: "workspace" | "private" | "public" = "workspace") {
  const { owner, workspace, board } = await make.board({ visibility, lists: ["a", "b", "c"] });
  const { lists } = await read(board, owner);
  const [a, b] = lists.map(({ publicId }) => ({ publicId, name: "", owner, board }));
  const { label } = await make.label({ board, name: "z" });
  const { label: second } = await make.label({ board, name: "y", colourCode: "#ABCDEF" });
  const { tag } = await make.tag({ workspace });
  ok(await as(owner).put(`/boards/${board.publicId}/tags/${tag.publicId}`));
  ok(await as(owner).put(`/boards/${board.publicId}`, { isFavourite: true }));
  for (const list of [a, b]) {
    for (let n = 0; n < 3; n += 1) {
      const labelPublicIds = [label, second].slice(n).map(({ publicId }) => publicId);
      const fields = {
        list,
        labelPublicIds,
        description: ` text ${n}\n`,
        dueDate: `2027-01-0${n + 1}`,
        priority: "low",
      };
      const { card } = await make.card(n === 0 ? { list } : fields);
      const { checklist } = await make.item({ checklist: (await make.checklist({ card })).checklist });
      await make.item({ checklist, title: "second" });
      const { item } = await make.item({ checklist, title: "third" });
      ok(await as(owner).put(`/checklist-items/${item.publicId}`, { completed: true, index: 0 }));
      await make.checklist({ card, name: "empty" });
      if (n === 1) ok(await as(owner).put(`/cards/${card.publicId}`, { completed: true, index: 0 }));
    }
  }
  const { card: archived } = await make.card({ list: a, title: "archived" });
  ok(await as(owner).post(`/cards/${archived.publicId}/archive`));
  ok(await as(owner).put(`/lists/${b?.publicId}`, { index: 0 }));
  return { owner, workspace, board, list: a };
}

test("the copy is deeply equal to the original but for identifiers, numbers and archived cards", async () => {
  const { owner, workspace, board } = await fullBoard();
  const original = await wholeOf(board, owner);
  const last = await lastEvent(db, workspace);

  const made = ok(await duplicate(board));

  expect(made).toEqual({
    publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
    name: `${board.name} (copy)`,
    slug: `${board.slug}-copy`,
  });
  const copy = await wholeOf(made, owner);
  expect(withoutOwn(copy)).toEqual(withoutOwn({ ...original, name: made.name, isFavourite: false }));
  expect(await wholeOf(board, owner)).toEqual(original);
  expect(ok(await as(owner).get(`/boards/${made.publicId}/archived-cards`))).toEqual({ items: [], nextCursor: null });
  expect(await miscounted(db, made)).toEqual([]);

  const idsOf = (value: unknown) => [...JSON.stringify(value).matchAll(/"publicId":"(\w+)"/g)].map(([, id]) => id);
  const { lists: copied, labels } = Object(copy);
  const ownIds = idsOf([copied, labels]).filter((id) => !idsOf(original.members).includes(id));
  expect(ownIds.filter((id) => idsOf(original).includes(id))).toEqual([]);
  const numbers = copy.lists.flatMap(({ cards }) => cards.map(({ cardNumber }) => cardNumber));
  const [highest = 0] = original.lists
    .flatMap(({ cards }) => cards.map((card) => card.cardNumber))
    .sort((x, y) => y - x);
  // One more was taken by the archived card.
  expect(numbers).toEqual(numbers.map((_, index) => highest + 2 + index));

  const [created, ...cards] = await eventsOf(db, workspace, last);
  expect(created).toMatchObject({
    type: "board.created",
    board: made.publicId,
    card: null,
    data: { board: { name: made.name, slug: made.slug, visibility: "workspace" }, copiedFrom: board.publicId },
  });
  expect(cards.map(({ type, board: on, card }) => ({ type, on, card }))).toEqual(
    copy.lists.flatMap((list) =>
      list.cards.map(({ publicId }) => ({ type: "card.created", on: made.publicId, card: publicId })),
    ),
  );
  await expectComplete(await eventsOf(db, workspace, last), async (path) => ok(await as(owner).get(path)));
  const revisions = await db.rows(sql`
    select c.public_id as card, c.revision as seq
    from card c join board b on b.workspace_id = c.workspace_id and b.id = c.board_id
    where b.public_id = ${made.publicId}::text order by c.revision`);
  expect(revisions).toEqual(cards.map(({ card, seq }) => ({ card, seq })));
});

test("the copy stands on its own: neither board changes with the other", async () => {
  const { owner, board } = await fullBoard();
  const original = await wholeOf(board, owner);
  const made = ok(await duplicate(board));
  const copy = await read(made, owner);
  const [list] = copy.lists;

  ok(await as(owner).put(`/lists/${list?.publicId}`, { name: "other", index: 2 }));
  for (const { publicId } of list?.cards ?? []) ok(await as(owner).delete(`/cards/${publicId}`));
  await make.card({ list: { publicId: copy.lists[1]?.publicId ?? "", name: "", owner, board } });

  expect(await wholeOf(board, owner)).toEqual(original);
  expect(await miscounted(db, made)).toEqual([]);
  ok(await as(owner).delete(`/boards/${made.publicId}`));
  expect(await wholeOf(board, owner)).toEqual(original);
});

test("without cards the copy has lists and labels alone, and one event", async () => {
  const { owner, workspace, board } = await fullBoard();
  const last = await lastEvent(db, workspace);

  const made = ok(await duplicate(board, { withCards: false, name: "  Empty " }));

  expect(made).toMatchObject({ name: "Empty", slug: "empty" });
  const { lists, ...rest } = await read(board, owner);
  const emptied = { ...rest, name: "Empty", isFavourite: false, lists: lists.map((list) => ({ ...list, cards: [] })) };
  expect(withoutOwn(await read(made, owner))).toEqual(withoutOwn(emptied));
  expect(await miscounted(db, made)).toEqual([]);
  expect(await eventsOf(db, workspace, last)).toMatchObject([{ type: "board.created", board: made.publicId }]);
  const { cardNumber } = ok(
    await as(owner).post<ShownCard>("/cards", {
      title: "x",
      listPublicId: (await read(made, owner)).lists[0]?.publicId,
    }),
  );
  expect(cardNumber).toBe(8);
});

test("an empty board is copied, and a name of 255 characters makes room for the copy's", async () => {
  const { board } = await make.board({ name: "🙂".repeat(255) });
  const made = ok(await duplicate(board));
  expect(made).toMatchObject({ name: `${"🙂".repeat(248)} (copy)`, slug: "copy" });
  expect([...made.name]).toHaveLength(255);
});

describe("who sees the copy", () => {
  test.each([
    ["workspace", "workspace"],
    ["private", "private"],
    ["public", "workspace"],
  ] as const)("a copy of a %s board is %s, its one member whoever copied it", async (visibility, expected) => {
    const { board } = await make.board({ visibility });
    const member = await make.member(board, "member");

    const made = ok(await duplicate(board, {}, member));

    const copy = await read(made, member);
    expect(copy).toMatchObject({ visibility: expected, members: [{ publicId: member.memberPublicId }] });
    expect(copy.members).toHaveLength(1);
  });

  test.each([
    ["workspace", ["admin", "member", "caller", "outsider"]],
    ["private", ["admin", "caller"]],
  ] as const)("of the assignees on a %s board those who see the copy stay", async (visibility, expected) => {
    const { owner, workspace, board, list } = await make.list({ board: (await make.board({ visibility })).board });
    const people: Record<string, MemberPerson> = {
      admin: await make.member(workspace, "admin"),
      member: await make.member(board, "member"),
      caller: await make.member(board, "member"),
      guest: await make.member(board, "guest"),
      outsider: await make.member(workspace, "member"),
    };
    const onBoard = Object.entries(people).filter(([who]) => visibility === "workspace" || who !== "outsider");
    await make.card({ list, memberPublicIds: onBoard.map(([, { memberPublicId }]) => memberPublicId) });
    const { caller = owner } = people;

    const made = ok(await duplicate(board, {}, caller));

    const [shown] = (await read(made, owner)).lists;
    const ids = Object.fromEntries(Object.entries(people).map(([who, { memberPublicId }]) => [memberPublicId, who]));
    expect(shown?.cards[0]?.members.map(({ publicId }) => ids[publicId])).toEqual(expected);
  });

  test("it needs sight of the board and the right to create boards; an unknown board is FORBIDDEN", async () => {
    const { owner, workspace, board } = await make.board({ visibility: "private" });
    const before = await contentsOf(db);
    const bystanders = [
      await make.member(board, "guest"),
      await make.member(workspace, "member"),
      await make.user(),
      await make.token(owner, { scope: "read" }),
    ];
    for (const person of bystanders) expectError(await duplicate(board, {}, person), "FORBIDDEN");
    expectError(await as(owner).post("/boards/AAAAAAAAAAAA/duplicate"), "FORBIDDEN");
    expect((await contentsOf(db)).board).toBe(before.board);
    ok(await duplicate(board, {}, await make.member(board, "member")));
  });

  test.each<[string, object]>([
    ["name", { name: "" }],
    ["name", { name: null }],
    ["withCards", { withCards: "false" }],
    ["slug", { slug: "mine" }],
  ])("a wrong %s is refused: %j", async (field, body) => {
    const { board } = await make.board();
    expectError(await duplicate(board, body), "BAD_REQUEST", field);
  });
});

test("a board of 1000 cards is copied whole while cards go on being made on it", { tags: ["slow"] }, async () => {
  const { owner, workspace } = await make.workspace();
  const rows = Array.from({ length: 1000 }, (_, n) => [
    `Card ${n}`,
    `List ${n % 7}`,
    `L${n % 5};M${n % 3}`,
    "- a\n- [x] b",
  ]);
  const imported = ok(
    await as(owner).post("/imports/csv/boards", {
      workspacePublicId: workspace.publicId,
      boardName: "Many",
      rows,
      mapping: { title: 0, list: 1, labels: 2, checklist: 3 },
    }),
  );
  const board: Board = { publicId: String(imported.boardPublicId), name: "Many", slug: "many", owner, workspace };
  const { lists } = await read(board, owner);

  const [res, ...made] = await Promise.all([
    duplicate(board),
    ...lists.map(({ publicId }) => as(owner).post("/cards", { title: "late", listPublicId: publicId })),
  ]);

  expect(made.map(({ status }) => status)).toEqual(Array(7).fill(200));
  const copied = await read(ok(res), owner);
  expect(await miscounted(db, ok(res))).toEqual([]);
  const kept = copied.lists.map((list) => ({
    ...list,
    cards: list.cards.filter(({ title }: Titled) => title !== "late"),
  }));
  expect(withoutOwn(kept)).toEqual(withoutOwn(lists));
});

type Titled = ShownCard & { title?: string };
