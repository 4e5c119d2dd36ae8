// Guarantees of the pool: who gets a session when, what reads may count on, and what waiting costs.

import { describe, expect, onTestFinished, test } from "vitest";
import type { Driver } from "../../../src/db/driver.js";
import { openPostgres } from "../../../src/db/postgres.js";

const url = process.env.TEST_DATABASE_URL ?? "";

describe.skipIf(!url)("the pool", () => {
  function open(poolSize: number, options: Partial<Parameters<typeof openPostgres>[0]> = {}): Driver {
    const driver = openPostgres({ url, poolSize, prepare: true, statementTimeoutMs: 10_000, ...options });
    onTestFinished(() => driver.close());
    return driver;
  }
  const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const read = (driver: Driver) => driver.query("select 1", [], "array");
  const pause = (driver: Driver, ms: number) => driver.query("select pg_sleep($1::float8 / 1000)", [ms], "array");
  const transaction = (driver: Driver) => driver.transaction((tx) => tx.last("select 1", [], "array"));

  function held(driver: Driver, count: number) {
    let end = () => {};
    let inside = 0;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const all = times(count, () =>
      driver.transaction(async (tx) => {
        await tx.query("select 1", [], "array");
        inside += 1;
        await ended;
      }),
    );
    onTestFinished(end);
    const release = () => {
      end();
      return Promise.all(all);
    };
    return { inside: () => inside, release };
  }

  test.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 3],
    [8, 6],
  ])("of %i sessions transactions hold %i at most", async (size, wholes) => {
    const driver = open(size);
    const transactions = held(driver, size + 2);
    await expect.poll(transactions.inside).toBe(wholes);
    await sleep(50);
    expect(transactions.inside()).toBe(wholes);
    if (size > 1) await Promise.all(times(20, () => read(driver)));
    await transactions.release();
    expect(transactions.inside()).toBe(size + 2);
  });

  test("reads go on while all that transactions may hold wait for a lock", async () => {
    const driver = open(4);
    const locker = open(1);
    const key = process.pid;
    let unlock = () => {};
    const unlocked = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    const lock = (tx: { query: Driver["query"] }) => tx.query("select pg_advisory_xact_lock($1::int)", [key], "array");
    let isLocked = () => {};
    const locked = new Promise<void>((resolve) => {
      isLocked = resolve;
    });
    const holding = locker.transaction(async (tx) => {
      await lock(tx);
      isLocked();
      await unlocked;
    });
    await locked;
    let ended = 0;
    const refused = Promise.all(
      times(12, () =>
        driver.transaction(lock).catch(() => {
          ended += 1;
        }),
      ),
    );
    let reads = 0;
    while (ended === 0) {
      await read(driver);
      reads += 1;
    }
    // A read that waited for a session would come back only after one of the transactions had given up.
    expect(reads).toBeGreaterThan(1);
    unlock();
    await holding;
    await refused;
    await Promise.all(times(12, () => transaction(driver)));
  });

  test("a lock is waited for half a second, prepared or not", async () => {
    for (const prepare of [true, false]) {
      const driver = open(1, { prepare });
      const setting = await driver.transaction((tx) => tx.last("select current_setting('lock_timeout')", [], "array"));
      expect(setting).toEqual([["500ms"]]);
    }
  });

  test("with Citus a transaction asks for one server after the other, and passes its limit for locks on", async () => {
    const settings = ["citus.multi_shard_modify_mode", "citus.propagate_set_commands", "lock_timeout"];
    for (const prepare of [true, false]) {
      const driver = open(1, { prepare, isDistributed: true });
      const read = settings.map((name) => `current_setting('${name}')`).join();
      const found = await driver.transaction((tx) => tx.last(`select ${read}`, [], "array"));
      expect(found).toEqual([["sequential", "local", "500ms"]]);
    }
  });

  test("plans are generic unless it is said otherwise", async () => {
    const modeOf = (driver: Driver) => driver.query("select current_setting('plan_cache_mode')", [], "array");
    expect(await modeOf(open(1))).toEqual([["force_generic_plan"]]);
    expect(await modeOf(open(1, { isDistributed: true }))).toEqual([["auto"]]);
  });

  test("what waits is served in the order in which it came, reads and transactions alike", async () => {
    const driver = open(1);
    const done: number[] = [];
    const busy = pause(driver, 100);
    const busyToo = times(3, () => pause(driver, 1));
    const all = times(40, async (n) => {
      await (n % 3 === 0 ? transaction(driver) : read(driver));
      done.push(n);
    });
    await Promise.all([busy, ...busyToo, ...all]);
    expect(done).toEqual(times(40, (n) => n));
  });

  test("a statement gets a session of its own while there is room for more, and shares one where there is none", async () => {
    const driver = open(2);
    await read(driver);
    const slow = pause(driver, 400);
    const started = performance.now();
    await read(driver);
    expect(performance.now() - started).toBeLessThan(300);
    const slower = pause(driver, 400);
    const pids = await Promise.all(times(6, () => driver.query("select pg_backend_pid()", [], "array")));
    expect(new Set(pids.flat(2)).size).toBe(2);
    await Promise.all([slow, slower]);
  });

  test("what waits too long is refused, and lets those behind it past", async () => {
    const driver = open(1, { acquireTimeoutMs: 200 });
    const transactions = held(driver, 1);
    await expect.poll(transactions.inside).toBe(1);
    const late = times(3, () => transaction(driver).catch((error: unknown) => error));
    await sleep(100);
    // Transactions wait within deadlines of their own, and are no sign of overload.
    expect(driver.waitingMs()).toBe(0);
    const behind = read(driver);
    for (const error of await Promise.all(late)) expect(error).toMatchObject({ code: "CONNECTION_TIMEOUT" });
    expect(driver.waitingMs()).toBeGreaterThan(0);
    expect(driver.waitingMs()).toBeLessThan(150);
    await transactions.release();
    await behind;
    expect(driver.waitingMs()).toBe(0);
  });

  test("a statement costs the same however many wait", async () => {
    const driver = open(2, { acquireTimeoutMs: 60_000 });
    const perStatementMs = async (count: number) => {
      const started = performance.now();
      await Promise.all(times(count, () => read(driver)));
      return (performance.now() - started) / count;
    };
    await perStatementMs(2000);
    const few: number[] = [];
    const many: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      few.push(await perStatementMs(1000));
      many.push(await perStatementMs(20_000));
    }
    expect(Math.min(...many) / Math.min(...few)).toBeLessThan(3);
  }, 60_000);

  test("transactions read what is committed, whatever the database does by default", async () => {
    const name = `pool_${process.pid}`;
    const admin = open(1);
    await admin.query(`create database ${name}`, [], "array");
    onTestFinished(async () => {
      const last = openPostgres({ url, poolSize: 1, prepare: true, statementTimeoutMs: 10_000 });
      await last.query(`drop database if exists ${name} with (force)`, [], "array");
      await last.close();
    });
    await admin.query(`alter database ${name} set default_transaction_isolation = 'serializable'`, [], "array");
    const own = new URL(url);
    own.pathname = `/${name}`;
    const isolation = "select current_setting('transaction_isolation')";
    for (const prepare of [true, false]) {
      const driver = openPostgres({ url: own.href, poolSize: 1, prepare, statementTimeoutMs: 10_000 });
      expect(await driver.transaction((tx) => tx.last(isolation, [], "array"))).toEqual([["read committed"]]);
      await driver.close();
    }
  });
});
