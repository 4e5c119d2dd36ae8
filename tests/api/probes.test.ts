// Probes: `/health`, `/ready` and `/metrics` are answered while calls wait for the database.

import { sql } from "drizzle-orm";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/db/client.js";
import { openPostgres } from "../../src/db/postgres.js";
import { openProxy } from "../db/postgres/proxy.js";
import { type Answer, appOn, expectError, ok, testApp } from "../helpers/app.js";

/** Calls that wait for long are no overload here, which would turn away `/ready` too. */
const patient = { limits: { waitMs: 60_000 } };
const { as, make, db } = await testApp({}, patient);
const isEmbedded = inject("template").kind === "embedded";

/** Takes every session of the database, reads included, until it is told to let go. */
function occupied() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const transactions = Array.from({ length: 50 }, () =>
    db.transaction(async (tx) => {
      await tx.rows(sql`select 1`);
      await gate;
    }),
  );
  const reads = isEmbedded ? [] : Array.from({ length: 30 }, () => db.rows(sql`select pg_sleep(1)`));
  onTestFinished(release);
  return async () => {
    release();
    await Promise.all([...transactions, ...reads]);
  };
}

test("while calls wait for every session of the database, probes are answered at once", async () => {
  const ada = await make.user();
  ok(await as(ada).send({ method: "GET", url: "/ready" }));
  const letGo = occupied();
  let isAnswered = false;
  const call = as(ada)
    .get("/users/me")
    .finally(() => {
      isAnswered = true;
    });
  await expect.poll(() => db.waitingMs()).toBeGreaterThan(50);

  for (const url of ["/ready", "/health", "/metrics"]) {
    ok(await as(ada).send({ method: "GET", url }));
    expect(isAnswered).toBe(false);
  }

  await letGo();
  ok(await call);
});

describe.skipIf(isEmbedded)("on PostgreSQL", () => {
  async function proxied() {
    const proxy = await openProxy(process.env.TEST_DATABASE_URL ?? "");
    const warnings: string[] = [];
    const settings = { url: proxy.url, poolSize: 2, prepare: true, statementTimeoutMs: 10_000 };
    const lost = openDatabase(openPostgres({ ...settings, onWarning: (message) => void warnings.push(message) }));
    onTestFinished(async () => {
      await lost.close();
      await proxy.close();
    });
    const { anonymous, logs } = await appOn(lost, {}, patient);
    const ready = () => anonymous.send({ method: "GET", url: "/ready" });
    return { proxy, ready, warnings, logs };
  }

  test("a server that no longer answers is not ready, which is said within seconds and logged once; then it is ready again", async () => {
    const { proxy, ready, warnings, logs } = await proxied();
    ok(await ready());
    await proxy.set("hold");
    const started = performance.now();
    const answers: Answer<unknown>[] = await Promise.all([ready(), ready(), ready()]);
    answers.push(await ready());
    for (const answer of answers) expectError(answer, "SERVICE_UNAVAILABLE");
    expect(performance.now() - started).toBeLessThan(5000);
    expect(warnings.filter((message) => message === "PostgreSQL does not answer")).toHaveLength(1);
    expect(logs.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)).toEqual([]);
    await proxy.set("pass");
    await expect.poll(async () => (await ready()).status, { timeout: 10_000 }).toBe(200);
  });
});
