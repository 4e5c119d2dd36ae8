// Guarantees of lanes: what would wait for the same locks runs one behind the other on one session, and holds up nobody else.

import { describe, expect, onTestFinished, test } from "vitest";
import { openPostgres } from "../../../src/db/postgres.js";

const url = process.env.TEST_DATABASE_URL ?? "";

describe.skipIf(!url)("lanes", () => {
  function open(poolSize: number, acquireTimeoutMs = 5000) {
    const driver = openPostgres({ url, poolSize, prepare: true, statementTimeoutMs: 10_000, acquireTimeoutMs });
    onTestFinished(() => driver.close());
    const done: string[] = [];
    /** Works on a session for some time, and gives its process. */
    const work = async (name: string, lane: string | null, ms = 20) => {
      const [row] = await driver.write("select pg_backend_pid(), pg_sleep($1::float8 / 1000)", [ms], "array", lane);
      done.push(name);
      return Array.isArray(row) ? Number(row[0]) : 0;
    };
    return { driver, work, done };
  }
  const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

  test("a lane keeps to one session and its order", async () => {
    const { work, done } = open(4);
    const pids = await Promise.all(times(12, (n) => work(String(n), "one", 5)));
    expect(new Set(pids).size).toBe(1);
    expect(done).toEqual(times(12, String));
  });

  test("lanes, and what is in none, run beside each other", async () => {
    const { work } = open(4);
    const pids = await Promise.all([work("a", "one", 200), work("b", "two", 200), work("c", null, 200)]);
    expect(new Set(pids).size).toBe(3);
  });

  test("a lane that is stuck leaves the other sessions to the others", async () => {
    const { driver, work, done } = open(2);
    const stuck = times(8, (n) => work(`stuck ${n}`, "one", n === 0 ? 1000 : 1));
    for (let n = 0; n < 5; n += 1) {
      expect(await driver.query("select 1", [], "array")).toEqual([[1]]);
      await work("other", "two", 1);
    }
    expect(done).toEqual(times(5, () => "other"));
    await Promise.all(stuck);
  });

  test("with one session, a lane that never ends lets others take their turn", async () => {
    const { driver, work, done } = open(1);
    let isOver = false;
    const busy = times(8, async () => {
      while (!isOver) await work("lane", "one", 1);
    });
    await work("other", "two", 1);
    expect(await driver.query("select 1", [], "array")).toEqual([[1]]);
    expect(await driver.transaction((connection) => connection.last("select 2", [], "array"))).toEqual([[2]]);
    isOver = true;
    await Promise.all(busy);
    expect(done).toContain("other");
  });

  test("a statement that fails fails alone", async () => {
    const { driver, work } = open(2);
    const results = await Promise.allSettled([
      work("a", "one"),
      driver.write("select 1 / $1::int", [0], "array", "one"),
      work("b", "one"),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("a session that is lost takes with it what it was sent, and the lane goes on upon another", async () => {
    const { driver, work } = open(2);
    const results = times(10, (n) => work(String(n), "one", 100));
    const ended = Promise.allSettled(results);
    const pid = await work("first", "two", 1).then(() => results[0]);
    await driver.query("select pg_terminate_backend($1::int)", [pid ?? 0], "array");
    const states = (await ended).map(({ status }) => status);
    expect(states.at(0)).toBe("fulfilled");
    expect(states.at(-1)).toBe("fulfilled");
    expect(states.filter((status) => status === "rejected").length).toBeGreaterThan(0);
    expect(await work("again", "one", 1)).not.toBe(pid);
  });

  test("what waits too long for its lane is told so; the others need not care", async () => {
    const { driver, work } = open(2, 200);
    const running = times(5, (n) => work(String(n), "one", n === 0 ? 600 : 1));
    const [outcome] = await Promise.allSettled(running.slice(-1));
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "CONNECTION_TIMEOUT" } });
    const late = work("late", "one", 1).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(driver.waitingMs()).toBe(0);
    await Promise.allSettled([...running, late]);
  });

  test("a statement of its own reads what is committed, whatever its database does by default", async () => {
    const name = `lanes_${process.pid}`;
    const admin = openPostgres({ url, poolSize: 1, prepare: true, statementTimeoutMs: 10_000 });
    onTestFinished(async () => {
      await admin.query(`drop database if exists ${name} with (force)`, [], "array");
      await admin.close();
    });
    await admin.query(`create database ${name}`, [], "array");
    await admin.query(`alter database ${name} set default_transaction_isolation = 'serializable'`, [], "array");
    const own = new URL(url);
    own.pathname = `/${name}`;
    for (const prepare of [true, false]) {
      const driver = openPostgres({ url: own.href, poolSize: 1, prepare, statementTimeoutMs: 10_000 });
      const isolation = await driver.write("select current_setting('transaction_isolation')", [], "array", "one");
      expect(isolation).toEqual([["read committed"]]);
      await driver.close();
    }
  });

  test("closing lets a lane come to its end, and nothing more begins", async () => {
    const { driver, work, done } = open(2);
    const running = times(10, (n) => work(String(n), "one", 10));
    const closing = driver.close();
    await expect(work("late", "one")).rejects.toMatchObject({ code: "CONNECTION_ENDED" });
    await Promise.all(running);
    await closing;
    expect(done).toHaveLength(10);
  });
});
