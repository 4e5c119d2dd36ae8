// What caches may do with answers: none stores a private one, and none takes one person's for another's.

import { expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";

const { app, as, anonymous, make, another, listening } = await testApp();
const { board, owner } = await make.board();

const PRIVATE = [
  ["GET", "/api/v1/workspaces", 200],
  ["GET", `/api/v1/boards/${board.publicId}/export`, 200],
  ["GET", `/api/v1/boards/${board.publicId}/export?format=csv`, 200],
  ["PUT", "/api/v1/users/me", 200],
  ["GET", "/api/v1/boards/unknown00000", 404],
  ["GET", "/trpc/user.tokens.list", 200],
  ["GET", "/trpc/user.tokens.list,user.nothing?batch=1&input=%7B%7D", 207],
  ["GET", "/trpc/user.nothing", 404],
  ["POST", "/trpc/user.update", 200],
] as const;

test.each(PRIVATE)("%s %s without an ETag is private, and no cache stores it", async (method, url, status) => {
  const body = method === "GET" ? {} : { body: "{}" };
  const res = await as(owner).send({ method, url, ...body, headers: { "content-type": "application/json" } });
  expect(res.status, res.text).toBe(status);
  expect(res.headers).not.toHaveProperty("etag");
  expect(res.headers["cache-control"]).toBe("private, no-store");
  expect(res.headers.vary).toContain("Cookie");
});

test("the answers of a batch that come one by one are private too", async () => {
  const headers = { "trpc-accept": "application/jsonl" };
  const url = "/trpc/user.me,user.tokens.list?batch=1&input=%7B%7D";
  const res = await as(owner).send({ method: "GET", url, headers });
  expect(res.headers["cache-control"]).toBe("private, no-store");
  expect(res.headers.vary).toMatch(/Cookie/);
  expect(res.headers.vary).toMatch(/trpc-accept/);
});

test("so are refusals: without a token, and beyond the rate limit", async () => {
  const limited = await another({ RATE_LIMIT_PER_MINUTE: "1" });
  for (const status of [401, 429]) {
    const res = await limited.anonymous.get("/users/me");
    expect(res.status).toBe(status);
    expect(res.headers["cache-control"]).toBe("private, no-store");
    expect(res.headers.vary).toContain("Cookie");
  }
});

test.each(["/api/v1/notifications/stream", "/trpc/notification.stream"])("so is the stream %s", async (url) => {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${owner.token}` };
  const { status, headers: answered } = await fetch((await listening()) + url, { headers, signal: leaving.signal });
  leaving.abort();
  expect(status).toBe(200);
  expect(answered.get("cache-control")).toBe("private, no-store");
  expect(answered.get("vary")).toContain("Cookie");
});

test.each([`/api/v1/boards/${board.publicId}`, `/trpc/board.get?input={"boardPublicId":"${board.publicId}"}`])(
  "an answer with an ETag is private, asked for again each time, and varies with header and cookie: %s",
  async (url) => {
    const res = await as(owner).send({ method: "GET", url });
    ok(res);
    expect(res.headers.etag).toBeDefined();
    expect(res.headers["cache-control"]).toBe("private, no-cache");
    for (const name of ["Cookie", "Authorization", "Accept-Encoding"]) expect(res.headers.vary).toContain(name);
  },
);

test("origins and cookies both stand in Vary where scripts of other origins may call", async () => {
  const open = await another({ CORS_ORIGIN: "https://a.example.org, https://b.example.org" });
  const { headers } = await open.anonymous.get("/users/me", { origin: "https://a.example.org" });
  expect(headers.vary).toContain("Origin");
  expect(headers.vary).toContain("Cookie");
});

test("what a cookie does not open does not vary with it", async () => {
  for (const url of ["/health", "/openapi.json", "/docs"]) {
    const res = await app.inject(url);
    expect(String(res.headers.vary ?? "")).not.toContain("Cookie");
  }
  expect((await anonymous.get("/nothing")).headers.vary ?? "").not.toContain("Cookie");
});
