// How many statements a request costs, BEGIN and COMMIT among them: each is a trip to the database, or a part of one. What a
// header asks for is paid by those who send it.

import type { SQL } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Database, Transaction } from "../../src/db/client.js";
import { appOn, ok, testApp } from "../helpers/app.js";

/** Counts whatever goes through a database. */
function counted(db: Database) {
  let statements = 0;
  const lanes: (string | null)[] = [];
  const counting = <T extends { rows: Database["rows"] }>(queries: T) => ({
    rows: <Row>(statement: SQL) => {
      statements += 1;
      return queries.rows<Row>(statement);
    },
  });
  const inside = (tx: Transaction): Transaction =>
    Object.assign(Object.create(tx), counting(tx), {
      last: <Row>(statement: SQL) => {
        statements += 1;
        return tx.last<Row>(statement);
      },
    });
  const transaction: Database["transaction"] = (run) => {
    statements += 2;
    return db.transaction((tx) => run(inside(tx)));
  };
  const write: Database["write"] = (statement, lane) => {
    statements += 1;
    lanes.push(lane);
    return db.write(statement, lane);
  };
  const whole: Database = Object.assign(Object.create(db), counting(db), { transaction, write });
  const cost = async (act: () => Promise<unknown>) => {
    const before = statements;
    await act();
    return statements - before;
  };
  return { db: whole, cost, lanes };
}

const { db } = await testApp();
const counter = counted(db);
const { as, make } = await appOn(counter.db, {});

async function scene() {
  const { card, list, board, workspace, owner } = await make.card();
  const { list: other } = await make.list({ board });
  const { label } = await make.label({ board });
  const call = as(owner);
  ok(await call.get("/users/me"));
  const send = (method: "GET" | "POST" | "PUT", path: string, headers: Record<string, string>, body?: object) =>
    call.send({ method, url: `/api/v1${path}`, headers, ...(body && { body: JSON.stringify(body) }) });
  return { call, send, card, list, other, label, board, workspace };
}

const { call, send, card, list, other, label, board, workspace } = await scene();
const ofBoard = `/boards/${board.publicId}`;
const ofCard = `/cards/${card.publicId}`;
const ofWorkspace = `/workspaces/${workspace.publicId}`;
const renamed = () => ({ title: `Title ${performance.now()}` });
const described = () => ({ description: `Described at ${performance.now()}` });

test.each<[string, number, () => Promise<{ status: number }>]>([
  ["a board that is not kept", 1, () => call.get(ofBoard)],
  ["a board that is", 1, () => call.get(ofBoard)],
  ["a card", 1, () => call.get(ofCard)],
  ["the boards of a workspace", 1, () => call.get(`${ofWorkspace}/boards`)],
  ["my permissions", 1, () => call.get(`${ofWorkspace}/permissions/me`)],
  ["a calendar", 1, () => call.get(`${ofWorkspace}/calendar?view=week`)],
  ["my notifications", 2, () => call.get("/notifications")],
  ["a search", 1, () => call.get(`${ofWorkspace}/search?query=card`)],
  ["making a card", 1, () => call.post("/cards", { title: "New", listPublicId: list.publicId })],
  ["renaming a card", 1, () => call.put(ofCard, renamed())],
  ["moving a card", 1, () => call.put(ofCard, { listPublicId: other.publicId, index: 0 })],
  ["moving a card within its list", 1, () => call.put(ofCard, { index: 0, listPublicId: list.publicId })],
  [
    "making a card with a label",
    6,
    () => call.post("/cards", { title: "New", listPublicId: list.publicId, labelPublicIds: [label.publicId] }),
  ],
  ["editing a card", 4, () => call.put(ofCard, described())],
  ["editing and moving a card", 5, () => call.put(ofCard, { ...described(), listPublicId: list.publicId })],
])("%s costs at most %d statements", async (_, most, act) => {
  const cost = await counter.cost(async () => expect((await act()).status).toBe(200));
  expect(cost).toBeLessThanOrEqual(most);
});

test("a board that changed since it was kept costs two statements", async () => {
  ok(await call.get(ofBoard));
  ok(await call.put(ofCard, renamed()));
  expect(await counter.cost(async () => ok(await call.get(ofBoard)))).toBe(2);
});

test("an entity tag costs nothing more, whether it is known or not", async () => {
  for (const path of [ofBoard, ofCard]) {
    const { headers } = await call.get(path);
    for (const [known, status] of [
      ['"other"', 200],
      [String(headers.etag), 304],
    ] as const) {
      const cost = await counter.cost(async () =>
        expect((await send("GET", path, { "if-none-match": known })).status).toBe(status),
      );
      expect(cost).toBe(1);
    }
  }
});

test("an Idempotency-Key costs one statement at the most, If-Match the card before and after", async () => {
  const costOf = (headers: Record<string, string>, body: object) =>
    counter.cost(async () => expect((await send("PUT", ofCard, headers, body)).status).toBe(200));
  expect(await costOf({ "idempotency-key": "once" }, renamed())).toBe(1);
  const plain = await costOf({}, described());
  expect((await costOf({ "idempotency-key": "twice" }, described())) - plain).toBe(1);
  expect((await costOf({ "if-match": "*" }, described())) - plain).toBe(2);
});

test("changes of one workspace share a lane as soon as it is known, and those of another do not", async () => {
  const first = await scene();
  const second = await scene();
  const lanesOf = async ({ call, card, list, other }: typeof first) => {
    const from = counter.lanes.length;
    ok(await call.put(`/cards/${card.publicId}`, renamed()));
    ok(await call.put(`/cards/${card.publicId}`, { listPublicId: other.publicId }));
    ok(await call.post("/cards", { title: "New", listPublicId: list.publicId }));
    return counter.lanes.slice(from);
  };
  const [unknown, lane, ofList] = await lanesOf(first);
  expect([unknown, ofList]).toEqual([null, lane]);
  expect(lane).not.toBeNull();
  expect((await lanesOf(second)).filter((each) => each === lane)).toEqual([]);
});
