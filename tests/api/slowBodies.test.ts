// Clients that are slow to send a large body, or to take the response to one, hold up nobody else's; and their files are private and
// leave nothing behind.

import { once } from "node:events";
import { readdirSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { appOn, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { type Begun, beginBody } from "../helpers/begunBodies.js";
import { call, launch, newStore } from "../helpers/processes.js";
import { exchange } from "../helpers/sockets.js";
import { serving } from "../helpers/spawned.js";

const { make, db } = await testApp();
const patient = await appOn(db, {}, { limits: { slowClientMs: 600_000 } });
const hasty = await appOn(db, {}, { limits: { slowClientMs: 0 } });

const PREVIEW = "/imports/csv/preview";
const MIB = 1024 * 1024;
const PLACES = 16;
const large = { csv: `Title,List\n${"A card,Ideas\n".repeat((2 * MIB) / 13)}`, limit: 1 };

const people = (count: number) => Promise.all(Array.from({ length: count }, () => make.user()));

/** The head of a large body of which nothing is ever sent. */
const headOf = ({ token }: Person) =>
  `POST /api/v1${PREVIEW} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${57 * MIB}\r\n\r\n`;

test("twenty accounts that trickle their bodies keep nobody from importing; those that give way are told to try again", async () => {
  const eve = await make.user();
  const begun: Begun[] = [];
  for (const person of await people(20)) begun.push(await beginBody(hasty, person));
  ok(await hasty.as(eve).post(PREVIEW, large));
  const refusals = () => begun.filter(({ received }) => /HTTP\/1\.1 503 .*\nretry-after: [1-9]/is.test(received()));
  await expect.poll(() => refusals().length).toBe(20 + 1 - PLACES);
});

test("while 16 accounts send, a further one is SERVICE_UNAVAILABLE before it sent anything, until one of them has ended", async () => {
  const [eve, ...others] = await people(1 + PLACES);
  if (eve === undefined) return expect.fail();
  const begun: Begun[] = [];
  for (const person of others) begun.push(await beginBody(patient, person));
  ok(await patient.as(eve).get("/users/me"));
  const refused = await exchange(await patient.listening(), headOf(eve));
  expectError(refused, "SERVICE_UNAVAILABLE");
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  begun[0]?.socket.destroy();
  await expect.poll(async () => (await patient.as(eve).post(PREVIEW, large)).status).toBe(200);
});

test("two clients that take nothing of their responses hold up nobody's body", { tags: ["slow"] }, async () => {
  const [eve, ...others] = await people(3);
  if (eve === undefined) return expect.fail();
  const { hostname, port } = new URL(await hasty.listening());
  const body = JSON.stringify({ csv: `${"x".repeat(10_000)}\n`.repeat(2000), hasHeader: false, limit: 2000 });
  for (const { token } of others) {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    const fields = `Host: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}`;
    socket.write(`POST /api/v1${PREVIEW} HTTP/1.1\r\n${fields}\r\n\r\n${body}`);
    // Its response has begun; no more of it is read than fits into the socket.
    await once(socket, "readable");
  }
  ok(await hasty.as(eve).post(PREVIEW, large));
});

test("a body that does not state its length is read as any other, whether it is large or not", async () => {
  const ada = await make.user();
  const send = (...parts: object[]) => {
    const body = parts.map((part) => JSON.stringify(part)).join("");
    const chunks = [body.slice(0, 10), body.slice(10)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    const fields = `Host: a\r\nAuthorization: Bearer ${ada.token}\r\nTransfer-Encoding: chunked`;
    return patient
      .listening()
      .then((url) => exchange(url, `POST /api/v1${PREVIEW} HTTP/1.1\r\n${fields}\r\n\r\n${chunks.join("")}0\r\n\r\n`));
  };
  const small = { csv: "Title\nA card\n", limit: 1 };
  expect((await send(small)).body).toEqual(ok(await patient.as(ada).post(PREVIEW, small)));
  expect((await send(large)).body).toEqual(ok(await patient.as(ada).post(PREVIEW, large)));
  expectError(await send({ ...large, limit: 0 }), "BAD_REQUEST", "limit");
});

test("the file of a body has no name, is private, and is gone after a response, a refusal and an abort; a start removes left-overs", {
  tags: ["slow"],
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), "work-board-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "work-board-body-of-a-crashed-process"), "secret");
  const store = await newStore();
  const started = launch({ ...store.env, TMPDIR: directory });
  const { url, pid } = await serving(started);
  expect(readdirSync(directory)).toEqual([]);

  const files = () =>
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const path = `/proc/${pid}/fd/${fd}`;
      try {
        return readlinkSync(path).includes("work-board-body-") ? [statSync(path).mode & 0o777] : [];
      } catch {
        return [];
      }
    });
  const account = { name: "Ada", email: "ada@example.org", password: "correct horse battery" };
  const { accessToken: token } = (await call(url, null, "POST", "/auth/sign-up", account)).body;
  const trickle = async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const fields = `Host: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${2 * MIB}`;
    socket.write(`POST /api/v1${PREVIEW} HTTP/1.1\r\n${fields}\r\n\r\n{"csv":"secret`);
    await expect.poll(files).toEqual([0o600]);
    return socket;
  };

  expect((await call(url, token, "POST", PREVIEW, large)).status).toBe(200);
  await expect.poll(files).toEqual([]);
  expect((await call(url, token, "POST", PREVIEW, { ...large, limit: 0 })).status).toBe(400);
  await expect.poll(files).toEqual([]);
  (await trickle()).destroy();
  await expect.poll(files).toEqual([]);

  await trickle();
  expect(readdirSync(directory)).toEqual([]);
  started.signal("SIGKILL");
  await started.ended;
  expect(readdirSync(directory)).toEqual([]);
});
