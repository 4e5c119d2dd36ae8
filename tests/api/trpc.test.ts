// tRPC over HTTP carries the codes, texts and issues of REST, with limits of its own.

import { gunzipSync } from "node:zlib";
import { createTRPCClient, httpBatchStreamLink } from "@trpc/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ERRORS } from "../../src/api/errors.js";
import { operationsOf } from "../../src/api/rest.js";
import { publicProcedure, router } from "../../src/api/trpc.js";
import { type AppRouter, appRouter } from "../../src/router.js";
import { type Client, contentsOf, expectTrpcError, testApp } from "../helpers/app.js";
import { serve } from "../helpers/binding.js";

const { app, as, anonymous, make, db, listening, trpcClient } = await testApp();
const ada = await make.user();

const MIB = 1024 * 1024;
const JSON_TYPE = { "content-type": "application/json" };

const call = (client: Client, path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  client.send<{ error: unknown }>({ method: "POST", url: `/trpc/${path}`, body, headers });
const ask = (client: Client, path: string, query = "") =>
  client.send<{ error: unknown }>({ method: "GET", url: `/trpc/${path}${query}` });

/** The error of an answer is exactly of the contract's shape, and of this code. */
function expectShape(error: unknown, code: keyof typeof ERRORS): void {
  expect(error).toEqual({
    code: expect.any(Number),
    message: ERRORS[code].message,
    data: { code, httpStatus: ERRORS[code].status, issues: expect.any(Array) },
  });
}

describe("an error", () => {
  test("has the code, text and issues that REST gives for the same input", async () => {
    const input = { name: "", scope: "other", extra: 1 };
    const rest = await as(ada).post("/tokens", input);
    const trpc = await call(as(ada), "user.tokens.create", JSON.stringify(input));
    expect(trpc.status).toBe(400);
    expectShape(trpc.body.error, "BAD_REQUEST");
    expect(trpc.body.error).toMatchObject({ data: { issues: rest.body.issues } });
  });

  test("of the client reads by code and issue", async () => {
    const client = trpcClient(ada);
    await expectTrpcError(client.user.tokens.create.mutate({ name: " ", scope: "read" }), "BAD_REQUEST", "name");
    await expectTrpcError(client.user.tokens.revoke.mutate({ tokenPublicId: "unknownunknown" }), "NOT_FOUND");
    await expectTrpcError(trpcClient(null).user.me.query(), "UNAUTHORIZED");
  });

  test("under an operation whose REST method is POST never says that the target does not exist", async () => {
    const created = trpcClient(ada).user.tokens.create.mutate({
      name: "a",
      scope: "read",
      workspacePublicId: "unknownunknown",
    });
    await expectTrpcError(created, "FORBIDDEN");
  });

  test.each([
    ["an unknown procedure", () => ask(as(ada), "user.nothing"), "NOT_FOUND"],
    ["an unknown procedure, without a token", () => ask(anonymous, "user.nothing"), "NOT_FOUND"],
    ["a name of Object's", () => ask(as(ada), "constructor"), "NOT_FOUND"],
    ["a name of Object's in a group", () => ask(as(ada), "user.__proto__"), "NOT_FOUND"],
    ["a query called as a mutation", () => call(as(ada), "user.me", "{}"), "NOT_FOUND"],
    ["a mutation called as a query", () => ask(as(ada), "user.signOut"), "NOT_FOUND"],
    ["a body that is no JSON", () => call(as(ada), "user.tokens.create", "{"), "BAD_REQUEST"],
    ["an input that is no JSON", () => ask(as(ada), "user.me", "?input=%7B"), "BAD_REQUEST"],
    ["an input that is an array", () => call(as(ada), "user.tokens.create", "[]"), "BAD_REQUEST"],
    ["an input that is null", () => call(as(ada), "user.signOut", "null"), "BAD_REQUEST"],
    ["the key __proto__", () => call(as(ada), "user.signOut", '{"__proto__":{"a":1}}'), "BAD_REQUEST"],
    ["a body of 101 levels", () => call(as(ada), "user.signOut", `{"a":${nested(100)}}`), "BAD_REQUEST"],
    ["an input of 101 levels", () => ask(as(ada), "user.me", `?input={"a":${nested(100)}}`), "BAD_REQUEST"],
    ["no token", () => ask(anonymous, "user.me"), "UNAUTHORIZED"],
    ["a body over 1 MiB", () => call(as(ada), "user.update", `"${"a".repeat(MIB)}"`), "PAYLOAD_TOO_LARGE"],
    [
      "a body that is not JSON",
      () => call(as(ada), "user.update", "a=1", { "content-type": "application/x-www-form-urlencoded" }),
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    ["broken percent encoding", () => ask(as(ada), "%ZZ"), "BAD_REQUEST"],
    [
      "a compressed body",
      () => call(as(ada), "user.update", "{}", { "content-type": "application/json", "content-encoding": "gzip" }),
      "UNSUPPORTED_MEDIA_TYPE",
    ],
  ] as const)("for %s is of the one shape, without a stack, a path or a procedure's name", async (_, send, code) => {
    const res = await send();
    expect(res.status, res.text).toBe(ERRORS[code].status);
    expectShape(res.body.error, code);
    for (const secret of ["stack", 'path":"', "user.", "nothing", ".ts", "node_modules", "procedure"]) {
      expect(res.text.toLowerCase()).not.toContain(secret);
    }
  });

  test.each(["PUT", "DELETE", "PATCH", "OPTIONS"] as const)("for the method %s is NOT_FOUND", async (method) => {
    const res = await as(ada).send<{ error: unknown }>({ method, url: "/trpc/user.me" });
    expect(res.status).toBe(404);
    expectShape(res.body.error, "NOT_FOUND");
  });
});

describe("a call without a content type", () => {
  test("is read as JSON, and may have no body where none is needed", async () => {
    const person = await make.user();
    const renamed = await call(as(person), "user.update", '{"name":"Ada Byron"}', {});
    expect(renamed.body).toMatchObject({ result: { data: { name: "Ada Byron" } } });
    expect((await call(as(person), "user.update", "{", {})).status).toBe(400);
    const batch = await call(as(person), "user.update?batch=1", '{"0":{"name":"Ada"}}', {});
    expect(batch.body).toMatchObject([{ result: { data: { name: "Ada" } } }]);
    const left = await as(person).send({ method: "POST", url: "/trpc/user.signOut" });
    expect(left.body).toEqual({ result: { data: { success: true } } });
  });
});

describe("a batch", () => {
  const many = (count: number) => Array(count).fill("user.me").join(",");

  test("of ten calls is answered, one of eleven is refused whole", async () => {
    const ten = await ask(as(ada), many(10), "?batch=1&input=%7B%7D");
    expect(ten.status).toBe(200);
    expect(ten.body).toHaveLength(10);

    const eleven = await ask(as(ada), many(11), "?batch=1&input=%7B%7D");
    expect(eleven.status).toBe(400);
    expect(eleven.text).not.toContain(ada.email);
    expect(eleven.text).toContain("A batch has at most 10 calls: set `maxItems: 10` in the batch link");
  });

  test.each([
    ["GET", "user.tokens.revoke?input=", '{"json":{"a":1}}'],
    ["GET", "board.get?input=", '{"json":{"a":1},"meta":{"values":{}}}'],
    ["GET", "user.me,user.me?batch=1&input=", '{"0":{"meta":{"values":["undefined"]}}}'],
    ["POST", "user.update", '{"json":{"name":"Ada"}}'],
    ["POST", "user.update?batch=1", '{"0":{"json":{"name":"Ada"}}}'],
    ["POST", "user.update,user.update?batch=1", '{"0":{"json":{"name":"Ada"}},"1":{"json":{}}}'],
    ["GET", "notification.stream?input=", '{"json":{}}'],
  ] as const)("or a call whose client has a data transformer says so: %s %s", async (method, path, input) => {
    const url = `/trpc/${path}${method === "GET" ? encodeURIComponent(input) : ""}`;
    const body = method === "GET" ? {} : { body: input };
    const res = await as(ada).send({ method, url, ...body, headers: JSON_TYPE });
    expect(res.text).toContain("The service uses no data transformer: remove `transformer` from the link");
    expect(res.text).toContain("BAD_REQUEST");
  });

  test("of eleven mutations changes nothing", async () => {
    const before = await contentsOf(db);
    const create = { name: "a", scope: "read" };
    const body = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [index, create]));
    const path = Array(11).fill("user.tokens.create").join(",");
    const res = await call(as(ada), `${path}?batch=1`, JSON.stringify(body));
    expect(res.status).toBe(400);
    expect(await contentsOf(db)).toEqual(before);
  });

  test.each(["Idempotency-Key", "If-Match", "Request-Key"])(
    "of several with %s is BAD_REQUEST and changes nothing",
    async (name) => {
      const before = await contentsOf(db);
      const res = await anonymous.send<{ error: unknown }>({
        method: "POST",
        url: "/trpc/workspace.create,workspace.create?batch=1",
        body: JSON.stringify({ 0: { name: "a" }, 1: { name: "b" } }),
        headers: { ...JSON_TYPE, authorization: `Bearer ${ada.token}`, [name.toLowerCase()]: '"once"' },
      });
      expect(res.status).toBe(400);
      expectShape(res.body.error, "BAD_REQUEST");
      expect(res.text).toContain(name);
      expect(await contentsOf(db)).toEqual(before);
    },
  );

  test("answers each call by itself: one that fails leaves the others", async () => {
    const [me, missing] = await Promise.allSettled([
      trpcClient(ada).user.me.query(),
      trpcClient(ada).user.tokens.revoke.mutate({ tokenPublicId: "unknownunknown" }),
    ]);
    expect(me).toMatchObject({ status: "fulfilled", value: { publicId: ada.publicId } });
    expect(missing.status).toBe("rejected");

    const res = await anonymous.send<{ error?: unknown; result?: unknown }[]>({
      method: "GET",
      url: "/trpc/user.me,user.nothing?batch=1&input=%7B%7D",
      headers: { authorization: `Bearer ${ada.token}` },
    });
    expect(res.status).toBe(207);
    expect(res.body[0]).toMatchObject({ result: { data: { publicId: ada.publicId } } });
    expectShape(res.body[1]?.error, "NOT_FOUND");
  });

  test("with one public call among others lets nobody in without a token", async () => {
    const res = await anonymous.send<{ error: unknown }[]>({
      method: "POST",
      url: "/trpc/user.signIn,user.tokens.create?batch=1",
      body: JSON.stringify({ 0: {}, 1: { name: "a", scope: "read" } }),
      headers: JSON_TYPE,
    });
    expectShape(res.body[0]?.error, "BAD_REQUEST");
    expectShape(res.body[1]?.error, "UNAUTHORIZED");
  });
});

describe("a single mutation, also in the form of a batch", () => {
  const forms = [
    ["alone", "", (input: object) => input],
    ["in a batch of one", "?batch=1", (input: object) => ({ 0: input })],
  ] as const;

  test.each(forms)("%s happens once under its Idempotency-Key, a deletion too", async (_, query, wrapped) => {
    const { list, owner } = await make.list();
    const changes = [
      ["card.create", { title: "Once", listPublicId: list.publicId }],
      ["board.lists.delete", { listPublicId: list.publicId }],
    ] as const;
    for (const [path, input] of changes) {
      const headers = { ...JSON_TYPE, "idempotency-key": `${path}${query}` };
      const send = () => call(as(owner), path + query, JSON.stringify(wrapped(input)), headers);
      const [first, again] = [await send(), await send()];
      expect(first.status, first.text).toBe(200);
      expect(again.body).toEqual(first.body);
      expect(again.headers["idempotent-replayed"]).toBe("true");
      for (const name of ["operation-id", "event-id"]) {
        expect(first.headers).toHaveProperty(name);
        expect(again.headers[name]).toBe(first.headers[name]);
      }
    }
  });

  test.each(forms)("%s gives its events its Request-Key, and none if it has none", async (_, query, wrapped) => {
    const { list, owner, workspace } = await make.list();
    const body = JSON.stringify(wrapped({ title: "Mine", listPublicId: list.publicId }));
    for (const headers of [{ ...JSON_TYPE, "request-key": "mine_-09" }, JSON_TYPE]) {
      const res = await call(as(owner), `card.create${query}`, body, headers);
      expect(res.status, res.text).toBe(200);
    }
    const { items } = await trpcClient(owner).workspace.events.query({ workspacePublicId: workspace.publicId });
    expect(items.slice(-2).map(({ requestKey }) => requestKey)).toEqual(["mine_-09", null]);
  });

  test.each(forms)("%s with a Request-Key of another form is BAD_REQUEST", async (_, query, wrapped) => {
    const { list, owner } = await make.list();
    const body = JSON.stringify(wrapped({ title: "Mine", listPublicId: list.publicId }));
    const res = await call(as(owner), `card.create${query}`, body, { ...JSON_TYPE, "request-key": "short" });
    expect(res.status).toBe(400);
    expect(res.text).toContain("Request-Key");
  });

  test.each(forms)("%s is held to If-Match, and answers the next tag", async (_, query, wrapped) => {
    const { card, owner } = await make.card();
    const tag = async () => (await as(owner).get(`/cards/${card.publicId}`)).headers.etag;
    const body = JSON.stringify(wrapped({ cardPublicId: card.publicId, title: "Mine" }));
    const rename = (etag: string) => call(as(owner), `card.update${query}`, body, { ...JSON_TYPE, "if-match": etag });
    const read = String(await tag());
    const renamed = await rename(read);
    expect(renamed.status, renamed.text).toBe(200);
    expect(renamed.headers.etag).toBe(await tag());
    expect((await rename(read)).status).toBe(412);
  });
});

describe("a single query, also in the form of a batch", () => {
  const input = (form: string, value: object) =>
    form === ""
      ? `?input=${encodeURIComponent(JSON.stringify(value))}`
      : `?${form}&input=${encodeURIComponent(JSON.stringify({ 0: value }))}`;

  test.each(["", "batch=1"])("has the entity tag of REST, and is 304 for who has it (%s)", async (form) => {
    const { board, card, owner } = await make.card();
    const reads = [
      ["board.get", `/boards/${board.publicId}`, { boardPublicId: board.publicId }],
      ["board.get", `/boards/${board.publicId}?priority=high`, { boardPublicId: board.publicId, priority: "high" }],
      ["card.get", `/cards/${card.publicId}`, { cardPublicId: card.publicId }],
    ] as const;
    for (const [path, restPath, value] of reads) {
      const rest = await as(owner).get(restPath);
      const url = `/trpc/${path}${input(form, value)}`;
      const first = await as(owner).send<unknown>({ method: "GET", url });
      const result = { result: { data: rest.body } };
      expect(first.body).toEqual(form === "" ? result : [result]);
      expect(first.headers.etag).toBe(rest.headers.etag);
      expect(first.headers["cache-control"]).toBe("private, no-cache");
      expect(first.headers.vary).toContain("Authorization");
      const known = { "if-none-match": String(first.headers.etag) };
      const again = await as(owner).send({ method: "GET", url, headers: known });
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: "" });
      const other = await as(owner).send({ method: "GET", url, headers: { "if-none-match": '"other"' } });
      expect(other.text).toBe(first.text);
    }
  });

  test.each(["", "batch=1"])("is compressed from what REST sends, the same bytes unpacked (%s)", async (form) => {
    const { board, list, owner } = await make.list();
    for (let n = 0; n < 40; n += 1) await make.card({ list, title: `Card ${n} — naïve` });
    const url = `/trpc/board.get${input(form, { boardPublicId: board.publicId })}`;
    const headers = { authorization: `Bearer ${owner.token}` };
    const plain = await app.inject({ method: "GET", url, headers });
    for (let again = 0; again < 2; again += 1) {
      const zipped = await app.inject({ method: "GET", url, headers: { ...headers, "accept-encoding": "gzip" } });
      expect(zipped.headers["content-encoding"]).toBe("gzip");
      expect(zipped.headers.etag).toBe(`${String(plain.headers.etag).slice(0, -1)}-gzip"`);
      expect(zipped.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
      expect(gunzipSync(zipped.rawPayload)).toEqual(plain.rawPayload);
    }
    const refused = await as(await make.user()).send({ method: "GET", url, headers: { "if-none-match": "*" } });
    expect(refused.status).toBe(403);
  });

  test("among others is sent in their order, without a tag", async () => {
    const { board, owner } = await make.board();
    const value = { boardPublicId: board.publicId };
    const query = `?batch=1&input=${encodeURIComponent(JSON.stringify({ 1: value }))}`;
    const res = await as(owner).send<unknown>({ method: "GET", url: `/trpc/user.me,board.get,user.nothing${query}` });
    expect(res.body).toMatchObject([
      { result: { data: { publicId: owner.publicId } } },
      { result: { data: { publicId: board.publicId } } },
      { error: { data: { code: "NOT_FOUND" } } },
    ]);
    expect(res.headers).not.toHaveProperty("etag");
  });

  test("that fails has its error in the form of the call", async () => {
    const alone = await ask(as(ada), "board.get", input("", {}));
    const inBatch = await ask(as(ada), "board.get", input("batch=1", {}));
    expectShape(alone.body.error, "BAD_REQUEST");
    expect({ status: inBatch.status, body: inBatch.body }).toEqual({ status: 400, body: [alone.body] });
  });

  test("goes to tRPC's link of streamed batches as to its others, one or several", async () => {
    const { board, owner } = await make.board();
    const url = await listening();
    const headers = { authorization: `Bearer ${owner.token}` };
    const client = createTRPCClient<AppRouter>({ links: [httpBatchStreamLink({ url: `${url}/trpc`, headers })] });
    const read = () => client.board.get.query({ boardPublicId: board.publicId });
    const expected = await trpcClient(owner).board.get.query({ boardPublicId: board.publicId });
    expect(await read()).toEqual(expected);
    expect(await Promise.all([read(), client.user.me.query()])).toMatchObject([expected, { publicId: owner.publicId }]);
  });
});

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("bodies", () => {
  const operations = operationsOf(appRouter);
  const body = JSON.stringify({ text: "a".repeat(2 * MIB) });

  test("64 MiB is for imports alone", () => {
    for (const { path, bodyLimit } of operations) {
      expect([path, bodyLimit]).toEqual([path, path.startsWith("import.") && bodyLimit > MIB ? 64 * MIB : MIB]);
    }
  });

  test("a single call of an import may be larger than 1 MiB, in a batch it may not, nor may any other call", async () => {
    const word = z.strictObject({ text: z.string() });
    const length = ({ input }: { input: { text: string } }) => input.text.length;
    const { client } = await serve(
      router({
        large: publicProcedure
          .meta({ largeBody: true, openapi: { method: "POST", path: "/large", protect: false } })
          .input(word)
          .mutation(length),
        small: publicProcedure
          .meta({ openapi: { method: "POST", path: "/small", protect: false } })
          .input(word)
          .mutation(length),
      }),
      db,
    );
    const post = (url: string, payload: string) =>
      client.send({ method: "POST", url, body: payload, headers: JSON_TYPE });

    expect((await post("/trpc/large", body)).body).toEqual({ result: { data: 2 * MIB } });
    expect((await post("/api/v1/large", body)).status).toBe(200);
    expect((await post("/trpc/small", body)).status).toBe(413);
    expect((await post("/api/v1/small", body)).status).toBe(413);
    expect((await post("/trpc/large,large?batch=1", `{"0":${body}}`)).status).toBe(413);
    expect((await post("/trpc/small,large?batch=1", `{"1":${body}}`)).status).toBe(413);
  });

  test.each(operations.filter(({ bodyLimit }) => bodyLimit > MIB))(
    "$path reads 2 MiB when it is called alone, and nothing over 64 MiB",
    async ({ path }) => {
      expect((await call(as(ada), path, body)).status).toBe(400);
      expect((await call(as(ada), `${path},${path}?batch=1`, `{"0":${body}}`)).status).toBe(413);
      const huge = await app.inject({
        method: "POST",
        url: `/trpc/${path}`,
        headers: { ...JSON_TYPE, authorization: `Bearer ${ada.token}`, "content-length": String(64 * MIB + 1) },
        payload: "{}",
      });
      expect(huge.statusCode).toBe(413);
    },
  );
});
