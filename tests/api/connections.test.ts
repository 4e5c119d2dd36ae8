// Connections that are slow, silent or in the way: judged by what becomes of them, with the limits made short.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { VERSION } from "../../src/version.js";
import { expectError, ok, testApp } from "../helpers/app.js";
import { exchange } from "../helpers/sockets.js";

const LIMITS = { headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 50 };
const { listening, make, app } = await testApp({}, { limits: LIMITS });
const patient = await testApp();

async function connected(base: string): Promise<{ socket: Socket; received: () => string }> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  // Writing to a connection that the server has ended fails, as it should.
  socket.on("error", () => {});
  await once(socket, "connect");
  return { socket, received: () => text };
}

async function drip(socket: Socket, text: string): Promise<void> {
  const closed = once(socket, "close");
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(text[sent % text.length] ?? "");
    sent += 1;
  }, 20);
  onTestFinished(() => clearInterval(timer));
  await closed;
  clearInterval(timer);
}

const refused = (received: string) => {
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(received.split("\r\n\r\n")[1] ?? "")).toMatchObject({
    code: "BAD_REQUEST",
    issues: [{ path: [] }],
  });
};

test("a compressed body is UNSUPPORTED_MEDIA_TYPE with what is taken instead, once the caller is known", async () => {
  const { token } = await patient.make.user();
  const send = (headers: Record<string, string>, body?: Buffer) =>
    patient.anonymous.send({
      method: body === undefined ? "GET" : "POST",
      url: body === undefined ? "/api/v1/users/me" : "/api/v1/workspaces",
      headers: { "content-type": "application/json", ...headers },
      ...(body !== undefined && { body }),
    });
  const authorization = `Bearer ${token}`;
  const json = JSON.stringify({ name: "Engines" });
  for (const encoding of ["gzip", "br", "GZIP", "identity, gzip"]) {
    const headers = { authorization, "content-encoding": encoding };
    const refused = await send(headers, gzipSync(json));
    expectError(refused, "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding");
    expect(refused.headers["accept-encoding"]).toBe("identity");
    ok(await send(headers));
  }
  expectError(await send({ "content-encoding": "gzip" }, gzipSync(json)), "UNAUTHORIZED");
  ok(await send({ authorization, "content-encoding": "identity" }, Buffer.from(json)));
});

test("a head that comes byte by byte is refused and its connection ended, while others are answered", async () => {
  const base = await listening();
  const { socket, received } = await connected(base);
  socket.write("GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  const dripping = drip(socket, "a");
  expect((await fetch(`${base}/health`)).status).toBe(200);
  await dripping;
  refused(received());
});

test("a body that comes byte by byte is refused and its connection ended", async () => {
  const ada = await make.user();
  const { socket, received } = await connected(await listening());
  socket.write(
    `POST /api/v1/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\nContent-Length: 1000000\r\n\r\n`,
  );
  await drip(socket, " ");
  refused(received());
});

test("a connection on which nothing comes is ended", async () => {
  const { socket } = await connected(await listening());
  await once(socket.resume(), "close");
});

test("a request that is sent in time is answered, however long its connection was idle before", async () => {
  const base = await listening();
  const { socket, received } = await connected(base);
  const request = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
  socket.write(request);
  await expect.poll(received).toContain('{"status":"ok"}');
  // Longer than the limits of a request: two others are ended by them meanwhile.
  for (const _ of [1, 2]) {
    const slow = await connected(base);
    await once(slow.socket.resume(), "close");
  }
  const before = received().length;
  socket.write(request);
  await expect.poll(() => received().slice(before)).toContain('{"status":"ok"}');
});

test("a head of 16 KiB is too large, one of half of that is read", async () => {
  const base = await listening();
  const head = (bytes: number) => `GET /health HTTP/1.1\r\nHost: x\r\nX-Large: ${"a".repeat(bytes)}\r\n\r\n`;
  expectError(await exchange(base, head(16 * 1024)), "BAD_REQUEST");
  expect(await exchange(base, head(8 * 1024))).toMatchObject({ status: 200 });
});

test("HTTP/1.0 need not name a host", async () => {
  expect(await exchange(await listening(), "GET /health HTTP/1.0\r\n\r\n")).toMatchObject({ status: 200 });
});

test("a connection on which nothing came does not hold up the end of the service", { tags: ["slow"] }, async () => {
  const { app: ending, listening: listens } = await testApp();
  const silent = await connected(await listens());
  const ended = once(silent.socket.resume(), "close");
  await expect.poll(() => new Promise((resolve) => ending.server.getConnections((_, count) => resolve(count)))).toBe(1);
  await ending.close();
  await ended;
});

test("what the service runs with leaves a slow client two minutes for a request, and 15 seconds for its head", async () => {
  await patient.listening();
  const { headersTimeout, requestTimeout, keepAliveTimeout } = patient.app.server;
  expect({ headersTimeout, requestTimeout, keepAliveTimeout }).toEqual({
    headersTimeout: 15_000,
    requestTimeout: 120_000,
    keepAliveTimeout: 72_000,
  });
  ok(await patient.as(await patient.make.user()).get("/users/me"));
  expect(app.server.headersTimeout).toBe(LIMITS.headersTimeoutMs);
});

test("an expectation beside 100-continue is BAD_REQUEST", async () => {
  const head = "POST /api/v1/workspaces HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, foo\r\nContent-Length: 2\r\n\r\n";
  const { text } = await exchange(await patient.listening(), head);
  expect(text).toMatch(/HTTP\/1\.1 400 [\s\S]*"path":\["Expect"\]/);
});

test.each(["GET /health", "POST /api/v1/workspaces", "POST /trpc/workspace.create"])(
  "an expectation that is not 100-continue is BAD_REQUEST: %s",
  async (line) => {
    const head = `${line} HTTP/1.1\r\nHost: a\r\nExpect: foo\r\nContent-Length: 2\r\n\r\n`;
    const res = await exchange(await patient.listening(), head);
    expect(res.headers["x-request-id"]).toBeDefined();
    if (line.includes("/trpc/")) expect(res.body).toMatchObject({ error: { data: { code: "BAD_REQUEST" } } });
    else expectError(res, "BAD_REQUEST", "Expect");
  },
);

test("a body that waits for 100 Continue is asked for", async () => {
  const { socket, received } = await connected(await patient.listening());
  socket.write("POST /api/v1/auth/sign-in HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
  await expect.poll(received).toContain("100 Continue");
  socket.write("{}");
  await expect.poll(received).toContain('"BAD_REQUEST"');
});

test("CONNECT is answered like any method that a path does not have", async () => {
  const res = await exchange(await patient.listening(), "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n");
  expectError(res, "NOT_FOUND");
  expect(res.headers["service-version"]).toBe(VERSION);
});
