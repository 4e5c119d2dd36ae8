// Fairness: whatever one account does, the calls of the others are answered as if it did nothing; its own wait, and are refused when
// they wait too long.

import { connect } from "node:net";
import { setImmediate as nextTurnOfLoop, setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect, inject, onTestFinished, test } from "vitest";
import {
  type Answer,
  appOn,
  expectError,
  ok,
  type Person,
  type TestApp,
  testApp,
  unique,
  type Workspace,
} from "../helpers/app.js";
import { countingStatements, openTestDatabase } from "../helpers/databases.js";

const CALLS_OF_AN_ACCOUNT = 32;
const MORE_THAN_SESSIONS = 50;
/** What waits on the database here is no overload. */
const PATIENT = { waitMs: 60_000 };

const patient = await testApp({}, { limits: PATIENT });
const { app, as, anonymous, make, db } = patient;
const hasty = await appOn(db, {}, { limits: { ...PATIENT, callWaitMs: 300, heavyWaitMs: 300 } });

/** Holds every session on which something could be written until it is told to let go. */
function occupied() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = Array.from({ length: MORE_THAN_SESSIONS }, () =>
    db
      .transaction(async (tx) => {
        await tx.rows(sql`select 1`);
        await gate;
      })
      .catch((error: unknown) => error),
  );
  onTestFinished(release);
  return async () => {
    release();
    await Promise.all(holding);
  };
}

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
/** Makes the token known, so that no call waits for the database before it has its turn. */
const known = async (app: TestApp, ...people: Person[]) => {
  for (const person of people) ok(await app.as(person).get("/users/me"));
};
const newWorkspace = (app: TestApp, person: Person) => app.as(person).post("/workspaces", { name: unique("W") });

function importOf({ publicId: workspacePublicId }: Workspace, rows: number) {
  const body = { workspacePublicId, boardName: unique("Import"), rows: times(rows, (n) => [`Card ${n}`]) };
  return { ...body, mapping: { title: 0 } };
}

function answered() {
  const order: string[] = [];
  const note = async <T>(name: string, answer: Promise<T>) => {
    const result = await answer;
    order.push(name);
    return result;
  };
  return { order, note };
}

function expectTurnedAway(res: Answer<unknown>, seconds: string): void {
  expectError(res, "SERVICE_UNAVAILABLE");
  expect(res.headers["retry-after"]).toBe(seconds);
}

test("one account with 200 calls at once does not delay another's, and is answered itself", async () => {
  const busy = await make.board();
  const other = await make.board();
  const { order, note } = answered();
  const path = ({ workspace }: { workspace: Workspace }) => `/workspaces/${workspace.publicId}/search?query=card`;
  const many = times(200, () => note("busy", as(busy.owner).get(path(busy))));
  const one = note("other", as(other.owner).get(path(other)));
  ok(await one);
  expect(order.indexOf("other")).toBeLessThan(3 * CALLS_OF_AN_ACCOUNT);
  for (const answer of await Promise.all(many)) ok(answer);
});

test("requests begin in turns of their accounts: two hundred of one that are refused at once do not hold up one of another", async () => {
  const [busy, other] = [await make.user(), await make.user()];
  await known(patient, busy, other);
  const { order, note } = answered();
  const refused = (name: string, { token }: Person) => {
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": "a".repeat(256) };
    return note(name, app.inject({ method: "POST", url: "/api/v1/workspaces", headers, payload: { name: "W" } }));
  };
  const many = times(200, () => refused("busy", busy));
  expect((await refused("other", other)).statusCode).toBe(400);
  expect(order.indexOf("other")).toBeLessThan(50);
  for (const { statusCode } of await Promise.all(many)) expect(statusCode).toBe(400);
});

test("a batch begins as its calls do: of a hundred batches that are refused at once, few are answered in the first turns of the loop", async () => {
  const busy = await make.user();
  await known(patient, busy);
  const { order, note } = answered();
  const headers = { authorization: `Bearer ${busy.token}`, "idempotency-key": "a".repeat(256) };
  const url = `/trpc/${Array(10).fill("workspace.create").join()}?batch=1`;
  const refused = () => note("busy", app.inject({ method: "POST", url, headers, payload: {} }));
  const many = times(100, refused);
  // The first answers come within some turns; then a batch a turn.
  while (order.length === 0) await nextTurnOfLoop();
  for (let turn = 0; turn < 20; turn += 1) await nextTurnOfLoop();
  expect(order.length).toBeLessThan(50);
  for (const { statusCode } of await Promise.all(many)) expect(statusCode).toBe(400);
});

test("accounts take turns with weighted calls: forty searches of one do not hold up that of another", async () => {
  const busy = await make.board();
  const other = await make.board();
  for (const { owner } of [busy, other]) ok(await as(owner).get("/users/me"));
  const { order, note } = answered();
  const search = ({ owner, workspace }: typeof busy) =>
    as(owner).get(`/workspaces/${workspace.publicId}/search?query=card`);
  const many = times(40, () => note("busy", search(busy)));
  ok(await note("other", search(other)));
  // Some are answered before the other call has even arrived; without weights, 32 are always ahead of it.
  expect(order.indexOf("other")).toBeLessThan(24);
  for (const answer of await Promise.all(many)) ok(answer);
});

test("accounts take turns with cached boards that are large: forty reads of one do not hold up a read of another", {
  tags: ["slow"],
}, async () => {
  const rows = times(40, (n) => [`Card ${n}`, "long text ".repeat(2000)]);
  const largeBoard = async () => {
    const { owner, workspace } = await make.workspace();
    const imported = async (onto: { boardPublicId?: string }) => {
      const body = {
        workspacePublicId: workspace.publicId,
        boardName: "Large",
        rows,
        mapping: { title: 0, description: 1 },
        ...onto,
      };
      return ok(await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", body)).boardPublicId;
    };
    // Twice, because a larger body would be parsed by a worker, whose start takes seconds here.
    const boardPublicId = await imported({ boardPublicId: await imported({}) });
    const headers = { authorization: `Bearer ${owner.token}` };
    const read = () => app.inject({ url: `/api/v1/boards/${boardPublicId}`, headers });
    expect((await read()).statusCode).toBe(200);
    return read;
  };
  const [busy, other] = [await largeBoard(), await largeBoard()];
  const { order, note } = answered();
  const many = times(40, () => note("busy", busy()));
  expect((await note("other", other())).statusCode).toBe(200);
  // Some are answered before the other call has even arrived; without weights, 32 are always ahead of it.
  expect(order.indexOf("other")).toBeLessThan(24);
  for (const { statusCode } of await Promise.all(many)) expect(statusCode).toBe(200);
});

test("calls without a token take turns by their address", async () => {
  const { board, owner } = await make.board();
  ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "public" }));
  const { order, note } = answered();
  const read = (remoteAddress: string) =>
    note(remoteAddress, app.inject({ url: `/api/v1/public/boards/${board.publicId}`, remoteAddress }));
  const many = times(60, () => read("192.0.2.1"));
  expect((await read("192.0.2.2")).statusCode).toBe(200);
  expect(order.indexOf("192.0.2.2")).toBeLessThan(20);
  for (const { statusCode } of await Promise.all(many)) expect(statusCode).toBe(200);
});

test("accounts take turns with bodies over 64 KiB: forty of one do not hold up that of another", async () => {
  const [busy, other] = [await make.user(), await make.user()];
  for (const person of [busy, other]) ok(await as(person).get("/users/me"));
  const { order, note } = answered();
  const send = (person: Person) => as(person).post("/workspaces", { name: "x".repeat(1_000_000) });
  const many = times(40, () => note("busy", send(busy)));
  expectError(await note("other", send(other)), "BAD_REQUEST", "name");
  expect(order.indexOf("other")).toBeLessThan(20);
  for (const answer of await Promise.all(many)) expectError(answer, "BAD_REQUEST", "name");
});

test("callers take turns with passwords: forty changes by one account hold up nobody who signs in", async () => {
  const [busy, other] = [await make.user(), await make.user()];
  for (const person of [busy, other]) ok(await as(person).get("/users/me"));
  const { order, note } = answered();
  const change = { currentPassword: busy.password, newPassword: busy.password };
  const many = times(40, () => note("busy", as(busy).put("/users/me/password", change)));
  const { email, password } = other;
  ok(await note("other", anonymous.post("/auth/sign-in", { email, password })));
  expect(order.indexOf("other")).toBeLessThan(8);
  for (const { status } of await Promise.all(many)) expect([200, 400]).toContain(status);
});

test("calls beyond a quarter of the capacity wait, and are SERVICE_UNAVAILABLE when they wait too long; others' are not", async () => {
  const [busy, other] = [await make.user(), await make.user()];
  await known(hasty, busy, other);
  const letGo = occupied();
  const running = times(CALLS_OF_AN_ACCOUNT, () => newWorkspace(hasty, busy));
  const tooMany = times(3, () => newWorkspace(hasty, busy));
  const batch = hasty.as(busy).send({
    method: "POST",
    url: "/trpc/workspace.create,workspace.create?batch=1",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ 0: { name: unique("W") }, 1: { name: unique("W") } }),
  });
  for (const answer of await Promise.all(tooMany)) expectTurnedAway(answer, "1");
  const overTrpc = await batch;
  expect(overTrpc.headers["retry-after"]).toBe("1");
  expect(overTrpc.body).toMatchObject(times(2, () => ({ error: { data: { code: "SERVICE_UNAVAILABLE" } } })));
  const others = newWorkspace(hasty, other);

  await letGo();
  for (const answer of await Promise.all([...running, others])) ok(answer);
  ok(await newWorkspace(hasty, busy));
});

test("of an account 256 calls wait, and more are refused at once", async () => {
  const busy = await make.user();
  const patient = await appOn(db, {}, { limits: { ...PATIENT, callWaitMs: 60_000 } });
  await known(patient, busy);
  const letGo = occupied();
  const calls = times(CALLS_OF_AN_ACCOUNT + 256, () => newWorkspace(patient, busy));
  const started = performance.now();
  expectTurnedAway(await newWorkspace(patient, busy), "1");
  expect(performance.now() - started).toBeLessThan(2000);
  await letGo();
  for (const answer of await Promise.all(calls)) ok(answer);
});

test("places are given back after refusals and failures", async () => {
  const busy = await make.board();
  for (let round = 0; round < 2; round += 1) {
    const wrong = times(2 * CALLS_OF_AN_ACCOUNT, (n) =>
      n % 2 === 0 ? as(busy.owner).get("/boards/unknown00000") : as(busy.owner).post("/workspaces", { nonsense: n }),
    );
    for (const { status } of await Promise.all(wrong)) expect([400, 404]).toContain(status);
  }
  const imports = times(4, () => as(busy.owner).post("/imports/csv/boards", { nonsense: true }));
  for (const answer of await Promise.all(imports)) expectError(answer, "BAD_REQUEST");
  ok(await hasty.as(busy.owner).post("/imports/csv/boards", importOf(busy.workspace, 1)));
  for (const answer of await Promise.all(times(CALLS_OF_AN_ACCOUNT, () => hasty.as(busy.owner).get("/users/me")))) {
    ok(answer);
  }
});

test("places are given back when clients hang up, and calls whose clients went while they waited are not carried out", async () => {
  const { owner, workspace } = await make.board();
  const app = await appOn(db, {}, { limits: PATIENT });
  await known(app, owner);
  const { port } = new URL(await app.listening());
  let arrived = 0;
  app.app.server.on("request", () => {
    arrived += 1;
  });
  const letGo = occupied();
  const running = app.as(owner).post("/imports/csv/boards", importOf(workspace, 1));
  const sockets = times(8, () => {
    const body = JSON.stringify(importOf(workspace, 1));
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `POST /api/v1/imports/csv/boards HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    return socket;
  });
  await expect.poll(() => arrived, { timeout: 10_000 }).toBe(sockets.length);
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await letGo();
  ok(await running);
  ok(await app.as(owner).post("/imports/csv/boards", importOf(workspace, 1)));
  const boards = ok(await app.as(owner).get<unknown[]>(`/workspaces/${workspace.publicId}/boards`));
  expect(boards).toHaveLength(3);
});

test("ten imports of one account run one after the other, and everybody else's calls are 200 meanwhile", {
  tags: ["slow"],
}, async () => {
  const importer = await make.board();
  const other = await make.list();
  let areDone = false;
  const imports = times(10, () => as(importer.owner).post("/imports/csv/boards", importOf(importer.workspace, 300)));
  const done = Promise.all(imports).then((answers) => {
    areDone = true;
    return answers;
  });
  let calls = 0;
  while (!areDone) {
    ok(await as(other.owner).get(`/boards/${other.board.publicId}`));
    ok(await as(other.owner).post("/cards", { listPublicId: other.list.publicId, title: "Beside the imports" }));
    ok(await as(importer.owner).get("/users/me"));
    calls += 1;
  }
  for (const answer of await done) ok(answer);
  expect(calls).toBeGreaterThan(1);
});

test("accounts take turns with heavy calls: ten of one do not hold up those of others", async () => {
  const first = await make.board();
  const others = await Promise.all(times(3, () => make.board()));
  const { order, note } = answered();
  const mine = times(10, () =>
    note("first", as(first.owner).post("/imports/csv/boards", importOf(first.workspace, 100))),
  );
  const theirs = others.map(({ owner, board }, n) =>
    note(
      "other",
      n === 0
        ? as(owner).get(`/boards/${board.publicId}/export`)
        : as(owner).post(`/boards/${board.publicId}/duplicate`, {}),
    ),
  );
  for (const answer of await Promise.all<Answer<unknown>>([...mine, ...theirs])) ok(answer);
  expect(order.lastIndexOf("other")).toBeLessThan(8);
});

test("two heavy calls run at once, one of an account; more wait, and are SERVICE_UNAVAILABLE when they wait too long", async () => {
  const [first, second, third] = [await make.board(), await make.board(), await make.board()];
  await known(hasty, first.owner, second.owner, third.owner);
  const letGo = occupied();
  const heavy = ({ owner, workspace }: typeof first) =>
    hasty.as(owner).post("/imports/csv/boards", importOf(workspace, 1));
  const running = [heavy(first), heavy(second)];
  const tooMany = [heavy(first), heavy(third)];
  for (const answer of await Promise.all(tooMany)) expectTurnedAway(answer, "5");
  const light = newWorkspace(hasty, first.owner);
  await letGo();
  for (const answer of await Promise.all([...running, light])) ok(answer);
  ok(await heavy(third));
});

test.runIf(inject("template").kind === "embedded")(
  "a heavy call asks nothing of the embedded database while others wait for it",
  async () => {
    const { through, during } = countingStatements();
    const counted = await openTestDatabase(through);
    onTestFinished(() => counted.close());
    const app = await appOn(counted.db, {}, { limits: PATIENT });
    const { workspace, owner } = await app.make.workspace();
    const other = await app.make.user();
    await known(app, owner, other);
    let letGo = () => {};
    const holding = counted.db.transaction(
      () =>
        new Promise<void>((resolve) => {
          letGo = resolve;
        }),
    );
    const waiting = app.as(other).get("/workspaces");
    await sleep(100);
    let heavy: Promise<Answer<unknown>> | undefined;
    const asked = await during(async () => {
      heavy = app.as(owner).post("/imports/csv/boards", importOf(workspace, 5));
      await sleep(300);
    });
    letGo();
    await holding;
    ok(await waiting);
    ok((await heavy) ?? expect.fail());
    expect(asked).toBe(0);
  },
);
