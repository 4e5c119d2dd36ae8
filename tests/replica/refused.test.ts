// Changes that the service refuses, or that can no longer be sent.

import { afterAll, describe, expect, test, vi } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { Replica } from "../../packages/client/src/board/replica.js";
import { createClient } from "../../packages/client/src/client.js";
import { ok, testApp } from "../helpers/app.js";
import { browserEvents } from "../helpers/browserEvents.js";

const { as, make, listening } = await testApp();
const url = await listening();
const MAX = 500;

test("of 500 waiting changes the first is refused with those that need it, and the others are made once, in order", {
  tags: ["slow"],
  timeout: 120_000,
}, async () => {
  const { list, board, owner } = await make.list();
  const { card } = await make.card({ list });
  const sent: string[] = [];
  let isCut = true;
  const send: typeof fetch = (resource, init) => {
    if (init?.method !== "POST") return fetch(resource, init);
    if (isCut) return Promise.reject(new TypeError("there is no network"));
    sent.push(new URL(String(resource)).pathname.replace("/trpc/", ""));
    return fetch(resource, init);
  };
  const followed = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  afterAll(() => followed.close());
  followed.subscribe(() => {});
  await vi.waitFor(() => expect(followed.state().status).toBe("live"), { timeout: 10_000 });

  const first = followed.change("card.create", { listPublicId: list.publicId, title: "x".repeat(3000) });
  const key = followed.state().board?.lists[0]?.cardIds.at(-1) ?? "";
  const second = followed.change("card.comments.create", { cardPublicId: key, comment: "On what is refused" });
  const comments = Array.from({ length: MAX - 2 }, (_, index) => `${index}`);
  const others = comments.map((comment) =>
    followed.change("card.comments.create", { cardPublicId: card.publicId, comment }),
  );
  expect(followed.state().waiting).toBe(MAX);
  const beyond = followed.change("card.update", { cardPublicId: card.publicId, title: "Too many" });
  await expect(beyond).rejects.toThrow("500 changes are waiting already");
  expect(followed.state()).toMatchObject({
    waiting: MAX,
    refused: [{ path: "card.update", cardTitle: card.title, message: "500 changes are waiting already" }],
  });
  followed.dismiss(followed.state().refused[0]?.key ?? "");
  expect(followed.state().board?.cards[card.publicId]).toMatchObject({ title: card.title, commentCount: MAX - 2 });

  isCut = false;
  for (const refused of [first, second]) await expect(refused).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await Promise.all(others);
  expect(followed.state()).toMatchObject({
    waiting: 0,
    refused: [{ path: "card.create" }, { input: { cardPublicId: key } }],
  });
  expect(sent).toEqual(["card.create", ...comments.map(() => "card.comments.create")]);
  const page = ok(await as(owner).get<{ items: { comment: string }[] }>(`/cards/${card.publicId}/comments?limit=100`));
  expect(page.items.map(({ comment }) => comment)).toEqual(comments.slice(0, 100));
  await vi.waitFor(() => expect(followed.state().board?.cards[card.publicId]?.commentCount).toBe(MAX - 2));
});

describe("with what is never created", () => {
  const TOO_LONG = "x".repeat(3000);

  /** A live board with one card, which is open, and the mutations that are sent. */
  async function scene() {
    const { list, board, owner } = await make.list();
    const { card } = await make.card({ list });
    const sent: string[] = [];
    const send: typeof fetch = (resource, init) => {
      if (init?.method === "POST") sent.push(new URL(String(resource)).pathname.replace("/trpc/", ""));
      return fetch(resource, init);
    };
    const followed = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
    afterAll(() => followed.close());
    followed.subscribe(() => {});
    followed.openCard(card.publicId);
    const shown = () => followed.state().board?.cards[card.publicId];
    await vi.waitFor(() => expect(shown()?.details).toBeTruthy(), { timeout: 10_000 });
    return { list, card, followed, shown, sent };
  }

  test("a card that was dropped behind it is moved all the same", async () => {
    const { list, card, followed } = await scene();
    const listPublicId = list.publicId;
    const refused = followed.change("card.create", { listPublicId, title: TOO_LONG });
    const moved = followed.change("card.update", { cardPublicId: card.publicId, listPublicId, index: 1 });
    await expect(refused).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await moved;
    expect(followed.state().refused).toMatchObject([{ path: "card.create" }]);
    expect(followed.state().board?.lists[0]?.cardIds).toEqual([card.publicId]);
  });

  test("what is on it goes, and what is on that, unsent", async () => {
    const { card, followed, shown, sent } = await scene();
    const cardPublicId = card.publicId;
    const checklist = followed.change("card.checklists.create", { cardPublicId, name: TOO_LONG });
    const checklistPublicId = shown()?.details?.checklists[0]?.publicId ?? "";
    const item = followed.change("card.checklists.addItem", { checklistPublicId, title: "An item" });
    const itemPublicId = shown()?.details?.checklists[0]?.items[0]?.publicId ?? "";
    const tick = followed.change("card.checklists.updateItem", { itemPublicId, completed: true });
    const other = followed.change("card.update", { cardPublicId, title: "Renamed" });
    for (const lost of [checklist, item, tick]) await expect(lost).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await other;
    expect(sent).toEqual(["card.checklists.create", "card.update"]);
    expect(followed.state().refused).toHaveLength(3);
  });
});

test.each([
  ["is deleted", "NOT_FOUND"],
  ["is closed to the caller", "FORBIDDEN"],
])("changes that wait for a board that %s are refused with its error", async (_, code) => {
  const { list, board, owner } = await make.list();
  const { card } = await make.card({ list });
  const writer = await make.member(board, "member");
  const sent: string[] = [];
  const send: typeof fetch = (resource, init) => {
    if (init?.method !== "POST") return fetch(resource, init);
    sent.push(String(resource));
    return Promise.reject(new TypeError("there is no network"));
  };
  const followed = followBoard(createClient({ url, token: writer.token, fetch: send }), board.publicId);
  afterAll(() => followed.close());
  followed.subscribe(() => {});
  await vi.waitFor(() => expect(followed.state().status).toBe("live"), { timeout: 10_000 });
  const comment = { cardPublicId: card.publicId, comment: "Typed without a network" };
  const waiting = [
    followed.change("card.comments.create", comment),
    followed.change("card.update", { cardPublicId: card.publicId, title: "Later" }),
  ];
  await vi.waitFor(() => expect(sent).not.toEqual([]));

  if (code === "FORBIDDEN") {
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
    ok(await as(owner).delete(`/boards/${board.publicId}/members/${writer.memberPublicId}`));
  } else ok(await as(owner).delete(`/boards/${board.publicId}`));

  for (const change of waiting) await expect(change).rejects.toMatchObject({ code });
  expect(followed.state()).toMatchObject({
    status: "ended",
    waiting: 0,
    refused: [
      { input: comment, code },
      { path: "card.update", code },
    ],
  });
});

test("a change that meets a busy service is sent again, not before Retry-After", async () => {
  const { board, owner } = await make.card();
  const at: number[] = [];
  const data = { code: "TOO_MANY_REQUESTS", httpStatus: 429, issues: [] };
  const busy = { error: { code: -32029, message: "Too many requests", data } };
  const send: typeof fetch = async (resource, init) => {
    if (init?.method !== "POST") return fetch(resource, init);
    at.push(performance.now());
    return at.length > 1
      ? fetch(resource, init)
      : Response.json(busy, { status: 429, headers: { "retry-after": "2" } });
  };
  const followed = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  afterAll(() => followed.close());
  followed.subscribe(() => {});
  await vi.waitFor(() => expect(followed.state().status).toBe("live"), { timeout: 10_000 });
  await followed.change("board.update", { boardPublicId: board.publicId, name: "Later" });
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(2000);
});

test.each([
  ["CONFLICT", 409],
  ["PRECONDITION_FAILED", 412],
])("a change that meets %s again and again is refused in the end", async (code, status) => {
  const events = browserEvents();
  const { board, card, owner } = await make.card({ description: "First" });
  let sent = 0;
  const send: typeof fetch = async (resource, init) => {
    if (init?.method !== "POST") return fetch(resource, init);
    sent += 1;
    if (sent === 1) throw new TypeError("the answer is lost");
    const error = { code: -32009, message: "Not now", data: { code, httpStatus: status, issues: [] } };
    return Response.json({ error }, { status, headers: { "service-version": "0.1.0" } });
  };
  const followed = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  afterAll(() => followed.close());
  followed.subscribe(() => {});
  await vi.waitFor(() => expect(followed.state().status).toBe("live"), { timeout: 10_000 });
  const edit = { cardPublicId: card.publicId, description: "Mine" };
  const changed = followed.change("card.update", edit, { ifStill: { description: "First" } });
  // The network comes back, so that no wait is long.
  const hurry = setInterval(() => events.dispatch("online"), 20);
  await expect(changed)
    .rejects.toMatchObject({ code })
    .finally(() => clearInterval(hurry));
  expect(sent).toBe(6);
  expect(followed.state()).toMatchObject({ waiting: 0, refused: [{ code }] });
});

test("a stream that connects again has no change sent before its Retry-After is over", async () => {
  const { board, owner } = await make.board();
  let sent = 0;
  const send: typeof fetch = async (resource, init) => {
    if (init?.method !== "POST") return fetch(resource, init);
    sent += 1;
    const data = { code: "TOO_MANY_REQUESTS", httpStatus: 429, issues: [] };
    const error = { code: -32029, message: "Too many requests", data };
    return Response.json({ error }, { status: 429, headers: { "retry-after": "60" } });
  };
  const replica = new Replica(
    createClient({ url, token: owner.token, fetch: send }),
    board.publicId,
    undefined,
    () => {},
  );
  afterAll(() => replica.close());
  await replica.read();
  replica.connected(true);
  void replica.change("board.update", { boardPublicId: board.publicId, name: "Later" });
  await vi.waitFor(() => expect(sent).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 100));
  replica.connected(false);
  replica.connected(true);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(sent).toBe(1);
});
