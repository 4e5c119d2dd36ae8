// Guarantees about rights that change while a call waits for its locks: what a call may do is what its caller may do then.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { expectError, ok, type Person, testApp, unique, type Workspace } from "../helpers/app.js";
import { racingOn } from "../helpers/racing.js";
import { onServer } from "../workspace/waiting.js";

const app = await testApp();
const { as, make, db } = app;
const { meanwhile, waitingFor, raced } = racingOn(app);

const signedIn = ({ email, password }: Person) =>
  app.anonymous.post<{ accessToken: string }>("/auth/sign-in", { email, password });

const assignedWithoutAccess = ({ publicId }: Workspace) =>
  db.rows(sql`
    select c.public_id from card_member cm
    join card c on c.workspace_id = cm.workspace_id and c.id = cm.card_id
    join board b on b.workspace_id = c.workspace_id and b.id = c.board_id
    join member m on m.workspace_id = cm.workspace_id and m.id = cm.member_id
    join workspace w on w.id = m.workspace_id
    where w.public_id = ${publicId}::text and m.role <> 'admin' and (m.role = 'guest' or b.visibility = 'private')
      and not exists (select from board_member bm where bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = m.id)`);

describe("a call that waited", () => {
  test("of an admin who was made member meanwhile is refused", async () => {
    const { workspace, owner } = await make.workspace();
    const second = await make.member(workspace, "admin");
    const path = `/workspaces/${workspace.publicId}/members/${second.memberPublicId}/role`;
    const [demoted, again] = await raced(
      workspace,
      () => as(owner).put(path, { role: "member" }),
      () => as(second).put(path, { role: "admin" }),
    );
    expect(ok(demoted ?? expect.fail())).toMatchObject({ role: "member" });
    expectError(again ?? expect.fail(), "FORBIDDEN");
    expect(ok(await as(second).get(`/workspaces/${workspace.publicId}/permissions/me`))).toMatchObject({
      role: "member",
    });
  });

  test("of an admin to change the workspace's settings is refused once it is a member", async () => {
    const { workspace, owner } = await make.workspace();
    const second = await make.member(workspace, "admin");
    const [, renamed] = await raced(
      workspace,
      () =>
        as(owner).put(`/workspaces/${workspace.publicId}/members/${second.memberPublicId}/role`, { role: "member" }),
      () => as(second).put(`/workspaces/${workspace.publicId}`, { name: "Mine" }),
    );
    expectError(renamed ?? expect.fail(), "FORBIDDEN");
  });

  test("of somebody who was taken off a private board does not put them back", async () => {
    const { workspace, owner, board } = await make.board({ visibility: "private" });
    const member = await make.member(workspace, "member");
    const path = `/boards/${board.publicId}/members`;
    const { memberPublicId } = member;
    ok(await as(owner).post(path, { memberPublicId }));
    const [removed, added] = await raced(
      workspace,
      () => as(owner).delete(`${path}/${memberPublicId}`),
      () => as(member).post(path, { memberPublicId }),
    );
    ok(removed ?? expect.fail());
    expectError(added ?? expect.fail(), "FORBIDDEN");
    expectError(await as(member).get(`/boards/${board.publicId}`), "FORBIDDEN");
  });
});

describe("somebody made guest", () => {
  /** A member on a card of one board, which it would not see as a guest; and another board. */
  async function scene() {
    const { workspace, owner, board, card } = await make.card();
    const { list } = await make.list({ board: (await make.board({ workspace })).board });
    const member = await make.member(workspace, "member");
    ok(await as(owner).post(`/boards/${board.publicId}/members`, { memberPublicId: member.memberPublicId }));
    ok(await as(owner).put(`/cards/${card.publicId}/members/${member.memberPublicId}`));
    const demote = () =>
      as(owner).put(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}/role`, { role: "guest" });
    const moveAway = () => as(owner).put(`/cards/${card.publicId}`, { listPublicId: list.publicId });
    const copy = () => as(owner).post(`/boards/${board.publicId}/duplicate`, { withCards: true });
    return { workspace, demote, moveAway, copy };
  }

  test.each(["moveAway", "copy"] as const)(
    "is on no card that it does not see, whether %s comes first or last",
    async (name) => {
      for (const isFirst of [true, false]) {
        const { workspace, demote, [name]: act } = await scene();
        const answers = await raced(workspace, ...(isFirst ? [act, demote] : [demote, act]));
        for (const res of answers) ok(res);
        expect(await assignedWithoutAccess(workspace)).toEqual([]);
      }
    },
  );

  test("or member is on no card of a board that is made private meanwhile", async () => {
    for (const isFirst of [true, false]) {
      const { workspace, owner, board, card } = await make.card();
      const second = await make.member(workspace, "admin");
      ok(await as(owner).put(`/cards/${card.publicId}/members/${second.memberPublicId}`));
      const demote = () =>
        as(owner).put(`/workspaces/${workspace.publicId}/members/${second.memberPublicId}/role`, { role: "member" });
      const close = () => as(owner).put(`/boards/${board.publicId}`, { visibility: "private" });
      const answers = await raced(workspace, ...(isFirst ? [close, demote] : [demote, close]));
      for (const res of answers) ok(res);
      expect(await assignedWithoutAccess(workspace)).toEqual([]);
    }
  });
});

test("of two who change one password at once, knowing the same one, a single one does", async () => {
  const user = await make.user();
  const { email, password: currentPassword } = user;
  const signIn = (password: string) =>
    as(user).send<{ accessToken: string }>({
      method: "POST",
      url: "/api/v1/auth/sign-in",
      headers: { "content-type": "application/json", authorization: "" },
      body: JSON.stringify({ email, password }),
    });
  const other = { token: ok(await signIn(currentPassword)).accessToken };
  const wanted = ["a first new password", "a second new password"];
  const answers = await Promise.all(
    [user, other].map((person, n) =>
      as(person).put("/users/me/password", { currentPassword, newPassword: wanted[n] ?? "" }),
    ),
  );
  const winner = answers.findIndex(({ status }) => status === 200);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect([400, 401]).toContain(answers[1 - winner]?.status);
  ok(await signIn(wanted[winner] ?? ""));
  expectError(await signIn(wanted[1 - winner] ?? ""), "UNAUTHORIZED");
});

test("an account that is being closed joins no workspace and makes none", async () => {
  const { workspace, owner } = await make.workspace();
  const { inviteCode } = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`));
  const user = await make.user();
  const [closed, joined, made] = await waitingFor(
    sql`account where public_id = ${user.publicId}::text`,
    () => as(user).post("/users/me/delete", { password: user.password }),
    () => as(user).post("/invites/accept", { inviteCode }),
    () => as(user).post("/workspaces", { name: "Deserted" }),
  );
  ok(closed ?? expect.fail());
  // As with any token that is not valid.
  expectError(joined ?? expect.fail(), "BAD_REQUEST");
  expectError(made ?? expect.fail(), "UNAUTHORIZED");
  const left = await db.rows(sql`
    select m.id from member m join account a on a.id = m.account_id where a.public_id = ${user.publicId}::text`);
  expect(left).toEqual([]);
});

test("an account that is being closed gets no token", async () => {
  const user = await make.user();
  const other = { token: ok(await signedIn(user)).accessToken };
  const [closed, made] = await waitingFor(
    sql`account where public_id = ${user.publicId}::text`,
    () => as(user).post("/users/me/delete", { password: user.password }),
    () => as(other).post("/tokens", { name: "Late", scope: "read" }),
  );
  ok(closed ?? expect.fail());
  expectError(made ?? expect.fail(), "UNAUTHORIZED");
  const left = await db.rows(sql`
    select t.id from access_token t join account a on a.id = t.account_id where a.public_id = ${user.publicId}::text`);
  expect(left).toEqual([]);
});

test.runIf(onServer)("a token that is revoked while it waits lets nobody join", async () => {
  const { workspace, owner } = await make.workspace();
  const { inviteCode } = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`));
  const user = await make.user();
  const token = await make.token(user);
  const [joined] = await meanwhile(
    async (tx) => {
      await tx.rows(sql`
        select 1 from workspace_counter where workspace_id = ${workspaceOf(workspace.publicId)}::bigint for update`);
    },
    [() => as(token).post("/invites/accept", { inviteCode })],
    async () => void ok(await as(user).delete(`/tokens/${token.publicId}`)),
  );
  expectError(joined ?? expect.fail(), "BAD_REQUEST");
});

test("an account whose password is changed meanwhile is not closed with the old one", async () => {
  const user = await make.user();
  const { password } = user;
  const [changed, closed] = await waitingFor(
    sql`account where public_id = ${user.publicId}::text`,
    () => as(user).put("/users/me/password", { currentPassword: password, newPassword: "another new password" }),
    () => as(user).post("/users/me/delete", { password }),
  );
  ok(changed ?? expect.fail());
  expectError(closed ?? expect.fail(), "BAD_REQUEST", ["password"]);
  ok(await as(user).get("/users/me"));
});

test("of two sign-ups with the token of one guest a single one makes its account", async () => {
  const { workspace, owner } = await make.workspace();
  const { inviteCode } = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`));
  const { headers } = await app.anonymous.post("/invites/accept", { inviteCode });
  const guest = { token: String(headers["x-access-token"]) };
  const addresses = ["first", "second"].map((word) => `${unique(word).replace(" ", ".")}@example.org`);
  const password = "correct horse battery";
  const answers = await Promise.all(
    addresses.map((email) => as(guest).post("/auth/sign-up", { name: "Ada", email, password })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});
