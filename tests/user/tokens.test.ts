// Access tokens (contract section 2, Token): what each kind may do, for how long, and how it ends.

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { REST_BASE } from "../../src/api/rest.js";
import { contentsOf, expectError, expectTrpcError, type Fields, ok, testApp } from "../helpers/app.js";
import { makeWorld, operations, sampleOf, type World } from "../helpers/samples.js";

const { as, make, db, trpcClient } = await testApp();

const DAY_MS = 86_400_000;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();

interface Listed extends Fields {
  publicId: string;
  name: string;
  lastUsedAt: string | null;
}

async function storedOf(token: string): Promise<Fields | undefined> {
  const hash = createHash("sha256").update(token).digest("hex");
  const [row] = await db.rows<Fields>(sql`select * from access_token where token_hash = ${hash}::text`);
  return row;
}

describe("a new token", () => {
  test("is shown once, has 256 random bits, and only its SHA-256 is stored", async () => {
    const ada = await make.user();
    const body = ok(await as(ada).post("/tokens", { name: " For a script ", scope: "read" }));

    expect(body).toEqual({
      publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      name: "For a script",
      scope: "read",
      workspacePublicId: null,
      accessToken: expect.stringMatching(/^wb_[\w-]{43}$/),
      expiresAt: null,
    });
    const token = String(body.accessToken);
    const stored = await storedOf(token);
    expect(stored).toMatchObject({ public_id: body.publicId, kind: "personal" });
    expect(JSON.stringify(stored)).not.toContain(token.slice(3));
    expect(JSON.stringify(ok(await as(ada).get("/tokens")))).not.toContain(token.slice(3));
  });

  test("lives until expiresAt, which must be in the future", async () => {
    const ada = await make.user();
    const body = { name: "a", scope: "read" };
    const expiresAt = inFuture(DAY_MS);
    expect(ok(await as(ada).post("/tokens", { ...body, expiresAt })).expiresAt).toBe(expiresAt);
    expect(ok(await as(ada).post("/tokens", { ...body, expiresAt: "2099-01-31T10:00:00+02:00" })).expiresAt).toBe(
      "2099-01-31T08:00:00.000Z",
    );
    expect(ok(await as(ada).post("/tokens", { ...body, expiresAt: "2099-01-31" })).expiresAt).toBe(
      "2099-01-31T00:00:00.000Z",
    );
    for (const wrong of [inFuture(-1), "2020-01-01", "2099-02-30", "2099-01-31T10:00:00", "tomorrow", ""]) {
      expectError(await as(ada).post("/tokens", { ...body, expiresAt: wrong }), "BAD_REQUEST", "expiresAt");
    }
    expect(ok(await as(ada).get<Listed[]>("/tokens"))).toHaveLength(3);
  });

  test("is one of at most 100 a user, also when several are asked for at once", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const create = () => as(ada).post("/tokens", { name: "a", scope: "read" });
    for (let made = 0; made < 97; made += 1) ok(await create());

    const last = await Promise.all(Array.from({ length: 6 }, create));
    expect(last.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const res of last.filter(({ status }) => status !== 200)) expectError(res, "BAD_REQUEST");
    const list = ok(await as(ada).get<Listed[]>("/tokens"));
    expect(list).toHaveLength(100);

    ok(await as(bob).post("/tokens", { name: "a", scope: "read" }));
    ok(await as(ada).delete(`/tokens/${list[0]?.publicId}`));
    ok(await create());
    expectError(await create(), "BAD_REQUEST");
  });
});

describe("the list of tokens", () => {
  test("holds the caller's personal tokens in the order of their creation, with exactly the fields of the contract", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const [b, a] = [await make.token(ada, { name: "b" }), await make.token(ada, { name: "a", scope: "read" })];
    await make.token(bob);
    const common = {
      workspacePublicId: null,
      createdAt: expect.stringMatching(ISO),
      expiresAt: null,
      lastUsedAt: null,
    };
    expect(ok(await as(ada).get("/tokens"))).toEqual([
      { publicId: b.publicId, name: "b", scope: "write", ...common },
      { publicId: a.publicId, name: "a", scope: "read", ...common },
    ]);
  });

  test("tells when a token was last used, to the minute", async () => {
    const ada = await make.user();
    const token = await make.token(ada);
    const lastUsed = async () => ok(await as(ada).get<Listed[]>("/tokens"))[0]?.lastUsedAt ?? null;
    expect(await lastUsed()).toBeNull();

    ok(await as(token).get("/users/me"));
    await expect.poll(lastUsed).toMatch(ISO);
    const first = await lastUsed();
    expect(Math.abs(Date.parse(String(first)) - Date.now())).toBeLessThan(60_000);
    ok(await as(token).get("/users/me"));
    expect(await lastUsed()).toBe(first);

    await db.rows(sql`
      update access_token set last_used_at = now() - interval '61 seconds' where public_id = ${token.publicId}::text`);
    ok(await as(token).get("/users/me"));
    await expect
      .poll(async () => Date.parse(String(await lastUsed())))
      .toBeGreaterThanOrEqual(Date.parse(String(first)));
  });
});

test("a call is answered although its use cannot be noted", async () => {
  const ada = await make.user();
  const token = await make.token(ada);
  await db.rows(sql`
    create function refuse_uses() returns trigger language plpgsql as $$
    begin
      if new.public_id = '${sql.raw(token.publicId)}' and new.last_used_at is not null then
        raise exception 'no uses' using errcode = '55000';
      end if;
      return new;
    end $$`);
  await db.rows(
    sql`create trigger refuse_uses before update on access_token for each row execute function refuse_uses()`,
  );
  onTestFinished(async () => void (await db.rows(sql`drop function refuse_uses cascade`)));
  for (let count = 0; count < 3; count += 1) {
    ok(await as(token).get("/users/me"));
    await sleep(150);
  }
  expect(ok(await as(ada).get<Listed[]>("/tokens"))[0]?.lastUsedAt).toBeNull();
});

describe("the end of a token", () => {
  test("comes with the request after its revocation", async () => {
    const ada = await make.user();
    const token = await make.token(ada);
    ok(await as(token).get("/users/me"));
    expect(ok(await as(ada).delete(`/tokens/${token.publicId}`))).toEqual({ success: true });
    expectError(await as(token).get("/users/me"), "UNAUTHORIZED");
    expectError(await as(ada).delete(`/tokens/${token.publicId}`), "NOT_FOUND");
  });

  test("is not for others to bring: somebody else's token, and a session, are NOT_FOUND", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const token = await make.token(ada);
    expectError(await as(bob).delete(`/tokens/${token.publicId}`), "NOT_FOUND");
    ok(await as(token).get("/users/me"));
    const session = await storedOf(ada.token);
    expectError(await as(ada).delete(`/tokens/${session?.public_id}`), "NOT_FOUND");
    ok(await as(ada).get("/users/me"));
  });

  test("comes at expiresAt", async () => {
    const ada = await make.user();
    const token = await make.token(ada, { expiresAt: inFuture(DAY_MS) });
    ok(await as(token).get("/users/me"));
    await db.rows(sql`
      update access_token set expires_at = now() - interval '1 second' where public_id = ${token.publicId}::text`);
    expectError(await as(token).get("/users/me"), "UNAUTHORIZED");
  });

  test("of a session comes 30 days after its last use, and each use puts it off; that of a personal token stays", async () => {
    const ada = await make.user();
    const personal = await make.token(ada, { expiresAt: inFuture(DAY_MS) });
    const age = (token: string) => {
      const hash = createHash("sha256").update(token).digest("hex");
      return db.rows(sql`
        update access_token set last_used_at = now() - interval '29 days', expires_at = now() + interval '1 day'
        where token_hash = ${hash}::text`);
    };
    await age(ada.token);
    await age(personal.token);
    ok(await as(ada).get("/users/me"));
    ok(await as(personal).get("/users/me"));

    const days = async (token: string) =>
      (Date.parse(String((await storedOf(token))?.expires_at)) - Date.now()) / DAY_MS;
    await expect.poll(() => days(ada.token)).toBeCloseTo(30, 1);
    expect(await days(personal.token)).toBeCloseTo(1, 1);

    await db.rows(sql`
      update access_token set expires_at = now() - interval '1 second'
      where account_id = (select id from account where public_id = ${ada.publicId}::text)`);
    expectError(await as(ada).get("/users/me"), "UNAUTHORIZED");
  });
});

describe("a personal token, even one that writes,", () => {
  test.each([
    ["GET", "/tokens", undefined],
    ["POST", "/tokens", { name: "a", scope: "read" }],
    ["DELETE", "/tokens/abcdefghijkl", undefined],
    ["PUT", "/users/me", { name: "Other" }],
    ["PUT", "/users/me/password", { currentPassword: "a", newPassword: "a new password" }],
    ["POST", "/users/me/delete", { password: "a" }],
  ] as const)("is FORBIDDEN %s %s, which wants a session, after its input was checked", async (method, path, body) => {
    const ada = await make.user();
    const token = await make.token(ada);
    const send = (fields: object | undefined) =>
      as(token).send<{ issues: unknown }>({
        method,
        url: REST_BASE + path,
        ...(fields && { body: JSON.stringify(fields) }),
        headers: { "content-type": "application/json" },
      });
    const before = await contentsOf(db);
    expectError(await send(body), "FORBIDDEN");
    if (method !== "GET") expectError(await send({ ...body, unknownField: 1 }), "BAD_REQUEST", "unknownField");
    expect(await contentsOf(db)).toEqual(before);
    expect(ok(await as(ada).get("/users/me")).name).toBe(ada.name);
  });

  test("is FORBIDDEN over tRPC too, also for an operation called without an input", async () => {
    const token = await make.token(await make.user());
    await expectTrpcError(trpcClient(token).user.tokens.list.query(), "FORBIDDEN");
    await expectTrpcError(trpcClient(token).user.update.mutate({ name: "Other" }), "FORBIDDEN");
    await expectTrpcError(
      trpcClient(token).user.tokens.create.mutate({ name: "", scope: "read" }),
      "BAD_REQUEST",
      "name",
    );
  });
});

describe("a read token", () => {
  let world: World;
  let reader: { token: string };
  beforeAll(async () => {
    world = await makeWorld(make);
    reader = await make.token(world.owner, { scope: "read" });
  });

  // Who is no instance admin finds nothing under `/admin`, whatever is sent.
  const isAdministration = (path: string) => path.startsWith("admin.");
  const mutations = operations.filter(
    ({ type, isPublic, path }) => type === "mutation" && !isPublic && !isAdministration(path),
  );
  const inPath = (restPath: string) => [...restPath.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

  test.each(mutations)("is FORBIDDEN $path after its input was checked, and changes nothing", async (operation) => {
    const sample = sampleOf(operation, world.ids);
    const names = inPath(operation.restPath);
    const path = names.reduce((text, name) => text.replace(`{${name}}`, String(sample[name])), operation.restPath);
    const body = Object.fromEntries(Object.entries(sample).filter(([name]) => !names.includes(name)));
    const send = (fields: object) =>
      as(reader).send({
        method: operation.method,
        url: REST_BASE + path,
        body: JSON.stringify(fields),
        headers: { "content-type": "application/json" },
      });
    const overTrpc = (fields: object) =>
      as(reader).send<{ error: { data: Fields } }>({
        method: "POST",
        url: `/trpc/${operation.path}`,
        body: JSON.stringify(fields),
        headers: { "content-type": "application/json" },
      });

    const before = await contentsOf(db);
    expectError(await send({ ...body, unknownField: 1 }), "BAD_REQUEST", "unknownField");
    expectError(await send(body), "FORBIDDEN");
    expect((await overTrpc({ ...sample, unknownField: 1 })).body.error.data.code).toBe("BAD_REQUEST");
    expect((await overTrpc(sample)).body.error.data.code).toBe("FORBIDDEN");
    expect(await contentsOf(db)).toEqual(before);
  });

  test("is FORBIDDEN a mutation over tRPC that is called without an input", async () => {
    await expectTrpcError(trpcClient(reader).user.signOut.mutate(), "FORBIDDEN");
    ok(await as(reader).get("/users/me"));
  });

  test("reads what its owner reads, but for what it may do there itself", async () => {
    const { owner, ids } = world;
    const withoutOwn = (text: string) => JSON.parse(text, (name, value) => (name === "permissions" ? null : value));
    for (const path of [
      "/users/me",
      "/workspaces",
      `/workspaces/${ids.workspacePublicId}`,
      `/boards/${ids.boardPublicId}`,
    ]) {
      const [read, own] = [await as(reader).get(path), await as(owner).get(path)];
      expect([read.status, withoutOwn(read.text)]).toEqual([200, withoutOwn(own.text)]);
    }
  });
});

describe("a token bound to a workspace", () => {
  test("reaches that workspace and what is in it, and is FORBIDDEN every other one", async () => {
    const { owner, workspace, board, list, card } = await make.card();
    const other = await make.card({ list: (await make.list({ board: (await make.board({ owner })).board })).list });
    const bound = await make.token(owner, { workspacePublicId: workspace.publicId });

    ok(await as(bound).get(`/workspaces/${workspace.publicId}`));
    ok(await as(bound).get(`/boards/${board.publicId}`));
    ok(await as(bound).put(`/lists/${list.publicId}`, { name: "Renamed" }));
    ok(await as(bound).get(`/cards/${card.publicId}`));

    for (const res of [
      await as(bound).get(`/workspaces/${other.workspace.publicId}`),
      await as(bound).get(`/workspaces/${other.workspace.publicId}/boards`),
      await as(bound).get(`/boards/${other.board.publicId}`),
      await as(bound).put(`/lists/${other.list.publicId}`, { name: "Renamed" }),
      await as(bound).get(`/cards/${other.card.publicId}`),
      await as(bound).put(`/cards/${other.card.publicId}`, { title: "Renamed" }),
      await as(bound).post("/cards", { title: "a", listPublicId: other.list.publicId }),
      await as(bound).put(`/cards/${card.publicId}`, { listPublicId: other.list.publicId }),
    ]) {
      expectError(res, "FORBIDDEN");
    }
    ok(await as(owner).get(`/cards/${other.card.publicId}`));
  });

  test("lists its workspace alone, and makes none", async () => {
    const { owner, workspace } = await make.workspace();
    await make.workspace({ owner });
    const bound = await make.token(owner, { workspacePublicId: workspace.publicId });
    const before = await contentsOf(db);
    expectError(await as(bound).post("/workspaces", { name: "Another" }), "FORBIDDEN");
    expect(await contentsOf(db)).toEqual(before);
    const list = ok(await as(bound).get<Fields[]>("/workspaces"));
    expect(list.map(({ publicId }) => publicId)).toEqual([workspace.publicId]);
    ok(await as(bound).get("/users/me"));
  });

  test("is shown with its workspace, and can be bound only to one the caller belongs to", async () => {
    const { owner, workspace } = await make.workspace();
    const foreign = (await make.workspace()).workspace;
    const body = { name: "a", scope: "read" };
    const made = ok(await as(owner).post("/tokens", { ...body, workspacePublicId: workspace.publicId }));
    expect(made.workspacePublicId).toBe(workspace.publicId);
    expect(ok(await as(owner).get<Fields[]>("/tokens"))[0]).toMatchObject({ workspacePublicId: workspace.publicId });
    for (const workspacePublicId of [foreign.publicId, "unknownunknown"]) {
      expectError(await as(owner).post("/tokens", { ...body, workspacePublicId }), "FORBIDDEN");
    }
  });

  test("gives a guest of the workspace no more than the guest has", async () => {
    const { workspace, board } = await make.board();
    const guest = await make.member(workspace, "guest");
    const bound = await make.token(guest, { workspacePublicId: workspace.publicId });
    expectError(await as(bound).get(`/boards/${board.publicId}`), "FORBIDDEN");
  });

  test("ends with the workspace", async () => {
    const { owner, workspace } = await make.workspace();
    const bound = await make.token(owner, { workspacePublicId: workspace.publicId });
    ok(await as(bound).get("/users/me"));
    ok(await as(owner).delete(`/workspaces/${workspace.publicId}`));
    expectError(await as(bound).get("/users/me"), "UNAUTHORIZED");
    expect(ok(await as(owner).get("/tokens"))).toEqual([]);
  });
});
