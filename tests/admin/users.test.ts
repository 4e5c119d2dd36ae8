// What instance admins do with accounts, and what becomes of whoever is disabled.

import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { updatePerson } from "../../src/admin/administeredAccounts.js";
import { account } from "../../src/db/schema/index.js";
import { commitSignalOf } from "../../src/events/commitSignal.js";
import { expectError, expectTrpcError, ok, type Person, testApp, unique } from "../helpers/app.js";
import { accountIdOf } from "../helpers/recovery.js";
import { read } from "../helpers/streams.js";

const { as, anonymous, make, db, listening, trpcClient } = await testApp({}, { heartbeatMs: 50 });
const admin = await make.instanceAdmin();

interface AdminUser {
  publicId: string;
  name: string;
  status: string;
  isAdmin: boolean;
  lastSeenAt: string | null;
  workspaceCount: number;
}

const update = (person: Pick<Person, "publicId">, changes: object, by: Person = admin) =>
  as(by).put<AdminUser>(`/admin/users/${person.publicId}`, changes);
const list = async (query: Record<string, string>) =>
  ok(
    await as(admin).get<{ items: AdminUser[]; nextCursor: string | null }>(
      `/admin/users?${new URLSearchParams(query)}`,
    ),
  );

describe("a path of instance admins", () => {
  test.each(["GET", "POST", "PUT", "DELETE"] as const)(
    "is not there for others, whatever they send by %s, nor known without a token",
    async (method) => {
      const person = await make.user();
      for (const path of ["/admin/users", "/admin/nothing", `/admin/users/${admin.publicId}`]) {
        const request = { method, url: `/api/v1${path}`, headers: { "content-type": "application/json" }, body: "{" };
        const sent = method === "GET" ? { method, url: request.url } : request;
        expectError(await as(person).send(sent), "NOT_FOUND");
        expectError(await anonymous.send(sent), "UNAUTHORIZED");
      }
    },
  );

  test("wants a session: a personal token of an instance admin does not do", async () => {
    const token = await make.token(admin);
    expectError(await as(token).get("/admin/users"), "NOT_FOUND");
    expectError(await as(token).get("/admin/users?limit=0"), "NOT_FOUND");
  });

  test("is gone with the next call for whoever is no longer one, over tRPC too", async () => {
    const other = await make.instanceAdmin();
    ok(await as(other).get("/admin/users"));
    ok(await update(other, { isAdmin: false }));
    expectError(await as(other).get("/admin/users"), "NOT_FOUND");
    await expectTrpcError(trpcClient(other).admin.users.list.query({}), "NOT_FOUND");
  });
});

test("an instance admin who lost the right while a call waited is refused", async () => {
  const [former, person] = [await make.instanceAdmin(), await make.user()];
  ok(await update(former, { isAdmin: false }));
  const [found] = await db.select({ id: account.id }).from(account).where(eq(account.publicId, former.publicId));
  const operator = { accountId: found?.id ?? 0, client: null };
  const late = db.transaction((tx) => updatePerson(tx, operator, person.publicId, { disabled: true }));
  await expect(late).rejects.toMatchObject({ code: "NOT_FOUND" });
  ok(await as(person).get("/users/me"));
});

describe("the list of accounts", () => {
  test("is searched by name and address, and paged in the order of creation", async () => {
    const word = unique("Quill").replace(" ", "");
    const people = [await make.user({ name: `${word} One` }), await make.user({ email: `${word}@example.org` })];
    await make.workspace(people[0] && { owner: people[0] });
    const first = await list({ search: word.toUpperCase(), limit: "1" });
    const second = await list({ search: word.toUpperCase(), limit: "1", cursor: first.nextCursor ?? "" });
    expect([...first.items, ...second.items].map(({ publicId }) => publicId)).toEqual(
      people.map(({ publicId }) => publicId),
    );
    expect(first.items[0]).toMatchObject({ status: "active", isAdmin: false, workspaceCount: 1 });
    expect(Date.parse(first.items[0]?.lastSeenAt ?? "")).toBeGreaterThan(Date.now() - 600_000);
    expect(second.nextCursor).toBeNull();
    expect((await list({ search: "%" })).items).toEqual([]);
    expectError(await as(admin).get(`/admin/users?search=other&cursor=${first.nextCursor}`), "BAD_REQUEST", "cursor");
  });

  test("tells active, disabled and guest apart", async () => {
    const person = await make.user();
    const statuses = async (status: string) =>
      (await list({ search: person.name, status })).items.map((found) => found.publicId);
    expect(await statuses("active")).toEqual([person.publicId]);
    ok(await update(person, { disabled: true }));
    expect([await statuses("active"), await statuses("disabled"), await statuses("guest")]).toEqual([
      [],
      [person.publicId],
      [],
    ]);
  });

  test("lists a disabled guest as disabled, and not among the guests", async () => {
    const { workspace } = await make.workspace();
    const { inviteCode } = ok(
      await as(workspace.owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`),
    );
    const token = (await anonymous.post("/invites/accept", { inviteCode })).headers["x-access-token"] ?? "";
    const guest = ok(await as({ token }).get<{ publicId: string }>("/users/me"));
    const name = unique("Visitor");
    ok(await as({ token }).put("/users/me", { name }));
    const statuses = async (status: string) =>
      (await list({ search: name, status })).items.map((found) => [found.publicId, found.status]);
    expect(await statuses("guest")).toEqual([[guest.publicId, "guest"]]);
    ok(await update(guest, { disabled: true }));
    expect(await statuses("guest")).toEqual([]);
    expect(await statuses("disabled")).toEqual([[guest.publicId, "disabled"]]);
  });
});

test("who follows what an account sees is woken at once when it is disabled", async () => {
  const person = await make.user();
  const accountId = await accountIdOf(db, person);
  let isWoken = false;
  const stop = commitSignalOf(db).subscribe(({ accounts }) => {
    isWoken ||= accounts.has(accountId);
  });
  ok(await update(person, { disabled: true }));
  stop();
  expect(isWoken).toBe(true);
});

test("an account that was not disabled keeps its change of address when an admin is made of it", async () => {
  const person = await make.user();
  const pendingEmail = `${unique("new")}@example.org`;
  await db.update(account).set({ pendingEmail }).where(eq(account.publicId, person.publicId));
  ok(await update(person, { disabled: false, isAdmin: true }));
  expect(ok(await as(person).get<object>("/users/me"))).toMatchObject({ pendingEmail });
  ok(await update(person, { isAdmin: false }));
});

describe("a disabled account", () => {
  test("is out at once, with its personal tokens and streams, and comes back without them", async () => {
    const { board, workspace } = await make.board();
    const member = await make.member(workspace, "member");
    const token = await make.token(member);
    const streams = await Promise.all(
      [`/boards/${board.publicId}/stream`, "/notifications/stream"].map(async (path) =>
        read(`${await listening()}/api/v1${path}`, member.token),
      ),
    );
    ok(await as(token).get("/users/me"));

    expect(ok(await update(member, { disabled: true }))).toMatchObject({ status: "disabled", isAdmin: false });
    for (const bearer of [member, token]) {
      expectError(await as(bearer).get("/users/me"), "UNAUTHORIZED");
      expectError(await as(bearer).post("/lists", { name: "Mine", boardPublicId: board.publicId }), "UNAUTHORIZED");
    }
    for (const stream of streams) {
      await stream.ended;
    }
    const { email, password } = member;
    expectError(await anonymous.post("/auth/sign-in", { email, password }), "UNAUTHORIZED");
    expect(ok(await update(member, { disabled: false })).status).toBe("active");
    expectError(await as(member).get("/users/me"), "UNAUTHORIZED");
    const session = ok(await anonymous.post<{ accessToken: string }>("/auth/sign-in", { email, password }));
    ok(await as({ token: session.accessToken }).get(`/boards/${board.publicId}`));
  });

  test("whose changes wait for the workspace writes nothing more", async () => {
    const { list: on, workspace } = await make.list();
    const member = await make.member(workspace, "member");
    const create = () => as(member).post("/cards", { listPublicId: on.publicId, title: unique("Card") });
    const [, ...created] = await Promise.all([
      update(member, { disabled: true }),
      ...Array.from({ length: 8 }, create),
    ]);
    const before = created.filter(({ status }) => status === 200).length;
    expectError(await create(), "UNAUTHORIZED");
    const { lists } = ok(
      await as(workspace.owner).get<{ lists: { cards: unknown[] }[] }>(`/boards/${on.board.publicId}`),
    );
    expect(lists[0]?.cards.length).toBe(before);
  });
});

describe("the last instance admin", () => {
  const only = async () => {
    await db.update(account).set({ isAdmin: false });
    return make.instanceAdmin(admin);
  };

  test("can be neither disabled nor demoted, even by two that demote each other at once", async () => {
    await only();
    expectError(await update(admin, { disabled: true }), "BAD_REQUEST", "disabled");
    expectError(await update(admin, { isAdmin: false }), "BAD_REQUEST", "isAdmin");
    for (let round = 0; round < 5; round += 1) {
      await only();
      const other = await make.instanceAdmin();
      await Promise.all([update(other, { isAdmin: false }, admin), update(admin, { disabled: true }, other)]);
      const left = await db.select({ disabledAt: account.disabledAt }).from(account).where(eq(account.isAdmin, true));
      expect(left.filter(({ disabledAt }) => disabledAt === null).length).toBe(1);
      await db.update(account).set({ disabledAt: null, isAdmin: true }).where(eq(account.publicId, admin.publicId));
      const { email, password } = admin;
      const session = ok(await anonymous.post<{ accessToken: string }>("/auth/sign-in", { email, password }));
      admin.token = session.accessToken;
    }
  });

  test("is no guest, and none who is disabled counts", async () => {
    await only();
    const other = await make.instanceAdmin();
    ok(await update(other, { disabled: true }));
    expectError(await update(admin, { isAdmin: false }), "BAD_REQUEST", "isAdmin");
    const [guest] = await db
      .insert(account)
      .values({ publicId: unique("g").replace(" ", "").slice(0, 11).padEnd(12, "0"), name: "Guest", isGuest: true })
      .returning({ publicId: account.publicId });
    expectError(await update({ publicId: guest?.publicId ?? "" }, { isAdmin: true }), "BAD_REQUEST", "isAdmin");
  });
});

test("what an instance admin does is in the audit log, paged and filtered", async () => {
  const person = await make.user();
  ok(await update(person, { disabled: true, isAdmin: true }));
  ok(await update(person, { disabled: true }));
  ok(await update(person, { disabled: false }));
  interface Page {
    items: { id: number; type: string; actor: object | null; target: object | null; address: string | null }[];
    nextCursor: string | null;
  }
  const entries = async (query: string) => ok(await as(admin).get<Page>(`/admin/audit?${query}`));
  const mine = `actorPublicId=${admin.publicId}`;
  const first = await entries(`${mine}&limit=2`);
  const second = await entries(`${mine}&limit=1&cursor=${first.nextCursor}`);
  expect([...first.items, ...second.items].map(({ type }) => type)).toEqual([
    "account.enabled",
    "admin.granted",
    "account.disabled",
  ]);
  expect(first.items[0]).toMatchObject({
    actor: { publicId: admin.publicId, name: admin.name },
    target: { kind: "account", publicId: person.publicId, name: person.name },
    address: "127.0.0.1",
  });
  const { items } = await entries(`${mine}&type=account.enabled&limit=1`);
  expect(items).toEqual([first.items[0]]);
  expect((await entries("actorPublicId=unknownunkno")).items).toEqual([]);
  expectError(await as(admin).get("/admin/audit?type=card.created"), "BAD_REQUEST", "type");
});

test("the status counts what there is", async () => {
  const before = ok(await as(admin).get<{ counts: { cards: number } }>("/admin/status"));
  await make.card();
  const after = ok(await as(admin).get<{ counts: { cards: number } }>("/admin/status"));
  expect(after).toMatchObject({
    version: "0.1.0",
    migrations: { missing: 0 },
    queues: { webhooks: { due: 0, oldest: null }, mail: { due: 0, oldest: null } },
    counts: { cards: before.counts.cards + 1 },
  });
});
