// How an export is sent: as fast as its reader takes it, never more than a little ahead, and never a part for the whole.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { Database } from "../../src/db/client.js";
import type { Driver } from "../../src/db/driver.js";
import { workspaceOf } from "../../src/db/ids.js";
import { appOn, expectError, ok, type Person } from "../helpers/app.js";
import { unzipped } from "../helpers/archives.js";
import { countingStatements, openTestDatabase } from "../helpers/databases.js";

const COMMENTS = 2000;
/** Of signs that hardly compress, and are no words to index: together more than the buffers of a connection hold. */
const LINES = 300;

const { through: counted, costOf } = countingStatements();
let broken: Error | null = null;

/** A driver that counts its statements, and fails on demand. */
function through(driver: Driver): Driver {
  const inner = counted(driver);
  const query: Driver["query"] = (...args) => (broken === null ? inner.query(...args) : Promise.reject(broken));
  return { ...inner, query };
}

const { db, close } = await openTestDatabase(through);
afterAll(close);
const STALLED_MS = 1500;
/** A reading of the database that did nothing for so long has stopped. */
const QUIET_MS = 400;
/** Ends a body that was sent whole. */
const LAST_CHUNK = "0\r\n\r\n";
const app = await appOn(db, {}, { limits: { stalledMs: STALLED_MS } });
const { as, make } = app;
const base = await app.listening();

afterEach(() => {
  broken = null;
});

async function writer(): Promise<Person> {
  const { list, owner } = await make.list();
  const { card } = await make.card({ list });
  const workspaceId = workspaceOf(card.publicId);
  await db.rows(sql`
    insert into comment (workspace_id, id, public_id, card_id, author_id, comment)
    select c.workspace_id, 1000000 + n, 'much' || lpad(n::text, 8, '0'), c.id, a.id,
      (select string_agg(translate(md5(n::text || '-' || m), '0123456789abcdef', '!#$%&()*+,-./:;<'), '') from generate_series(1, ${LINES}::int) m)
    from generate_series(1, ${COMMENTS}::int) n
    join card c on c.workspace_id = ${workspaceId}::bigint and c.public_id = ${card.publicId}::text
    join account a on a.public_id = ${owner.publicId}::text`);
  ok(await as(owner).get("/users/me"));
  return owner;
}

const download = ({ token }: Person) =>
  fetch(`${base}/api/v1/users/me/export`, { headers: { authorization: `Bearer ${token}` } });

/** Asks for an export on a connection that nobody reads from yet. */
async function asking({ token }: Person): Promise<Socket> {
  const socket = connect(Number(new URL(base).port), "127.0.0.1");
  socket.pause();
  await once(socket, "connect");
  socket.write(`GET /api/v1/users/me/export HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

/** How many statements are made until there are no more for a while. */
async function statementsUntilQuiet(): Promise<number> {
  const { statements } = await costOf(() => sleep(QUIET_MS));
  return statements === 0 ? 0 : statements + (await statementsUntilQuiet());
}

test("all of it arrives, in a number of statements that grows by one for each page", { tags: ["slow"] }, async () => {
  const person = await writer();
  const { statements } = await costOf(async () => {
    const files = await unzipped(Buffer.from(await (await download(person)).arrayBuffer()));
    expect(JSON.parse(files["comments.json"] ?? "")).toHaveLength(COMMENTS);
  });
  const little = await costOf(async () => (await download(await make.user())).arrayBuffer());
  expect(statements - little.statements).toBeLessThan(COMMENTS / 100 + 20);
});

test("a reader that takes nothing stops the reading of the database, and is cut off", { tags: ["slow"] }, async () => {
  const person = await writer();
  const socket = await asking(person);
  expect(await statementsUntilQuiet()).toBeGreaterThan(5);
  await sleep(2 * STALLED_MS);
  const received = await buffer(socket).catch(() => Buffer.alloc(0));
  expect(received.subarray(-LAST_CHUNK.length).toString()).not.toBe(LAST_CHUNK);
  expect(await statementsUntilQuiet()).toBe(0);
});

test("a reader that leaves ends it, and the database goes on", { tags: ["slow"] }, async () => {
  const person = await writer();
  const socket = await asking(person);
  socket.once("data", () => socket.destroy()).resume();
  await once(socket, "close");
  expect(await statementsUntilQuiet()).toBeLessThan(COMMENTS / 100);
  ok(await as(person).get("/users/me/sessions"));
  expectError(await as(person).get("/users/me/export"), "TOO_MANY_REQUESTS");
});

test("an error on the way closes the connection", { tags: ["slow"] }, async () => {
  const person = await writer();
  const response = await download(person);
  expect(response.status).toBe(200);
  broken = new Error("the database is gone");
  await expect(response.arrayBuffer()).rejects.toThrow("terminated");
  expect(app.logs.join("")).toContain("a file could not be sent to its end");
});

test("an error before the first byte is an error of the API", async () => {
  const person = await make.user();
  ok(await as(person).get("/users/me"));
  broken = new Error("the database is gone");
  expectError(await as(person).get("/users/me/export"), "INTERNAL_SERVER_ERROR");
});

test("a session that ends on the way ends it", async () => {
  const person = await writer();
  const response = await download(person);
  const other = await app.anonymous.post<{ accessToken: string }>("/auth/sign-in", {
    email: person.email,
    password: person.password,
  });
  ok(await as(person).post("/auth/sign-out"));
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 10_000);
  onTestFinished(() => clock.mockRestore());
  await expect(response.arrayBuffer()).rejects.toThrow("terminated");
  expectError(await as({ token: ok(other).accessToken }).get("/users/me/export"), "TOO_MANY_REQUESTS");
});

test("a database that takes no writes is read all the same, and earlier exports count", async () => {
  const [first, second] = [await make.user(), await make.user()];
  ok(await as(first).get("/users/me/export"));
  ok(await as(second).get("/users/me"));
  const isReadOnly = Object.assign(new Error("cannot execute in a read-only transaction"), { code: "25006" });
  const readable: Database = Object.create(db, { transaction: { value: () => Promise.reject(isReadOnly) } });
  const reading = await appOn(readable, {});
  expectError(await reading.as(first).get("/users/me/export"), "TOO_MANY_REQUESTS");
  ok(await reading.as(second).get("/users/me/export"));
});
