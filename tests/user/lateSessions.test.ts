// Changes of an account that waited while its session was ended: they are refused. On PostgreSQL, where a change can wait for another
// process; the embedded database has one.

import { eq, sql } from "drizzle-orm";
import postgres from "postgres";
import { expect, inject, test } from "vitest";
import { accessToken } from "../../src/db/schema/index.js";
import { type Answer, expectError, type Person, testApp } from "../helpers/app.js";
import { sessions } from "../helpers/racing.js";
import { accountIdOf, RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";

const isEmbedded = inject("template").kind === "embedded";
const { as, make, db } = await testApp(RECOVERY_ENVIRONMENT);

const CHANGES: [string, (person: Person) => Promise<Answer<unknown>>][] = [
  ["a personal token", (person) => as(person).post("/tokens", { name: "CI", scope: "write" })],
  ["a new name", (person) => as(person).put("/users/me", { name: "Eve" })],
  [
    "another password",
    (person) =>
      as(person).put("/users/me/password", { currentPassword: person.password, newPassword: "a password of Eve" }),
  ],
  [
    "another address",
    (person) => as(person).put("/users/me/email", { email: `eve.${person.email}`, currentPassword: person.password }),
  ],
  ["a second factor", (person) => as(person).post("/users/me/two-factor", { currentPassword: person.password })],
  ["the end of the account", (person) => as(person).post("/users/me/delete", { password: person.password })],
];

test.skipIf(isEmbedded).each(CHANGES)("%s", async (_, change) => {
  const person = await make.user();
  const accountId = await accountIdOf(db, person);
  const [database] = await db.rows<{ name: string }>(sql`select current_database() as name`);
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${database?.name}`;
  const other = postgres(url.href, { max: 1, onnotice: () => {} });
  try {
    let late: Promise<Answer<unknown>> | undefined;
    await other.begin(async (held) => {
      await held`select id from account where id = ${accountId} for update`;
      late = change(person);
      await expect
        .poll(() => db.rows(sql`select 1 from ${sessions()} where waits`), { timeout: 10_000 })
        .not.toEqual([]);
      await held`delete from access_token where account_id = ${accountId}`;
    });
    if (late === undefined) throw new Error("Nothing was called");
    expectError(await late, "UNAUTHORIZED");
    expect(await db.$count(accessToken, eq(accessToken.accountId, accountId))).toBe(0);
  } finally {
    await other.end();
  }
});
