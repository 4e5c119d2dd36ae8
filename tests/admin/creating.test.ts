// Accounts that instance admins make for others, and the links that they hand out.

import { expect, test } from "vitest";
import { expectError, expectTrpcError, ok, testApp, unique } from "../helpers/app.js";

const { as, anonymous, make, trpcClient } = await testApp({ SIGN_UP: "closed" });
const admin = await make.instanceAdmin();

const newEmail = () => `${unique("new").replace(" ", ".")}@example.org`;
const tokenOf = (url: string) => decodeURIComponent(new URL(url).hash.replace("#token=", ""));
const PASSWORD = "a password of its own";

interface Created {
  user: { publicId: string; email: string; status: string; lastSeenAt: string | null };
  setPasswordUrl: string;
}

const create = (body: object) => as(admin).post<Created>("/admin/users", body);
const confirm = (token: string) => anonymous.post("/auth/password-reset/confirm", { token, password: PASSWORD });
const signIn = (email: string) => anonymous.post("/auth/sign-in", { email, password: PASSWORD });

test("a new account has no password until its owner sets one by the link, which works once", async () => {
  const email = newEmail();
  const { user, setPasswordUrl } = ok(await create({ name: "Ada", email: email.toUpperCase() }));
  expect(user).toMatchObject({ email, status: "active", lastSeenAt: null });
  expectError(await signIn(email), "UNAUTHORIZED");

  ok(await confirm(tokenOf(setPasswordUrl)));
  expectError(await confirm(tokenOf(setPasswordUrl)), "BAD_REQUEST", "token");
  const { user: me } = ok(
    await anonymous.post<{ user: { emailVerifiedAt: null } }>("/auth/sign-in", { email, password: PASSWORD }),
  );
  expect(me.emailVerifiedAt).toBeNull();
});

test("an address that has an account is refused, and nothing is made of it", async () => {
  const email = newEmail();
  ok(await create({ name: "Ada", email }));
  expectError(await create({ name: "Eve", email }), "BAD_REQUEST", "email");
  const { items } = ok(await as(admin).get<{ items: { name: string }[] }>(`/admin/users?search=${email}`));
  expect(items.map(({ name }) => name)).toEqual(["Ada"]);
});

test("a reset link sets a new password once; a disabled account, a guest and an unknown account get none", async () => {
  const person = await make.user();
  const linkOf = (publicId: string) =>
    as(admin).post<{ url: string; expiresAt: string }>(`/admin/users/${publicId}/reset-link`, {});
  const { url, expiresAt } = ok(await linkOf(person.publicId));
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000);
  ok(await confirm(tokenOf(url)));
  ok(await signIn(person.email));

  ok(await as(admin).put(`/admin/users/${person.publicId}`, { disabled: true }));
  expectError(await linkOf(person.publicId), "BAD_REQUEST", "userPublicId");
  expectError(await linkOf("0".repeat(12)), "FORBIDDEN");
});

test("an answer that holds a link is not kept for an Idempotency-Key", async () => {
  const body = { name: "Ada", email: newEmail() };
  expectError(
    await as(admin).send({
      method: "POST",
      url: "/api/v1/admin/users",
      body: JSON.stringify(body),
      headers: { "idempotency-key": unique("key") },
    }),
    "BAD_REQUEST",
  );
  await expectTrpcError(trpcClient(await make.user()).admin.users.create.mutate(body), "NOT_FOUND");
});

test("the audit log tells who made an account or a link for whom, and holds no link", async () => {
  const { user } = ok(await create({ name: "Grace", email: newEmail() }));
  ok(await as(admin).post(`/admin/users/${user.publicId}/reset-link`, {}));
  const log = ok(
    await as(admin).get<{ items: { type: string; target: { publicId?: string } }[] }>(
      `/admin/audit?actorPublicId=${admin.publicId}`,
    ),
  );
  const about = log.items.filter(({ target }) => target.publicId === user.publicId);
  expect(about.map(({ type }) => type)).toEqual(["account.resetLinkMade", "account.created"]);
  expect(JSON.stringify(about)).not.toContain("token");
});
