// One error body for every failure, whoever raises it, and nothing in it that is not the caller's business.

import { sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Meta, publicProcedure, router } from "../../src/api/trpc.js";
import { VERSION } from "../../src/version.js";
import { type Answer, expectError, expectTrpcError, ok, testApp } from "../helpers/app.js";
import { serve } from "../helpers/binding.js";
import { exchange } from "../helpers/sockets.js";

const { app, as, anonymous, make, db, trpcClient, listening, logs } = await testApp();
const ada = await make.user();

const MIB = 1024 * 1024;
const post = (url: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  as(ada).send({ method: "POST", url, body, headers: { "content-type": "application/json", ...headers } });

describe("one error body for", () => {
  test.each(["/api/v1/nothing", "/api/v1", "/nothing", "/docs/nothing", "/docs/static/nothing", "/icon.png"])(
    "the unknown path %s",
    async (url) => {
      for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] as const) {
        expectError(await anonymous.send({ method, url }), "NOT_FOUND");
      }
    },
  );

  test("malformed JSON", async () => expectError(await post("/api/v1/tokens", '{"name":'), "BAD_REQUEST", []));

  test("bytes that are not UTF-8", async () =>
    expectError(await post("/api/v1/tokens", Buffer.from([0x7b, 0xff, 0x7d])), "BAD_REQUEST", []));

  test("a media type that is not JSON, with the one to send", async () => {
    const res = await post("/api/v1/tokens", "name=a", { "content-type": "text/plain" });
    expectError(res, "UNSUPPORTED_MEDIA_TYPE", ["Content-Type"]);
    expect(res.text).toContain("Content-Type: application/json");
  });

  test.each([
    ["PATCH", "/api/v1/boards/aBcDe1234567", ["DELETE", "GET", "PUT"]],
    ["POST", "/api/v1/cards/aBcDe%3123456", ["DELETE", "GET", "PUT"]],
    ["DELETE", "/api/v1/auth/sign-in", ["POST"]],
    ["POST", "/openapi.json", ["GET", "HEAD"]],
    ["PUT", "/guides/streams", ["GET"]],
  ] as const)("%s %s, a method that the path does not have, with those that it has", async (method, url, methods) => {
    const res = await anonymous.send({ method, url });
    expectError(res, "NOT_FOUND", []);
    const allowed = res.headers.allow?.split(", ") ?? [];
    expect(allowed).toEqual(expect.arrayContaining([...methods]));
    expect(allowed).not.toContain(method);
    expect(res.text).toContain(res.headers.allow);
  });

  test("a method that an administrative path does not have, without those that it has", async () => {
    const res = await anonymous.send({ method: "PATCH", url: "/api/v1/admin/users" });
    expect(res.headers.allow).toBeUndefined();
    const nothing = await anonymous.send({ method: "PATCH", url: "/api/v1/admin/nothing" });
    expect(res.body).toEqual(nothing.body);
  });

  test.each(["/", ";", "application/", "a b/json", "application/json/json", "\u00ff"])(
    "the content type %j, which is none",
    async (type) => expectError(await post("/api/v1/tokens", "{}", { "content-type": type }), "UNSUPPORTED_MEDIA_TYPE"),
  );

  test("a body over 1 MiB, announced by its length", async () => {
    const body = JSON.stringify({ name: "a".repeat(MIB) });
    expectError(await post("/api/v1/tokens", body), "PAYLOAD_TOO_LARGE");
    const base = await listening();
    expectError(
      await exchange(
        base,
        `POST /api/v1/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\nContent-Length: ${MIB + 1}\r\n\r\n`,
      ),
      "PAYLOAD_TOO_LARGE",
    );
  });

  test("a body over 1 MiB that comes in chunks", async () => {
    const base = await listening();
    const chunk = `${MIB.toString(16)}\r\n${"a".repeat(MIB)}\r\n`;
    expectError(
      await exchange(
        base,
        `POST /api/v1/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\nTransfer-Encoding: chunked\r\n\r\n`,
        chunk,
        chunk,
      ),
      "PAYLOAD_TOO_LARGE",
    );
  });

  test("a body of exactly 1 MiB: it is read", async () => {
    const empty = JSON.stringify({ name: "" });
    const body = JSON.stringify({ name: "a".repeat(MIB - empty.length) });
    expectError(await post("/api/v1/tokens", body), "BAD_REQUEST", "name");
  });

  test("percent encoding that is broken, known path or not", async () => {
    for (const url of ["/api/v1/tokens/%E0%A4%A", "/api/v1/%ZZ", "/%"]) {
      expectError(await as(ada).send({ method: "DELETE", url }), "BAD_REQUEST");
    }
  });

  const requests: [string, string][] = [
    ["headers that are too large", `GET /health HTTP/1.1\r\nHost: x\r\nX-Large: ${"a".repeat(20_000)}\r\n\r\n`],
    ["a URL that is too long", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["what is no HTTP", "hello\r\n\r\n"],
    ["a method that does not exist", "BREW /health HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["HTTP/1.1 that names no host", "GET /health HTTP/1.1\r\n\r\n"],
    ["a call of the API that names no host", "GET /api/v1/users/me HTTP/1.1\r\n\r\n"],
    ["a header that is broken", "GET /health HTTP/1.1\r\nHost: x\r\nBro ken: 1\r\n\r\n"],
    [
      "two ways of telling a body's length",
      "POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    ],
    [
      "a chunk whose length is no number",
      `POST /api/v1/auth/sign-in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ];
  test.each(requests)("%s", async (_, request) => {
    expectError(await exchange(await listening(), request), "BAD_REQUEST");
    expect((await fetch(`${await listening()}/health`)).status).toBe(200);
  });

  test("a token that is missing, unknown, or not of the form of one", async () => {
    const unknown = `wb_${"A".repeat(43)}`;
    for (const authorization of [
      "",
      "Bearer",
      "Bearer ",
      `Basic ${ada.token}`,
      ada.token,
      `Bearer ${unknown}`,
      `Bearer ${ada.token}x`,
      `Bearer ${ada.token} x`,
      `Bearer ${ada.token.toUpperCase()}`,
      `Bearer ${"a".repeat(8000)}`,
      "Bearer wb_\u00ff",
    ]) {
      const res = await anonymous.send({ method: "GET", url: "/api/v1/users/me", headers: { authorization } });
      expectError(res, "UNAUTHORIZED");
    }
    const res = await anonymous.send({
      method: "GET",
      url: "/api/v1/users/me",
      headers: { authorization: `bearer ${ada.token}` },
    });
    ok(res);
  });
});

/** The answer tells nothing of what failed. */
function expectSecret(res: Answer<unknown>, ...secrets: string[]): void {
  for (const secret of [...secrets, "select", "relation", "at ", ".ts", ".js", "node_modules", "stack", "users/me"]) {
    expect(res.text).not.toContain(secret);
  }
}

describe("a defect of ours", () => {
  afterEach(async () => {
    await db.rows(sql`alter table if exists access_token_gone rename to access_token`);
    await db.rows(sql`alter table if exists sign_in_failure_gone rename to sign_in_failure`);
  });

  test("before the procedure is INTERNAL_SERVER_ERROR, says nothing more, and is in the log", async () => {
    await db.rows(sql`alter table access_token rename to access_token_gone`);
    logs.length = 0;

    const res = await as(ada).get("/users/me");

    expectError(res, "INTERNAL_SERVER_ERROR");
    expectSecret(res, "access_token", "42P01");
    expect(res.body.issues).toEqual([]);
    expect(logs.join("")).toContain("42P01");
    expect(logs.join("")).not.toContain(ada.token);
  });

  test("inside a procedure is INTERNAL_SERVER_ERROR over REST and tRPC alike, and logged once with the request's id", async () => {
    await db.rows(sql`alter table sign_in_failure rename to sign_in_failure_gone`);
    const input = { email: ada.email, password: ada.password };

    logs.length = 0;
    const res = await anonymous.post("/auth/sign-in", input, { "x-request-id": "rest-1" });
    expectError(res, "INTERNAL_SERVER_ERROR");
    expectSecret(res, "sign_in_failure", ada.email, "sign-in");
    expect(logs.filter((line) => line.includes("request failed") && line.includes("rest-1"))).toHaveLength(1);
    expect(logs.join("")).not.toContain(ada.email);

    logs.length = 0;
    await expectTrpcError(trpcClient(null).user.signIn.mutate(input), "INTERNAL_SERVER_ERROR");
    const raw = await anonymous.send({
      method: "POST",
      url: "/trpc/user.signIn",
      body: JSON.stringify(input),
      headers: { "content-type": "application/json", "x-request-id": "trpc-1" },
    });
    expect(raw.status).toBe(500);
    expectSecret(raw, "sign_in_failure", ada.email, "signIn");
    expect(logs.filter((line) => line.includes("request failed") && line.includes("trpc-1"))).toHaveLength(1);
    expect(logs.join("")).not.toContain(ada.email);
  });

  test("that throws text, an object of its own making or a wrong answer shows none of it", async () => {
    const open = (path: `/${string}`): Meta => ({
      openapi: { method: "POST", path, protect: false, tags: ["Test"], summary: "Test" },
    });
    const input = z.strictObject({});
    const { client } = await serve(
      router({
        error: publicProcedure
          .meta(open("/error"))
          .input(input)
          .mutation(() => {
            throw new Error("secret in an error");
          }),
        text: publicProcedure
          .meta(open("/text"))
          .input(input)
          .mutation(() => {
            throw "secret text";
          }),
        status: publicProcedure
          .meta(open("/status"))
          .input(input)
          .mutation(() => {
            throw Object.assign(new Error("secret with a status"), { statusCode: 503 });
          }),
        output: publicProcedure
          .meta(open("/output"))
          .input(input)
          .output(z.object({ secret: z.literal("other") }))
          .mutation(() => Object({ secret: "secret answer" })),
      }),
      db,
    );
    for (const name of ["error", "text", "status", "output"]) {
      const res = await client.post(`/${name}`, {});
      expectError(res, "INTERNAL_SERVER_ERROR");
      expect(res.text).not.toContain("secret");
      const overTrpc = await client.send({
        method: "POST",
        url: `/trpc/${name}`,
        body: "{}",
        headers: { "content-type": "application/json" },
      });
      expect(overTrpc.status).toBe(500);
      expect(overTrpc.text).not.toContain("secret");
      expect(overTrpc.text).not.toContain("stack");
    }
  });
});

describe("while the service", () => {
  afterEach(() => {
    app.phase = "ready";
  });

  test.each(["starting", "draining"] as const)(
    "is %s, calls are SERVICE_UNAVAILABLE with Retry-After",
    async (phase) => {
      app.phase = phase;
      for (const res of [
        await as(ada).get("/users/me"),
        await anonymous.get("/users/me"),
        await anonymous.post("/auth/sign-in", { email: ada.email, password: ada.password }),
      ]) {
        expectError(res, "SERVICE_UNAVAILABLE");
        expect(res.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
      }
      const overTrpc = await as(ada).send<{ error: { data: unknown } }>({ method: "GET", url: "/trpc/user.me" });
      expect(overTrpc.status).toBe(503);
      expect(overTrpc.body.error.data).toEqual({ code: "SERVICE_UNAVAILABLE", httpStatus: 503, issues: [] });
      expect(overTrpc.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    },
  );

  test("is leaving, calls are answered, and their connections end", async () => {
    app.phase = "leaving";
    const res = await as(ada).get("/users/me");
    ok(res);
    expect(res.headers.connection).toBe("close");
  });

  test.each(["starting", "leaving", "draining"] as const)("is %s, it is alive but not ready", async (phase) => {
    app.phase = phase;
    ok(await anonymous.send({ method: "GET", url: "/health" }));
    const res = await anonymous.send({ method: "GET", url: "/ready" });
    expectError(res, "SERVICE_UNAVAILABLE");
    expect(res.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
  });

  test("is ready, it says so", async () => {
    ok(await anonymous.send({ method: "GET", url: "/ready" }));
  });
});

describe("without its database", () => {
  test("the service is alive, not ready, and answers SERVICE_UNAVAILABLE with Retry-After", async () => {
    const lost = await testApp();
    const bob = await lost.make.user();
    await lost.db.close();

    ok(await lost.anonymous.send({ method: "GET", url: "/health" }));
    for (const res of [
      await lost.as(bob).get("/users/me"),
      await lost.anonymous.post("/auth/sign-in", { email: bob.email, password: bob.password }),
      await lost.anonymous.send({ method: "GET", url: "/ready" }),
    ]) {
      expectError(res, "SERVICE_UNAVAILABLE");
      expect(res.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    }
    expectError(await lost.anonymous.get("/users/me"), "UNAUTHORIZED");
    await expectTrpcError(
      lost.trpcClient(null).user.signIn.mutate({ email: bob.email, password: bob.password }),
      "SERVICE_UNAVAILABLE",
    );
  });
});

describe("request identifiers", () => {
  test("one that is given and legal comes back with the version, on success and on every failure", async () => {
    const headers = { "x-request-id": "my_Request-1" };
    for (const res of [
      await as(ada).get("/users/me", headers),
      await anonymous.get("/users/me", headers),
      await anonymous.get("/nothing", headers),
      await anonymous.get("/%ZZ", headers),
      await as(ada).post("/tokens", {}, headers),
      await anonymous.send({ method: "GET", url: "/trpc/user.me", headers }),
      await anonymous.send({ method: "GET", url: "/health", headers }),
    ]) {
      expect(res.headers["x-request-id"], res.text).toBe("my_Request-1");
      expect(res.headers["service-version"], res.text).toBe(VERSION);
    }
  });

  test.each(["", "a".repeat(65), "a b", "ä", "a;b", "<x>"])("%j is replaced", async (id) => {
    const res = await anonymous.get("/users/me", { "x-request-id": id });
    expect(res.headers["x-request-id"]).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(res.headers["x-request-id"]).not.toBe(id);
  });
});
