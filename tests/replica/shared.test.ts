// The tabs of a browser in which an account follows boards share one stream. Each tab here has a client of its own; the channel
// between them is that of Node.

import { expect, onTestFinished, test, vi } from "vitest";
import { type FollowedBoard, followBoard, followNotifications } from "../../packages/client/src/board/index.js";
import { createClient } from "../../packages/client/src/client.js";
import { type Board, ok, testApp } from "../helpers/app.js";
import { openedBoards, until } from "../helpers/followed.js";

const { as, make, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

interface Tab {
  board: FollowedBoard;
  streams: Set<string>;
}

/** A client of a tab of its own, and the streams that it has open. */
function clientOf(token: string) {
  const streams = new Set<string>();
  let count = 0;
  const send: typeof fetch = async (resource, init) => {
    const [, procedure = ""] = /trpc\/(\w+\.stream)/.exec(String(resource)) ?? [];
    if (procedure !== "") {
      count += 1;
      const entry = `${procedure} ${count}`;
      streams.add(entry);
      init?.signal?.addEventListener("abort", () => streams.delete(entry));
    }
    return fetch(resource, init);
  };
  return { client: createClient({ url, token, fetch: send }), streams };
}

/** Opens a board in a tab of its own. */
function tab(board: Board, token: string): Tab {
  const { client, streams } = clientOf(token);
  const followed = followBoard(client, board.publicId, { shared: true });
  opened.push(followed);
  followed.subscribe(() => {});
  return { board: followed, streams };
}

const isLive = ({ board }: Tab) => board.state().status === "live";
const streamsOf = (tabs: readonly Tab[]) => tabs.flatMap(({ streams }) => [...streams]);
const titlesOf = ({ board }: Tab) => Object.values(board.state().board?.cards ?? {}).map(({ title }) => title);

async function tabsOf(count: number) {
  const { board, list, owner, workspace } = await make.list();
  const tabs = Array.from({ length: count }, () => tab(board, owner.token));
  await until(() => tabs.every(isLive));
  const add = async (title: string) => ok(await as(owner).post("/cards", { listPublicId: list.publicId, title }));
  return { board, list, owner, workspace, tabs, add };
}

test("eight tabs with two boards have one stream, and each is live", async () => {
  const { owner, workspace, tabs, add } = await tabsOf(4);
  const other = await make.list({ board: (await make.board({ workspace })).board });
  const others = Array.from({ length: 4 }, () => tab(other.board, owner.token));
  await until(() => others.every(isLive) && tabs.every(isLive));
  expect(streamsOf([...tabs, ...others])).toHaveLength(1);

  await add("One");
  ok(await as(owner).post("/cards", { listPublicId: other.list.publicId, title: "Two" }));
  await until(() => tabs.every((one) => titlesOf(one).join() === "One"));
  await until(() => others.every((one) => titlesOf(one).join() === "Two"));
});

test("when the holder is closed another tab holds the stream, and what came meanwhile is not lost", async () => {
  const { tabs: all, add } = await tabsOf(3);
  let tabs = all;
  for (const title of ["One", "Two"]) {
    const holder = tabs.find(({ streams }) => streams.size > 0);
    holder?.board.close();
    tabs = tabs.filter((one) => one !== holder);
    await add(title);
    await until(() => tabs.every((one) => titlesOf(one).includes(title)));
    expect(streamsOf(tabs)).toHaveLength(1);
  }
  expect(tabs).toHaveLength(1);
});

test("two people have a stream each, and see what they may", async () => {
  const { board, owner, tabs, add } = await tabsOf(2);
  const other = await make.member(board, "member");
  const theirs = [tab(board, other.token), tab(board, other.token)];
  await until(() => theirs.every(isLive));
  expect([streamsOf(tabs).length, streamsOf(theirs).length]).toEqual([1, 1]);

  ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
  ok(await as(owner).delete(`/boards/${board.publicId}/members/${other.memberPublicId}`));
  await until(() => theirs.every((one) => one.board.state().status === "ended"));
  await add("Private");
  await until(() => tabs.every((one) => titlesOf(one).includes("Private")));
  expect(theirs.flatMap(titlesOf)).toEqual([]);
});

test("the 51st board of a browser has a stream of its own, and the others stay on theirs", async () => {
  const { owner, workspace } = await make.board();
  const { client, streams } = clientOf(owner.token);
  const boards: FollowedBoard[] = [];
  for (let count = 0; count < 51; count += 1) {
    const { board } = await make.board({ workspace });
    const followed = followBoard(client, board.publicId, { shared: true });
    opened.push(followed);
    followed.subscribe(() => {});
    boards.push(followed);
  }
  await until(() => boards.every((board) => board.state().status === "live"));
  const procedures = () => [...streams].map((name) => name.split(" ")[0]).sort();
  // The shared one is opened again for each board that comes.
  await vi.waitFor(() => expect(procedures()).toEqual(["board.stream", "user.stream"]));
  for (const board of boards) board.close();
});

/** Somebody who was not mentioned yet, and follows the notifications of that in tabs. */
async function readerOfNotifications() {
  const { board, owner, add } = await tabsOf(1);
  const reader = await make.member(board, "member");
  const card = await add("Card");
  const { user, notificationId } = await clientOf(reader.token).client.user.start.query({ types: "all" });
  return {
    board,
    reader,
    mention: async (comment: string) =>
      ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: `@${reader.email} ${comment}` })),
    follow() {
      const { client, streams } = clientOf(reader.token);
      const received: number[] = [];
      const stop = followNotifications(client, {
        account: user.publicId,
        notificationId,
        received: (_notification, number) => received.push(number),
        reset: async () => notificationId,
        shared: true,
      });
      return { received, streams, stop };
    },
  };
}

test("notifications come to every tab by the stream of the boards, from behind what was read, also after its tab is gone", async () => {
  const { board, reader, mention, follow } = await readerOfNotifications();
  await mention("before anybody follows");
  const followers = [follow(), follow(), follow()];
  const replica = tab(board, reader.token);
  await until(() => isLive(replica));
  await until(() => followers.every(({ received }) => received.length === 1));
  expect([...followers, replica].flatMap(({ streams }) => [...streams])).toHaveLength(1);

  replica.board.close();
  const holder = followers.find(({ streams }) => streams.size > 0) ?? followers[0];
  holder?.stop();
  await mention("while the tab with the stream is gone");
  const others = followers.filter((one) => one !== holder);
  await until(() => others.every(({ received }) => received.length === 2));
  for (const { received } of others) expect(received).toEqual([...new Set(received)].sort((a, b) => a - b));
  for (const { stop } of followers) stop();
});

test("notifications that are sent again for a tab that lacks them come to no other tab twice", async () => {
  const { mention, follow } = await readerOfNotifications();
  const first = follow();
  await mention("before the other tab follows");
  await until(() => first.received.length === 1);
  const other = follow();
  await until(() => other.received.length === 1);

  await mention("while both follow");
  const [before = 0] = other.received;
  await until(() => [first, other].every(({ received }) => (received.at(-1) ?? 0) > before));
  expect(other.received).toHaveLength(2);
  expect(first.received).toEqual(other.received);
  first.stop();
  other.stop();
});

test("notifications behind a position that the service does not have are read again", async () => {
  const { owner } = await make.list();
  const { client } = clientOf(owner.token);
  for (const shared of [true, false]) {
    const reset = vi.fn(async () => 0);
    const stop = followNotifications(client, {
      account: `${owner.publicId} ${shared}`,
      notificationId: 1000,
      received: () => {},
      reset,
      shared,
    });
    await until(() => reset.mock.calls.length > 0);
    stop();
  }
});

test("notifications that cannot be read again at once are read again later, and go on from there", async () => {
  const { board, add } = await tabsOf(1);
  const card = await add("Card");
  for (const shared of [true, false]) {
    const reader = await make.member(board, "member");
    const { client } = clientOf(reader.token);
    const received: number[] = [];
    const reset = vi.fn(async () => 0).mockRejectedValueOnce(new Error("the service restarts"));
    const stop = followNotifications(client, {
      account: reader.publicId,
      notificationId: 1000,
      received: (_notification, number) => received.push(number),
      reset,
      shared,
    });
    await until(() => reset.mock.calls.length === 2);
    ok(await as(board.owner).post(`/cards/${card.publicId}/comments`, { comment: `@${reader.email} Look` }));
    await until(() => received.length > 0);
    stop();
  }
});

test("a board that is deleted ends in every tab with its error, and the others go on", async () => {
  const { board, owner, workspace, tabs } = await tabsOf(2);
  const other = await make.list({ board: (await make.board({ workspace })).board });
  const stays = tab(other.board, owner.token);
  await until(() => isLive(stays));
  ok(await as(owner).delete(`/boards/${board.publicId}`));
  await until(() => tabs.every((one) => one.board.state().status === "ended"));
  expect(tabs.map((one) => one.board.state().error)).toMatchObject([{ code: "NOT_FOUND" }, { code: "NOT_FOUND" }]);
  ok(await as(owner).post("/cards", { listPublicId: other.list.publicId, title: "Still" }));
  await until(() => titlesOf(stays).includes("Still"));
});

test("a tab that missed a message of the leader asks for it", async () => {
  const channel = { drops: false };
  class Dropping extends BroadcastChannel {
    override postMessage(message: { type: string }): void {
      const isDropped = channel.drops && message.type === "event";
      if (isDropped) channel.drops = false;
      else super.postMessage(message);
    }
  }
  vi.stubGlobal("BroadcastChannel", Dropping);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { tabs, add } = await tabsOf(2);
  channel.drops = true;
  for (const title of ["One", "Two"]) await add(title);
  await until(() => tabs.every((one) => ["One", "Two"].every((title) => titlesOf(one).includes(title))));
  expect(channel.drops).toBe(false);
});
