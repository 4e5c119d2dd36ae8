// A followed board: shown at once, confirmed by its events, equal to the service in the end.

import { expect, onTestFinished, test, vi } from "vitest";
import { type FollowedBoard, followBoard } from "../../packages/client/src/board/index.js";
import { boardState } from "../../packages/client/src/board/state.js";
import type { Snapshot } from "../../packages/client/src/board/things.js";
import { createClient } from "../../packages/client/src/client.js";
import { compared } from "../events/replay/snapshots.js";
import { ok, type Person, testApp } from "../helpers/app.js";
import { browserEvents } from "../helpers/browserEvents.js";
import { heldStreams, openedBoards, until } from "../helpers/followed.js";
import { read } from "../helpers/streams.js";

const { as, make, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

/** A follower of a board, once it is live. `send` stands between it and the service. */
async function follow(boardPublicId: string, person: Person, send: typeof fetch = fetch): Promise<FollowedBoard> {
  const board = followBoard(createClient({ url, token: person.token, fetch: send }), boardPublicId);
  opened.push(board);
  board.subscribe(() => {});
  await until(() => board.state().status === "live");
  return board;
}

async function scene() {
  const { board, list, owner } = await make.list();
  const other = (await make.list({ board })).list;
  const cards = [(await make.card({ list })).card, (await make.card({ list })).card] as const;
  const read = async () => boardState(ok(await as(owner).get<Snapshot>(`/boards/${board.publicId}`)));
  return { board, owner, lists: [list, other] as const, cards, read, replica: await follow(board.publicId, owner) };
}

/** A board as it is shown; there is one from the beginning. */
function boardOf(replica: FollowedBoard) {
  const { board } = replica.state();
  if (board === null) throw new Error("The board was not read");
  return board;
}

async function expectEqual(replica: FollowedBoard, read: () => Promise<ReturnType<typeof boardState>>) {
  await vi.waitFor(async () => expect(compared(boardOf(replica))).toEqual(compared(await read())), { timeout: 5000 });
}

test("a change is shown at once, waits, and is the service's in the end", async () => {
  const { replica, cards, lists, read } = await scene();
  const [first] = cards;

  const renamed = replica.change("card.update", { cardPublicId: first.publicId, title: "Renamed" });
  const moved = replica.change("card.update", {
    cardPublicId: first.publicId,
    listPublicId: lists[1].publicId,
    index: 0,
  });
  expect(boardOf(replica).cards[first.publicId]).toMatchObject({ title: "Renamed", isWaiting: true });
  expect(boardOf(replica).lists[1]?.cardIds).toEqual([first.publicId]);
  expect(replica.state().waiting).toBe(2);

  expect(await renamed).toMatchObject({ title: "Renamed" });
  await moved;
  await until(() => boardOf(replica).cards[first.publicId]?.isWaiting === false);
  expect(replica.state().waiting).toBe(0);
  await expectEqual(replica, read);
});

test("a created card has its key from the beginning, and what is done with it meanwhile reaches the real one", async () => {
  const { replica, lists, read } = await scene();
  const [list] = lists;

  const created = replica.change("card.create", { listPublicId: list.publicId, title: "New", index: 0 });
  const key = boardOf(replica).lists[0]?.cardIds[0] ?? "";
  expect(boardOf(replica).cards[key]).toMatchObject({ title: "New", key, publicId: key });
  await replica.change("card.update", { cardPublicId: key, title: "Newer" });

  const { publicId } = await created;
  expect(boardOf(replica).cards[publicId]).toMatchObject({ title: "Newer", key });
  await replica.change("card.archive", { cardPublicId: key });
  await until(() => boardOf(replica).cards[publicId] === undefined);
  await expectEqual(replica, read);
});

test("a card that is created without a position is at the end of its list from the beginning", async () => {
  const { replica, lists, cards, read } = await scene();
  const shown = () => boardOf(replica).lists[0]?.cardIds.map((id) => boardOf(replica).cards[id]?.title);
  const titles = cards.map(({ title }) => title);

  const created = replica.change("card.create", { listPublicId: lists[0].publicId, title: "Last" });
  expect(shown()).toEqual([...titles, "Last"]);
  await created;
  expect(shown()).toEqual([...titles, "Last"]);
  await expectEqual(replica, read);
});

test("a due date is shown at once as the service answers it: a day, an instant or none", async () => {
  const { replica, cards, lists, read } = await scene();
  const [{ publicId: cardPublicId }] = cards;
  const due = () => boardOf(replica).cards[cardPublicId];

  for (const [dueDate, shown] of [
    ["2026-12-24", { dueDate: "2026-12-24T00:00:00.000Z", dueHasTime: false }],
    ["2026-12-24T01:00+01:00", { dueDate: "2026-12-24T00:00:00.000Z", dueHasTime: true }],
    [null, { dueDate: null, dueHasTime: false }],
  ] as const) {
    const changed = replica.change("card.update", { cardPublicId, dueDate });
    expect(due()).toMatchObject({ ...shown, isWaiting: true });
    await changed;
    await until(() => due()?.isWaiting === false);
    expect(due()).toMatchObject(shown);
  }
  const created = replica.change("card.create", {
    listPublicId: lists[1].publicId,
    title: "New",
    dueDate: "2026-12-24",
  });
  const key = boardOf(replica).lists[1]?.cardIds[0] ?? "";
  expect(boardOf(replica).cards[key]).toMatchObject({ dueDate: "2026-12-24T00:00:00.000Z", dueHasTime: false });
  await created;
  await expectEqual(replica, read);

  for (const dueDate of ["tomorrow", "2026-02-30"]) {
    const refused = replica.change("card.update", { cardPublicId, dueDate });
    expect(replica.state().status).toBe("live");
    await expect(refused).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expectEqual(replica, read);
  }
});

test("a refused change disappears alone, rejects, and stands in `refused` until it is dismissed", async () => {
  const { replica, cards, read } = await scene();
  const [first, second] = cards;

  const refused = replica.change("card.update", { cardPublicId: first.publicId, listPublicId: "unknown00000" });
  const kept = replica.change("card.update", { cardPublicId: second.publicId, title: "Kept" });
  await expect(refused).rejects.toMatchObject({ code: "NOT_FOUND" });
  await kept;

  expect(boardOf(replica).cards[second.publicId]?.title).toBe("Kept");
  const [found] = replica.state().refused;
  expect(found).toMatchObject({ path: "card.update", code: "NOT_FOUND" });
  replica.dismiss(found?.key ?? "");
  expect(replica.state().refused).toEqual([]);
  await expectEqual(replica, read);
});

test("an open card has its checklists and comments, and follows them", async () => {
  const { replica, cards, owner } = await scene();
  const [card] = cards;
  await make.comment({ card });
  const close = replica.openCard(card.publicId);
  await until(() => boardOf(replica).cards[card.publicId]?.details !== null);

  const { publicId } = await replica.change("card.checklists.create", { cardPublicId: card.publicId, name: "Steps" });
  const item = replica.change("card.checklists.addItem", { checklistPublicId: publicId, title: "One" });
  expect(boardOf(replica).cards[card.publicId]?.checklistItems).toEqual({ total: 1, completed: 0 });
  await item;
  ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: "From elsewhere" }));

  await until(() => boardOf(replica).cards[card.publicId]?.commentCount === 2);
  const shown = boardOf(replica).cards[card.publicId];
  expect(shown?.details?.checklists).toMatchObject([{ name: "Steps", items: [{ title: "One" }] }]);
  expect(shown?.details?.comments.map(({ comment }) => comment)).toEqual([expect.any(String), "From elsewhere"]);
  close();
  expect(boardOf(replica).cards[card.publicId]?.details).toBeNull();
});

test("an open card that could not be read once is read again while the board is live", async () => {
  const { board, list, owner } = await make.list();
  const { card } = await make.card({ list });
  const failures = [() => Promise.reject(new TypeError("fetch failed")), async () => new Response("", { status: 503 })];
  const replica = await follow(board.publicId, owner, (resource, init) => {
    const fail = String(resource).includes("card.get") ? failures.shift() : undefined;
    return fail?.() ?? fetch(resource, init);
  });
  const close = replica.openCard(card.publicId);
  await until(() => boardOf(replica).cards[card.publicId]?.details !== null);
  expect(failures).toEqual([]);
  close();
});

test("a card that is opened before the service has created it is read then, and closed by what opened it", async () => {
  const { board, list, owner } = await make.list();
  const read: string[] = [];
  const replica = await follow(board.publicId, owner, (resource, init) => {
    if (String(resource).includes("card.get")) read.push(String(resource));
    return fetch(resource, init);
  });
  const created = replica.change("card.create", { listPublicId: list.publicId, title: "New" });
  const close = replica.openCard(boardOf(replica).lists[0]?.cardIds[0] ?? "");
  const { publicId } = await created;
  await until(() => boardOf(replica).cards[publicId]?.details !== null);
  expect(read).toEqual([expect.stringContaining(publicId)]);
  close();
  expect(boardOf(replica).cards[publicId]?.details).toBeNull();
});

test("a card that goes to another board's list is sent with the position that was chosen there", async () => {
  const { board: here, replica, owner, cards } = await scene();
  const [{ publicId: cardPublicId }] = cards;
  const { board } = await make.board({ workspace: here.workspace });
  const { list } = await make.list({ board });
  for (const title of ["First", "Second"]) await make.card({ list, title });

  await replica.change("card.update", { cardPublicId, listPublicId: list.publicId, index: 1 });

  const { lists } = ok(await as(owner).get<Snapshot>(`/boards/${board.publicId}`));
  expect(lists[0]?.cards.map(({ publicId }) => publicId)[1]).toBe(cardPublicId);
});

test("an archived card is shown again at once when it is unarchived before the service has answered", async () => {
  const { replica, cards, read } = await scene();
  const [{ publicId: cardPublicId }, second] = cards;
  const shown = () => boardOf(replica).lists[0]?.cardIds;
  const [list] = boardOf(replica).lists;

  const archived = replica.change("card.archive", { cardPublicId });
  expect(shown()).toEqual([second.publicId]);
  const unarchived = replica.change("card.unarchive", { cardPublicId });
  const moved = replica.change("card.update", { cardPublicId, listPublicId: list?.publicId ?? "", index: 0 });
  expect(shown()).toEqual([cardPublicId, second.publicId]);

  await Promise.all([archived, unarchived, moved]);
  await expectEqual(replica, read);
});

test.each([true, false])(
  "a board that cannot be read has ended: no stream is asked for, and changes reject (shared: %s)",
  async (shared) => {
    const { board } = await make.board();
    const stranger = await make.user();
    const calls: string[] = [];
    const send: typeof fetch = (resource, init) => {
      calls.push(new URL(String(resource)).pathname);
      return fetch(resource, init);
    };
    const replica = followBoard(createClient({ url, token: stranger.token, fetch: send }), board.publicId, { shared });
    opened.push(replica);
    replica.subscribe(() => {});
    await until(() => replica.state().status === "ended");
    const changed = replica.change("board.update", { boardPublicId: board.publicId, name: "Mine" });
    await expect(changed).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(replica.state()).toMatchObject({ waiting: 0, refused: [], error: { code: "FORBIDDEN" } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(calls.filter((path) => path.includes("stream"))).toEqual([]);
  },
);

test("a board that cannot be read yet says why, and is read again when the service asks for it", async () => {
  const { board, owner } = await make.board();
  const readAt: number[] = [];
  const send: typeof fetch = async (resource, init) => {
    if (!String(resource).includes("board.get")) return fetch(resource, init);
    readAt.push(performance.now());
    return readAt.length === 1
      ? Response.json({}, { status: 503, headers: { "retry-after": "2" } })
      : fetch(resource, init);
  };
  const replica = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  opened.push(replica);
  await until(() => replica.state().error !== null);
  expect(replica.state()).toMatchObject({ status: "loading", error: { name: "WorkBoardError" } });
  await until(() => replica.state().board !== null);
  expect(replica.state().error).toBeNull();
  expect((readAt[1] ?? 0) - (readAt[0] ?? 0)).toBeGreaterThan(1900);
});

test("a board at a wrong url says so", async () => {
  const replica = followBoard(createClient({ url: `${url}/docs`, token: "" }), "aaaaaaaaaaaa");
  opened.push(replica);
  await until(() => replica.state().error !== null);
  expect(replica.state().error).toMatchObject({ message: expect.stringContaining(`answers at ${url}/docs`) });
});

test("a board whose last subscriber left while it was read has a stream again with the next one, and none before", async () => {
  const { board, owner } = await make.board();
  const calls: string[] = [];
  const held: (() => void)[] = [];
  const send: typeof fetch = async (resource, init) => {
    calls.push(new URL(String(resource)).pathname);
    if (String(resource).includes("board.get")) await new Promise<void>((resolve) => held.push(resolve));
    return fetch(resource, init);
  };
  const replica = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  opened.push(replica);
  const leave = replica.subscribe(() => {});
  await until(() => held.length === 1);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  leave();
  vi.advanceTimersByTime(5000);
  vi.useRealTimers();
  held[0]?.();
  await until(() => replica.state().board !== null);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(calls.filter((path) => path.includes("stream"))).toEqual([]);
  replica.subscribe(() => {});
  await until(() => replica.state().status === "live");
});

test("a board whose last subscriber left keeps its stream for one that comes soon", async () => {
  const { board, owner } = await make.board();
  const replica = followBoard(createClient({ url, token: owner.token }), board.publicId);
  opened.push(replica);
  const leave = replica.subscribe(() => {});
  await until(() => replica.state().status === "live");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  leave();
  replica.subscribe(() => {});
  vi.advanceTimersByTime(5000);
  vi.useRealTimers();
  expect(replica.state().status).toBe("live");
});

test("fifty events that arrive together call a subscriber twice at most", async () => {
  const { board, list, owner } = await make.list();
  const { card } = await make.card({ list });
  const { send, hold, release } = heldStreams();
  const replica = await follow(board.publicId, owner, send);
  hold();
  for (let n = 1; n <= 50; n += 1) ok(await as(owner).put(`/cards/${card.publicId}`, { title: `Title ${n}` }));
  let calls = 0;
  replica.subscribe(() => {
    calls += 1;
  });
  await release("Title 50");
  await until(() => boardOf(replica).cards[card.publicId]?.title === "Title 50");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThanOrEqual(2);
});

test.each([true, false])(
  "a board whose owner has 20 streams open is live once one of them is closed (shared: %s)",
  async (shared) => {
    const events = browserEvents();
    const { board, owner } = await make.board();
    const address = `${url}/api/v1/boards/${board.publicId}/stream`;
    const twenty = await Promise.all(Array.from({ length: 20 }, () => read(address, owner.token)));
    let refused = 0;
    const send: typeof fetch = async (resource, init) => {
      const response = await fetch(resource, init);
      if (response.headers.has("retry-after")) refused += 1;
      return response;
    };
    const replica = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId, { shared });
    opened.push(replica);
    replica.subscribe(() => {});
    await until(() => refused === 1 && replica.state().board !== null);
    for (const stream of twenty) stream.leave();
    await Promise.all(twenty.map(({ ended }) => ended));
    await vi.waitFor(() => {
      events.dispatch("online");
      expect(replica.state().status).toBe("live");
    });
  },
);

test("what happens to a card while it is read is not lost when it opens: its label is deleted, and it leaves the board", async () => {
  const { board, list, owner } = await make.list();
  const { card } = await make.card({ list });
  const { label } = await make.label({ board });
  ok(await as(owner).put(`/cards/${card.publicId}/labels/${label.publicId}`));
  const elsewhere = (await make.list({ board: (await make.board({ workspace: board.workspace })).board })).list;
  let isHeld = true;
  const held: (() => void)[] = [];
  const hold: typeof fetch = async (resource, init) => {
    const response = await fetch(resource, init);
    if (isHeld && String(resource).includes("card.get")) await new Promise<void>((resolve) => held.push(resolve));
    return response;
  };
  const replica = await follow(board.publicId, owner, hold);
  const close = replica.openCard(card.publicId);
  await until(() => held.length === 1);
  ok(await as(owner).delete(`/labels/${label.publicId}`));
  ok(await as(owner).put(`/cards/${card.publicId}`, { listPublicId: elsewhere.publicId }));
  await until(() => boardOf(replica).lists[0]?.cardIds.length === 0);
  isHeld = false;
  held[0]?.();
  await until(() => boardOf(replica).cards[card.publicId]?.details != null);
  expect(boardOf(replica).cards[card.publicId]).toMatchObject({ labelIds: [], isGone: true });
  close();
  expect(boardOf(replica).cards).toEqual({});
});

test("a board is loading until it was live once, also while its stream is refused", async () => {
  const { board, owner } = await make.list();
  let isOpen = false;
  const statuses: string[] = [];
  const send: typeof fetch = async (resource, init) => {
    if (String(resource).includes("board.stream") && !isOpen) return new Response("", { status: 503 });
    return fetch(resource, init);
  };
  const replica = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  opened.push(replica);
  replica.subscribe(() => statuses.push(replica.state().status));
  await until(() => replica.state().board !== null);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(replica.state().status).toBe("loading");
  isOpen = true;
  await until(() => replica.state().status === "live");
  expect(new Set(statuses)).toEqual(new Set(["loading", "live"]));
});

test("a listener that throws is reported, and neither the others nor the board end with it", async () => {
  const { replica, cards, owner } = await scene();
  const reports = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => reports.mockRestore());
  const heard: unknown[] = [];
  replica.subscribe(() => {
    throw new Error("of the page");
  });
  replica.subscribe(() => heard.push(replica.state().board));
  for (const title of ["First", "Second"]) {
    ok(await as(owner).put(`/cards/${cards[0].publicId}`, { title }));
    await until(() => boardOf(replica).cards[cards[0].publicId]?.title === title);
  }
  await until(() => heard.includes(boardOf(replica)));
  expect(reports).toHaveBeenCalledWith(expect.objectContaining({ message: "of the page" }));
  expect(replica.state().status).toBe("live");
});
