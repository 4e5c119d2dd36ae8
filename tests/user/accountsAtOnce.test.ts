// Changes of accounts wait for one another where accounts are stored on every server of a distributed database: each locks the whole
// table. Here a session holds these locks for a time.

import { setTimeout as sleep } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { account } from "../../src/db/schema/index.js";
import { testApp } from "../helpers/app.js";

const { anonymous, as, db, make } = await testApp();

const isEmbedded = inject("template").kind === "embedded";

test.skipIf(isEmbedded)("a statement of its own waits for a lock as long as a transaction does", async () => {
  const { publicId } = await make.user();
  const held = db.transaction(async (tx) => {
    await tx.rows(sql`lock table account in exclusive mode`);
    await sleep(1200);
  });
  await sleep(100);
  await db.update(account).set({ name: "Late" }).where(eq(account.publicId, publicId));
  await held;
  expect(await db.select({ name: account.name }).from(account).where(eq(account.publicId, publicId))).toEqual([
    { name: "Late" },
  ]);
});

test.skipIf(isEmbedded)(
  "twelve sign-ins and changes of accounts that wait together for their tables all succeed",
  async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => make.user()));
    const held = db.transaction(async (tx) => {
      await tx.rows(sql`lock table account, access_token, audit_entry in exclusive mode`);
      await sleep(1600);
    });
    await sleep(100);
    const calls = people.flatMap((person) => [
      anonymous.post("/auth/sign-in", { email: person.email, password: person.password }),
      as(person).put("/users/me", { name: "Renamed" }),
    ]);
    const answers = await Promise.all(calls);
    await held;
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  },
);
