// A path can be spelled in many ways. However a request spells it, admission decides as for the plain path: whether there is a caller,
// what is counted, and whether a body is read.

import type { FastifyInstance } from "fastify";
import { expect, test } from "vitest";
import { operationsOf, REST_BASE } from "../../src/api/rest.js";
import { TRPC_BASE } from "../../src/api/trpcOverHttp.js";
import { appRouter } from "../../src/router.js";
import { type Answer, testApp } from "../helpers/app.js";
import { routesOf } from "../helpers/routes.js";
import { exchange } from "../helpers/sockets.js";

const AUTH_LIMIT = 5;
const { app, make, listening, another } = await testApp({
  RATE_LIMIT_PER_MINUTE: "100",
  AUTH_RATE_LIMIT_PER_MINUTE: String(AUTH_LIMIT),
  TRUST_PROXY: "true",
});
const ADMIN_BASE = `${REST_BASE}/admin/`;
const operations = operationsOf(appRouter);

interface Target {
  method: string;
  path: string;
  /** Whether its body is read without a token. */
  isPublic: boolean;
}

const filled = (path: string) => path.replace(/:\w+/g, "unknown00000").replace("*", "limits");

/** The routes of an application; that of tRPC once for each operation. */
function targetsOf(served: FastifyInstance): Target[] {
  const isPublic = new Set(
    operations.flatMap((operation) =>
      operation.isPublic ? `${operation.method} ${REST_BASE}${operation.restPath.replace(/\{(\w+)\}/g, ":$1")}` : [],
    ),
  );
  const overRest = routesOf(served)
    .filter((route) => !route.includes(` ${TRPC_BASE}/`))
    .map((route) => {
      const [method = "", path = ""] = route.split(" ");
      return { method, path: filled(path), isPublic: isPublic.has(route) };
    });
  const overTrpc = operations.map((operation) => ({
    method: operation.type === "mutation" ? "POST" : "GET",
    path: `${TRPC_BASE}/${operation.path}`,
    isPublic: operation.isPublic,
  }));
  return [...overRest, ...overTrpc];
}

const encoded = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

/** Other spellings of a path, which the router takes for the same: a letter of each segment encoded, and absolute addresses. */
function spellingsOf(path: string): string[] {
  const segments = path.split("/");
  const withEncodedLetter = segments.flatMap((segment, index) =>
    segment === "" ? [] : segments.with(index, encoded(segment.charAt(0)) + segment.slice(1)).join("/"),
  );
  const absolute = [path, ...withEncodedLetter.slice(0, 1)].map((spelled) => `HTTP://service.test${spelled}`);
  return [...withEncodedLetter, ...absolute];
}

/** Spellings that the router takes for another path, of which only `//` is one, of the page. */
const unknownSpellingsOf = (path: string) => (path === "/" ? [] : [`/${path}`, `/%2F${path}`]);

let addresses = 0;

/** Sends a request from an address of its own. The body of a call that needs a token is announced and never sent. */
function send(base: string, { method, path, isPublic }: Target, headers: Record<string, string> = {}) {
  addresses += 1;
  const from = `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
  const [length, body] = isPublic ? [2, "{}"] : [100_000, ""];
  const fields = {
    host: "service.test",
    accept: "*/*",
    connection: "close",
    "x-forwarded-for": from,
    ...(method !== "GET" && method !== "HEAD" && { "content-type": "application/json", "content-length": length }),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return exchange(base, `${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n${body}`);
}

/** What admission decides of an answer. */
function decided({ status, headers, body }: Answer<unknown>) {
  const { code, error } = Object(body);
  return {
    status,
    code: code ?? null,
    overTrpc: error?.data?.code ?? null,
    limit: headers["ratelimit-limit"] ?? null,
    remaining: headers["ratelimit-remaining"] ?? null,
  };
}

test("every route decides of each spelling as of its plain path, before a body is sent", async () => {
  const base = await listening();
  const targets = targetsOf(app);
  expect(targets.length).toBeGreaterThan(2 * operations.length);
  const check = async (target: Target) => {
    const { method } = target;
    const plain = decided(await send(base, target));
    for (const path of spellingsOf(target.path)) {
      const spelled = decided(await send(base, { ...target, path }));
      expect({ method, path, ...spelled }).toEqual({ method, path, ...plain });
    }
    for (const path of unknownSpellingsOf(target.path)) {
      const { status } = await send(base, { ...target, path, isPublic: false });
      expect({ method, path, status }).toEqual({ method, path, status: 404 });
    }
  };
  await Promise.all(targets.map(check));
});

test("no path of admins is there for anybody else, however it is spelled, before a body is sent", async () => {
  const base = await listening();
  const ada = await make.user();
  const targets = targetsOf(app).filter(({ path }) => path.startsWith(ADMIN_BASE));
  expect(targets.length).toBeGreaterThan(5);
  for (const target of [...targets, { method: "POST", path: `${ADMIN_BASE}nothing`, isPublic: false }]) {
    for (const path of [target.path, ...spellingsOf(target.path), ...unknownSpellingsOf(target.path)]) {
      const { status } = await send(base, { ...target, path }, { authorization: `Bearer ${ada.token}` });
      expect({ path, status }).toEqual({ path, status: 404 });
    }
  }
});

test.each([`${REST_BASE}/auth/sign-up`, `${TRPC_BASE}/user.signUp`])(
  "beyond its limit POST %s is refused in every spelling",
  async (path) => {
    const { listening } = await another({});
    const base = await listening();
    const here = { "x-forwarded-for": "192.0.2.1" };
    const signUp = (spelled: string) => send(base, { method: "POST", path: spelled, isPublic: true }, here);
    for (let call = 0; call < AUTH_LIMIT; call += 1) expect((await signUp(path)).status).toBe(400);
    for (const spelled of [path, ...spellingsOf(path)]) {
      const { status } = await signUp(spelled);
      expect({ spelled, status }).toEqual({ spelled, status: 429 });
    }
  },
);
