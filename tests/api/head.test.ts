// HEAD is answered as GET, without a body (contract section 1).

import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { operationsOf } from "../../src/api/rest.js";
import { appRouter } from "../../src/router.js";
import { everyQueryRequest, QUERIES_ENV } from "../access/queries.js";
import { FACES } from "../access/requests.js";
import { ok, testApp } from "../helpers/app.js";
import { routesOf } from "../helpers/routes.js";
import { exchange } from "../helpers/sockets.js";

const service = await testApp(QUERIES_ENV);
const { app, as, make, db, listening, another } = service;

type Headers = Record<string, string>;

/** Headers of the message or the connection, which differ from call to call. */
const OF_MESSAGE = ["connection", "date", "keep-alive", "transfer-encoding", "x-request-id"];

/** The status and headers of a GET. Its body, which may not end, is left. */
async function get(url: string, headers: Headers) {
  const leaving = new AbortController();
  const init = { headers, redirect: "manual", signal: leaving.signal } as const;
  const response = await fetch((await listening()) + url, init);
  leaving.abort();
  return { status: response.status, headers: Object.fromEntries(response.headers) };
}

/** The answer of a HEAD with every byte that followed its headers, up to the end of the connection. */
async function head(url: string, headers: Headers) {
  const base = await listening();
  const lines = Object.entries({ host: new URL(base).host, connection: "close", ...headers });
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return exchange(base, `HEAD ${url} HTTP/1.1\r\n${fields}\r\n`);
}

/** Compares a HEAD with the GET that follows it. Returns the answer of the HEAD. */
async function expectAsGet(url: string, sent: Headers = {}) {
  const headers = { "accept-encoding": "gzip", accept: "*/*", ...sent };
  const asked = await head(url, headers);
  const known = await get(url, headers);
  const { "content-length": length, ...others } = asked.headers;
  for (const name of OF_MESSAGE) {
    delete others[name];
    delete known.headers[name];
  }
  const { "content-length": knownLength, ...knownOthers } = known.headers;
  expect({ url, status: asked.status, headers: others }).toEqual({ url, status: known.status, headers: knownOthers });
  expect(asked.text.split("\r\n\r\n")[1]).toBe("");
  // The figures of the process change from one call to the next.
  if (length !== undefined && url !== "/metrics") expect({ url, length }).toEqual({ url, length: knownLength });
  return asked;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("HEAD of every operation that is a GET", () => {
  let queries: Awaited<ReturnType<typeof everyQueryRequest>>["queries"] = [];
  beforeAll(async () => {
    queries = (await everyQueryRequest(service)).queries;
    // Sessions tell when they were last used, which is noted behind an answer.
    for (const token of new Set(queries.map((query) => query.token))) {
      const sessions = async () => ok(await as({ token }).get<{ lastUsedAt: string | null }[]>("/users/me/sessions"));
      await vi.waitUntil(async () => (await sessions()).every(({ lastUsedAt }) => lastUsedAt !== null), 15_000);
    }
  });

  test.each(FACES)("has status and headers of GET and no body, over %s", async (face) => {
    expect(queries.filter(({ isStream }) => isStream)).toHaveLength(3);
    for (const { token, requests } of queries) await expectAsGet(requests[face].url, bearer(token));
  });

  test.each(FACES)("without a token has status and headers of GET, over %s", async (face) => {
    for (const { requests } of queries) await expectAsGet(requests[face].url);
  });

  test("is 304 without a length where the client has the version", async () => {
    const tagged = [];
    for (const { token, requests } of queries) {
      for (const { url } of [requests.REST, requests.tRPC]) {
        const { headers } = await get(url, bearer(token));
        if (headers.etag !== undefined)
          tagged.push({ url, headers: { ...bearer(token), "if-none-match": headers.etag } });
      }
    }
    expect(tagged.length).toBeGreaterThan(5);
    for (const { url, headers } of tagged) {
      const answer = await expectAsGet(url, headers);
      expect({ url, status: answer.status, length: answer.headers["content-length"] }).toEqual({ url, status: 304 });
    }
  });
});

test("HEAD of every other path that answers GET has its status and headers", async () => {
  const others = routesOf(app).flatMap((route) => {
    const [method = "", path = ""] = route.split(" ");
    return method === "GET" && !path.includes(":") && !path.startsWith("/api/") && !path.startsWith("/trpc/")
      ? path.replace("*", "streams.md")
      : [];
  });
  expect(others).toEqual(expect.arrayContaining(["/health", "/ready", "/openapi.json", "/docs", "/metrics", "/"]));
  for (const url of others) await expectAsGet(url);
});

describe("HEAD of a download", () => {
  const recorded = async () => {
    const [row] = await db.rows<{ count: number }>(
      sql`select count(*)::int as count from audit_entry where type in ('board.exported', 'account.exported')`,
    );
    return row?.count;
  };

  test("names the file, and exports nothing", async () => {
    const downloads = operationsOf(appRouter).filter(({ isDownload }) => isDownload);
    expect(downloads.map(({ path }) => path).sort()).toEqual(["board.export", "user.export"]);
    const { board, owner } = await make.board();
    const before = await recorded();
    const path = `/boards/${board.publicId}/export`;
    const input = encodeURIComponent(JSON.stringify({ boardPublicId: board.publicId }));
    const batch = encodeURIComponent(JSON.stringify({ 0: { boardPublicId: board.publicId }, 1: {} }));
    const csv = await head(`/api/v1${path}?format=csv`, bearer(owner.token));
    expect(csv.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${board.slug}.csv"`,
    });
    expect(csv.headers["content-length"]).toBeUndefined();
    for (const url of [
      `/api/v1${path}`,
      "/api/v1/users/me/export",
      `/trpc/board.export?input=${input}`,
      `/trpc/board.export,user.me?batch=1&input=${batch}`,
    ]) {
      const { status, headers } = await head(url, bearer(owner.token));
      expect({ url, status, length: headers["content-length"] }).toEqual({ url, status: 200, length: undefined });
    }
    expect(await recorded()).toBe(before);
    ok(await as(owner).get("/users/me/export"));
    expect((await head("/api/v1/users/me/export", bearer(owner.token))).status).toBe(429);
  });

  test("is refused to whoever may not have the file, and for wrong input", async () => {
    const { board, owner } = await make.board({ visibility: "private" });
    const stranger = await make.user();
    const url = `/api/v1/boards/${board.publicId}/export`;
    expect((await head(url, bearer(stranger.token))).status).toBe(403);
    expect((await head(url, bearer("wb_unknown"))).status).toBe(401);
    expect((await head(`${url}?format=zip`, bearer(owner.token))).status).toBe(400);
    await expectAsGet(url, bearer(stranger.token));
  });
});

test("HEAD of a stream ends behind its headers, and takes none of the caller's places", async () => {
  const { board, owner } = await make.board();
  for (let times = 0; times < 25; times += 1) {
    const { status, headers } = await head(`/api/v1/boards/${board.publicId}/stream`, bearer(owner.token));
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 200,
      type: "text/event-stream; charset=utf-8",
    });
  }
});

test("HEAD of a batch has the status and headers of GET, also of one that is sent line by line", async () => {
  const { board, owner } = await make.board();
  const input = encodeURIComponent(JSON.stringify({ 0: { boardPublicId: board.publicId }, 1: {} }));
  const url = `/trpc/board.byId,user.me?batch=1&input=${input}`;
  await expectAsGet(url, bearer(owner.token));
  await expectAsGet(url, { ...bearer(owner.token), "trpc-accept": "application/jsonl" });
  await expectAsGet(url);
});

test("HEAD counts as a call", async () => {
  const limited = await another({ RATE_LIMIT_PER_MINUTE: "2" });
  const ada = await make.user();
  const ask = () => limited.as(ada).send({ method: "HEAD", url: "/api/v1/users/me" });
  expect((await ask()).headers["ratelimit-remaining"]).toBe("1");
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(429);
});

test("HEAD with a session cookie follows the rules of GET", async () => {
  const { email, password } = await make.user();
  const signedIn = await fetch(`${await listening()}/api/v1/auth/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ email, password, session: "cookie" }),
  });
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  for (const [site, status] of [
    ["same-origin", 200],
    ["none", 200],
    ["cross-site", 403],
  ] as const) {
    const headers = { cookie, "sec-fetch-site": site };
    expect((await expectAsGet("/api/v1/users/me", headers)).status).toBe(status);
  }
});
