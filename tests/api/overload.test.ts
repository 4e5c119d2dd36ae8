// Overload: while work waits too long for the database, or the event loop is late, new calls are refused at once, probes are
// answered, and what was let in is answered too.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { type Answer, appOn, expectError, ok, testApp } from "../helpers/app.js";

/** Long enough that a call that is to wait arrives before, also on a busy machine. */
const WAIT_MS = 500;
const MORE_THAN_SESSIONS = 50;
const { app, as, make, db } = await testApp({}, { limits: { waitMs: WAIT_MS } });
const [ada, bob] = [await make.user(), await make.user()];
// A process counts callers by account once it has seen their tokens, and by address before.
for (const person of [ada, bob]) ok(await as(person).get("/users/me"));

/** How long statements hold the sessions of PostgreSQL that transactions leave to them. */
const SLEEPS = process.env.TEST_DATABASE_URL === undefined ? 0 : 20;

/** Takes every session of the database until it is told to let go. */
function occupied() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = Array.from({ length: MORE_THAN_SESSIONS }, () =>
    db.transaction(async (tx) => {
      await tx.rows(sql`select 1`);
      await gate;
    }),
  );
  const sleeping = Array.from({ length: SLEEPS }, () => db.rows(sql`select pg_sleep(0.3)`));
  onTestFinished(release);
  return async () => {
    release();
    await Promise.all([...holding, ...sleeping]);
  };
}

function expectTurnedAway(res: Answer<unknown>): void {
  expectError(res, "SERVICE_UNAVAILABLE");
  expect(res.headers["retry-after"]).toBe("1");
}

const health = () => app.inject("/health").then(({ statusCode }) => statusCode);

test("while work waits too long for the database new calls are turned away, and what was let in is answered", async () => {
  const letGo = occupied();
  const waiting = [ada, bob].map((person) => as(person).get("/users/me"));
  await expect.poll(() => db.waitingMs(), { timeout: 10_000 }).toBeGreaterThan(WAIT_MS);

  expectTurnedAway(await as(ada).get("/users/me"));
  expectTurnedAway(await as(ada).post("/workspaces", { name: "Engines" }));
  const overTrpc = await as(ada).send({ method: "GET", url: "/trpc/user.me" });
  expect(overTrpc).toMatchObject({ status: 503, body: { error: { data: { code: "SERVICE_UNAVAILABLE" } } } });
  expectTurnedAway(await as(ada).send({ method: "GET", url: "/ready" }));
  expect(await health()).toBe(200);

  await letGo();
  for (const answer of await Promise.all(waiting)) ok(answer);
  expect(ok(await as(ada).get<unknown[]>("/workspaces"))).toEqual([]);
  expect((await as(ada).send({ method: "GET", url: "/ready" })).status).toBe(200);
});

/**
 * While one caller has ten calls that wait, another has one, and the process is overloaded: the next call of the first is turned away,
 * and that of the other is not.
 */
async function expectTurnedAwayFirst(ofBusiest: () => Promise<number>, ofOther: () => Promise<number>): Promise<void> {
  const letGo = occupied();
  const waiting = [...Array.from({ length: 10 }, ofBusiest), ofOther()];
  await expect.poll(() => db.waitingMs(), { timeout: 10_000 }).toBeGreaterThan(WAIT_MS);

  expect(await ofBusiest()).toBe(503);
  const letIn = ofOther();
  expect(await ofBusiest()).toBe(503);
  await letGo();
  expect(new Set(await Promise.all([...waiting, letIn]))).toEqual(new Set([200]));
}

test("the account that uses most is turned away first", async () => {
  const [busy, other] = [await make.user(), await make.user()];
  const read = (person: typeof busy) => async () => (await as(person).get("/workspaces")).status;
  for (const person of [busy, other]) expect(await read(person)()).toBe(200);
  await expectTurnedAwayFirst(read(busy), read(other));
});

test("of calls without a token, the address that uses most is turned away first", async () => {
  const { board, owner } = await make.board();
  ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "public" }));
  const url = `/api/v1/public/boards/${board.publicId}`;
  const read = (remoteAddress: string) => async () => (await app.inject({ url, remoteAddress })).statusCode;
  await expectTurnedAwayFirst(read("192.0.2.1"), read("192.0.2.2"));
});

test("who is turned away can still sign out, and makes no other call beside that", async () => {
  const busy = await make.user();
  const letGo = occupied();
  // More than the calls of one account that run and wait.
  const waiting = [...Array.from({ length: 400 }, () => as(busy).get("/users/me")), as(bob).get("/users/me")];
  await expect.poll(() => db.waitingMs(), { timeout: 10_000 }).toBeGreaterThan(WAIT_MS);

  expectTurnedAway(await as(busy).get("/users/me"));
  const url = "/trpc/user.signOut,user.update?batch=1";
  expect((await as(busy).send({ method: "POST", url, body: "{}" })).status).toBe(503);
  const leaving = as(busy).post("/auth/sign-out");
  await letGo();
  ok(await leaving);
  await Promise.all(waiting);
  expectError(await as(busy).get("/users/me"), "UNAUTHORIZED");
});

test("a caller is not turned away while nobody else has a call, whatever waits", async () => {
  const letGo = occupied();
  const read = () => as(ada).get("/users/me");
  const waiting = [read(), read()];
  await expect.poll(() => db.waitingMs(), { timeout: 10_000 }).toBeGreaterThan(WAIT_MS);
  expectTurnedAway(await as(ada).send({ method: "GET", url: "/ready" }));

  const alone = read();
  const other = as(bob).get("/users/me");
  expectTurnedAway(await read());

  await letGo();
  for (const answer of await Promise.all([...waiting, alone, other])) ok(answer);
});

test("work that waits for less than that is no overload", async () => {
  const other = await appOn(db, {}, { limits: { waitMs: 60_000 } });
  const answers = await Promise.all(Array.from({ length: 100 }, () => other.as(ada).get("/users/me")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test("while the event loop is late new calls are turned away and probes answered; once it is in time calls are answered again", async () => {
  const late = await appOn(db, {}, { limits: { waitMs: 60_000, loopDelayMs: 150, loopSampleMs: 100 } });
  for (const person of [ada, bob]) ok(await late.as(person).get("/users/me"));
  const letGo = occupied();
  const waiting = [ada, ada, bob].map((person) => late.as(person).get("/users/me"));
  // They have passed the guard before the loop is late.
  await expect.poll(() => db.waitingMs()).toBeGreaterThan(0);
  const blocking = setInterval(() => {
    const until = performance.now() + 400;
    while (performance.now() < until);
  }, 1);
  onTestFinished(() => clearInterval(blocking));
  const call = () => late.as(ada).get("/users/me");
  // A call that comes before the loop counts as late waits with the others.
  const statusSoon = () => Promise.race([call().then(({ status }) => status), sleep(2000).then(() => "waits")]);
  await expect.poll(statusSoon, { timeout: 20_000 }).toBe(503);
  expectTurnedAway(await call());
  expect((await late.app.inject("/health")).statusCode).toBe(200);
  expectTurnedAway(await late.anonymous.send({ method: "GET", url: "/ready" }));

  clearInterval(blocking);
  await letGo();
  for (const answer of await Promise.all(waiting)) ok(answer);
  await expect.poll(async () => (await call()).status, { timeout: 20_000 }).toBe(200);
});
