// The reducer of the client package, event by event. Random sequences are in `tests/fuzz/replay.test.ts`.

import { expect, test } from "vitest";
import { applyEvent } from "../../packages/client/src/board/applyEvent.js";
import { type BoardState, boardState, opened } from "../../packages/client/src/board/state.js";
import type { CommentPage, Event, Snapshot, WholeCard } from "../../packages/client/src/board/things.js";
import { ok, testApp } from "../helpers/app.js";

const { as, make } = await testApp();

/** A board with two lists and two cards, read as it is now, and what a change then tells of it. */
async function scene() {
  const { board, list, workspace, owner } = await make.list();
  const other = (await make.list({ board })).list;
  const cards = [(await make.card({ list })).card, (await make.card({ list: other })).card] as const;
  const client = as(owner);
  const path = `/workspaces/${workspace.publicId}/events?boardPublicId=${board.publicId}`;
  const read = async () => ok(await client.get<Snapshot>(`/boards/${board.publicId}`));
  const eventsOf = async (change: () => Promise<unknown>): Promise<Event[]> => {
    const before = ok(await client.get<{ nextCursor: number }>(`${path}&limit=100`)).nextCursor;
    await change();
    return ok(await client.get<{ items: Event[] }>(`${path}&after=${before}`)).items;
  };
  return { board, lists: [list, other] as const, cards, client, read, eventsOf, snapshot: await read() };
}

/** Fails where something of a state is changed in place. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const one of Object.values(value)) frozen(one);
  return Object.freeze(value);
}

test("what an event does not change is the same object afterwards, and the state before it stays as it was", async () => {
  const { cards, client, eventsOf, snapshot } = await scene();
  const before = frozen(boardState(snapshot));
  const events = await eventsOf(async () => ok(await client.put(`/cards/${cards[0].publicId}`, { title: "New" })));

  const after = events.reduce(applyEvent, before);

  expect(after.cards[cards[0].publicId]?.title).toBe("New");
  expect(after.cards[cards[1].publicId]).toBe(before.cards[cards[1].publicId]);
  expect(after.lists).toBe(before.lists);
});

test("a move gives new objects to the two lists and to nothing else", async () => {
  const { lists, cards, client, eventsOf, snapshot } = await scene();
  const [first, second] = lists;
  const third = frozen(boardState({ ...snapshot, lists: [...snapshot.lists, { ...emptyList, index: 2 }] }));
  const move = { listPublicId: second.publicId, index: 0 };
  const events = await eventsOf(async () => ok(await client.put(`/cards/${cards[0].publicId}`, move)));

  const after = events.reduce(applyEvent, third);

  expect(after.lists.map(({ publicId, cardIds }) => [publicId, cardIds])).toEqual([
    [first.publicId, []],
    [second.publicId, [cards[0].publicId, cards[1].publicId]],
    [emptyList.publicId, []],
  ]);
  expect(after.lists[2]).toBe(third.lists[2]);
  expect(after.cards[cards[1].publicId]).toBe(third.cards[cards[1].publicId]);
});

const emptyList = { publicId: "thirdList000", name: "Third", cards: [] };

test("an unknown type and an event of another board change nothing", async () => {
  const { cards, client, eventsOf, snapshot } = await scene();
  const before = frozen(boardState(snapshot));
  const [event] = await eventsOf(async () => ok(await client.put(`/cards/${cards[0].publicId}`, { title: "New" })));
  if (event === undefined) throw new Error("no event");
  const unknown: Event = JSON.parse(JSON.stringify({ ...event, type: "card.painted" }));
  const inherited: Event = JSON.parse(JSON.stringify({ ...event, type: "toString" }));

  expect(applyEvent(before, unknown)).toBe(before);
  expect(applyEvent(before, inherited)).toBe(before);
  expect(applyEvent(before, { ...event, boardPublicId: "anotherBoard" })).toBe(before);
});

test("an open card that is archived or deleted stays and says that it is gone; another one goes", async () => {
  const { cards, client, eventsOf, snapshot } = await scene();
  const [open, shut] = cards;
  const whole = ok(await client.get<WholeCard>(`/cards/${open.publicId}`));
  let state = opened(boardState(snapshot), whole, { items: [], nextCursor: null });
  const follow = async (change: () => Promise<unknown>): Promise<BoardState> => {
    state = (await eventsOf(change)).reduce(applyEvent, state);
    return state;
  };

  await follow(async () => {
    for (const { publicId } of cards) ok(await client.post(`/cards/${publicId}/archive`));
  });
  expect(state.cards[open.publicId]).toMatchObject({ isGone: true, details: { archivedAt: expect.any(String) } });
  expect(state.cards).not.toHaveProperty(shut.publicId);
  expect(state.lists.flatMap(({ cardIds }) => cardIds)).toEqual([]);

  await follow(async () => ok(await client.post(`/cards/${open.publicId}/unarchive`)));
  expect(state.cards[open.publicId]).toMatchObject({ isGone: false, details: { archivedAt: null } });

  await follow(async () => ok(await client.delete(`/cards/${open.publicId}`)));
  expect(state.cards[open.publicId]).toMatchObject({ isGone: true, title: whole.title });
});

test("a person who is renamed has the new name on the board, on cards and on the comments of open cards", async () => {
  const { cards, client, eventsOf, snapshot, read } = await scene();
  const [{ publicId }] = cards;
  ok(await client.post(`/cards/${publicId}/comments`, { comment: "Mine" }));
  ok(await client.put(`/cards/${publicId}/members/${snapshot.me.memberPublicId}`));
  const now = async () => {
    const card = ok(await client.get<WholeCard>(`/cards/${publicId}`));
    return opened(boardState(await read()), card, ok(await client.get<CommentPage>(`/cards/${publicId}/comments`)));
  };
  const before = frozen(await now());

  const events = await eventsOf(async () => ok(await client.put("/users/me", { name: "Renamed" })));

  const after = events.reduce(applyEvent, before);
  expect(after).toEqual(await now());
  expect(after.cards[publicId]?.details?.comments).toMatchObject([{ author: { name: "Renamed" } }]);
  expect(after.cards[cards[1].publicId]).toBe(before.cards[cards[1].publicId]);
});

test("a board that is read again shares what stayed the same with the state before it", async () => {
  const { lists, cards, client, read, snapshot } = await scene();
  const before = frozen(boardState(snapshot));
  ok(await client.put(`/cards/${cards[0].publicId}`, { title: "New" }));

  const after = boardState(await read(), before);

  expect(after.cards[cards[0].publicId]?.title).toBe("New");
  expect(after.cards[cards[1].publicId]).toBe(before.cards[cards[1].publicId]);
  expect(after.lists[0]).toBe(before.lists[0]);
  expect(after.labels).toBe(before.labels);
  expect(lists).toHaveLength(2);
});
