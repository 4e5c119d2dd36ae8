// Events that name another board: whoever does not see it learns nothing of it, in lists, activities and streams.

import { expect, test } from "vitest";
import { type Board, ok, type Person, testApp } from "../helpers/app.js";
import { read } from "../helpers/streams.js";

const { as, make, listening } = await testApp();

interface Logged {
  id: number;
  type: string;
  boardPublicId: string | null;
  cardPublicId: string | null;
  data: { from?: object; to?: object; copiedFrom?: string };
}

async function moved(isLeaving: boolean) {
  const { list: openList, board: open, workspace, owner } = await make.list();
  const { list: hiddenList, board: hidden } = await make.list({
    board: (await make.board({ workspace, visibility: "private" })).board,
  });
  const { card } = await make.card({ list: isLeaving ? openList : hiddenList });
  const outsider = await make.member(open, "member");
  const insider = await make.member(hidden, "member");
  const url = `${await listening()}/api/v1/boards/${open.publicId}/stream`;
  const readers = [outsider, insider, owner];
  const live = await Promise.all(readers.map(({ token }) => read(url, token)));
  for (const stream of live) await stream.until(() => stream.lastId() !== undefined);
  ok(await as(owner).put(`/cards/${card.publicId}`, { listPublicId: (isLeaving ? hiddenList : openList).publicId }));
  ok(await as(owner).put(`/boards/${open.publicId}`, { name: "The end of this test" }));
  for (const stream of live) await stream.until(() => stream.items().some(({ type }) => type === "board.updated"));
  const late = await Promise.all(readers.map(({ token }) => read(url, token, "0")));
  for (const stream of late) await stream.until(() => stream.items().some(({ type }) => type === "board.updated"));
  for (const stream of [...live, ...late]) stream.leave();
  const listed = await Promise.all(readers.map((person) => movesIn(person, open)));
  const streamed = [...live, ...late].map((stream) =>
    stream
      .items<Logged>()
      .filter(({ type, boardPublicId }) => type === "card.moved" && boardPublicId === open.publicId),
  );
  return { open, openList, hidden, hiddenList, card, outsider, insider, listed, streamed };
}

const movesIn = async (person: Person, { publicId, workspace }: Board) =>
  ok(
    await as(person).get<{ items: Logged[] }>(`/workspaces/${workspace.publicId}/events?boardPublicId=${publicId}`),
  ).items.filter(({ type }) => type === "card.moved");

test("a move to a board that a reader does not see has no `to`, everywhere", async () => {
  const { open, openList, hidden, hiddenList, card, listed, streamed } = await moved(true);
  const from = { boardPublicId: open.publicId, listPublicId: openList.publicId, index: 0 };
  const to = { boardPublicId: hidden.publicId, listPublicId: hiddenList.publicId, index: 0 };
  const outside = { cardPublicId: card.publicId, from };
  const whole = { ...outside, to };
  for (const answers of [listed, streamed.slice(0, 3), streamed.slice(3)]) {
    expect(answers.map((events) => events.map(({ data }) => data))).toEqual([[outside], [whole], [whole]]);
  }
});

test("a move from a board that a reader does not see has no `from`, in the activities of the card too", async () => {
  const { open, openList, hidden, hiddenList, card, outsider, insider, listed, streamed } = await moved(false);
  const from = { boardPublicId: hidden.publicId, listPublicId: hiddenList.publicId, index: 0 };
  const to = { boardPublicId: open.publicId, listPublicId: openList.publicId, index: 0 };
  for (const answers of [listed, streamed.slice(0, 3), streamed.slice(3)]) {
    for (const [index, events] of answers.entries()) {
      expect(events).toMatchObject([{ cardPublicId: card.publicId, data: { to } }]);
      expect(events[0]?.data.from).toEqual(index === 0 ? undefined : from);
    }
  }
  const activities = async (person: Person) =>
    ok(await as(person).get<{ items: Logged[] }>(`/cards/${card.publicId}/activities`)).items;
  const seen = JSON.stringify(await activities(outsider));
  for (const { publicId } of [hidden, hiddenList]) expect(seen).not.toContain(publicId);
  expect((await activities(insider)).find(({ type }) => type === "card.moved")?.data).toMatchObject({ from, to });
});

test("a copy does not name the board that it is a copy of to whoever does not see that", async () => {
  const { board, workspace, owner } = await make.board({ visibility: "private" });
  const copy = ok(await as(owner).post<{ publicId: string }>(`/boards/${board.publicId}/duplicate`));
  ok(await as(owner).put(`/boards/${copy.publicId}`, { visibility: "workspace" }));
  const member = await make.member(workspace, "member");
  const path = `/workspaces/${workspace.publicId}/events?boardPublicId=${copy.publicId}`;
  const createdFor = async (person: Person) =>
    ok(await as(person).get<{ items: Logged[] }>(path)).items.find(({ type }) => type === "board.created")?.data;
  expect(await createdFor(owner)).toMatchObject({ copiedFrom: board.publicId });
  expect(await createdFor(member)).not.toHaveProperty("copiedFrom");
});
