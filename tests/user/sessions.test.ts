// The sessions of an account (capabilities section 3), and what the audit log tells of signing in and of tokens.

import { asc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { noteUse } from "../../src/access/tokenUses.js";
import { accessToken, account, auditEntry } from "../../src/db/schema/index.js";
import { expectError, ok, type Person, testApp } from "../helpers/app.js";

const { as, anonymous, make, db } = await testApp();

interface Listed {
  publicId: string;
  createdAt: string;
  lastUsedAt: string | null;
  userAgent: string | null;
  isCurrent: boolean;
}

const sessionsOf = async (token: string) => ok(await as({ token }).get<Listed[]>("/users/me/sessions"));

async function signIn({ email, password }: Person, userAgent?: string): Promise<string> {
  const headers: Record<string, string> = userAgent === undefined ? {} : { "user-agent": userAgent };
  return ok(await anonymous.post<{ accessToken: string }>("/auth/sign-in", { email, password }, headers)).accessToken;
}

/** What the audit log tells of a person, oldest first. */
const auditOf = async ({ publicId }: Person) =>
  db
    .select({ type: auditEntry.type, target: auditEntry.target, address: auditEntry.address })
    .from(auditEntry)
    .innerJoin(account, eq(account.id, auditEntry.actorId))
    .where(eq(account.publicId, publicId))
    .orderBy(asc(auditEntry.id));

test("sessions are listed newest first, with the device that each began on, and this one marked", async () => {
  const ada = await make.user();
  const phone = await signIn(ada, "Phone/1.0");
  const long = await signIn(ada, "x".repeat(600));
  await make.token(ada);
  const ended = (await sessionsOf(await signIn(ada, "Gone/1.0"))).find(({ isCurrent }) => isCurrent)?.publicId ?? "";
  await db
    .update(accessToken)
    .set({ expiresAt: new Date(Date.now() - 1000).toISOString() })
    .where(eq(accessToken.publicId, ended));

  const listed = await sessionsOf(phone);

  expect(listed.map(({ userAgent, isCurrent }) => [userAgent, isCurrent])).toEqual([
    ["x".repeat(500), false],
    ["Phone/1.0", true],
    [expect.any(String), false],
  ]);
  expect(Object.keys(listed[0] ?? {}).sort()).toEqual([
    "createdAt",
    "isCurrent",
    "lastUsedAt",
    "publicId",
    "userAgent",
  ]);
  expect(JSON.stringify(listed)).not.toContain(long.slice(3));
  expect(new Set(listed.map(({ publicId }) => publicId)).size).toBe(3);
});

test("a session that is ended is refused from then on, and the others live on", async () => {
  const ada = await make.user();
  const phone = await signIn(ada);
  const [newest] = await sessionsOf(ada.token);

  ok(await as(ada).delete(`/users/me/sessions/${newest?.publicId}`));

  expectError(await as({ token: phone }).get("/users/me"), "UNAUTHORIZED");
  expect(await sessionsOf(ada.token)).toHaveLength(1);
  expectError(await as(ada).delete(`/users/me/sessions/${newest?.publicId}`), "NOT_FOUND");
});

test("a session can end itself", async () => {
  const ada = await make.user();
  const [own] = await sessionsOf(ada.token);
  ok(await as(ada).delete(`/users/me/sessions/${own?.publicId}`));
  expectError(await as(ada).get("/users/me"), "UNAUTHORIZED");
});

test("neither somebody else's session nor a personal token is found under a session's path", async () => {
  const [ada, bob] = [await make.user(), await make.user()];
  const [ofBob] = await sessionsOf(bob.token);
  const personal = await make.token(ada);
  for (const publicId of [ofBob?.publicId, personal.publicId]) {
    expectError(await as(ada).delete(`/users/me/sessions/${publicId}`), "NOT_FOUND");
  }
  ok(await as(bob).get("/users/me"));
  ok(await as(personal).get("/users/me"));
  expectError(await as(personal).get("/users/me/sessions"), "FORBIDDEN");
});

test("the session of an accountless guest is listed with its device", async () => {
  const { workspace, owner } = await make.workspace();
  const { inviteCode } = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`));
  const accepted = await anonymous.post("/invites/accept", { inviteCode }, { "user-agent": "Tablet/2" });
  ok(accepted);
  const listed = await sessionsOf(accepted.headers["x-access-token"] ?? "");
  expect(listed).toMatchObject([{ userAgent: "Tablet/2", isCurrent: true }]);
});

test("the audit log tells of sign-up, sign-in and sign-out, tokens, sessions, the password and new workspaces, and holds no secret", async () => {
  const ada = await make.user();
  const second = await signIn(ada);
  const personal = await make.token(ada);
  ok(await as(ada).delete(`/tokens/${personal.publicId}`));
  const [newest] = await sessionsOf(ada.token);
  ok(await as(ada).delete(`/users/me/sessions/${newest?.publicId}`));
  const newPassword = "another horse battery";
  ok(await as(ada).put("/users/me/password", { currentPassword: ada.password, newPassword }));
  const { publicId, name } = ok(
    await as(ada).post<{ publicId: string; name: string }>("/workspaces", { name: "Mine" }),
  );
  ok(await as(ada).post("/auth/sign-out"));

  const entries = await auditOf(ada);

  expect(entries.map(({ type }) => type)).toEqual([
    "account.signedUp",
    "account.signedIn",
    "token.created",
    "token.deleted",
    "session.revoked",
    "account.passwordChanged",
    "workspace.created",
    "account.signedOut",
  ]);
  expect(entries[6]?.target).toEqual({ kind: "workspace", publicId, name });
  expect(entries[0]?.target).toEqual({ kind: "account", publicId: ada.publicId, name: ada.name });
  expect(entries[2]?.target).toMatchObject({ kind: "token", publicId: personal.publicId });
  expect(entries.every(({ address }) => address === "127.0.0.1")).toBe(true);
  const text = JSON.stringify(entries);
  for (const secret of [ada.password, newPassword, ada.token.slice(3), second.slice(3), personal.token.slice(3)]) {
    expect(text).not.toContain(secret);
  }
});

test("the audit log tells of failed sign-ins by their address, whether it has an account or not", async () => {
  const ada = await make.user();
  const unknown = `nobody.${ada.publicId.toLowerCase()}@example.org`;
  for (const email of [ada.email, unknown]) {
    expectError(await anonymous.post("/auth/sign-in", { email, password: "a wrong password" }), "UNAUTHORIZED");
  }
  const failed = await db.select().from(auditEntry).where(eq(auditEntry.type, "account.signInFailed"));
  const ofThese = failed.filter(({ target }) => [ada.email, unknown].includes(target?.name ?? ""));
  expect(ofThese).toHaveLength(2);
  for (const { target, actorId } of ofThese) {
    expect(target).toEqual({ kind: "address", name: expect.any(String) });
    expect(actorId).toBeNull();
  }
  expect(JSON.stringify(ofThese)).not.toContain("a wrong password");
});

test("a session that ends before its last use is noted stays ended", async () => {
  const [ended, open] = [await make.user(), await make.user()];
  const tokenOf = async ({ publicId }: Person) => {
    const [token] = await db
      .select({ tokenId: accessToken.id, lastUsedAt: accessToken.lastUsedAt })
      .from(accessToken)
      .innerJoin(account, eq(account.id, accessToken.accountId))
      .where(eq(account.publicId, publicId));
    if (token === undefined) throw new Error("there is no session");
    return token;
  };
  const found = [await tokenOf(ended), await tokenOf(open)];
  for (const { tokenId } of found)
    await db.update(accessToken).set({ lastUsedAt: null }).where(eq(accessToken.id, tokenId));
  await db
    .update(accessToken)
    .set({ expiresAt: new Date(Date.now() - 1000).toISOString() })
    .where(eq(accessToken.id, found[0]?.tokenId ?? 0));

  for (const { tokenId } of found) noteUse(db, { tokenId, lastUsedAt: null });

  await expect.poll(async () => (await tokenOf(open)).lastUsedAt).not.toBeNull();
  expect((await tokenOf(ended)).lastUsedAt).toBeNull();
  expectError(await as(ended).get("/users/me"), "UNAUTHORIZED");
});
