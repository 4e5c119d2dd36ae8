// What stays of a deleted account: a tombstone without data of the person.

import { eq, sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { account } from "../../src/db/schema/index.js";
import { expectError, ok, testApp, unique } from "../helpers/app.js";
import { accountIdOf, mailedToken, RECOVERY_ENVIRONMENT, switchOn } from "../helpers/recovery.js";

const { as, anonymous, db, make, logs } = await testApp(RECOVERY_ENVIRONMENT);

/** Tables that hold what an account has for itself, and no workspace. */
const OWN = [
  "access_token",
  "account_link",
  "identity",
  "mail",
  "notification_settings",
  "recovery_code",
  "two_factor",
];

test("a deleted account leaves no way in, no mail, no settings and no address behind", async () => {
  const person = await make.user();
  await switchOn({ as }, person);
  ok(await as(person).put("/users/me/notification-settings", { timeZone: "Europe/Berlin", email: { comment: "now" } }));
  const next = `${unique("next").replace(" ", ".")}@example.org`;
  ok(await as(person).put("/users/me/email", { email: next, currentPassword: person.password }));
  ok(await anonymous.post("/auth/password-reset", { email: person.email }));
  const id = await accountIdOf(db, person);

  ok(await as(person).post("/users/me/delete", { password: person.password }));

  for (const table of OWN) {
    const left = await db.rows(sql`select 1 from ${sql.identifier(table)} where account_id = ${id}::bigint`);
    expect([table, left]).toEqual([table, []]);
  }
  const [tombstone] = await db.select().from(account).where(eq(account.id, id));
  expect(tombstone).toMatchObject({ name: "Deleted user", email: null, pendingEmail: null, timeZone: "UTC" });
});

test("an account is closed while it makes workspaces, and no call of it is a fault in the log", async () => {
  const person = await make.user();
  let isOpen = true;
  const making = Array.from({ length: 4 }, async () => {
    for (let count = 0; isOpen && count < 400; count += 1) {
      const { status } = await as(person).post("/workspaces", { name: "Another" });
      if (status !== 200) return status;
    }
    return null;
  });
  await vi.waitFor(async () => {
    expect(ok(await as(person).get<unknown[]>("/workspaces")).length).toBeGreaterThan(10);
  }, 25_000);
  const closed = await as(person).post("/users/me/delete", { password: person.password });
  isOpen = false;
  ok(closed);
  expect(new Set(await Promise.all(making))).toEqual(new Set([401]));
  expect(logs.filter((line) => line.includes('"level":50'))).toEqual([]);
});

test("the last instance admin cannot close the account; with another one it works", async () => {
  const first = await make.instanceAdmin();
  expectError(await as(first).post("/users/me/delete", { password: first.password }), "BAD_REQUEST");
  ok(await as(first).get("/users/me"));
  const second = await make.instanceAdmin();
  const both = await Promise.all(
    [first, second].map((admin) => as(admin).post("/users/me/delete", { password: admin.password })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test("after its deletion nobody restores an address of the account, and somebody else may take each", async () => {
  const person = await make.user();
  const next = `${unique("next").replace(" ", ".")}@example.org`;
  ok(await as(person).put("/users/me/email", { email: next, currentPassword: person.password }));
  ok(await anonymous.post("/auth/email/confirm", { token: await mailedToken(db, next, "emailChange") }));
  const restoring = await mailedToken(db, person.email, "emailChanged");

  ok(await as(person).post("/users/me/delete", { password: person.password }));

  expectError(await anonymous.post("/auth/email/confirm", { token: restoring }), "BAD_REQUEST", "token");
  for (const email of [person.email, next]) {
    ok(await anonymous.post("/auth/sign-up", { name: "Grace", email, password: "a password of hers" }));
  }
});

test("links that an account made in a workspace which it has left open nothing once it is closed", async () => {
  const { workspace } = await make.workspace();
  const person = await make.member(workspace, "admin");
  const path = `/workspaces/${workspace.publicId}`;
  const { inviteCode } = ok(await as(person).post<{ inviteCode: string }>(`${path}/invites`));
  const invited = ok(
    await as(person).post<{ inviteLink: string }>(`${path}/members/invite`, { email: "of.a.leaver@example.org" }),
  );
  ok(await as(person).delete(`${path}/members/${person.memberPublicId}`));
  const codes = [inviteCode, invited.inviteLink.split("/").at(-1)];
  for (const code of codes) ok(await anonymous.get(`/invites/${code}`));

  ok(await as(person).post("/users/me/delete", { password: person.password }));

  for (const code of codes) expectError(await anonymous.get(`/invites/${code}`), "NOT_FOUND");
});
