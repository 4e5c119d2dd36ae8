// A password is hashed while no transaction is open, because hashing takes long and a transaction keeps others waiting; what was
// verified before the transaction is compared again in it.

import { afterAll, expect, test } from "vitest";
import type { Driver } from "../../src/db/driver.js";
import { HASH_COST, hashing, hashPassword } from "../../src/user/passwords.js";
import { anAddress, appOn, expectError, ok, type Person } from "../helpers/app.js";
import { openTestDatabase } from "../helpers/databases.js";

/** Passwords are hashed two at a time: so many others stand before one that comes. */
const OTHERS = 12;
/** What may be hashed while a transaction is open that waits for nothing but the database. */
const HASHED_MEANWHILE = 4;

let openTransactions = 0;
/** How many of the others were hashed while the transaction that is open now was, and at the most while one was. */
let hashedMeanwhile = 0;
let mostHashedMeanwhile = 0;

/** Notes whether a transaction of a driver is open. */
const watching = (driver: Driver): Driver =>
  new Proxy(driver, {
    get(target, name) {
      if (name === "transaction") {
        const transaction: Driver["transaction"] = async (run) => {
          openTransactions += 1;
          hashedMeanwhile = 0;
          return target.transaction(run).finally(() => {
            openTransactions -= 1;
          });
        };
        return transaction;
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** Runs calls while other passwords are hashed, so that whoever hashes one waits. */
async function whileOthersHash<T>(calls: () => Promise<T>): Promise<T> {
  let isOver = false;
  const others = Array.from({ length: OTHERS }, async (_, who) => {
    while (!isOver) {
      await hashPassword("of somebody else", who);
      if (openTransactions > 0) hashedMeanwhile += 1;
      mostHashedMeanwhile = Math.max(mostHashedMeanwhile, hashedMeanwhile);
    }
  });
  try {
    return await calls();
  } finally {
    isOver = true;
    await Promise.all(others);
  }
}

// As long as a hash takes in the service.
hashing.cost = HASH_COST;
const { db, close } = await openTestDatabase(watching);
afterAll(close);
const { as, anonymous, make } = await appOn(db, {});

const changed = (person: Person, newPassword: string, currentPassword = person.password) =>
  as(person).put("/users/me/password", { currentPassword, newPassword });

const signedIn = async ({ email }: Person, password: string) =>
  (await anonymous.post("/auth/sign-in", { email, password })).status === 200;

test("no transaction is open while passwords are verified and hashed, right or wrong", async () => {
  const ada = await make.user();
  // The first sign-in also hashes what unknown addresses are compared with.
  expect(await signedIn({ ...ada, email: anAddress() }, ada.password)).toBe(false);
  await whileOthersHash(async () => {
    expectError(await changed(ada, "a new password", "wrong"), "BAD_REQUEST");
    ok(await changed(ada, "a new password"));
  });
  expect(mostHashedMeanwhile).toBeLessThanOrEqual(HASHED_MEANWHILE);
  expect(await signedIn(ada, "a new password")).toBe(true);
});

test("of two changes of the password in one session, verified at the same time, a single one is made", async () => {
  const ada = await make.user();
  const wanted = ["a first new password", "a second new password"];
  const answers = await whileOthersHash(() => Promise.all(wanted.map((password) => changed(ada, password))));
  const winner = answers.findIndex(({ status }) => status === 200);
  ok(answers[winner] ?? expect.fail());
  expectError(answers[1 - winner] ?? expect.fail(), "BAD_REQUEST", "currentPassword");
  const works = await Promise.all(wanted.map((password) => signedIn(ada, password)));
  expect(works).toEqual(wanted.map((_, index) => index === winner));
});
