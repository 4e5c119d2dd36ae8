// A password is hashed while no transaction is open, because hashing takes long and a transaction keeps others waiting; what was
// verified before the transaction is compared again in it.

import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import type { Driver } from "../../src/db/driver.js";
import { anAddress, appOn, expectError, ok, type Person } from "../helpers/app.js";
import { openTestDatabase } from "../helpers/databases.js";

/** The transactions that are open now, and how many were, at the beginning and the end of each hashing. */
const seen = vi.hoisted(() => ({
  openTransactions: 0,
  whileHashing: [] as number[],
  /** What happens before a new password is hashed. */
  beforeHashing: async () => {},
}));

// Every password is hashed and verified as always: this only watches.
vi.mock("@node-rs/argon2", async (importOriginal) => {
  const argon2 = await importOriginal<typeof import("@node-rs/argon2")>();
  async function watched<T>(work: () => Promise<T>): Promise<T> {
    seen.whileHashing.push(seen.openTransactions);
    try {
      return await work();
    } finally {
      seen.whileHashing.push(seen.openTransactions);
    }
  }
  return {
    ...argon2,
    verify: (...args: Parameters<typeof argon2.verify>) => watched(() => argon2.verify(...args)),
    hash: async (...args: Parameters<typeof argon2.hash>) => {
      await seen.beforeHashing();
      return watched(() => argon2.hash(...args));
    },
  };
});

/** Notes how many transactions of a driver are open. */
const watching = (driver: Driver): Driver =>
  new Proxy(driver, {
    get(target, name) {
      if (name === "transaction") {
        const transaction: Driver["transaction"] = async (run) => {
          seen.openTransactions += 1;
          return target.transaction(run).finally(() => {
            seen.openTransactions -= 1;
          });
        };
        return transaction;
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

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
  expect(await signedIn(ada, ada.password)).toBe(true);
  expect(await signedIn({ ...ada, email: anAddress() }, ada.password)).toBe(false);
  const calls: [string, () => Promise<unknown>, number][] = [
    ["a wrong password", async () => expectError(await changed(ada, "a new password", "wrong"), "BAD_REQUEST"), 1],
    ["the right password", async () => ok(await changed(ada, "a new password")), 2],
  ];
  for (const [which, call, hashings] of calls) {
    seen.whileHashing.length = 0;
    await call();
    expect(seen.whileHashing, which).toEqual(Array(2 * hashings).fill(0));
  }
  expect(await signedIn(ada, "a new password")).toBe(true);
});

test("of two changes of the password in one session, verified at the same time, a single one is made", async () => {
  const ada = await make.user();
  const wanted = ["a first new password", "a second new password"];
  let waiting = 0;
  let go = () => {};
  const bothAreVerified = new Promise<void>((resolve) => {
    go = resolve;
  });
  seen.beforeHashing = () => {
    waiting += 1;
    if (waiting === 2) go();
    return bothAreVerified;
  };
  onTestFinished(() => {
    seen.beforeHashing = async () => {};
  });

  const answers = await Promise.all(wanted.map((password) => changed(ada, password)));

  const winner = answers.findIndex(({ status }) => status === 200);
  ok(answers[winner] ?? expect.fail());
  expectError(answers[1 - winner] ?? expect.fail(), "BAD_REQUEST", "currentPassword");
  const works = await Promise.all(wanted.map((password) => signedIn(ada, password)));
  expect(works).toEqual(wanted.map((_, index) => index === winner));
});
