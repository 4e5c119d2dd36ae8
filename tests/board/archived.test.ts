import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/api/rest.js";
import { type Board, contentsOf, expectError, ok, testApp } from "../helpers/app.js";
import { makeWorld, operations, sampleOf, type World } from "../helpers/samples.js";
import { eventsOf, lastEvent } from "./events.js";

const { as, anonymous, make, db } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";

const pathOf = ({ publicId }: Board) => `/boards/${publicId}`;

describe("archiving", () => {
  test("a board is archived and brought back, with an event each, and again changes nothing", async () => {
    const { workspace, board } = await make.board();
    const member = await make.member(workspace, "member");

    for (let n = 0; n < 2; n += 1) {
      expect(ok(await as(member).post(`${pathOf(board)}/archive`))).toEqual({ success: true });
      expect(ok(await as(member).get(pathOf(board)))).toMatchObject({ isArchived: true });
    }
    for (let n = 0; n < 2; n += 1) {
      expect(ok(await as(member).post(`${pathOf(board)}/unarchive`, {}))).toEqual({ success: true });
      expect(ok(await as(member).get(pathOf(board)))).toMatchObject({ isArchived: false });
    }

    const about = { board: board.publicId, card: null, actor: member.publicId, data: {} };
    expect(await eventsOf(db, workspace, 1)).toMatchObject([
      { type: "board.archived", ...about },
      { type: "board.unarchived", ...about },
    ]);
  });

  test("of many calls at once one writes an event", async () => {
    const { owner, workspace, board } = await make.board();
    const answers = await Promise.all(Array.from({ length: 6 }, () => as(owner).post(`${pathOf(board)}/archive`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await eventsOf(db, workspace, 1)).toMatchObject([{ type: "board.archived" }]);
  });

  test("guests, strangers and read tokens cannot; an unknown board is FORBIDDEN; a body is refused", async () => {
    const { owner, workspace, board } = await make.board();
    const bystanders = [
      await make.member(board, "guest"),
      await make.user(),
      await make.token(owner, { scope: "read" }),
    ];
    for (const verb of ["archive", "unarchive"]) {
      for (const person of bystanders) expectError(await as(person).post(`${pathOf(board)}/${verb}`), "FORBIDDEN");
      expectError(await as(owner).post(`/boards/${UNKNOWN}/${verb}`), "FORBIDDEN");
      expectError(await as(owner).post(`${pathOf(board)}/${verb}`, { now: true }), "BAD_REQUEST", "now");
    }
    expect(await lastEvent(db, workspace)).toBe(1);
  });

  test("on an archived board favourites and tags go on working, and it can be deleted", async () => {
    const { owner, workspace, board } = await make.board();
    const { tag } = await make.tag({ workspace });
    ok(await as(owner).post(`${pathOf(board)}/archive`));

    expect(ok(await as(owner).put(pathOf(board), { isFavourite: true }))).toMatchObject({ isFavourite: true });
    expect(ok(await as(owner).put(`${pathOf(board)}/tags/${tag.publicId}`))).toEqual({ newTag: true });
    expect(ok(await as(owner).get(pathOf(board)))).toMatchObject({ isArchived: true, isFavourite: true, tags: [tag] });
    expect(ok(await as(owner).put(`${pathOf(board)}/tags/${tag.publicId}`))).toEqual({ newTag: false });
    ok(await as(owner).delete(pathOf(board)));
  });
});

/** What works on an archived board: it changes what is not on the board, or nothing. */
const WORK_ON_ARCHIVED = ["board.archive", "board.unarchive", "board.delete", "board.toggleTag", "board.opened"];

/** Writes that are not of one board. Whatever is not in either list must be refused on an archived board. */
const OF_NO_BOARD = [
  /^admin\./,
  /^user\./,
  /^notification\./,
  /^import\./,
  /^workspace\.(?:create|update|delete)$/,
  /^workspace\.members\.(?:invite|setRole|remove)$/,
  /^workspace\.invites\.(?:create|revoke|accept)$/,
  /^workspace\.tags\.(?:create|update|delete)$/,
  /^workspace\.meetings\.(?:save|delete)$/,
  /^workspace\.webhooks\.(?:create|update|delete|test|rotateSecret|redeliver)$/,
  /^board\.create$/,
];

const writes = operations.filter(
  ({ path, type }) =>
    type === "mutation" && !WORK_ON_ARCHIVED.includes(path) && !OF_NO_BOARD.some((pattern) => pattern.test(path)),
);

/** Calls an operation with everything it takes, but for the reply to a comment that the board does not have. */
function call({ method, restPath, ...operation }: Operation, { owner, ids }: World) {
  const input = sampleOf({ method, restPath, ...operation }, ids);
  const path = restPath.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(input[name]);
    delete input[name];
    return value;
  });
  const body = Object.fromEntries(Object.entries(input).filter(([field]) => !field.startsWith("parent")));
  return as(owner).send({
    method,
    url: `/api/v1${path}`,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
}

async function readAll({ owner, ids }: World) {
  const paths = [`/boards/${ids.boardPublicId}`, `/cards/${ids.cardPublicId}`, `/boards/${ids.boardPublicId}/members`];
  const answers = await Promise.all(paths.map((path) => as(owner).get(path)));
  return [...answers.map(({ text }) => text), await contentsOf(db)];
}

describe("an archived board is read-only", () => {
  test("every write of a board, list, card, label or checklist is covered", () => {
    expect(writes.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "board.update",
        "board.duplicate",
        "board.lists.create",
        "board.labels.delete",
        "card.update",
        "card.bulk.move",
        "card.toggleLabel",
        "card.checklists.updateItem",
      ]),
    );
  });

  test.each(writes.map((operation) => [operation.path, operation] as const))(
    "%s is refused there and changes nothing, and works again once the board is unarchived",
    async (_, operation) => {
      const world = await makeWorld(make);
      const { owner, ids } = world;
      const board = `/boards/${ids.boardPublicId}`;
      // Whoever is to be removed must be there.
      ok(await as(owner).post(`${board}/members`, { memberPublicId: ids.memberPublicId }));
      ok(await as(owner).post(`${board}/archive`));
      const before = await readAll(world);

      expectError(await call(operation, world), "BAD_REQUEST");

      expect(await readAll(world)).toEqual(before);
      ok(await as(owner).post(`${board}/unarchive`));
      ok(await call(operation, world));
    },
  );

  test("a card can be moved neither to an archived board nor away from one, alone or with others", async () => {
    const { owner, workspace, board, list, card } = await make.card();
    const { list: other, card: second } = await make.card({ board: (await make.board({ workspace })).board });
    ok(await as(owner).post(`${pathOf(board)}/archive`));
    const before = await contentsOf(db);

    for (const [moving, target] of [
      [card, other],
      [second, list],
    ] as const) {
      const to = { listPublicId: target.publicId };
      expectError(await as(owner).put(`/cards/${moving.publicId}`, to), "BAD_REQUEST");
      const ids = [second.publicId, moving.publicId];
      expectError(await as(owner).post("/cards/bulk/move", { cardPublicIds: ids, ...to }), "BAD_REQUEST");
    }
    expectError(
      await as(owner).post(`/cards/${second.publicId}/duplicate`, { listPublicId: list.publicId }),
      "BAD_REQUEST",
    );
    const both = { cardPublicIds: [second.publicId, card.publicId] };
    expectError(await as(owner).post("/cards/bulk/archive", both), "BAD_REQUEST");
    expectError(await as(owner).post("/cards/bulk/delete", both), "BAD_REQUEST");
    expectError(await as(owner).post("/cards/bulk/update", { ...both, priority: "high" }), "BAD_REQUEST");
    expect(await contentsOf(db)).toEqual(before);
  });

  test("who may not write is FORBIDDEN there, and not told of the archive", async () => {
    const { owner, board, list, card } = await make.card();
    const guest = await make.member(board, "guest");
    ok(await as(owner).post(`${pathOf(board)}/archive`));

    for (const person of [guest, await make.user()]) {
      expectError(await as(person).put(pathOf(board), { name: "x" }), "FORBIDDEN");
      expectError(await as(person).put(`/lists/${list.publicId}`, { name: "x" }), "FORBIDDEN");
      expectError(await as(person).delete(`/cards/${card.publicId}`), "FORBIDDEN");
    }
  });

  test("it is still read by those who see it, and by nobody else", async () => {
    const { owner, board, card } = await make.card({ board: (await make.board({ visibility: "public" })).board });
    ok(await as(owner).post(`${pathOf(board)}/archive`));

    expect(ok(await as(owner).get(pathOf(board)))).toMatchObject({ lists: [{ cards: [{ publicId: card.publicId }] }] });
    ok(await as(owner).get(`/cards/${card.publicId}`));
    ok(await as(owner).get(`${pathOf(board)}/archived-cards`));
    expectError(await anonymous.get(`/public/boards/${board.publicId}`), "NOT_FOUND");
  });

  test("nothing is written to a board after it was archived, whoever writes at the same time", async () => {
    const { owner, workspace, board, list, card } = await make.card();
    const { label } = await make.label({ board });
    const last = await lastEvent(db, workspace);
    const write = (n: number) => [
      as(owner).post("/cards", { title: `${n}`, listPublicId: list.publicId }),
      as(owner).put(`/cards/${card.publicId}`, { title: `${n}` }),
      as(owner).put(`/cards/${card.publicId}/labels/${label.publicId}`),
      as(owner).put(`/lists/${list.publicId}`, { name: `${n}` }),
    ];

    const answers = await Promise.all([
      ...[1, 2, 3].flatMap(write),
      as(owner).post(`${pathOf(board)}/archive`),
      ...[4, 5, 6].flatMap(write),
    ]);

    for (const res of answers) if (res.status !== 200) expectError(res, "BAD_REQUEST");
    const events = await eventsOf(db, workspace, last);
    expect(events.at(-1)?.type).toBe("board.archived");
    expect(events).toHaveLength(answers.filter(({ status }) => status === 200).length);
  });
});
