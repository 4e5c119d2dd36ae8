// Subscriptions of the TypeScript client, against the real application over a socket.

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createClient, WorkBoardError } from "../packages/client/src/client.js";
import { ok, testApp } from "./helpers/app.js";
import { browserEvents } from "./helpers/browserEvents.js";

const { as, make, listening } = await testApp({}, { heartbeatMs: 200 });
const url = await listening();

/** A way to the service that can be closed and opened again, on one port. */
async function gate() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const behind = connect(Number(new URL(url).port), "127.0.0.1");
    for (const end of [socket, behind]) {
      sockets.add(end);
      end.on("error", () => {}).on("close", () => [socket, behind].forEach((other) => void other.destroy()));
    }
    socket.pipe(behind).pipe(socket);
  });
  const open = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  };
  const port = await open(0);
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    reopen: () => open(port),
  };
}

function follow(at: string, token: string, boardPublicId: string) {
  const ids: number[] = [];
  const errors: unknown[] = [];
  let isStarted = false;
  const subscription = createClient({ url: at, token }).board.stream.subscribe(
    { boardPublicId },
    {
      onStarted: () => {
        isStarted = true;
      },
      onData: ({ data }) => void (data.type !== "snapshot" && ids.push(data.id)),
      onError: (error) => void errors.push(error),
    },
  );
  return { ids, errors, started: () => expect.poll(() => isStarted, { timeout: 10_000 }).toBe(true), subscription };
}

test("gets every event, typed, under its id", async () => {
  const { board, list } = await make.list();
  const { ids, started, subscription } = follow(url, board.owner.token, board.publicId);
  await started();
  for (const title of ["one", "two"]) ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title }));
  await expect.poll(() => ids.length).toBe(2);
  expect(ids[1]).toBe((ids[0] ?? 0) + 1);
  subscription.unsubscribe();
});

test.each([
  ["that is deleted", true],
  ["that was never there", false],
])("the end of the last board of a page's stream %s arrives as an item like all others", async (_which, isThere) => {
  const { board } = await make.list();
  const ends: unknown[] = [];
  const boards = isThere ? board.publicId : "AAAAAAAAAAAA";
  let isStarted = false;
  const subscription = createClient({ url, token: board.owner.token }).user.stream.subscribe(
    { boards },
    {
      onStarted: () => {
        isStarted = true;
      },
      onData: (item) => void ends.push(item),
      onError: () => {},
    },
  );
  await expect.poll(() => isStarted).toBe(true);
  if (isThere) ok(await as(board.owner).delete(`/boards/${board.publicId}`));
  await expect.poll(() => ends.length).toBeGreaterThan(0);
  const end = { type: "end", boardPublicId: boards, code: "NOT_FOUND" };
  expect(ends.at(-1)).toMatchObject({ id: expect.stringMatching(/./), data: end });
  subscription.unsubscribe();
});

test.each([
  ["before the first event", 0],
  ["after some", 3],
])("resumes by itself without loss when the connection breaks %s and the service comes back", async (_when, some) => {
  const { board, list } = await make.list();
  const gateway = await gate();
  const { ids, errors, started, subscription } = follow(gateway.url, board.owner.token, board.publicId);
  await started();
  const add = () => as(board.owner).post("/cards", { listPublicId: list.publicId, title: "x" });
  for (let n = 0; n < some; n += 1) ok(await add());
  await expect.poll(() => ids.length).toBe(some);
  gateway.close();
  for (let n = 0; n < 4; n += 1) ok(await add());
  await gateway.reopen();
  await expect.poll(() => ids.length, { timeout: 15_000 }).toBe(some + 4);
  ok(await add());
  await expect.poll(() => ids.length).toBe(some + 5);
  expect(ids).toEqual(Array.from({ length: some + 5 }, (_, n) => (ids[0] ?? 0) + n));
  expect(errors).toEqual([]);
  subscription.unsubscribe();
  gateway.close();
});

test("stops with a WorkBoardError when access is lost, and does not come back", async () => {
  const { board } = await make.board();
  const member = await make.member(board.workspace, "member");
  const { errors, started } = follow(url, member.token, board.publicId);
  await started();
  ok(await as(board.owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
  await expect.poll(() => errors.length).toBe(1);
  expect(errors[0]).toBeInstanceOf(WorkBoardError);
  expect(errors[0]).toMatchObject({ code: "FORBIDDEN", status: 403 });
});

test.each([
  ["a stranger", "FORBIDDEN", async (): Promise<string> => (await make.user()).token],
  ["a wrong token", "UNAUTHORIZED", async (): Promise<string> => "wb_wrong"],
] as const)("%s gets a WorkBoardError of %s", async (_who, code, token) => {
  const { board } = await make.board();
  const { errors } = follow(url, await token(), board.publicId);
  await expect.poll(() => errors.length).toBe(1);
  expect(errors[0]).toMatchObject({ name: "WorkBoardError", code });
});

test("follows notifications", async () => {
  const { board } = await make.board();
  const max = await make.member(board.workspace, "member");
  const types: string[] = [];
  let isStarted = false;
  const subscription = createClient({ url, token: max.token }).notification.stream.subscribe(
    {},
    {
      onStarted: () => {
        isStarted = true;
      },
      onData: ({ data }) => void types.push(data.type),
    },
  );
  await expect.poll(() => isStarted).toBe(true);
  const { card } = await make.card({ board });
  ok(await as(board.owner).post(`/cards/${card.publicId}/comments`, { comment: `@[x](${max.memberPublicId})` }));
  await expect.poll(() => types).toEqual(["mention"]);
  subscription.unsubscribe();
});

test("connects through the fetch that it is given, with the headers and the token of that moment", async () => {
  const { board, list } = await make.list();
  const gateway = await gate();
  const requestIds: unknown[] = [];
  const ids: number[] = [];
  let asked = 0;
  let isStarted = false;
  const subscription = createClient({
    url: gateway.url,
    token: () => {
      asked += 1;
      return board.owner.token;
    },
    headers: { "X-Request-Id": "mine" },
    fetch: (input, init) => {
      requestIds.push(new Headers(init?.headers).get("x-request-id"));
      return fetch(input, init);
    },
  }).board.stream.subscribe(
    { boardPublicId: board.publicId },
    {
      onStarted: () => {
        isStarted = true;
      },
      onData: ({ data }) => void (data.type !== "snapshot" && ids.push(data.id)),
    },
  );
  const add = () => as(board.owner).post("/cards", { listPublicId: list.publicId, title: "x" });
  await expect.poll(() => isStarted, { timeout: 10_000 }).toBe(true);
  gateway.close();
  await gateway.reopen();
  await expect.poll(() => asked, { timeout: 15_000 }).toBeGreaterThan(1);
  ok(await add());
  await expect.poll(() => ids.length, { timeout: 15_000 }).toBe(1);
  expect(new Set(requestIds)).toEqual(new Set(["mine"]));
  subscription.unsubscribe();
  gateway.close();
});

/** A stream of a board in a page: counts its connections, and can have something else answer them. */
async function inPage() {
  const events = browserEvents();
  const { board, list } = await make.list();
  let connections = 0;
  let isBroken = false;
  let isCaptive = false;
  let token = board.owner.token;
  const ids: number[] = [];
  const errors: unknown[] = [];
  const subscription = createClient({
    url,
    token: () => token,
    fetch: (input, init) => {
      connections += 1;
      if (isCaptive) return Promise.resolve(new Response("<html>", { headers: { "content-type": "text/html" } }));
      return isBroken ? Promise.reject(new TypeError("fetch failed")) : fetch(input, init);
    },
  }).board.stream.subscribe(
    { boardPublicId: board.publicId },
    {
      onData: ({ data }) => void (data.type !== "snapshot" && ids.push(data.id)),
      onError: (error) => void errors.push(error),
    },
  );
  const add = async () => void ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "x" }));
  await expect.poll(() => connections).toBe(1);
  return {
    ...{ events, board, ids, errors, add, subscription },
    connections: () => connections,
    break: (broken: boolean) => {
      isBroken = broken;
    },
    capture: (captive: boolean) => {
      isCaptive = captive;
    },
    renew: (next: string) => {
      token = next;
    },
    /** Until an event that is written now has arrived. */
    isLive: () =>
      expect
        .poll(async () => {
          const before = ids.length;
          await add();
          await new Promise((resolve) => setTimeout(resolve, 100));
          return ids.length > before;
        })
        .toBe(true),
  };
}

test("connects again at once when the network is back, without loss, however long it was gone", async () => {
  const page = await inPage();
  await page.isLive();
  const seen = page.ids.length;
  page.break(true);
  page.events.dispatch("offline");
  await expect.poll(page.connections).toBeGreaterThan(1);
  await page.add();
  page.break(false);
  const begun = performance.now();
  page.events.dispatch("online");
  await expect.poll(() => page.ids.length, { interval: 10 }).toBe(seen + 1);
  expect(performance.now() - begun).toBeLessThan(400);
  page.subscription.unsubscribe();
});

test("goes on behind a page of the network, such as one to sign in, that answers in place of the service", async () => {
  const page = await inPage();
  await page.isLive();
  const seen = page.ids.length;
  page.capture(true);
  page.events.dispatch("offline");
  await expect.poll(page.connections).toBeGreaterThan(1);
  await page.add();
  page.capture(false);
  page.events.dispatch("online");
  await expect.poll(() => page.ids.length).toBe(seen + 1);
  expect(page.errors).toEqual([]);
  page.subscription.unsubscribe();
});

test("connects again at once when a page comes back that was frozen, and not when one is just shown", async () => {
  const page = await inPage();
  await page.isLive();
  page.events.dispatch("pageshow", { persisted: false });
  await page.isLive();
  expect(page.connections()).toBe(1);
  page.events.dispatch("pageshow", { persisted: true });
  await expect.poll(page.connections, { interval: 10, timeout: 400 }).toBe(2);
  await page.isLive();
  expect(page.errors).toEqual([]);
  page.subscription.unsubscribe();
});

test("connects again at once when a page is shown again that was frozen for an hour, and not after a moment", async () => {
  const page = await inPage();
  await page.isLive();
  page.events.dispatch("visibilitychange");
  await page.isLive();
  expect(page.connections()).toBe(1);
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 60 * 60 * 1000);
  onTestFinished(() => clock.mockRestore());
  page.events.dispatch("visibilitychange");
  await expect.poll(page.connections, { interval: 10, timeout: 400 }).toBe(2);
  await page.isLive();
  expect(page.ids).toEqual(page.ids.map((_, index) => (page.ids[0] ?? 0) + index));
  expect(page.errors).toEqual([]);
  page.subscription.unsubscribe();
});

test("asks for the token once more whenever the one in use ends, and goes on", async () => {
  const page = await inPage();
  const signIn = async () =>
    ok(
      await as(page.board.owner).post<{ accessToken: string }>("/auth/sign-in", {
        email: page.board.owner.email,
        password: page.board.owner.password,
      }),
    ).accessToken;
  let current = await signIn();
  page.renew(current);
  page.events.dispatch("pageshow", { persisted: true });
  await expect.poll(page.connections).toBe(2);
  await page.isLive();
  for (const connections of [3, 4]) {
    const next = await signIn();
    page.renew(next);
    ok(await as({ token: current }).post("/auth/sign-out"));
    current = next;
    await expect.poll(page.connections).toBe(connections);
    await page.isLive();
  }
  expect(page.errors).toEqual([]);
  const last = await signIn();
  page.renew(last);
  page.events.dispatch("pageshow", { persisted: true });
  await page.isLive();
  ok(await as({ token: last }).post("/auth/sign-out"));
  await expect.poll(() => page.errors).toMatchObject([{ name: "WorkBoardError", code: "UNAUTHORIZED" }]);
});

test("what `onData` throws is reported, and the stream goes on", async () => {
  const { board, list } = await make.list();
  const reports = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => reports.mockRestore());
  const titles: string[] = [];
  const errors: unknown[] = [];
  let isStarted = false;
  const subscription = createClient({ url, token: board.owner.token }).board.stream.subscribe(
    { boardPublicId: board.publicId },
    {
      onStarted: () => {
        isStarted = true;
        throw new Error("at the start");
      },
      onData: ({ data }) => {
        if (data.type !== "card.created") return;
        titles.push(data.data.card?.title ?? "");
        throw new Error(`at ${titles.length}`);
      },
      onError: (error) => errors.push(error),
    },
  );
  onTestFinished(() => subscription.unsubscribe());
  await expect.poll(() => isStarted, { timeout: 10_000 }).toBe(true);
  await make.card({ list, title: "First" });
  await make.card({ list, title: "Second" });
  await expect.poll(() => titles).toEqual(["First", "Second"]);
  expect(errors).toEqual([]);
  const messages = reports.mock.calls.map(([error]) => Reflect.get(Object(error), "message"));
  expect(messages).toEqual(["at the start", "at 1", "at 2"]);
});
