// Operations that ask again who the caller is: accounts with a password give it, those without have a session that has just begun
// (capabilities section 2).

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { contentsOf, expectError, ok, type Person, testApp } from "../helpers/app.js";

const { as, anonymous, make, db } = await testApp();

const NEW = "another horse battery";

/** Somebody who signs in without a password, in a session of some minutes. */
async function withoutPassword(minutes: number): Promise<Person> {
  const person = await make.user();
  await db.rows(sql`update account set password_hash = null where public_id = ${person.publicId}::text`);
  await db.rows(sql`
    update access_token set created_at = now() - make_interval(mins => ${minutes}::int)
    where account_id = (select id from account where public_id = ${person.publicId}::text)`);
  return person;
}

const OPERATIONS = [
  { what: "setting a first password", method: "PUT", path: "/users/me/password", body: { newPassword: NEW } },
  { what: "deleting the account", method: "POST", path: "/users/me/delete", body: {} },
] as const;

describe.each(OPERATIONS)("$what", ({ method, path, body }) => {
  test("needs no password while the session is younger than 10 minutes", async () => {
    const ada = await withoutPassword(9);
    expect(ok(await as(ada).call(method)(path, body))).toEqual({ success: true });
  });

  test("in an older session is FORBIDDEN with the issue currentPassword, and changes nothing", async () => {
    const ada = await withoutPassword(11);
    const before = await contentsOf(db);
    expectError(await as(ada).call(method)(path, body), "FORBIDDEN", "currentPassword");
    expect(await contentsOf(db)).toEqual(before);
  });
});

test("a first password signs in, and from then on it is asked for", async () => {
  const ada = await withoutPassword(0);
  ok(await as(ada).put("/users/me/password", { newPassword: NEW }));
  ok(await anonymous.post("/auth/sign-in", { email: ada.email, password: NEW }));
  const again = { newPassword: "a third horse battery" };
  expectError(await as(ada).put("/users/me/password", again), "BAD_REQUEST", "currentPassword");
  ok(await as(ada).put("/users/me/password", { ...again, currentPassword: NEW }));
});

test("of two first passwords at once one is set", async () => {
  const ada = await withoutPassword(0);
  const both = await Promise.all(
    [NEW, `${NEW} too`].map((newPassword) => as(ada).put("/users/me/password", { newPassword })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test("a password of an account that has none is BAD_REQUEST", async () => {
  const ada = await withoutPassword(0);
  const body = { currentPassword: ada.password, newPassword: NEW };
  expectError(await as(ada).put("/users/me/password", body), "BAD_REQUEST", "currentPassword");
  expectError(await as(ada).post("/users/me/delete", { password: ada.password }), "BAD_REQUEST", "password");
});

test("a young session does not stand in for the password of an account that has one", async () => {
  const ada = await make.user();
  expectError(await as(ada).put("/users/me/password", { newPassword: NEW }), "BAD_REQUEST", "currentPassword");
  expectError(await as(ada).post("/users/me/delete", {}), "BAD_REQUEST", "password");
});
