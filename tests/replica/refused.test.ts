// Changes that the service refuses, or that can no longer be sent.

import { afterAll, expect, test, vi } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { createClient } from "../../packages/client/src/client.js";
import { ok, testApp } from "../helpers/app.js";

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
  await vi.waitFor(() => expect(followed.state().status).toBe("live"), { timeout: 5000 });

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
  await vi.waitFor(() => expect(followed.state().status).toBe("live"), { timeout: 5000 });
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
