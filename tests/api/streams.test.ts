// The manners of streams, whatever they carry: heartbeats, tokens that end, slow readers, and the end of the application.

import { once } from "node:events";
import { connect } from "node:net";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { type Board, ok, testApp } from "../helpers/app.js";
import { hangUpEarly } from "../helpers/leaving.js";
import { logOn } from "../helpers/logging.js";
import type { Bearer } from "../helpers/requests.js";
import { read } from "../helpers/streams.js";

const HEARTBEAT_MS = 200;
const tested = await testApp({}, { heartbeatMs: HEARTBEAT_MS });
const { as, make, db, listening, logs, another } = tested;
const url = await listening();

const streamOf = (board: { publicId: string }, base = url) => `${base}/api/v1/boards/${board.publicId}/stream`;

test("a heartbeat comes again and again, and is a comment", async () => {
  const { board } = await make.board();
  const reading = await read(streamOf(board), board.owner.token);
  await reading.until(() => reading.messages.filter(({ comment }) => comment === "heartbeat").length >= 3);
  expect(reading.messages.every(({ data }) => data === undefined)).toBe(true);
  reading.leave();
});

test("a stream ends with UNAUTHORIZED when its token is revoked, and only that one", async () => {
  const { board } = await make.board();
  const token = await make.token(board.owner);
  const reading = await read(streamOf(board), token.token);
  const other = await read(streamOf(board), board.owner.token);
  ok(await as(board.owner).delete(`/tokens/${token.publicId}`));
  await reading.ended;
  expect(reading.messages.at(-1)).toMatchObject({ event: "end", data: expect.stringContaining("UNAUTHORIZED") });
  await other.until(() => other.messages.some(({ comment }) => comment === "heartbeat"));
  other.leave();
});

test("a stream ends with UNAUTHORIZED when its token expires", async () => {
  const { board } = await make.board();
  const token = await make.token(board.owner, { expiresAt: new Date(Date.now() + 1500).toISOString() });
  const reading = await read(streamOf(board), token.token);
  await reading.ended;
  expect(reading.messages.at(-1)).toMatchObject({ event: "end", data: expect.stringContaining("UNAUTHORIZED") });
});

test("an open stream keeps its session alive", async () => {
  const { board } = await make.board();
  const reading = await read(streamOf(board), board.owner.token);
  await db.rows(sql`
    update access_token set last_used_at = now() - interval '2 days', expires_at = now() + interval '1 day'
    where account_id = (select id from account where public_id = ${board.owner.publicId}::text)`);
  await expect
    .poll(() =>
      db.rows(sql`
        select expires_at > now() + interval '29 days' as alive from access_token
        where account_id = (select id from account where public_id = ${board.owner.publicId}::text)`),
    )
    .toEqual([{ alive: true }]);
  reading.leave();
});

const writeLargely = (board: { publicId: string }, count: number) =>
  logOn(
    db,
    board,
    Array.from({ length: count }, () => ({ name: "x".repeat(100_000) })),
  );

test("a reader that takes nothing is cut off before much waits for it, and resumes without loss", {
  tags: ["slow"],
}, async () => {
  const { board } = await make.board();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.pause();
  const target = streamOf(board).slice(url.length);
  const before = logs.length;
  socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${board.owner.token}\r\n\r\n`);
  const isClosed = () => logs.slice(before).some((line) => line.includes("too slow"));
  // Another reader shows how far the streams of the board have come.
  const other = await read(streamOf(board), board.owner.token);
  let changes = 0;
  while (!isClosed() && changes < 300) {
    changes += 10;
    await writeLargely(board, 10);
    await other.until(() => other.items().length === changes);
  }
  other.leave();
  expect(changes).toBeLessThan(300);

  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {}).resume();
  await once(socket, "close");
  const last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1];
  const resumed = await read(streamOf(board), board.owner.token, last);
  const [end] = await db.rows<{ seq: number }>(sql`
    select max(seq) as seq from event where board_public_id = ${board.publicId}::text`);
  await resumed.until(() => resumed.lastId() === String(end?.seq));
  const got = resumed.items().map(({ id }) => id);
  expect(got).toEqual(Array.from({ length: (end?.seq ?? 0) - Number(last) }, (_, index) => Number(last) + 1 + index));
  resumed.leave();
});

async function statusOfStream(board: Board): Promise<number> {
  const reading = await read(streamOf(board), board.owner.token);
  reading.leave();
  return reading.status;
}

const headOf = (board: Board, { token }: Bearer) =>
  `GET ${streamOf(board).slice(url.length)} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}`;

test("streams whose readers hung up while their token was looked up do not count", async () => {
  const { board } = await make.board();
  const token = await make.token(board.owner);
  await hangUpEarly(tested, Array<string>(20).fill(headOf(board, token)));
  ok(await as(token).get("/users/me"));
  ok(await as(token).get("/users/me"));
  await expect.poll(() => statusOfStream(board)).toBe(200);
});

test("streams that waited behind another one of a connection that was lost do not count", async () => {
  const [{ board: other }, { board }] = [await make.board(), await make.board()];
  const { hostname, port } = new URL(url);
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const socket = connect(Number(port), hostname);
  const heads = [headOf(other, other.owner), ...Array<string>(20).fill(headOf(board, board.owner))];
  for (const head of heads) socket.write(`${head}\r\n\r\n`);
  await once(socket, "data");
  expect(await statusOfStream(board)).toBe(429);
  socket.destroy();
  await expect.poll(() => statusOfStream(board)).toBe(200);
  expect(warnings).toEqual([]);
});

test("when the application ends its streams end too, without a last word, and are resumed at another", async () => {
  const ending = await another({});
  const { board, list } = await make.list();
  const base = await ending.listening();
  const readings = await Promise.all(Array.from({ length: 20 }, () => read(streamOf(board, base), board.owner.token)));
  await ending.app.close();
  await Promise.all(readings.map(({ ended }) => ended));
  ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "later" }));
  for (const reading of readings) {
    expect(reading.messages.filter(({ event }) => event !== undefined)).toEqual([]);
    const resumed = await read(streamOf(board), board.owner.token, reading.lastId());
    await resumed.until(() => resumed.items().length === 1);
    resumed.leave();
    await resumed.ended;
  }
});

test("a connection that sends nothing does not keep the application from ending", async () => {
  const ending = await another({});
  const { hostname, port } = new URL(await ending.listening());
  const socket = connect(Number(port), hostname);
  const closed = once(socket, "close");
  await once(socket, "connect");
  await ending.app.close();
  await closed;
});

test("over tRPC the first message opens the stream and has an id", async () => {
  const { board, list } = await make.list();
  const input = encodeURIComponent(JSON.stringify({ boardPublicId: board.publicId }));
  const reading = await read(`${url}/trpc/board.stream?input=${input}`, board.owner.token);
  await reading.until(() => reading.messages.length > 0);
  expect(reading.messages[0]).toEqual({ event: "connected", data: "{}", id: expect.stringMatching(/^\d+$/) });
  ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "one" }));
  await reading.until(() => reading.items().length === 1);
  await reading.until(() => reading.messages.some(({ event }) => event === "ping"));
  reading.leave();
});

test.each([
  ["POST", "/trpc/board.stream"],
  ["GET", "/trpc/board.stream,board.get?batch=1"],
  ["GET", "/trpc/board%252Estream"],
] as const)("no other way leads to a stream: %s %s", async (method, path) => {
  const { board } = await make.board();
  const input = encodeURIComponent(JSON.stringify({ boardPublicId: board.publicId }));
  const answer = await fetch(`${url}${path}${path.includes("?") ? "&" : "?"}input=${input}`, {
    method,
    headers: { authorization: `Bearer ${board.owner.token}` },
  });
  expect(await answer.text()).not.toMatch(/^id:/m);
});
