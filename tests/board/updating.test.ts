import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { texts } from "../../src/db/client.js";
import { workspaceOf } from "../../src/db/ids.js";
import { type Board, contentsOf, expectError, type MemberPerson, ok, testApp } from "../helpers/app.js";
import { eventsOf, lastEvent } from "./events.js";

const { as, make, db } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";

const pathOf = ({ publicId }: Board) => `/boards/${publicId}`;

const stored = async ({ publicId }: Board) => {
  const [row] = await db.rows(sql`
    select name, slug, visibility, archived_at is not null as archived,
      (select count(*)::int from board_favourite f where f.workspace_id = b.workspace_id and f.board_id = b.id) as favourites
    from board b where public_id = ${publicId}::text`);
  return row;
};

/** Cards whose revision is not the number of the last event on them: always none of these. */
const unrevised = (cardPublicIds: string[]) =>
  db.rows(sql`
    select c.public_id from card c
    where c.public_id = any(${texts(cardPublicIds)}) and c.revision <> (
      select max(e.seq) from event e where e.workspace_id = c.workspace_id and e.card_public_id = c.public_id)`);

const assignees = async (cardPublicId: string) => {
  const rows = await db.rows<{ publicId: string }>(sql`
    select m.public_id as "publicId" from card_member cm join member m on m.workspace_id = cm.workspace_id and m.id = cm.member_id
    join card c on c.workspace_id = cm.workspace_id and c.id = cm.card_id where c.public_id = ${cardPublicId}::text order by m.id`);
  return rows.map(({ publicId }) => publicId);
};

describe("updating", () => {
  test("what is given is changed, with one event that tells from and to", async () => {
    const { workspace, board } = await make.board({ name: "Before", slug: "Before" });
    const member = await make.member(workspace, "member");

    const answer = ok(
      await as(member).put(pathOf(board), { name: " After ", slug: "AFTER-all", visibility: "private" }),
    );

    const after = { name: "After", slug: "after-all", visibility: "private" };
    expect(answer).toEqual({ publicId: board.publicId, ...after, isFavourite: false });
    expect(await stored(board)).toEqual({ ...after, archived: false, favourites: 0 });
    expect(await eventsOf(db, workspace, 1)).toEqual([
      {
        seq: 2,
        type: "board.updated",
        actor: member.publicId,
        board: board.publicId,
        card: null,
        data: {
          changes: {
            name: { from: "Before", to: "After" },
            slug: { from: "before", to: "after-all" },
            visibility: { from: "workspace", to: "private" },
          },
        },
      },
    ]);
  });

  test("what is left out keeps its value, and the slug does not follow the name", async () => {
    const { owner, workspace, board } = await make.board({ name: "Before" });

    expect(ok(await as(owner).put(pathOf(board), { name: "After" }))).toMatchObject({ name: "After", slug: "before" });

    expect(await stored(board)).toMatchObject({ name: "After", slug: "before", visibility: "workspace" });
    expect(await eventsOf(db, workspace, 1)).toMatchObject([
      { data: { changes: { name: { from: "Before", to: "After" } } } },
    ]);
  });

  test("nothing given, or the same again, changes nothing and writes no event", async () => {
    const { owner, board } = await make.board({ visibility: "public" });
    const before = await contentsOf(db);
    const { name, slug } = board;
    const answer = { publicId: board.publicId, name, slug, visibility: "public", isFavourite: false };

    for (const body of [{}, { name, slug: slug.toUpperCase(), visibility: "public" }, undefined]) {
      expect(ok(await as(owner).put(pathOf(board), body))).toEqual(answer);
    }
    expect(await contentsOf(db)).toEqual(before);
  });

  test.each([
    ["name", { name: "" }],
    ["name", { name: null }],
    ["slug", { slug: "a" }],
    ["slug", { slug: "settings" }],
    ["slug", { slug: "Archived" }],
    ["visibility", { visibility: null }],
    ["isFavourite", { isFavourite: "true" }],
    ["isArchived", { isArchived: true }],
    ["boardPublicId", { boardPublicId: UNKNOWN }],
  ])("a wrong %s is refused: %j", async (field, body) => {
    const { owner, board } = await make.board();
    expectError(await as(owner).put(pathOf(board), { name: "New", ...body }), "BAD_REQUEST", field);
    expect(await stored(board)).toMatchObject({ name: board.name });
  });

  test("only an admin makes a board public; a member may leave it so, and take it back", async () => {
    const { owner, workspace, board } = await make.board();
    const member = await make.member(workspace, "member");

    expectError(await as(member).put(pathOf(board), { visibility: "public" }), "FORBIDDEN");
    expect(await stored(board)).toMatchObject({ visibility: "workspace" });
    ok(await as(owner).put(pathOf(board), { visibility: "public" }));
    ok(await as(member).put(pathOf(board), { visibility: "public", name: "Still open" }));
    ok(await as(member).put(pathOf(board), { visibility: "workspace" }));
    expect(await stored(board)).toMatchObject({ visibility: "workspace", name: "Still open" });
  });

  test("guests of the board, members who do not see it, strangers and read tokens cannot; an unknown board is NOT_FOUND", async () => {
    const { owner, workspace, board } = await make.board({ visibility: "private" });
    const { workspace: other } = await make.workspace({ owner });
    const bystanders = [
      await make.member(board, "guest"),
      await make.member(workspace, "member"),
      await make.user(),
      await make.token(owner, { scope: "read" }),
      await make.token(owner, { workspacePublicId: other.publicId }),
    ];

    for (const person of bystanders) {
      expectError(await as(person).put(pathOf(board), { name: "Mine" }), "FORBIDDEN");
      expectError(await as(person).delete(pathOf(board)), "FORBIDDEN");
    }
    expectError(await as(owner).put(`/boards/${UNKNOWN}`, { name: "Mine" }), "NOT_FOUND");
    expectError(await as(owner).delete(`/boards/${UNKNOWN}`), "NOT_FOUND");
    expect(await stored(board)).toMatchObject({ name: board.name });
  });
});

describe("favourites", () => {
  test("a guest of the board marks it for itself alone, without an event", async () => {
    const { owner, workspace, board } = await make.board();
    const guest = await make.member(board, "guest");

    for (let n = 0; n < 2; n += 1) {
      expect(ok(await as(guest).put(pathOf(board), { isFavourite: true }))).toMatchObject({ isFavourite: true });
    }

    expect(ok(await as(guest).get(pathOf(board)))).toMatchObject({ isFavourite: true });
    expect(ok(await as(owner).get(pathOf(board)))).toMatchObject({ isFavourite: false });
    expect(await stored(board)).toMatchObject({ favourites: 1 });
    expect(ok(await as(guest).put(pathOf(board), { isFavourite: false }))).toMatchObject({ isFavourite: false });
    expect(await stored(board)).toMatchObject({ favourites: 0 });
    expect(await lastEvent(db, workspace)).toBe(1);
  });

  test("together with another field it needs the right to edit, and is not set without it", async () => {
    const { owner, board } = await make.board();
    const guest = await make.member(board, "guest");

    expectError(await as(guest).put(pathOf(board), { isFavourite: true, name: "Mine" }), "FORBIDDEN");
    expectError(await as(guest).put(pathOf(board), {}), "FORBIDDEN");
    expect(await stored(board)).toMatchObject({ favourites: 0, name: board.name });
    ok(await as(owner).put(pathOf(board), { isFavourite: true, name: "Mine" }));
    expect(await stored(board)).toMatchObject({ favourites: 1, name: "Mine" });
  });

  test("a mark alone does not touch the workspace's counter, which its writers lock", async () => {
    const { owner, board } = await make.board();
    const counter = () =>
      db.rows(
        sql`select xmin::text from workspace_counter where workspace_id = ${workspaceOf(board.publicId)}::bigint`,
      );
    const before = await counter();

    const res = await as(owner).put(pathOf(board), { isFavourite: true });

    expect(ok(res)).toMatchObject({ isFavourite: true });
    expect(res.headers).not.toHaveProperty("operation-id");
    expect(await counter()).toEqual(before);
  });

  test("under an Idempotency-Key a mark is set once: it is not set again after it was cleared", async () => {
    const { owner, board } = await make.board();
    const key = { "idempotency-key": `mark-${board.publicId}` };
    const mark = () => as(owner).put(pathOf(board), { isFavourite: true }, key);
    const first = await mark();
    ok(await as(owner).put(pathOf(board), { isFavourite: false }));

    const second = await mark();

    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(ok(second)).toEqual(ok(first));
    expect(await stored(board)).toMatchObject({ favourites: 0 });
  });

  test("who does not see the board cannot mark it", async () => {
    const { workspace, board } = await make.board({ visibility: "private" });
    for (const person of [await make.member(workspace, "member"), await make.user()]) {
      expectError(await as(person).put(pathOf(board), { isFavourite: true }), "FORBIDDEN");
    }
  });

  test("of many marks at once one is stored", async () => {
    const { owner, board } = await make.board();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => as(owner).put(pathOf(board), { isFavourite: true })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await stored(board)).toMatchObject({ favourites: 1 });
  });
});

test("made private, a board loses the assignees who no longer see it, on archived cards too, each with an event", async () => {
  const { owner, workspace, board, card } = await make.card();
  const { card: second } = await make.card({ list: card.list });
  const admin = await make.member(workspace, "admin");
  const outsider = await make.member(workspace, "member");
  const insider = await make.member(board, "member");
  const guest = await make.member(board, "guest");
  const assign = async ({ publicId }: { publicId: string }, person: MemberPerson) =>
    ok(await as(owner).put(`/cards/${publicId}/members/${person.memberPublicId}`));
  for (const person of [admin, outsider, insider, guest]) await assign(card, person);
  await assign(second, outsider);
  ok(await as(owner).post(`/cards/${second.publicId}/archive`));
  const { card: elsewhere } = await make.card({ board: (await make.board({ workspace })).board });
  await assign(elsewhere, outsider);
  const last = await lastEvent(db, workspace);

  ok(await as(owner).put(pathOf(board), { visibility: "private" }));

  expect(await assignees(card.publicId)).toEqual([admin, insider, guest].map((person) => person.memberPublicId));
  expect(await assignees(second.publicId)).toEqual([]);
  expect(await assignees(elsewhere.publicId)).toEqual([outsider.memberPublicId]);
  const [updated, ...dropped] = await eventsOf(db, workspace, last);
  expect(updated).toMatchObject({
    type: "board.updated",
    data: { changes: { visibility: { from: "workspace", to: "private" } } },
  });
  const about = {
    type: "card.member.removed",
    board: board.publicId,
    data: { memberPublicId: outsider.memberPublicId },
  };
  expect(dropped).toHaveLength(2);
  for (const { publicId } of [card, second]) {
    expect(dropped).toContainEqual(expect.objectContaining({ ...about, card: publicId }));
  }
  expect(await unrevised([card.publicId, second.publicId])).toEqual([]);
});

describe("tags", () => {
  test("a tag is put on a board and taken off again, each with an event that names it", async () => {
    const { workspace, board } = await make.board();
    const { tag } = await make.tag({ workspace });
    const member = await make.member(workspace, "member");
    const path = `${pathOf(board)}/tags/${tag.publicId}`;

    expect(ok(await as(member).put(path))).toEqual({ newTag: true });
    expect(ok(await as(member).get(pathOf(board)))).toMatchObject({ tags: [tag] });
    expect(ok(await as(member).put(path))).toEqual({ newTag: false });
    expect(ok(await as(member).get(pathOf(board)))).toMatchObject({ tags: [] });

    const about = {
      board: board.publicId,
      card: null,
      data: { tagPublicId: tag.publicId, name: tag.name, colourCode: tag.colourCode },
    };
    expect(await eventsOf(db, workspace, 2)).toMatchObject([
      { type: "board.tag.added", ...about },
      { type: "board.tag.removed", ...about },
    ]);
  });

  test("toggled many times at once, a tag ends as the number of calls says, with an event for each", async () => {
    const { owner, workspace, board } = await make.board();
    const { tag } = await make.tag({ workspace });

    const answers = await Promise.all(
      Array.from({ length: 7 }, () => as(owner).put(`${pathOf(board)}/tags/${tag.publicId}`)),
    );

    expect(answers.filter((res) => ok(res).newTag === true)).toHaveLength(4);
    expect(ok(await as(owner).get(pathOf(board)))).toMatchObject({ tags: [tag] });
    expect(await eventsOf(db, workspace, 2)).toHaveLength(7);
  });

  test("a tag that is unknown or of another workspace is NOT_FOUND, and guests cannot", async () => {
    const { owner, workspace, board } = await make.board();
    const { tag: foreign } = await make.tag({ workspace: (await make.workspace({ owner })).workspace });
    const { tag } = await make.tag({ workspace });
    const guest = await make.member(board, "guest");
    const before = await contentsOf(db);

    for (const id of [foreign.publicId, UNKNOWN, board.publicId]) {
      expectError(await as(owner).put(`${pathOf(board)}/tags/${id}`), "NOT_FOUND");
    }
    expectError(await as(owner).put(`/boards/${UNKNOWN}/tags/${tag.publicId}`), "NOT_FOUND");
    expectError(await as(guest).put(`${pathOf(board)}/tags/${tag.publicId}`), "FORBIDDEN");
    expectError(
      await as(owner).put(`${pathOf(board)}/tags/${tag.publicId}`, { newTag: true }),
      "BAD_REQUEST",
      "newTag",
    );
    expect(await contentsOf(db)).toEqual(before);
  });
});

describe("deleting", () => {
  test("an admin deletes a board with everything on it, for good, with one event; other boards stay", async () => {
    const { owner, workspace, board: other, card: kept } = await make.card();
    const before = await contentsOf(db);
    const { board } = await make.board({ workspace, lists: ["a"], labels: [{ name: "L", colourCode: "#000000" }] });
    const { item, checklist, card } = await make.item({
      checklist: (await make.checklist({ card: (await make.card({ board })).card })).checklist,
    });
    const { label } = await make.label({ board });
    const { tag } = await make.tag({ workspace });
    const { card: archived } = await make.card({ list: card.list });
    ok(await as(owner).put(`/cards/${card.publicId}/labels/${label.publicId}`));
    ok(await as(owner).post(`/cards/${archived.publicId}/archive`));
    ok(await as(owner).put(`${pathOf(board)}/tags/${tag.publicId}`));
    ok(await as(owner).put(pathOf(board), { isFavourite: true }));
    const last = await lastEvent(db, workspace);

    expect(ok(await as(owner).delete(pathOf(board)))).toEqual({ success: true });

    const { counters: _, event: __, ...after } = await contentsOf(db);
    expect({ ...before, ...after, tag: before.tag }).toEqual(before);
    expect(await eventsOf(db, workspace, last)).toMatchObject([
      {
        type: "board.deleted",
        board: board.publicId,
        card: null,
        actor: owner.publicId,
        data: { name: board.name },
      },
    ]);
    for (const path of [
      pathOf(board),
      `/cards/${card.publicId}`,
      `/cards/${archived.publicId}`,
      `${pathOf(board)}/archived-cards`,
    ]) {
      expectError(await as(owner).get(path), "NOT_FOUND");
    }
    expectError(await as(owner).delete(pathOf(board)), "NOT_FOUND");
    expectError(await as(owner).put(`/lists/${card.list.publicId}`, { name: "x" }), "NOT_FOUND");
    expectError(await as(owner).put(`/labels/${label.publicId}`, { name: "x" }), "NOT_FOUND");
    expectError(await as(owner).put(`/checklists/${checklist.publicId}`, { name: "x" }), "NOT_FOUND");
    expectError(await as(owner).put(`/checklist-items/${item.publicId}`, { title: "x" }), "NOT_FOUND");
    ok(await as(owner).get(`/cards/${kept.publicId}`));
    ok(await as(owner).get(pathOf(other)));
  });

  test("a member cannot delete, not even the board it made; the slug of a deleted board is free again", async () => {
    const { owner, workspace } = await make.workspace();
    const member = await make.member(workspace, "member");
    const { board } = await make.board({ workspace, owner: member, slug: "freed" });

    expectError(await as(member).delete(pathOf(board)), "FORBIDDEN");
    ok(await as(owner).delete(pathOf(board)));
    await make.board({ workspace, slug: "freed" });
  });

  test("an archived board is deleted too, and of two calls at once one answers NOT_FOUND", async () => {
    const { owner, workspace, board } = await make.board();
    ok(await as(owner).post(`${pathOf(board)}/archive`));

    const answers = await Promise.all([as(owner).delete(pathOf(board)), as(owner).delete(pathOf(board))]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(await eventsOf(db, workspace, 2)).toMatchObject([{ type: "board.deleted" }]);
  });
});
