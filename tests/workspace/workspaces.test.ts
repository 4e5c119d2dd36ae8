// Workspaces as they are listed, read and changed, whether a slug is free, and what each role may do.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { permissionsOf } from "../../src/access/permissions.js";
import { contentsOf, expectError, expectTrpcError, freshSlug, ok, testApp } from "../helpers/app.js";
import { workspaceRowsOn } from "./workspaceRows.js";

const app = await testApp();
const { as, anonymous, make, db, trpcClient } = app;
const { keyOf, stored } = workspaceRowsOn(app);

const UNKNOWN = "AAAAAAAAAAAA";

const eventsOf = async (workspace: { publicId: string }) =>
  db.rows<{ seq: number; type: string; data: Record<string, unknown>; actor: string; board: string | null }>(sql`
    select e.seq, e.type, e.data, a.public_id as actor, e.board_public_id as board
    from event e join account a on a.id = e.actor_id
    where e.workspace_id = ${await keyOf(workspace)}::bigint order by e.seq`);

/** A workspace with a member, a guest and a stranger beside its admin. */
async function peopled() {
  const { owner: admin, workspace } = await make.workspace();
  const [member, guest, stranger] = await Promise.all([
    make.member(workspace, "member"),
    make.member(workspace, "guest"),
    make.user(),
  ]);
  return { admin, member, guest, stranger, workspace };
}

describe("listing", () => {
  test("the list holds the caller's own workspaces alone, by name, with its role in each", async () => {
    const ada = await make.user();
    const names = ["Zoo", "apple 10", "apple 2", "Äpfel"];
    for (const name of names) await make.workspace({ owner: ada, name });
    const { workspace: joined } = await make.workspace({ name: "Middle" });
    await make.member(joined, "guest", ada);
    await make.workspace();

    const list = ok(await as(ada).get<Record<string, unknown>[]>("/workspaces"));

    expect(list.map(({ name, role }) => [name, role])).toEqual([
      ["Äpfel", "admin"],
      ["apple 2", "admin"],
      ["apple 10", "admin"],
      ["Middle", "guest"],
      ["Zoo", "admin"],
    ]);
    expect(list[3]).toEqual({
      publicId: joined.publicId,
      name: "Middle",
      slug: joined.slug,
      description: "",
      plan: "free",
      role: "guest",
      me: { memberPublicId: expect.any(String), role: "guest", permissions: permissionsOf("guest") },
    });
    expect(await trpcClient(ada).workspace.list.query()).toEqual(list);
  });

  test("a bound token lists its workspace alone, a read token all, nobody none", async () => {
    const { owner, workspace } = await make.workspace();
    await make.workspace({ owner });
    const bound = await make.token(owner, { workspacePublicId: workspace.publicId, scope: "read" });
    const reader = await make.token(owner, { scope: "read" });

    expect(ok(await as(bound).get("/workspaces"))).toMatchObject([{ publicId: workspace.publicId }]);
    expect(ok(await as(reader).get("/workspaces"))).toHaveLength(2);
    expect(ok(await as(await make.user()).get("/workspaces"))).toEqual([]);
    expectError(await anonymous.get("/workspaces"), "UNAUTHORIZED");
  });
});

describe("reading", () => {
  test("everyone of a workspace reads it and sees its own role; strangers and bound tokens of another do not", async () => {
    const { admin, member, guest, stranger, workspace } = await peopled();
    const path = `/workspaces/${workspace.publicId}`;

    const seen = ok(await as(admin).get(path));
    const shown = { publicId: workspace.publicId, ...Object(await stored(workspace)), me: expect.any(Object) };
    expect(seen).toEqual({ ...shown, role: "admin" });
    expect(ok(await as(member).get(path))).toEqual({ ...shown, role: "member" });
    expect(ok(await as(guest).get(path))).toEqual({ ...shown, role: "guest" });

    const { workspace: other } = await make.workspace({ owner: admin });
    const bound = await make.token(admin, { workspacePublicId: other.publicId });
    expectError(await as(stranger).get(path), "FORBIDDEN");
    expectError(await as(bound).get(path), "FORBIDDEN");
    expectError(await as(admin).get(`/workspaces/${UNKNOWN}`), "NOT_FOUND");
    expectError(await as(admin).get("/workspaces/short"), "BAD_REQUEST", "workspacePublicId");
    expectError(await anonymous.get(path), "UNAUTHORIZED");
  });
});

describe("updating", () => {
  test("each field is changed and stored, with one event that tells from and to", async () => {
    const { owner, workspace } = await make.workspace({ name: "Before" });
    const slug = freshSlug();
    const before = Object(await stored(workspace));

    const updated = ok(
      await as(owner).put(`/workspaces/${workspace.publicId}`, {
        name: "  After ",
        slug: slug.toUpperCase(),
        description: "All of it",
        showEmailsToMembers: false,
        weekStartDay: 0,
        cardPrefix: "ZZ9",
      }),
    );

    const after = { name: "After", slug, description: "All of it", showEmailsToMembers: false, weekStartDay: 0 };
    expect(updated).toEqual({ publicId: workspace.publicId, plan: "free", ...after });
    expect(await stored(workspace)).toEqual({ ...after, plan: "free", cardPrefix: "ZZ9" });
    const changes = Object.fromEntries(
      Object.entries({ ...after, cardPrefix: "ZZ9" }).map(([field, to]) => [field, { from: before[field], to }]),
    );
    expect(await eventsOf(workspace)).toEqual([
      { seq: 1, type: "workspace.updated", data: { changes }, actor: owner.publicId, board: null },
    ]);
  });

  test("an omitted field keeps its value, and the event names only what changed", async () => {
    const { owner, workspace } = await make.workspace();
    const before = Object(await stored(workspace));

    ok(
      await as(owner).put(`/workspaces/${workspace.publicId}`, {
        name: ` ${workspace.name} `,
        slug: workspace.slug.toUpperCase(),
        weekStartDay: 6,
      }),
    );

    expect(await stored(workspace)).toEqual({ ...before, weekStartDay: 6 });
    expect(await eventsOf(workspace)).toMatchObject([{ data: { changes: { weekStartDay: { from: 1, to: 6 } } } }]);
  });

  test("nothing given, or the same again, changes nothing and writes no event", async () => {
    const { owner, workspace } = await make.workspace();
    const path = `/workspaces/${workspace.publicId}`;
    const before = await contentsOf(db);

    const { role: _, cardPrefix: __, me: ___, ...shown } = ok(await as(owner).get(path));
    expect(ok(await as(owner).put(path, {}))).toEqual(shown);
    expect(ok(await as(owner).put(path))).toEqual(shown);
    const { name, slug } = workspace;
    expect(ok(await as(owner).put(path, { name, slug, description: "", showEmailsToMembers: true }))).toEqual(shown);
    expect(await contentsOf(db)).toEqual(before);
  });

  test("a slug that another workspace has, or a reserved one, is refused and nothing else is changed either", async () => {
    const { workspace: other } = await make.workspace();
    const { owner, workspace } = await make.workspace();
    const before = await stored(workspace);

    for (const slug of [other.slug, other.slug.toUpperCase(), "invite", "DOCS"]) {
      const res = await as(owner).put(`/workspaces/${workspace.publicId}`, { name: "Changed", slug });
      expectError(res, "BAD_REQUEST", "slug");
    }
    expect(await stored(workspace)).toEqual(before);
    expect(await eventsOf(workspace)).toEqual([]);
  });

  test("of workspaces that take one slug at once a single one gets it", async () => {
    const places = await Promise.all(Array.from({ length: 4 }, () => make.workspace()));
    const slug = freshSlug();

    const answers = await Promise.all(
      places.map(({ owner, workspace }) => as(owner).put(`/workspaces/${workspace.publicId}`, { slug })),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const res of answers.filter(({ status }) => status !== 200)) expectError(res, "BAD_REQUEST", "slug");
  });

  test("changes made at once are all kept, and their events agree on the order", async () => {
    const { owner, workspace } = await make.workspace({ name: "0" });
    const names = Array.from({ length: 8 }, (_, n) => `Name ${n}`);

    for (const res of await Promise.all(
      names.map((name) => as(owner).put(`/workspaces/${workspace.publicId}`, { name })),
    )) {
      ok(res);
    }

    const renamed = (await eventsOf(workspace)).map(({ data }) => Object(data.changes).name);
    expect(renamed.map(({ to }) => to).sort()).toEqual(names);
    expect(renamed.map(({ from }) => from)).toEqual(["0", ...renamed.slice(0, -1).map(({ to }) => to)]);
    expect(await stored(workspace)).toMatchObject({ name: renamed.at(-1)?.to });
  });

  test.each([
    ["name", { name: "" }],
    ["name", { name: null }],
    ["slug", { slug: "a_b" }],
    ["description", { description: null }],
    ["showEmailsToMembers", { showEmailsToMembers: "false" }],
    ["showEmailsToMembers", { showEmailsToMembers: null }],
    ["weekStartDay", { weekStartDay: 7 }],
    ["weekStartDay", { weekStartDay: -1 }],
    ["weekStartDay", { weekStartDay: 1.5 }],
    ["weekStartDay", { weekStartDay: "1" }],
    ["cardPrefix", { cardPrefix: "é" }],
    ["plan", { plan: "pro" }],
    ["workspacePublicId", { workspacePublicId: UNKNOWN }],
  ])("a wrong %s is refused: %j", async (field, body) => {
    const { owner, workspace } = await make.workspace();
    expectError(await as(owner).put(`/workspaces/${workspace.publicId}`, body), "BAD_REQUEST", field);
  });

  test("only an admin may, and access is judged before the state of the slug", async () => {
    const { admin, member, guest, stranger, workspace } = await peopled();
    const before = await stored(workspace);

    for (const person of [member, guest, stranger, await make.token(admin, { scope: "read" })]) {
      expectError(await as(person).put(`/workspaces/${workspace.publicId}`, { slug: "new" }), "FORBIDDEN");
      expectError(await as(person).put(`/workspaces/${workspace.publicId}`, { slug: "" }), "BAD_REQUEST", "slug");
    }
    expectError(await as(admin).put(`/workspaces/${UNKNOWN}`, { name: "x" }), "NOT_FOUND");
    await expectTrpcError(
      trpcClient(member).workspace.update.mutate({ workspacePublicId: workspace.publicId, name: "x" }),
      "FORBIDDEN",
    );
    expect(await stored(workspace)).toEqual(before);
  });
});

describe("checking a slug", () => {
  test("taken and reserved slugs are not usable in any case of letters; free ones and the own one are", async () => {
    const { workspace: other } = await make.workspace();
    const { owner, workspace } = await make.workspace();
    const check = async (slug: string) =>
      ok(await as(owner).get(`/workspaces/${workspace.publicId}/check-slug-availability?workspaceSlug=${slug}`));

    for (const slug of [other.slug, other.slug.toUpperCase(), "new", "Settings", "API", "docs", "invite"]) {
      expect(await check(slug)).toEqual({ isReserved: true });
    }
    for (const slug of [workspace.slug, workspace.slug.toUpperCase(), freshSlug(), "archived"]) {
      expect(await check(slug)).toEqual({ isReserved: false });
    }
  });

  test("wants a legal slug, given once, and an admin", async () => {
    const { admin, member, guest, stranger, workspace } = await peopled();
    const path = `/workspaces/${workspace.publicId}/check-slug-availability`;

    for (const query of ["", "?workspaceSlug=", "?workspaceSlug=ab", "?workspaceSlug=---", "?workspaceSlug=a.b"]) {
      expectError(await as(admin).get(path + query), "BAD_REQUEST", "workspaceSlug");
    }
    expectError(await as(admin).get(`${path}?workspaceSlug=abc&workspaceSlug=abd`), "BAD_REQUEST", "workspaceSlug");
    for (const person of [member, guest, stranger]) {
      expectError(await as(person).get(`${path}?workspaceSlug=abc`), "FORBIDDEN");
    }
    const unknown = await as(admin).get(`/workspaces/${UNKNOWN}/check-slug-availability?workspaceSlug=abc`);
    expectError(unknown, "NOT_FOUND");
  });
});

describe("permissions", () => {
  test("each role is told its permissions, sorted", async () => {
    const { admin, member, guest, stranger, workspace } = await peopled();
    const path = `/workspaces/${workspace.publicId}/permissions/me`;

    for (const [person, role] of [
      [admin, "admin"],
      [member, "member"],
      [guest, "guest"],
    ] as const) {
      const mine = ok(await as(person).get<{ permissions: string[] }>(path));
      expect(mine).toEqual({ permissions: permissionsOf(role), role });
      expect(mine.permissions).toEqual([...mine.permissions].sort());
    }
    expect(permissionsOf("guest")).toEqual([
      "board:view",
      "card:view",
      "comment:create",
      "comment:view",
      "list:view",
      "member:view",
      "workspace:view",
    ]);
    expectError(await as(stranger).get(path), "FORBIDDEN");
    expectError(await as(admin).get(`/workspaces/${UNKNOWN}/permissions/me`), "NOT_FOUND");
  });
});
