import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { contentsOf, expectError, expectTrpcError, ok, testApp, type Workspace } from "../helpers/app.js";

const { as, anonymous, make, db, trpcClient } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";

interface Tag {
  publicId: string;
  name: string;
  colourCode: string;
}

const tagsPath = ({ publicId }: Workspace) => `/workspaces/${publicId}/tags`;

const tagsOf = async (workspace: Workspace) => ok(await as(workspace.owner).get<Tag[]>(tagsPath(workspace)));

const eventsOf = ({ publicId }: Workspace) =>
  db.rows<{ seq: number; type: string; data: Record<string, unknown>; actor: string; board: string | null }>(sql`
    select e.seq, e.type, e.data, a.public_id as actor, e.board_public_id as board
    from event e join workspace w on w.id = e.workspace_id join account a on a.id = e.actor_id
    where w.public_id = ${publicId}::text and e.type like 'tag.%' order by e.seq`);

/** Everyone but those who may write: a guest of the workspace, a stranger, a read token of its admin. */
async function bystandersOf(workspace: Workspace) {
  return [
    await make.member(workspace, "guest"),
    await make.user(),
    await make.token(workspace.owner, { scope: "read" }),
  ];
}

describe("listing", () => {
  test("everyone of the workspace sees its tags, by name; strangers do not", async () => {
    const { owner, workspace } = await make.workspace();
    for (const name of ["zebra", "Tag 10", "tag 2", "Äther"]) await make.tag({ workspace, name });
    await make.tag();

    const tags = await tagsOf(workspace);

    expect(tags.map(({ name }) => name)).toEqual(["Äther", "tag 2", "Tag 10", "zebra"]);
    expect(tags[0]).toEqual({
      publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      name: "Äther",
      colourCode: "#1f6feb",
    });
    for (const role of ["member", "guest"] as const) {
      expect(ok(await as(await make.member(workspace, role)).get(tagsPath(workspace)))).toEqual(tags);
    }
    expect(await trpcClient(owner).workspace.tags.list.query({ workspacePublicId: workspace.publicId })).toEqual(tags);
    expectError(await as(await make.user()).get(tagsPath(workspace)), "FORBIDDEN");
    expectError(await anonymous.get(tagsPath(workspace)), "UNAUTHORIZED");
    expectError(await as(owner).get(`/workspaces/${UNKNOWN}/tags`), "NOT_FOUND");
    expectError(await as(owner).get("/workspaces/short/tags"), "BAD_REQUEST", "workspacePublicId");
  });
});

describe("creating", () => {
  test("a member adds a tag, its name trimmed, with an event that names it", async () => {
    const { workspace } = await make.workspace();
    const member = await make.member(workspace, "member");

    const tag = ok(await as(member).post<Tag>(tagsPath(workspace), { name: "  Urgent ", colourCode: "#ABcdef" }));

    expect(tag).toEqual({ publicId: expect.any(String), name: "Urgent", colourCode: "#ABcdef" });
    expect(await tagsOf(workspace)).toEqual([tag]);
    expect(await eventsOf(workspace)).toEqual([
      {
        seq: 1,
        type: "tag.created",
        data: { tagPublicId: tag.publicId, name: "Urgent", colourCode: "#ABcdef" },
        actor: member.publicId,
        board: null,
      },
    ]);
  });

  test("a name that another tag of the workspace has, in any case of letters, is refused; another workspace may have it", async () => {
    const { owner, workspace } = await make.workspace();
    await make.tag({ workspace, name: "Großer Übergang" });
    const before = await contentsOf(db);

    for (const name of [
      "Großer Übergang",
      "großer übergang",
      " GROßER ÜBERGANG ",
      "Großer Übergang".normalize("NFD"),
    ]) {
      const res = await as(owner).post(tagsPath(workspace), { name, colourCode: "#112233" });
      expectError(res, "BAD_REQUEST", "name");
    }
    expect(await contentsOf(db)).toEqual(before);
    await make.tag({ name: "Großer Übergang" });
  });

  test("of tags of one name added at once a single one is made, with one event", async () => {
    const { owner, workspace } = await make.workspace();

    const answers = await Promise.all(
      ["Same", "same", "SAME", "sAME", "Same", "saME"].map((name) =>
        as(owner).post(tagsPath(workspace), { name, colourCode: "#112233" }),
      ),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const res of answers.filter(({ status }) => status !== 200)) expectError(res, "BAD_REQUEST", "name");
    expect(await tagsOf(workspace)).toHaveLength(1);
    expect(await eventsOf(workspace)).toMatchObject([{ seq: 1 }]);
  });

  test.each([
    ["name", { colourCode: "#112233" }],
    ["name", { name: " ", colourCode: "#112233" }],
    ["name", { name: "x".repeat(65), colourCode: "#112233" }],
    ["name", { name: "a\u0000", colourCode: "#112233" }],
    ["colourCode", { name: "x" }],
    ["colourCode", { name: "x", colourCode: "red" }],
    ["colourCode", { name: "x", colourCode: "#12345" }],
    ["colourCode", { name: "x", colourCode: "#112233 " }],
    ["publicId", { name: "x", colourCode: "#112233", publicId: UNKNOWN }],
  ])("a wrong %s is refused: %j", async (field, body) => {
    const { owner, workspace } = await make.workspace();
    expectError(await as(owner).post(tagsPath(workspace), body), "BAD_REQUEST", field);
  });

  test("a name may have 64 characters, counted as people count them", async () => {
    const { tag } = await make.tag({ name: "🙂".repeat(64) });
    expect(tag.name).toBe("🙂".repeat(64));
  });

  test("guests, strangers and read tokens cannot, and an unknown workspace is FORBIDDEN", async () => {
    const { owner, workspace } = await make.workspace();
    const body = { name: "Mine", colourCode: "#112233" };

    for (const person of await bystandersOf(workspace)) {
      expectError(await as(person).post(tagsPath(workspace), body), "FORBIDDEN");
    }
    expectError(await as(owner).post(`/workspaces/${UNKNOWN}/tags`, body), "FORBIDDEN");
    await expectTrpcError(
      trpcClient(owner).workspace.tags.create.mutate({ workspacePublicId: UNKNOWN, ...body }),
      "FORBIDDEN",
    );
    expect(await tagsOf(workspace)).toEqual([]);
  });
});

describe("updating", () => {
  test("name and colour are changed, with one event that tells from and to", async () => {
    const { owner, workspace, tag } = await make.tag({ name: "Before" });
    const path = `${tagsPath(workspace)}/${tag.publicId}`;

    const updated = ok(await as(owner).put(path, { name: " After ", colourCode: "#000000" }));
    expect(updated).toEqual({ publicId: tag.publicId, name: "After", colourCode: "#000000" });
    expect(ok(await as(owner).put(path, { colourCode: "#ffffff" }))).toEqual({ ...updated, colourCode: "#ffffff" });

    expect(await tagsOf(workspace)).toEqual([{ ...updated, colourCode: "#ffffff" }]);
    const colour = (from: string, to: string) => ({ colourCode: { from, to } });
    expect((await eventsOf(workspace)).slice(1)).toMatchObject([
      {
        type: "tag.updated",
        data: {
          tagPublicId: tag.publicId,
          name: "After",
          changes: { name: { from: "Before", to: "After" }, ...colour("#1f6feb", "#000000") },
        },
        actor: owner.publicId,
      },
      { data: { tagPublicId: tag.publicId, name: "After", changes: colour("#000000", "#ffffff") } },
    ]);
  });

  test("nothing given, or the same again, changes nothing and writes no event", async () => {
    const { owner, workspace, tag } = await make.tag();
    const path = `${tagsPath(workspace)}/${tag.publicId}`;
    const before = await contentsOf(db);

    expect(ok(await as(owner).put(path, {}))).toEqual(tag);
    expect(ok(await as(owner).put(path, { name: tag.name, colourCode: tag.colourCode }))).toEqual(tag);
    expect(await contentsOf(db)).toEqual(before);
  });

  test("a tag may change the case of its own name, and its old name is free", async () => {
    const { owner, workspace, tag } = await make.tag({ name: "bug" });
    const path = `${tagsPath(workspace)}/${tag.publicId}`;

    expect(ok(await as(owner).put(path, { name: "BUG" }))).toMatchObject({ name: "BUG" });
    ok(await as(owner).put(path, { name: "Defect" }));
    await make.tag({ workspace, name: "Bug" });
    expectError(await as(owner).put(path, { name: "bug" }), "BAD_REQUEST", "name");
    expect((await tagsOf(workspace)).map(({ name }) => name)).toEqual(["Bug", "Defect"]);
  });

  test("of tags that take one name at once a single one gets it", async () => {
    const { owner, workspace } = await make.workspace();
    const made = [];
    for (let n = 0; n < 4; n += 1) made.push((await make.tag({ workspace })).tag);

    const answers = await Promise.all(
      made.map(({ publicId }) => as(owner).put(`${tagsPath(workspace)}/${publicId}`, { name: "One" })),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const res of answers.filter(({ status }) => status !== 200)) expectError(res, "BAD_REQUEST", "name");
  });

  test("a tag of another workspace is not found, and is not changed", async () => {
    const { owner, workspace } = await make.workspace();
    const { workspace: other, tag } = await make.tag({ workspace: (await make.workspace({ owner })).workspace });

    for (const tagPublicId of [tag.publicId, UNKNOWN]) {
      expectError(await as(owner).put(`${tagsPath(workspace)}/${tagPublicId}`, { name: "Mine" }), "NOT_FOUND");
      expectError(await as(owner).delete(`${tagsPath(workspace)}/${tagPublicId}`), "NOT_FOUND");
    }
    expectError(await as(owner).put(`/workspaces/${UNKNOWN}/tags/${tag.publicId}`, { name: "Mine" }), "NOT_FOUND");
    expect(await tagsOf(other)).toEqual([tag]);
  });

  test("guests, strangers and read tokens can neither change nor delete a tag", async () => {
    const { workspace, tag } = await make.tag();
    const path = `${tagsPath(workspace)}/${tag.publicId}`;

    for (const person of await bystandersOf(workspace)) {
      expectError(await as(person).put(path, { name: "Mine" }), "FORBIDDEN");
      expectError(await as(person).delete(path), "FORBIDDEN");
      expectError(await as(person).put(path, { name: "" }), "BAD_REQUEST", "name");
    }
    expect(await tagsOf(workspace)).toEqual([tag]);
  });
});

describe("deleting", () => {
  test("a member deletes a tag, which takes it off its boards, with an event that names it", async () => {
    const { owner, workspace, board } = await make.board();
    const { tag } = await make.tag({ workspace });
    const { tag: other } = await make.tag({ workspace });
    for (const { publicId } of [tag, other]) ok(await as(owner).put(`/boards/${board.publicId}/tags/${publicId}`));
    const member = await make.member(workspace, "member");
    const path = `${tagsPath(workspace)}/${tag.publicId}`;

    expect(ok(await as(member).delete(path))).toEqual({ success: true });

    expect(await tagsOf(workspace)).toEqual([other]);
    expect(
      await db.rows(sql`select t.public_id as tag from board_tag bt join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id
        join board b on b.workspace_id = bt.workspace_id and b.id = bt.board_id where b.public_id = ${board.publicId}::text`),
    ).toEqual([{ tag: other.publicId }]);
    expect((await eventsOf(workspace)).at(-1)).toMatchObject({
      type: "tag.deleted",
      data: { tagPublicId: tag.publicId, name: tag.name, colourCode: tag.colourCode },
      actor: member.publicId,
    });
    expectError(await as(member).delete(path), "NOT_FOUND");
  });

  test("deleted twice at once, a tag is deleted once, with one event", async () => {
    const { owner, workspace, tag } = await make.tag();
    const path = `${tagsPath(workspace)}/${tag.publicId}`;

    const answers = await Promise.all([as(owner).delete(path), as(owner).delete(path)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(await eventsOf(workspace)).toMatchObject([{ type: "tag.created" }, { type: "tag.deleted" }]);
  });

  test("tags can be renamed and deleted while they are put on boards and taken off", async () => {
    const { owner, workspace, board } = await make.board();
    const tags = [];
    for (let n = 0; n < 6; n += 1) tags.push((await make.tag({ workspace })).tag);

    const answers = await Promise.all(
      tags.flatMap(({ publicId, name }) => [
        as(owner).put(`/boards/${board.publicId}/tags/${publicId}`),
        as(owner).put(`${tagsPath(workspace)}/${publicId}`, { name: `${name}!` }),
        as(owner).put(`/boards/${board.publicId}/tags/${publicId}`),
        as(owner).delete(`${tagsPath(workspace)}/${publicId}`),
      ]),
    );

    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect(await tagsOf(workspace)).toEqual([]);
  });
});
