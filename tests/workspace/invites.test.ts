// Invite links and acceptance, with and without an account (specification 4.10, 4.15).

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { expectError, ok, type Person, testApp, type Workspace } from "../helpers/app.js";

const { as, make, db, anonymous, another } = await testApp();

interface Invite {
  publicId: string;
  inviteCode: string;
  inviteLink: string;
  expiresAt: string;
}

const linkOf = async (workspace: Workspace) =>
  ok(await as(workspace.owner).post<Invite>(`/workspaces/${workspace.publicId}/invites`));

const memberCount = async (workspace: Workspace) =>
  ok(await as(workspace.owner).get<unknown[]>(`/workspaces/${workspace.publicId}/members`)).length;

const accept = (person: Person, inviteCode: string) => as(person).post("/invites/accept", { inviteCode });

describe("an invite link", () => {
  test("lives 7 days, lets many people in as members, and is shown until it is revoked", async () => {
    const { workspace } = await make.workspace();
    const link = await linkOf(workspace);
    expect(link.inviteCode).toMatch(/^[0-9A-Za-z]{24}$/);
    expect(link.inviteLink).toBe(`http://localhost:3000/invite/${link.inviteCode}`);
    const days = (Date.parse(link.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThanOrEqual(7);
    const path = `/workspaces/${workspace.publicId}/invites`;
    expect(ok(await as(workspace.owner).get(path))).toEqual({ invite: link });

    for (const person of [await make.user(), await make.user()]) {
      ok(await accept(person, link.inviteCode));
      expect(ok(await as(person).get(`/workspaces/${workspace.publicId}`))).toMatchObject({ role: "member" });
    }
    ok(await as(workspace.owner).delete(path));
    ok(await as(workspace.owner).delete(path));
    expect(ok(await as(workspace.owner).get(path))).toEqual({ invite: null });
    expectError(await accept(await make.user(), link.inviteCode), "BAD_REQUEST");
  });

  test("is revoked by the next one, and by its expiry", async () => {
    const { workspace } = await make.workspace();
    const [first, second] = [await linkOf(workspace), await linkOf(workspace)];
    expectError(await accept(await make.user(), first.inviteCode), "BAD_REQUEST");
    const eventsPath = `/workspaces/${workspace.publicId}/events`;
    const { items } = ok(await as(workspace.owner).get<{ items: { type: string }[] }>(eventsPath));
    expect(items.map(({ type }) => type)).toEqual(["invite.created", "invite.revoked", "invite.created"]);
    await db.rows(sql`update invite set expires_at = now() where code = ${second.inviteCode}::text`);
    expectError(await accept(await make.user(), second.inviteCode), "BAD_REQUEST");
    expectError(await anonymous.get(`/invites/${second.inviteCode}`), "NOT_FOUND");
  });

  test("that has expired is replaced without an event that it was revoked", async () => {
    const { workspace } = await make.workspace();
    const { inviteCode } = await linkOf(workspace);
    await db.rows(sql`update invite set expires_at = now() where code = ${inviteCode}::text`);
    await linkOf(workspace);
    const path = `/workspaces/${workspace.publicId}/events`;
    const { items } = ok(await as(workspace.owner).get<{ items: { type: string }[] }>(path));
    expect(items.map(({ type }) => type)).toEqual(["invite.created", "invite.created"]);
  });

  test("is made, seen and revoked by admins alone", async () => {
    const { workspace } = await make.workspace();
    const member = await make.member(workspace, "member");
    const path = `/workspaces/${workspace.publicId}/invites`;
    expectError(await as(member).post(path), "FORBIDDEN");
    expectError(await as(member).get(path), "FORBIDDEN");
    expectError(await as(member).delete(path), "FORBIDDEN");
  });

  test("leaves the role of a member as it is", async () => {
    const { workspace } = await make.workspace();
    const guest = await make.member(workspace, "guest");
    const { inviteCode } = await linkOf(workspace);
    ok(await accept(guest, inviteCode));
    expect(ok(await as(guest).get(`/workspaces/${workspace.publicId}`))).toMatchObject({ role: "guest" });
  });

  test("accepted 50 times at once by one person makes one membership and 50 successes", async () => {
    const { workspace } = await make.workspace();
    const { inviteCode } = await linkOf(workspace);
    const person = await make.user();
    const answers = await Promise.all(Array.from({ length: 50 }, () => accept(person, inviteCode)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(await memberCount(workspace)).toBe(2);
  });

  test("tells by which operation and event somebody joined, with an account or without", async () => {
    const { workspace } = await make.workspace();
    const { inviteCode } = await linkOf(workspace);
    const person = await make.user();
    const answers = [await accept(person, inviteCode), await anonymous.post("/invites/accept", { inviteCode })];

    const events = await db.rows(sql`
      select e.operation_public_id as operation, e.seq::text as event, e.type, e.origin, m.account_id = e.actor_id as "isActor"
      from event e join workspace w on w.id = e.workspace_id
      join member m on m.workspace_id = e.workspace_id and m.public_id = e.data ->> 'memberPublicId'
      where w.public_id = ${workspace.publicId}::text and e.type = 'member.added' order by e.seq`);
    expect(events).toEqual(
      answers.map(({ headers }) => ({
        operation: headers["operation-id"],
        event: headers["event-id"],
        type: "member.added",
        origin: "user",
        isActor: true,
      })),
    );
  });

  test("tells whoever made it that someone joined", async () => {
    const { workspace, owner } = await make.workspace();
    ok(await accept(await make.user(), (await linkOf(workspace)).inviteCode));
    const notifications = await db.rows(sql`
      select n.type from notification n join account a on a.id = n.account_id where a.email = ${owner.email}::text`);
    expect(notifications).toEqual([{ type: "workspace.member.added" }]);
  });
});

test("links and invitations end with the account that issued them", async () => {
  const { workspace } = await make.workspace();
  const second = await make.member(workspace, "admin");
  const path = `/workspaces/${workspace.publicId}`;
  const { inviteCode } = ok(await as(second).post<Invite>(`${path}/invites`));
  const invited = ok(
    await as(second).post<{ inviteLink: string }>(`${path}/members/invite`, { email: "late@example.org" }),
  );
  ok(await as(second).post("/users/me/delete", { password: second.password }));
  for (const code of [inviteCode, invited.inviteLink.split("/").at(-1) ?? ""]) {
    expectError(await accept(await make.user(), code), "BAD_REQUEST");
  }
  expect(ok(await as(workspace.owner).get(`${path}/invites`))).toEqual({ invite: null });
});

describe("accepting", () => {
  test("with a token that is invalid, read-only or bound elsewhere is BAD_REQUEST and lets nobody in", async () => {
    const { workspace } = await make.workspace();
    const { inviteCode } = await linkOf(workspace);
    const person = await make.user();
    const elsewhere = await make.workspace({ owner: person });
    const token = async (fields: object) =>
      ok(await as(person).post<{ accessToken: string }>("/tokens", { name: "t", scope: "write", ...fields }))
        .accessToken;
    const tokens = [
      "wb_nothing",
      await token({ scope: "read" }),
      await token({ workspacePublicId: elsewhere.workspace.publicId }),
    ];
    for (const invalid of tokens) {
      expectError(await as({ token: invalid }).post("/invites/accept", { inviteCode }), "BAD_REQUEST");
    }
    expect(await memberCount(workspace)).toBe(1);
  });

  test("with Authorization of another scheme than Bearer, as a proxy asks for, makes a guest too", async () => {
    const { workspace } = await make.workspace();
    const { inviteCode } = await linkOf(workspace);
    const joined = await anonymous.post("/invites/accept", { inviteCode }, { authorization: "Basic YTpi" });
    ok(joined);
    expect(joined.headers["x-access-token"]).toMatch(/^wb_/);
  });

  test("without an account makes a guest that sees its boards only, and can be a full account by signing up", async () => {
    const { workspace, board } = await make.board();
    const { inviteCode } = await linkOf(workspace);
    const joined = await anonymous.post("/invites/accept", { inviteCode });
    const token = String(joined.headers["x-access-token"]);
    expect(ok(joined)).toEqual({
      success: true,
      workspacePublicId: workspace.publicId,
      workspaceSlug: workspace.slug,
    });
    const guest = { token };
    expect(ok(await as(guest).get("/users/me"))).toMatchObject({ name: "Guest", email: null, isGuest: true });
    expect(ok(await as(guest).get(`/workspaces/${workspace.publicId}/boards`))).toEqual([]);
    expectError(await as(guest).get(`/boards/${board.publicId}`), "FORBIDDEN");
    expectError(await as(guest).post("/workspaces", { name: "Mine" }), "FORBIDDEN");
    expectError(await as(guest).post("/tokens", { name: "t", scope: "read" }), "FORBIDDEN");

    const signUp = { name: "Grace", email: `grace.${Date.now()}@example.org`, password: "correct horse battery" };
    const full = ok(await as(guest).post<{ accessToken: string; user: object }>("/auth/sign-up", signUp));
    expect(full.user).toMatchObject({ name: "Grace", isGuest: false });
    expectError(await as(guest).get("/users/me"), "UNAUTHORIZED");
    const seen = await as({ token: full.accessToken }).get(`/workspaces/${workspace.publicId}`);
    expect(ok(seen)).toMatchObject({ role: "guest" });
  });

  test("by an accountless guest, by whatever link, never makes more than a guest of it", async () => {
    const [first, second] = [await make.workspace(), await make.workspace()];
    const { inviteCode } = await linkOf(first.workspace);
    const joined = await anonymous.post("/invites/accept", { inviteCode });
    const guest = { token: String(joined.headers["x-access-token"]) };
    ok(await as(guest).post("/invites/accept", { inviteCode: (await linkOf(second.workspace)).inviteCode }));
    expect(ok(await as(guest).get(`/workspaces/${second.workspace.publicId}`))).toMatchObject({ role: "guest" });
    ok(await as(guest).post("/users/me/delete"));
    expect(await memberCount(first.workspace)).toBe(1);
  });

  test("by an accountless guest who is there already, of an invitation as admin, leaves it a guest", async () => {
    const { workspace } = await make.workspace();
    const joined = await anonymous.post("/invites/accept", { inviteCode: (await linkOf(workspace)).inviteCode });
    const guest = { token: String(joined.headers["x-access-token"]) };
    const path = `/workspaces/${workspace.publicId}`;
    const { inviteLink } = ok(
      await as(workspace.owner).post<{ inviteLink: string }>(`${path}/members/invite`, {
        email: "guest.admin@example.org",
        role: "admin",
      }),
    );
    ok(await as(guest).post("/invites/accept", { inviteCode: inviteLink.split("/").at(-1) }));
    expect(ok(await as(guest).get(path))).toMatchObject({ role: "guest" });
    expect(await memberCount(workspace)).toBe(2);
  });

  test("an unknown code makes no guest and no account", async () => {
    const accounts = () => db.rows(sql`select count(*) as n from account`);
    const before = await accounts();
    for (const inviteCode of ["nothing", "x".repeat(24), "0".repeat(24)]) {
      expectError(await anonymous.post("/invites/accept", { inviteCode }), "BAD_REQUEST");
      expectError(await anonymous.get(`/invites/${inviteCode}`), "NOT_FOUND");
    }
    const signUp = { name: "Eve", email: "eve.unknown@example.org", password: "correct horse battery" };
    expectError(await anonymous.post("/auth/sign-up", { ...signUp, inviteCode: "nothing" }), "BAD_REQUEST");
    expect(await accounts()).toEqual(before);
  });
});

describe("SIGN_UP", () => {
  const person = () => ({ name: "New", email: `new.${Math.random()}@example.org`, password: "correct horse battery" });

  test("invited: signing up wants a valid code, and joins by it", async () => {
    const { workspace } = await make.workspace();
    const invited = await another({ SIGN_UP: "invited" });
    expectError(await invited.anonymous.post("/auth/sign-up", person()), "BAD_REQUEST");
    const { inviteCode } = await linkOf(workspace);
    const { accessToken } = ok(
      await invited.anonymous.post<{ accessToken: string }>("/auth/sign-up", { ...person(), inviteCode }),
    );
    expect(ok(await as({ token: accessToken }).get(`/workspaces/${workspace.publicId}`))).toMatchObject({
      role: "member",
    });
  });

  test("closed: nobody signs up, and no guest is made", async () => {
    const { workspace } = await make.workspace();
    const closed = await another({ SIGN_UP: "closed" });
    expectError(await closed.anonymous.post("/auth/sign-up", person()), "FORBIDDEN");
    const { inviteCode } = await linkOf(workspace);
    expectError(await closed.anonymous.post("/invites/accept", { inviteCode }), "BAD_REQUEST");
    expect(await memberCount(workspace)).toBe(1);
  });
});
