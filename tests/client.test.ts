// The TypeScript client, against the real application over a socket.

import { once } from "node:events";
import { createServer } from "node:http";
import { TRPCClientError } from "@trpc/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createClient, metaOf, permissionsOf, WorkBoardError } from "../packages/client/src/client.js";
import { KEYLESS, PUBLIC_QUERIES } from "../packages/client/src/operations.js";
import * as table from "../src/access/permissions.js";
import { takesKey } from "../src/api/openapiFailures.js";
import { operationsOf } from "../src/api/rest.js";
import { appRouter } from "../src/router.js";
import { VERSION } from "../src/version.js";
import { ok, testApp } from "./helpers/app.js";

const { as, make, listening, logs } = await testApp();
const url = await listening();
const ada = await make.user({ name: "Ada" });
const client = createClient({ url: `${url}/`, token: ada.token });

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail("the call succeeded"),
    (error: unknown) => error,
  );

async function requestsDuring(run: () => Promise<unknown>): Promise<number> {
  const before = logs.length;
  await run();
  return logs.slice(before).filter((line) => line.includes('"route":"/trpc/')).length;
}

test("makes a workspace, and reads it back with the types of the router", async () => {
  const created = await client.workspace.create.mutate({ name: "Engines" });
  const read = await client.workspace.get.query({ workspacePublicId: created.publicId });
  const name: string = read.name;
  expect(name).toBe("Engines");
});

test("an event's data has the type of the event", async () => {
  const { publicId: workspacePublicId } = await client.workspace.create.mutate({ name: "Typed" });
  await client.board.create.mutate({ workspacePublicId, name: "Notes", lists: ["Ideas"] });
  const { items } = await client.workspace.events.query({ workspacePublicId });
  const lists = items.flatMap((event) => (event.type === "board.created" ? (event.data.board?.lists ?? []) : []));
  const names: string[] = lists.map(({ name }) => name);
  expect(names).toEqual(["Ideas"]);
  // @ts-expect-error a deleted card has no title
  const wrong = () => items.map((event) => (event.type === "card.deleted" ? event.data.title : null));
  expect(wrong().every((one) => one === null)).toBe(true);
});

test("needs no token for what is public", async () => {
  const { user } = await createClient({ url }).user.signIn.mutate({ email: ada.email, password: ada.password });
  expect(user.name).toBe("Ada");
});

test("sends queries of one tick together, ten at most", async () => {
  const requests = await requestsDuring(async () => {
    const people = await Promise.all(Array.from({ length: 25 }, () => client.user.me.query()));
    expect(people.map((person) => person.publicId)).toEqual(people.map(() => ada.publicId));
  });
  expect(requests).toBe(3);
});

test("sends an import alone, larger than any batch may be", { tags: ["slow"] }, async () => {
  const csv = `Title,Description\n${`Card,${"text ".repeat(200)}\n`.repeat(1200)}`;
  expect(csv.length).toBeGreaterThan(1024 * 1024);
  const requests = await requestsDuring(async () => {
    const [preview] = await Promise.all([client.import.csvPreview.mutate({ csv }), client.user.me.query()]);
    expect(preview.rowCount).toBe(1200);
  });
  expect(requests).toBe(2);
});

test("throws a WorkBoardError with the code, the status and the issues of the service", async () => {
  const error = await failure(client.workspace.create.mutate({ name: "" }));
  expect(error).toBeInstanceOf(WorkBoardError);
  expect(error).toBeInstanceOf(TRPCClientError);
  expect(error).toMatchObject({
    name: "WorkBoardError",
    message: "Invalid input data",
    code: "BAD_REQUEST",
    status: 400,
    issues: [{ path: ["name"], message: expect.any(String) }],
  });
  expect(await failure(createClient({ url }).user.me.query())).toMatchObject({ code: "UNAUTHORIZED", issues: [] });
  expect(await failure(client.import.csvPreview.mutate({ csv: "" }))).toBeInstanceOf(WorkBoardError);
});

test("throws a WorkBoardError without a code when the service does not answer", async () => {
  const error = await failure(createClient({ url: "http://127.0.0.1:1" }).user.me.query());
  expect(error).toBeInstanceOf(WorkBoardError);
  expect(error).toMatchObject({ code: null, status: null, issues: [] });
});

test("asks a token function before each request, and sends none where it gives null", async () => {
  const max = await make.user({ name: "Max" });
  const tokens = [ada.token, max.token, null];
  const rotating = createClient({ url, token: async () => tokens.shift() });
  expect((await rotating.user.me.query()).name).toBe("Ada");
  expect((await rotating.user.me.query()).name).toBe("Max");
  expect(await failure(rotating.user.me.query())).toMatchObject({ code: "UNAUTHORIZED" });
});

test("sends the headers that it is given, beside the token", async () => {
  const headers = { "X-Request-Id": `client-${Date.now()}` };
  expect((await createClient({ url, token: ada.token, headers }).user.me.query()).publicId).toBe(ada.publicId);
  expect(logs.filter((line) => line.includes(headers["X-Request-Id"]))).not.toEqual([]);
});

test("sends its requests through the fetch that it is given, imports too", async () => {
  const sent: string[] = [];
  const own: typeof fetch = (input, init) => {
    sent.push(new URL(String(input)).pathname);
    return fetch(input, init);
  };
  const through = createClient({ url, token: ada.token, fetch: own });
  await through.user.me.query();
  await through.import.csvPreview.mutate({ csv: "Title\nOne" });
  expect(sent).toEqual(["/trpc/user.me", "/trpc/import.csvPreview"]);
});

/** A client of Ada whose requests pass through `between`, with every request as it was sent. */
function watched(between: (send: () => Promise<Response>, tried: number) => Promise<Response>, options = {}) {
  const sent: { path: string; headers: Headers; body: string }[] = [];
  const through: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    sent.push({ path: new URL(String(input)).pathname, headers, body: String(init?.body) });
    return between(() => fetch(input, init), sent.length);
  };
  return { sent, client: createClient({ url, token: ada.token, fetch: through, ...options }) };
}

const keysOf = (sent: { headers: Headers }[]) => sent.map(({ headers }) => headers.get("idempotency-key"));

const workspaces = async () => (await client.workspace.list.query()).map(({ name }) => name);

describe("a mutation", () => {
  test("is sent alone, under a key of its own", async () => {
    const { sent, client } = watched((send) => send());
    const names = ["Alone A", "Alone B", "Alone C"];
    const [created] = await Promise.all([
      Promise.all(names.map((name) => client.workspace.create.mutate({ name }))),
      client.user.me.query(),
      client.workspace.list.query(),
    ]);
    expect(created.map(({ name }) => name)).toEqual(names);
    expect(sent.map(({ path }) => path).sort()).toEqual([
      "/trpc/user.me,workspace.list",
      ...Array(3).fill("/trpc/workspace.create"),
    ]);
    const keys = keysOf(sent).filter((key) => key !== null);
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[\w-]{22}$/);
  });

  test.each([
    ["the answer is lost", () => Promise.reject(new TypeError("fetch failed"))],
    ["the answer breaks off", (answer: Response) => Promise.resolve(new Response('{"res', answer))],
    ["a proxy answers in place of the service", () => Promise.resolve(new Response("<html>", { status: 502 }))],
  ])("happens once, and gives its answer, when %s", async (what, lose) => {
    const { sent, client } = watched(async (send, tried) => {
      const answer = await send();
      return tried < 3 ? lose(answer) : answer;
    });
    const { name, ...rest } = await client.workspace.create.mutate({ name: what });
    expect({ name, ...rest }).toMatchObject({ name: what, role: "admin" });
    expect(new Set(keysOf(sent)).size).toBe(1);
    expect(sent).toHaveLength(3);
    expect((await workspaces()).filter((other) => other === what)).toHaveLength(1);
  });

  test("takes its key from the caller, and gives the stored answer with what its headers say", async () => {
    const { list, owner } = await make.list();
    const mine = createClient({ url, token: owner.token });
    const create = () =>
      mine.card.create.mutate({ title: "Once", listPublicId: list.publicId }, { context: { idempotencyKey: "once" } });
    const [first, again] = [await create(), await create()];
    expect(again).toEqual(first);
    expect(metaOf(again)).toEqual({ ...metaOf(first), requestKey: expect.any(String) });
    const { items } = await mine.workspace.events.query({ workspacePublicId: list.board.workspace.publicId });
    const last = items.find(({ type }) => type === "card.created");
    expect(metaOf(first)).toMatchObject({ operationPublicId: last?.operationPublicId, eventId: last?.id });
  });

  test("has a Request-Key of its own on each of its tries, or the caller's, which its events and its result name", async () => {
    const { list, owner } = await make.list();
    const { sent, client: mine } = watched(
      (send, tried) => (tried === 1 ? Promise.reject(new TypeError("fetch failed")) : send()),
      { token: owner.token },
    );
    const create = (context = {}) =>
      mine.card.create.mutate({ title: "Mine", listPublicId: list.publicId }, { context });
    const [first, second, third] = [await create(), await create(), await create({ requestKey: "replica-1" })];
    const { items } = await mine.workspace.events.query({ workspacePublicId: list.board.workspace.publicId });
    const keys = items.flatMap(({ type, requestKey }) => (type === "card.created" ? [requestKey] : []));
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{22}$/), expect.stringMatching(/^[\w-]{22}$/), "replica-1"]);
    expect(new Set(keys).size).toBe(3);
    expect([first, second, third].map((created) => metaOf(created).requestKey)).toEqual(keys);
    const mutations = sent.filter(({ path }) => path.endsWith("card.create"));
    expect(mutations.map(({ headers }) => headers.get("request-key"))).toEqual([keys[0], ...keys]);
  });

  test("is held to the entity tag of what was read", async () => {
    const { card, owner } = await make.card();
    const mine = createClient({ url, token: owner.token });
    const { cardPublicId } = { cardPublicId: card.publicId };
    const read = await mine.card.get.query({ cardPublicId });
    const ifMatch = metaOf(read).etag;
    expect(ifMatch).toMatch(/^"[\w-]{27}"$/);
    const rename = (title: string, tag: string | null) =>
      mine.card.update.mutate({ cardPublicId, title }, { context: { ifMatch: tag ?? "" } });
    const renamed = await rename("First", ifMatch);
    expect(await failure(rename("Second", ifMatch))).toMatchObject({ code: "PRECONDITION_FAILED", status: 412 });
    await rename("Third", metaOf(renamed).etag);
  });

  test("that refuses or ignores a key is sent without one, once", async () => {
    const { sent, client } = watched(() => Promise.reject(new TypeError("fetch failed")));
    const context = { idempotencyKey: "mine" };
    await failure(client.user.tokens.create.mutate({ name: "t", scope: "read" }, { context }));
    await failure(client.user.signIn.mutate({ email: ada.email, password: ada.password }));
    expect(keysOf(sent)).toEqual([null, null]);
  });

  test("is known as one without a key exactly where the service takes none", () => {
    const operations = operationsOf(appRouter);
    const mutations = operations.filter(({ type }) => type === "mutation");
    const without = mutations.filter((operation) => !takesKey(operation)).map(({ path }) => path);
    expect([...KEYLESS].sort()).toEqual(without.sort());
    const queries = operations.filter(({ type, isPublic }) => type === "query" && isPublic).map(({ path }) => path);
    expect([...PUBLIC_QUERIES].sort()).toEqual(queries.sort());
  });

  test("needs of the platform no more than getRandomValues for its keys, as on a page without a secure context", async () => {
    const { getRandomValues } = crypto;
    vi.stubGlobal("crypto", { getRandomValues: getRandomValues.bind(crypto) });
    onTestFinished(() => void vi.unstubAllGlobals());
    expect((await client.workspace.create.mutate({ name: "Insecure" })).name).toBe("Insecure");
  });
});

test("a result of a query has its entity tag, and one without headers has nothing", async () => {
  const { board, owner } = await make.board();
  const mine = createClient({ url, token: owner.token });
  const read = await mine.board.get.query({ boardPublicId: board.publicId });
  const rest = await as(owner).get(`/boards/${board.publicId}`);
  expect(metaOf(read)).toMatchObject({ operationPublicId: null, etag: rest.headers.etag });
  expect(metaOf({})).toEqual({ operationPublicId: null, eventId: null, requestKey: null, etag: null });
});

describe("on UNAUTHORIZED", () => {
  /** A token that has just ended, and a function that gives it first and a valid one from then on. */
  async function ended() {
    const dead = ok(
      await as(ada).post<{ accessToken: string }>("/auth/sign-in", { email: ada.email, password: ada.password }),
    );
    ok(await as({ token: dead.accessToken }).post("/auth/sign-out"));
    let asked = 0;
    const token = () => {
      asked += 1;
      return asked === 1 ? dead.accessToken : ada.token;
    };
    return { dead: dead.accessToken, token, asked: () => asked };
  }

  test("the client asks for the token once more: queries together, public ones, and mutations", async () => {
    const calls = [
      async (mine: typeof client) => void (await Promise.all([mine.user.me.query(), mine.user.authMethods.query()])),
      async (mine: typeof client) => void (await mine.workspace.create.mutate({ name: "Renewed" })),
      async (mine: typeof client) => void (await mine.import.csvPreview.mutate({ csv: "Title\nOne" })),
    ];
    for (const call of calls) await call(createClient({ url, token: (await ended()).token }));
  });

  test("a token that stays the same is refused, after one request", async () => {
    const { dead } = await ended();
    const { sent, client } = watched((send) => send(), { token: () => dead });
    expect(await failure(client.user.me.query())).toMatchObject({ code: "UNAUTHORIZED" });
    expect(sent).toHaveLength(1);
  });
});

describe("a wrong url", () => {
  test.each(["localhost:3000", "wb_token", "ftp://localhost", ""])(
    "that is no HTTP address is refused: %s",
    (wrong) => {
      expect(() => createClient({ url: wrong })).toThrow(/`url` must be the address of the service/);
    },
  );

  test.each(["/api/v1", "/docs"])("that leads elsewhere at the service is named, at once: %s", async (path) => {
    const { sent, client } = watched((send) => send(), { url: `${url}${path}` });
    for (const call of [() => client.user.me.query(), () => client.workspace.create.mutate({ name: "Lost" })]) {
      const error = await failure(call());
      expect(error).toMatchObject({ code: null, message: expect.stringContaining(`${url}${path}`) });
    }
    const error = await new Promise((onError) => {
      client.board.stream.subscribe({ boardPublicId: "aaaaaaaaaaaa" }, { onError });
    });
    expect(error).toMatchObject({ code: null, message: expect.stringContaining(`${url}${path}`) });
    expect(sent).toHaveLength(3);
  });

  test("of another server is named, at once, for streams too", async () => {
    const other = createServer((_request, response) => response.setHeader("content-type", "text/html").end("<html>"));
    await once(other.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void other.close());
    const address = other.address();
    const at = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const lost = createClient({ url: at, token: "wb_" });
    const errors: unknown[] = [];
    lost.board.stream.subscribe({ boardPublicId: "aaaaaaaaaaaa" }, { onError: (error) => void errors.push(error) });
    errors.push(await failure(lost.user.me.query()), await failure(lost.workspace.create.mutate({ name: "Lost" })));
    await expect.poll(() => errors.length).toBe(3);
    for (const error of errors) {
      expect(error).toMatchObject({ name: "WorkBoardError", message: expect.stringContaining(`answers at ${at}:`) });
    }
  });
});

test("names its version, and warns once about a service of another major version", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => void warn.mockRestore());
  let version = VERSION;
  const { sent, client } = watched(async (send) => {
    const answer = await send();
    const headers = new Headers(answer.headers);
    headers.set("service-version", version);
    return new Response(await answer.text(), { status: answer.status, headers });
  });
  await client.user.me.query();
  expect(warn).not.toHaveBeenCalled();
  version = "999.0.0";
  await client.user.me.query();
  await client.user.me.query();
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toContain("999.0.0");
  for (const { headers } of sent) expect(headers.get("client-version")).toBe(VERSION);
});

test("knows the permissions of each role from the table of the service", () => {
  for (const role of ["admin", "member", "guest"] as const)
    expect(permissionsOf(role)).toEqual(table.permissionsOf(role));
});
