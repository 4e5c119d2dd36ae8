// The binder: how path, query and body become a procedure's input. Each test here is a defect that another adapter has.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PublicId } from "../../src/api/shapes.js";
import { type Meta, publicProcedure, router } from "../../src/api/trpc.js";
import { expectError, ok, testApp } from "../helpers/app.js";
import { serve } from "../helpers/binding.js";

const { as, anonymous, make, db } = await testApp();

/** The very same zod objects in a query and in a body. */
const Flag = z.boolean();
const Amount = z.int().min(0).max(100);
const shared = { flag: Flag.optional(), amount: Amount.optional() };
const described = (method: "GET" | "POST" | "PUT", path: `/${string}`): Meta => ({
  openapi: { method, path, protect: false, tags: ["Test"], summary: "Test" },
});
const echo = ({ input }: { input: object }) => input;

const { client } = await serve(
  router({
    ask: publicProcedure
      .meta(described("GET", "/echo"))
      .input(z.strictObject({ ...shared, word: z.string().optional() }))
      .query(echo),
    echo: publicProcedure.meta(described("POST", "/echo")).input(z.strictObject(shared)).mutation(echo),
    name: publicProcedure
      .meta(described("PUT", "/echo/{id}/part/{other}"))
      .input(z.strictObject({ id: z.string(), other: PublicId, flag: Flag.optional() }))
      .mutation(echo),
  }),
  db,
);

describe("coercion", () => {
  test("a query string reads whole numbers and booleans", async () => {
    expect(ok(await client.get("/echo?flag=false&amount=7&word=7"))).toEqual({ flag: false, amount: 7, word: "7" });
  });

  test.each(["1.5", "abc", "1e2", "0x10", "%207", "+7", "07", "", "101", "-1", "9".repeat(30)])(
    "amount=%s in a query is refused",
    async (text) => expectError(await client.get(`/echo?amount=${text}`), "BAD_REQUEST", "amount"),
  );

  test.each(["1", "0", "TRUE", "yes", "on", ""])("flag=%s in a query is refused", async (text) =>
    expectError(await client.get(`/echo?flag=${text}`), "BAD_REQUEST", "flag"),
  );

  test("an empty query parameter is refused, also where any text would do", async () => {
    expectError(await client.get("/echo?word="), "BAD_REQUEST", "word");
    expectError(await client.get("/echo?word"), "BAD_REQUEST", "word");
  });

  test("a query parameter given twice is refused", async () => {
    expectError(await client.get("/echo?amount=1&amount=2"), "BAD_REQUEST", "amount");
    expectError(await client.get("/echo?word=a&word=b"), "BAD_REQUEST", "word");
  });

  test("an unknown query parameter is refused by name with the nearest known one, but for those that begin with _", async () => {
    const issuesOf = async (query: string) => {
      const res = await client.get<{ issues: object[] }>(`/echo?${query}`);
      expectError(res, "BAD_REQUEST");
      return res.body.issues;
    };
    expect(await issuesOf("wrod=a&other=1&other=2")).toEqual([
      { path: ["wrod"], message: "Unknown parameter. Do you mean word?" },
      { path: ["other"], message: "Unknown parameter" },
    ]);
    expect(ok(await client.get("/echo?_=1&__proto__=2&word=a"))).toEqual({ word: "a" });
    const many = Array.from({ length: 200 }, (_, place) => `x${place}=1`).join("&");
    expect(await issuesOf(many)).toHaveLength(200);
  });

  test("an operation with a body takes no query, and a path parameter does not come from it", async () => {
    expectError(await client.post("/echo?word=a", {}), "BAD_REQUEST", "word");
    const twice = await client.put("/echo/a/part/AAAAAAAAAAAA?id=b", {});
    expectError(twice, "BAD_REQUEST", "id");
    expect(twice.text).toContain("Belongs in the path, not in the query");
  });

  test("an unknown field of a body or of an input over tRPC is refused with the nearest known one", async () => {
    const message = "Unknown field. Do you mean amount?";
    const refused = await client.post("/echo", { amont: 1, wholly: 2 });
    expectError(refused, "BAD_REQUEST");
    expect(refused.body).toMatchObject({
      issues: [
        { path: ["amont"], message },
        { path: ["wholly"], message: "Unknown field" },
      ],
    });
    const input = encodeURIComponent(JSON.stringify({ amuont: 1 }));
    const res = await client.send<{ error: { data: unknown } }>({ method: "GET", url: `/trpc/ask?input=${input}` });
    expect(res.body.error.data).toMatchObject({ issues: [{ path: ["amuont"], message }] });
  });

  test.each([
    ["flag", "false"],
    ["flag", "true"],
    ["flag", ""],
    ["flag", 0],
    ["flag", 1],
    ["flag", null],
    ["amount", "3"],
    ["amount", ""],
    ["amount", null],
    ["amount", true],
    ["amount", 1.5],
  ])("%s: %j in a body is refused over REST and tRPC, also after a query was coerced", async (name, value) => {
    ok(await client.get("/echo?flag=true&amount=3"));

    expectError(await client.post("/echo", { [name]: value }), "BAD_REQUEST", name);
    for (const request of [
      { method: "POST", url: "/trpc/echo", body: JSON.stringify({ [name]: value }) } as const,
      { method: "GET", url: `/trpc/ask?input=${encodeURIComponent(JSON.stringify({ [name]: value }))}` } as const,
    ]) {
      const res = await client.send<{ error: { data: unknown } }>({
        ...request,
        headers: { "content-type": "application/json" },
      });
      expect(res.status, res.text).toBe(400);
      expect(res.body.error.data).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: [name] }] });
    }
  });
});

describe("path parameters", () => {
  const put = (id: string, body: unknown = {}) => client.put(`/echo/${id}/part/abcdefghijkl`, body);

  test.each([
    ["%C3%A9", "é"],
    ["a%20b", "a b"],
    ["a%2Fb", "a/b"],
    ["a%25b", "a%b"],
    ["a+b", "a+b"],
    ["%F0%9F%98%80", "😀"],
  ])("%s arrives as %s", async (sent, received) => {
    expect(ok(await put(sent))).toEqual({ id: received, other: "abcdefghijkl" });
  });

  test("one that the body names as well is refused, whichever value it has there", async () => {
    expectError(await put("a", { id: "a" }), "BAD_REQUEST", "id");
    expectError(await put("a", { other: "abcdefghijkl", flag: true }), "BAD_REQUEST", "other");
  });

  test("one that is too short, too long or holds NUL is refused by name", async () => {
    const ada = await make.user();
    for (const id of ["short", "a".repeat(65), "a".repeat(15_000), "abcdefghijk%00"]) {
      expectError(await as(ada).delete(`/tokens/${id}`), "BAD_REQUEST", "tokenPublicId");
    }
  });

  test("broken percent encoding is BAD_REQUEST", async () => {
    const ada = await make.user();
    for (const path of ["/tokens/%E0%A4%A", "/tokens/%ZZ", "/%"]) {
      expectError(await as(ada).delete(path), "BAD_REQUEST");
      expectError(await as(ada).get(path), "BAD_REQUEST");
    }
  });
});

describe("bodies", () => {
  const post = (body: string | undefined, contentType?: string) =>
    client.send({
      method: "POST",
      url: "/api/v1/echo",
      ...(body !== undefined && { body }),
      headers: contentType === undefined ? {} : { "content-type": contentType },
    });

  test.each([
    ["none at all", undefined, undefined],
    ["none, with a content type", undefined, "application/json"],
    ["none, with a content type that is not JSON", undefined, "text/plain"],
    ["an empty one", "", "application/json"],
    ["{}", "{}", "application/json"],
    ["{} without a content type", "{}", undefined],
    ["{} as JSON with a charset", " {} ", "application/json; charset=utf-8"],
    ["{} as a kind of JSON", "{}", "application/merge-patch+json"],
  ])("%s is an empty object", async (_, body, contentType) => {
    expect(ok(await post(body, contentType))).toEqual({});
  });

  test.each(["[]", '[{"flag":true}]', "null", '"text"', "7", "true"])("%s as the body is refused", async (body) => {
    expectError(await post(body, "application/json"), "BAD_REQUEST", []);
  });

  test.each(["{", '{"flag":}', "{'flag':true}", "flag=true", "{}{}", '{"flag":true,}', "\u0000"])(
    "%j, which is no JSON, is refused",
    async (body) => expectError(await post(body, "application/json"), "BAD_REQUEST"),
  );

  test("a body that is not UTF-8 is BAD_REQUEST, never read with replacements", async () => {
    const body = Buffer.concat([Buffer.from('{"word":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}')]);
    const res = await client.send({
      method: "POST",
      url: "/api/v1/echo",
      body,
      headers: { "content-type": "application/json" },
    });
    expectError(res, "BAD_REQUEST");
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json",
    "json",
  ])("a body of the type %s is UNSUPPORTED_MEDIA_TYPE", async (contentType) =>
    expectError(await post("{}", contentType), "UNSUPPORTED_MEDIA_TYPE"),
  );

  test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"])(
    "the key %s is refused and reaches no prototype",
    async (key) => {
      for (const value of ["1", '{"flag":true}', '{"prototype":{"flag":true}}']) {
        expectError(await post(`{"${key}":${value}}`, "application/json"), "BAD_REQUEST");
      }
      expect(Reflect.get({}, "flag")).toBeUndefined();
    },
  );

  test("an unknown field is refused by name, among known ones too", async () => {
    expectError(await client.post("/echo", { flag: true, colour: "red" }), "BAD_REQUEST", "colour");
  });
});

describe("an operation without a body", () => {
  test.each([
    ["no body and no content type", {}],
    ["a content type and no body", { headers: { "content-type": "application/json" } }],
    ["an empty body", { body: "" }],
    ["{}", { body: "{}", headers: { "content-type": "application/json" } }],
    ["{} without a content type", { body: "{}" }],
  ])("takes %s", async (_, request) => {
    const ada = await make.user();
    const res = await as(ada).send({ method: "POST", url: "/api/v1/auth/sign-out", ...request });
    expect(ok(res)).toEqual({ success: true });
    expectError(await as(ada).get("/users/me"), "UNAUTHORIZED");
  });

  test("refuses one that is no object or has a field, and then does nothing", async () => {
    const ada = await make.user();
    for (const body of ["[]", "null", '"x"', '{"extra":1}']) {
      const res = await as(ada).send({
        method: "POST",
        url: "/api/v1/auth/sign-out",
        body,
        headers: { "content-type": "application/json" },
      });
      expectError(res, "BAD_REQUEST");
    }
    ok(await as(ada).get("/users/me"));
  });
});

describe("methods that a path does not have", () => {
  test.each(["/api/v1/auth/sign-in", "/api/v1/nothing", "/nothing"])(
    "HEAD %s is 404 as an error without its body, with and without a token",
    async (url) => {
      const ada = await make.user();
      for (const client of [anonymous, as(ada)]) {
        const res = await client.send({ method: "HEAD", url });
        expect(res.status).toBe(404);
        expect(res.headers["content-type"]).toMatch(/^application\/json\b/);
        expect(res.headers["x-request-id"]).toMatch(/^[\w-]+$/);
      }
    },
  );

  test.each([
    ["PATCH", "/api/v1/users/me"],
    ["POST", "/api/v1/users/me"],
    ["GET", "/api/v1/auth/sign-in"],
    ["OPTIONS", "/api/v1/users/me"],
    ["DELETE", "/api/v1/tokens"],
  ] as const)("%s %s is NOT_FOUND", async (method, url) => {
    expectError(await anonymous.send({ method, url }), "NOT_FOUND");
  });

  test.each(["/api/v1/users/me/", "/api/v1//users/me", "/api/v1/Users/me", "/api/v1", "/api/v2/users/me"])(
    "GET %s, which is no path of the contract, is NOT_FOUND",
    async (url) => expectError(await anonymous.send({ method: "GET", url }), "NOT_FOUND"),
  );
});

test("broken percent encoding in a query is BAD_REQUEST, also in a parameter that nobody knows", async () => {
  const { board, owner } = await make.board();
  for (const query of ["search=%ZZ", "search=%", "search=%FF", "unknown=%E0%A4"]) {
    expectError(await as(owner).get(`/boards/${board.publicId}?${query}`), "BAD_REQUEST");
  }
});
