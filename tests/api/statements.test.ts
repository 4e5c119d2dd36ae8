// What a request costs at the database: its statements, COMMIT left out, and the round trips that they travel in. What a header asks
// for is paid by those who send it.

import { afterAll, expect, test } from "vitest";
import { appOn, ok } from "../helpers/app.js";
import { type Cost, countingStatements, openTestDatabase } from "../helpers/databases.js";

const { through, costOf } = countingStatements();
const { db, url, close } = await openTestDatabase(through);
afterAll(close);
const { as, make } = await appOn(db, {});

async function scene() {
  const { card, list, board, workspace, owner } = await make.card();
  const { list: other } = await make.list({ board });
  const { board: otherBoard } = await make.board({ workspace });
  const { list: onOtherBoard } = await make.list({ board: otherBoard });
  const { label } = await make.label({ board });
  const call = as(owner);
  ok(await call.get("/users/me"));
  const send = (method: "GET" | "POST" | "PUT", path: string, headers: Record<string, string>, body?: object) =>
    call.send({ method, url: `/api/v1${path}`, headers, ...(body && { body: JSON.stringify(body) }) });
  return { call, send, card, list, other, onOtherBoard, label, board, workspace };
}

const { call, send, card, list, other, onOtherBoard, label, board, workspace } = await scene();
const ofBoard = `/boards/${board.publicId}`;
const ofCard = `/cards/${card.publicId}`;
const ofWorkspace = `/workspaces/${workspace.publicId}`;
const renamed = () => ({ title: `Title ${performance.now()}` });
const described = () => ({ description: `Described at ${performance.now()}` });

test.each<[string, Cost, () => Promise<{ status: number }>]>([
  ["a board that is not kept", { statements: 1, trips: 1 }, () => call.get(ofBoard)],
  ["a board that is", { statements: 1, trips: 1 }, () => call.get(ofBoard)],
  ["a card", { statements: 1, trips: 1 }, () => call.get(ofCard)],
  ["the boards of a workspace", { statements: 1, trips: 1 }, () => call.get(`${ofWorkspace}/boards`)],
  ["my permissions", { statements: 1, trips: 1 }, () => call.get(`${ofWorkspace}/permissions/me`)],
  ["a calendar", { statements: 1, trips: 1 }, () => call.get(`${ofWorkspace}/calendar?view=week`)],
  ["my notifications", { statements: 2, trips: 2 }, () => call.get("/notifications")],
  ["the archived cards of a board", { statements: 2, trips: 2 }, () => call.get(`${ofBoard}/archived-cards`)],
  [
    "events that name nobody",
    { statements: 2, trips: 2 },
    () => call.get(`${ofWorkspace}/events?cardPublicId=${card.publicId}`),
  ],
  ["a search", { statements: 1, trips: 1 }, () => call.get(`${ofWorkspace}/search?query=card`)],
])("reading %s costs at most %o", async (_, most, act) => {
  const cost = await costOf(async () => expect((await act()).status).toBe(200));
  expect(cost.statements).toBeLessThanOrEqual(most.statements);
  expect(cost.trips).toBeLessThanOrEqual(most.trips);
});

const inOther = { listPublicId: other.publicId };

// Lock, state, webhooks and guard travel together; all that is written travels with COMMIT.
test.each<[string, Cost, () => Promise<{ status: number }>]>([
  [
    "making a card",
    { statements: 5, trips: 2 },
    () => call.post("/cards", { title: "New", listPublicId: list.publicId }),
  ],
  [
    "making a card at an index",
    { statements: 6, trips: 3 },
    () => call.post("/cards", { title: "New", listPublicId: list.publicId, index: 0 }),
  ],
  [
    "making a card with a label",
    { statements: 6, trips: 3 },
    () => call.post("/cards", { title: "New", listPublicId: list.publicId, labelPublicIds: [label.publicId] }),
  ],
  ["renaming a card", { statements: 5, trips: 2 }, () => call.put(ofCard, renamed())],
  ["editing a card", { statements: 5, trips: 2 }, () => call.put(ofCard, described())],
  [
    "moving a card to the end of its list",
    { statements: 7, trips: 3 },
    () => call.put(ofCard, { listPublicId: list.publicId }),
  ],
  ["moving a card within its list", { statements: 6, trips: 3 }, () => call.put(ofCard, { index: 1 })],
  ["moving a card to another list", { statements: 7, trips: 3 }, () => call.put(ofCard, inOther)],
  [
    "moving a card to an index of another list",
    { statements: 8, trips: 3 },
    () => call.put(ofCard, { listPublicId: list.publicId, index: 0 }),
  ],
  [
    "moving a card to another board",
    { statements: 7, trips: 4 },
    () => call.put(ofCard, { listPublicId: onOtherBoard.publicId }),
  ],
  ["moving it back to its board", { statements: 7, trips: 4 }, () => call.put(ofCard, { listPublicId: list.publicId })],
  ["labelling a card", { statements: 7, trips: 4 }, () => call.put(`${ofCard}/labels/${label.publicId}`)],
  ["archiving a card", { statements: 5, trips: 2 }, () => call.post(`${ofCard}/archive`)],
  ["unarchiving a card", { statements: 7, trips: 5 }, () => call.post(`${ofCard}/unarchive`)],
  ["commenting on a card", { statements: 7, trips: 4 }, () => call.post(`${ofCard}/comments`, { comment: "Hello" })],
  [
    "adding a list",
    { statements: 6, trips: 3 },
    () => call.post("/lists", { name: "New", boardPublicId: board.publicId }),
  ],
  [
    "renaming a list",
    { statements: 5, trips: 2 },
    () => call.put(`/lists/${list.publicId}`, { name: `Name ${performance.now()}` }),
  ],
])("%s costs at most %o", async (_, most, act) => {
  const cost = await costOf(async () => expect((await act()).status).toBe(200));
  expect(cost.statements).toBeLessThanOrEqual(most.statements);
  expect(cost.trips).toBeLessThanOrEqual(most.trips);
});

test("a board that changed since it was kept costs two statements", async () => {
  ok(await call.get(ofBoard));
  ok(await call.put(ofCard, renamed()));
  expect((await costOf(async () => ok(await call.get(ofBoard)))).statements).toBe(2);
});

test("an entity tag costs nothing more, whether it is known or not", async () => {
  for (const path of [ofBoard, ofCard]) {
    const { headers } = await call.get(path);
    for (const [known, status] of [
      ['"other"', 200],
      [String(headers.etag), 304],
    ] as const) {
      const cost = await costOf(async () =>
        expect((await send("GET", path, { "if-none-match": known })).status).toBe(status),
      );
      expect(cost.statements).toBe(1);
    }
  }
});

test("an Idempotency-Key costs a look before the change and one in it, If-Match the card before and after", async () => {
  const statementsOf = async (headers: Record<string, string>) =>
    (await costOf(async () => expect((await send("PUT", ofCard, headers, renamed())).status).toBe(200))).statements;
  const plain = await statementsOf({});
  expect((await statementsOf({ "idempotency-key": "once" })) - plain).toBe(2);
  // The change must be sent before it can be read, apart from its events.
  expect((await statementsOf({ "if-match": "*" })) - plain).toBe(3);
});

/** Nine calls at once. Code that is new to the process takes so long that they come one by one: the second nine count. */
async function costOfNine(callAt: (place: number) => Promise<unknown>): Promise<number> {
  const nine = () => Promise.all(Array.from({ length: 9 }, (_, place) => callAt(place)));
  await nine();
  return (await costOf(nine)).trips;
}

test("nine edits of one card that come together cost little more than a round trip each", async () => {
  // With room for a second batch: how many come together, the machine decides.
  expect(await costOfNine(async () => ok(await call.put(ofCard, renamed())))).toBeLessThanOrEqual(18);
});

const nineCards = await Promise.all(Array.from({ length: 9 }, async () => (await make.card({ list })).card));
const ofNine = (place: number) => `/cards/${nineCards[place]?.publicId}`;
/** Another place than before, in the other list each time. */
const elsewhere = (() => {
  let calls = 0;
  return (place: number) => ({
    listPublicId: (Math.floor(calls++ / 9) % 2 === 0 ? other : list).publicId,
    index: place,
  });
})();

// The embedded database answers each statement before the next one.
test.skipIf(url === null).each<[string, (place: number) => Promise<unknown>]>([
  ["new cards of one list", async () => ok(await call.post("/cards", { title: "New", listPublicId: list.publicId }))],
  ["edits of as many cards", async (place) => ok(await call.put(ofNine(place), renamed()))],
  ["new checklists", async (place) => ok(await call.post(`${ofNine(place)}/checklists`, { name: "New" }))],
])("nine %s that come together are read in one round trip and written in another", async (_, callAt) => {
  // The first of them finds the workspace free, and goes before the others; with room for a second batch.
  expect(await costOfNine(callAt)).toBeLessThanOrEqual(12);
});

test.skipIf(url === null)(
  "nine moves that come together cost one round trip each to find a place, and few beside",
  async () => {
    expect(await costOfNine(async (place) => ok(await call.put(ofNine(place), elsewhere(place))))).toBeLessThanOrEqual(
      16,
    );
  },
);

test("a stranger's change costs a guard and a look at its token, and no turn in the workspace", async () => {
  const stranger = as(await make.user());
  ok(await stranger.get("/users/me"));
  expect(await costOf(() => stranger.put(ofCard, renamed()))).toEqual({ statements: 2, trips: 2 });
});
