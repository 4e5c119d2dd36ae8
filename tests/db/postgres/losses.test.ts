import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Driver, TransactionConnection } from "../../../src/db/driver.js";
import { isConnectionError, isOverload, isRetryable } from "../../../src/db/failures.js";
import { openPostgres } from "../../../src/db/postgres.js";
import { openProxy, type TcpProxy } from "./proxy.js";

const url = process.env.TEST_DATABASE_URL ?? "";
const TABLE = `postgres_losses_${process.pid}`;
/** Of three sessions transactions may hold two. */
const settings = { url, poolSize: 3, prepare: true, statementTimeoutMs: 10_000 };
const INSERT = `insert into ${TABLE} values ($1)`;

function open(options: Partial<Parameters<typeof openPostgres>[0]> = {}): Driver {
  const driver = openPostgres({ ...settings, ...options });
  onTestFinished(() => driver.close());
  return driver;
}

async function proxied(options: Partial<Parameters<typeof openPostgres>[0]> = {}): Promise<[Driver, TcpProxy]> {
  const proxy = await openProxy(url);
  onTestFinished(() => proxy.close());
  return [open({ url: proxy.url, ...options }), proxy];
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** How a promise ended: its error, or undefined. */
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.skipIf(!url)("postgres.js driver, when connections are lost", () => {
  const admin = openPostgres(settings);
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);

  beforeAll(async () => {
    process.on("uncaughtException", note).on("unhandledRejection", note);
    await admin.query(`create table ${TABLE} (name text)`, [], "array");
  });
  afterEach(() => expect(uncaught).toEqual([]));
  afterAll(async () => {
    process.off("uncaughtException", note).off("unhandledRejection", note);
    await admin.query(`drop table ${TABLE}`, [], "array");
    await admin.close();
  });

  const pidOf = async (connection: Pick<Driver, "query">): Promise<number> => {
    const [row] = await connection.query("select pg_backend_pid() as pid", [], "object");
    return (row as { pid: number }).pid;
  };
  const terminate = (pid: number) => admin.query("select pg_terminate_backend($1::int)", [pid], "array");
  let dying: Promise<unknown>[] = [];
  /** Terminates without waiting; `expectWholePool` then waits until the backend is gone. */
  const terminateSoon = (pid: number) => {
    dying.push(admin.query("select pg_terminate_backend($1::int, 2000)", [pid], "array").then(() => sleep(10)));
  };
  const stored = async (name: string) => admin.query(`select name from ${TABLE} where name = $1`, [name], "array");

  /** Holds as many sessions as transactions may, and reads on the others. */
  async function expectWholePool(driver: Driver, wholes: number): Promise<void> {
    await Promise.all(dying);
    dying = [];
    let inside = 0;
    let everyoneIn = () => {};
    const all = new Promise<void>((resolve) => {
      everyoneIn = resolve;
    });
    await Promise.all(
      Array.from({ length: wholes }, () =>
        driver.transaction(async (tx) => {
          await tx.query("select $1::int", [1], "array");
          if (++inside === wholes) everyoneIn();
          await all;
          await driver.query("select 1", [], "array");
          await tx.last("select 2", [], "array");
        }),
      ),
    );
  }

  /** Ways for a backend to die inside a transaction; each writes `name` first. */
  const deaths: Record<string, (tx: TransactionConnection, pid: number, name: string) => Promise<unknown>> = {
    "between statements": async (tx, pid, name) => {
      await terminate(pid);
      return tx.query(INSERT, [name], "array");
    },
    "between statements, noticed": async (tx, pid, name) => {
      await terminate(pid);
      await sleep(5);
      return tx.query(INSERT, [name], "array");
    },
    "during a statement": async (tx, pid) => {
      const sleeping = tx.query("select pg_sleep($1::int)", [5], "array");
      await sleep(5);
      await terminate(pid);
      return sleeping;
    },
    "with statements queued behind a running one": async (tx, pid, name) => {
      void tx.query("select pg_sleep($1::int)", [5], "array");
      void tx.query(INSERT, [name], "array");
      const last = tx.last(INSERT, [name], "array");
      await sleep(5);
      await terminate(pid);
      return last;
    },
    "just before COMMIT": async (_tx, pid) => {
      await terminate(pid);
    },
    "just before `last`": async (tx, pid, name) => {
      await terminate(pid);
      return tx.last(INSERT, [name], "array");
    },
    "while `run` throws something else": async (_tx, pid) => {
      terminateSoon(pid);
      throw Object.assign(new Error("mine"), { code: "CONNECTION_MINE" });
    },
    "with everything in one write": (tx, pid, name) => {
      terminateSoon(pid);
      for (let i = 0; i < 50; i += 1) void tx.query("select pg_sleep(0.01), $1::text", [name.repeat(50)], "array");
      return tx.last(INSERT, [name], "array");
    },
  };

  test.each(Object.entries(deaths))(
    "a backend that dies %s fails the transaction, writes nothing",
    async (how, die) => {
      const driver = open();
      const failure = await failureOf(
        driver.transaction(async (tx) => {
          const pid = await pidOf(tx);
          await tx.query(INSERT, [how], "array");
          await die(tx, pid, how);
        }),
      );
      expect(isConnectionError(failure), String(failure)).toBe(true);
      expect(await stored(how)).toEqual([]);
      await expectWholePool(driver, 2);
    },
  );

  test("a backend that dies before the first statement fails it, and the next transaction works", async () => {
    const driver = open({ poolSize: 2 });
    const pid = await pidOf(driver);
    terminateSoon(pid);
    const failure = await failureOf(driver.transaction((tx) => tx.last(INSERT, ["first"], "array")));
    if (failure) expect(isConnectionError(failure)).toBe(true);
    await expectWholePool(driver, 1);
  });

  test("after fifty rounds of deaths of every kind the pool has all its sessions", { timeout: 30_000 }, async () => {
    const driver = open();
    for (let round = 0; round < 50; round += 1) {
      const kinds = Object.values(deaths);
      const failures = await Promise.all(
        [0, 3].map((offset) =>
          failureOf(
            driver.transaction(async (tx) => {
              await kinds[(round + offset) % kinds.length]?.(tx, await pidOf(tx), "round");
            }),
          ),
        ),
      );
      for (const failure of failures) expect(isConnectionError(failure), String(failure)).toBe(true);
      await expectWholePool(driver, 2);
    }
    expect(await stored("round")).toEqual([]);
  });

  test("a plain statement in flight fails, is not sent again, and those after it work", async () => {
    const driver = open({ poolSize: 1 });
    const pid = await pidOf(driver);
    const first = failureOf(driver.query("select pg_sleep($1::int)", [5], "array"));
    const queued = failureOf(driver.query(INSERT, ["queued"], "array"));
    await sleep(20);
    await terminate(pid);
    expect(isConnectionError(await first)).toBe(true);
    expect(isConnectionError(await queued)).toBe(true);
    await sleep(100);
    expect(await stored("queued")).toEqual([]);
    expect(await driver.query("select 1", [], "array")).toEqual([[1]]);
  });

  test("a session idle in its transaction for too long is taken back while `run` still waits", {
    timeout: 20_000,
  }, async () => {
    const driver = open({ poolSize: 1 });
    let goOn = () => {};
    const waiting = failureOf(
      driver.transaction(async (tx) => {
        await tx.query("set local idle_in_transaction_session_timeout = 50", [], "array");
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        await tx.query(INSERT, ["too late"], "array");
      }),
    );
    expect(await driver.query("select 1", [], "array")).toEqual([[1]]);
    goOn();
    expect(isConnectionError(await waiting)).toBe(true);
    expect(await stored("too late")).toEqual([]);
  });

  test("an unreachable database is told at once, to work that waits and to work that comes", async () => {
    const warnings: string[] = [];
    const driver = open({
      url: "postgres://root@127.0.0.1:1/test",
      onWarning: (message) => void warnings.push(message),
    });
    const started = performance.now();
    const attempts = () => [
      failureOf(driver.query("select 1", [], "array")),
      failureOf(driver.transaction((tx) => tx.last("select 1", [], "array"))),
    ];
    const failures = await Promise.all([...attempts(), ...attempts()]);
    await sleep(100);
    failures.push(...(await Promise.all(attempts())));
    expect(performance.now() - started).toBeLessThan(1000);
    for (const failure of failures) {
      expect(isConnectionError(failure)).toBe(true);
      expect(failure).toMatchObject({ code: "CONNECTION_OUTAGE", cause: { code: "ECONNREFUSED" } });
    }
    expect(warnings).toEqual(["Cannot connect to PostgreSQL"]);
    expect(driver.waitingMs()).toBe(0);
  });

  test("migrations wait for a server that is still starting", { timeout: 10_000 }, async () => {
    const [driver, proxy] = await proxied();
    await proxy.set("drop");
    const migrated = driver.migrate(async (execute) => void (await execute("select 1")));
    expect(await Promise.race([sleep(1000).then(() => "waiting"), migrated])).toBe("waiting");
    await proxy.set("pass");
    await migrated;
  });

  test("a database that accepts and hangs up, or never answers, fails within 6 s", { timeout: 8000 }, async () => {
    let connections = 0;
    const ports = await Promise.all(
      [true, false].map(async (hangsUp) => {
        const server = createServer((socket) => {
          connections += 1;
          if (hangsUp) socket.end();
          socket.on("error", () => {});
          onTestFinished(() => void socket.destroy());
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        onTestFinished(() => void server.close());
        return server.address();
      }),
    );
    const failures = ports.map((at) => {
      const port = at && typeof at === "object" ? at.port : 0;
      return failureOf(open({ url: `postgres://root@127.0.0.1:${port}/test` }).query("select 1", [], "array"));
    });
    for (const failure of await Promise.all(failures)) expect(isConnectionError(failure)).toBe(true);
    expect(connections).toBeLessThan(30);
  });

  test("a server that lets nobody in is an outage, and for migrations a refusal as it is", async () => {
    const driver = open({ url: url.replace(/\/[^/]*$/, "/no_such_database") });
    const refusal = { code: "3D000" };
    await expect(driver.query("select 1", [], "array")).rejects.toMatchObject({ cause: refusal });
    await expect(driver.migrate(async () => {})).rejects.toMatchObject(refusal);
  });

  test("in an outage work is refused at once; when the database is back, so is the pool, and each is told of once", {
    timeout: 15_000,
  }, async () => {
    const warnings: string[] = [];
    const [driver, proxy] = await proxied({ onWarning: (message) => void warnings.push(message) });
    await expectWholePool(driver, 2);
    const inFlight = failureOf(driver.query("select pg_sleep(3)", [], "array"));
    await sleep(20);
    await proxy.set("drop");
    expect(isConnectionError(await inFlight)).toBe(true);
    // Until the idle sessions hear of it too: work that is sent to them before that is lost with them.
    await sleep(300);
    for (let call = 0; call < 20; call += 1) {
      const started = performance.now();
      const failure = await failureOf(driver.query("select 1", [], "array"));
      expect(failure).toMatchObject({ code: "CONNECTION_OUTAGE", cause: { code: "ECONNREFUSED" } });
      expect(performance.now() - started).toBeLessThan(200);
      await sleep(50);
    }
    await proxy.set("pass");
    await expect.poll(() => warnings.at(-1), { timeout: 3000 }).toBe("PostgreSQL is back");
    await expectWholePool(driver, 2);
    expect(warnings).toEqual(["A database session was lost", "Cannot connect to PostgreSQL", "PostgreSQL is back"]);
  });

  test("a connection that falls silent is given up and replaced", { timeout: 10_000 }, async () => {
    const warnings: string[] = [];
    const [driver, proxy] = await proxied({
      statementTimeoutMs: 200,
      onWarning: (message, error) => warnings.push(`${message}: ${error}`),
    });
    await expectWholePool(driver, 2);
    await proxy.set("hold");
    const failures = await Promise.all([
      failureOf(driver.query("select 1", [], "array")),
      failureOf(driver.transaction((tx) => tx.last("select 1", [], "array"))),
    ]);
    for (const failure of failures) expect(failure).toMatchObject({ code: "CONNECTION_STALLED" });
    await proxy.set("pass");
    await expectWholePool(driver, 2);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("lost");
  });
});

test("failures are recognised through their causes, also in a circle", () => {
  const wrapped = (code: string) => new Error("Failed query", { cause: Object.assign(new Error("inner"), { code }) });
  for (const code of [
    "CONNECTION_CLOSED",
    "CONNECT_TIMEOUT",
    "ECONNRESET",
    "EPIPE",
    "ERR_STREAM_WRITE_AFTER_END",
    "ERR_STREAM_DESTROYED",
    "57P01",
    "57P02",
    "57P03",
    "25P03",
  ]) {
    expect(isConnectionError(wrapped(code)), code).toBe(true);
    expect(isRetryable(wrapped(code)), code).toBe(false);
  }
  for (const code of ["40001", "40P01", "23503"]) expect(isRetryable(wrapped(code)), code).toBe(true);
  for (const code of ["53300", "57014", "55P03"]) expect(isOverload(wrapped(code)), code).toBe(true);
  for (const code of ["23505", "57014"]) expect(isConnectionError(wrapped(code)), code).toBe(false);
  const circle = new Error("circle");
  circle.cause = circle;
  expect(isConnectionError(circle)).toBe(false);
  expect(isConnectionError("57P01")).toBe(false);
});
