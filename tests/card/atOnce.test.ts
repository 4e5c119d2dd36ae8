// Guarantees of the changes that are one statement: they do, answer and log what the whole way does, which `If-Match` asks for.

import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Database } from "../../src/db/client.js";
import { connectionError } from "../../src/db/failures.js";
import { appOn, expectError, type Fields, ok, testApp, unique } from "../helpers/app.js";
import { storedOn } from "./stored.js";

const app = await testApp();
const { as, make, db } = app;
const { boardOf, titlesIn, listOf, newsOf, expectSound } = storedOn(app);

const WAYS: Record<string, () => Record<string, string>> = {
  "in one statement": () => ({}),
  "in one statement that keeps its answer": () => ({ "idempotency-key": unique("key").replace(" ", "-") }),
  "the whole way": () => ({ "if-match": "*" }),
};

type Change =
  | { does: "create"; list: number; fields: Fields }
  | { does: "update"; card: number; fields: Fields; list?: number }
  | { does: "archive"; card: number };

const title = fc.constantFrom("a", "b", "Ünï \u{1F600}", '"quoted" \\', "x".repeat(200));
const index = fc.oneof(fc.nat(6), fc.constant(2_147_483_647));
const dueDate = fc.constantFrom(
  null,
  "2027-01-02T03:04:05.678Z",
  "0001-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
);
const priority = fc.constantFrom("low", "urgent", "none");
const description = fc.constantFrom("", "Words, a%b_c @nobody\n");
const optional = { requiredKeys: [] };
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    does: fc.constant("create" as const),
    list: fc.nat(1),
    fields: fc.record({ title, index, dueDate, priority, description }, { requiredKeys: ["title"] }),
  }),
  fc.record(
    { does: fc.constant("update" as const), card: fc.nat(20), list: fc.nat(1), fields: fc.record({ index }, optional) },
    { requiredKeys: ["does", "card", "fields"] },
  ),
  fc.record({ does: fc.constant("update" as const), card: fc.nat(20), fields: fc.record({ title }) }),
  fc.record({
    does: fc.constant("update" as const),
    card: fc.nat(20),
    fields: fc.record({ title, index, priority }, optional),
  }),
  { weight: 1, arbitrary: fc.record({ does: fc.constant("archive" as const), card: fc.nat(20) }) },
);

/** Makes changes on a board of its own, and tells everything that came of them, with names in the place of identifiers. */
async function outcomeOf(changes: readonly Change[], headers: () => Record<string, string>) {
  const { board, workspace, owner, list } = await make.list();
  const lists = [list, (await make.list({ board })).list];
  const news = await newsOf(workspace);
  const cards: string[] = [];
  const send = async (method: "POST" | "PUT", path: string, body: Fields) => {
    const request = { method, url: `/api/v1${path}`, headers: headers(), body: JSON.stringify(body) };
    const answer = await as(owner).send(request);
    if (answer.status === 200 && "idempotency-key" in request.headers) {
      const again = await as(owner).send(request);
      expect([again.headers["idempotent-replayed"], again.body]).toEqual(["true", answer.body]);
    }
    return answer;
  };
  const answers = [];
  for (const one of changes) {
    if (one.does === "create") {
      const { publicId: listPublicId } = lists[one.list] ?? list;
      const answer = await send("POST", "/cards", { ...one.fields, listPublicId });
      cards.push(String(ok(answer).publicId));
      answers.push(answer);
      continue;
    }
    const card = cards[one.card % cards.length];
    if (card === undefined) continue;
    if (one.does === "archive") ok(await as(owner).post(`/cards/${card}/archive`));
    else {
      const to = one.list === undefined ? {} : { listPublicId: lists[one.list]?.publicId };
      answers.push(await send("PUT", `/cards/${card}`, { ...one.fields, ...to }));
    }
  }
  await expectSound(workspace);
  const events = (await news()).map(({ seq, type, card, data }) => ({ seq, type, card, data }));
  const shown = (await boardOf(board)).lists;
  const told = JSON.stringify({ answers: answers.map(({ status, body }) => ({ status, body })), shown, events });
  const names = [
    ...lists.map(({ publicId }, n) => [publicId, `list ${n}`]),
    ...cards.map((id, n) => [id, `card ${n}`]),
  ];
  const named = names.reduce((text, [id = "", name = ""]) => text.replaceAll(id, name), told);
  return JSON.parse(named.replaceAll(/"name":"List [0-9a-f]+"|"(createdAt|updatedAt|archivedAt)":"[^"]+"/g, '"":""'));
}

test("random changes come to the same, whichever way they are made", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 14 }), async (changes) => {
      const [first, ...others] = await Promise.all(Object.values(WAYS).map((headers) => outcomeOf(changes, headers)));
      for (const other of others) expect(other).toEqual(first);
    }),
    { numRuns: 30 },
  );
});

test("an answer that was kept is not given to a token that has ended, also when the database fails", async () => {
  let isAway = false;
  const away = () => Promise.reject(connectionError("CONNECTION_TIMEOUT", "No session was free"));
  const failing: Database = Object.assign(Object.create(db), {
    write: <Row extends { workspaceId: number }>(statement: SQL, lane: string | null) =>
      isAway ? away() : db.write<Row>(statement, lane),
  });
  const other = await appOn(failing, {});
  const { owner, list } = await make.list();
  const { token } = await make.token(owner);
  const create = () =>
    other.as({ token }).send({
      method: "POST",
      url: "/api/v1/cards",
      headers: { "idempotency-key": "once" },
      body: JSON.stringify({ title: "Once", listPublicId: list.publicId }),
    });
  const made = ok(await create());
  isAway = true;
  expect(ok(await create())).toEqual(made);
  await db.rows(
    sql`delete from access_token where token_hash = ${createHash("sha256").update(token).digest("hex")}::text`,
  );
  expectError(await create(), "UNAUTHORIZED");
});

describe.each(Object.entries(WAYS))("%s", (_, headers) => {
  test("cards go to one place again and again, and stay in their order when the gap there is used up", async () => {
    const { owner, workspace, list, cards } = await listOf(["first", "last"]);
    const model = ["first", "last"];
    const send = (method: "POST" | "PUT", path: string, body: Fields) =>
      as(owner).send({ method, url: `/api/v1${path}`, headers: headers(), body: JSON.stringify(body) });
    for (let n = 0; n < 40; n += 1) {
      ok(await send("POST", "/cards", { title: `card ${n}`, listPublicId: list.publicId, index: 1 }));
      model.splice(1, 0, `card ${n}`);
    }
    for (let n = 0; n < 40; n += 1) {
      ok(await send("PUT", `/cards/${cards[0]?.publicId}`, { index: 1 + (n % 2) }));
    }
    model.splice(2, 0, ...model.splice(0, 1));
    expect(await titlesIn(list)).toEqual(model);
    await expectSound(workspace);
  });

  test("cards that are made at once lie in the order of their numbers at the end", async () => {
    const { owner, workspace, board, list } = await make.list();
    const titles = Array.from({ length: 30 }, (__, n) => `card ${n}`);
    await Promise.all(
      titles.map(async (title) => {
        const body = JSON.stringify({ title, listPublicId: list.publicId });
        ok(await as(owner).send({ method: "POST", url: "/api/v1/cards", headers: headers(), body }));
      }),
    );
    const [shown] = (await boardOf(board)).lists;
    expect(shown?.cards.map(({ cardNumber }) => cardNumber)).toEqual(titles.map((__, n) => n + 1));
    expect((await titlesIn(list)).toSorted()).toEqual(titles.toSorted());
    await expectSound(workspace);
  });

  test("who may not is refused, and nothing is written", async () => {
    const { owner, workspace, board, list, cards } = await listOf(["card"]);
    const guest = await make.member(board, "guest");
    const stranger = await make.user();
    const elsewhere = await make.list();
    const news = await newsOf(workspace);
    const [card] = cards;
    const send = (person: typeof stranger, method: "POST" | "PUT", path: string, body: Fields) =>
      as(person).send({ method, url: `/api/v1${path}`, headers: headers(), body: JSON.stringify(body) });
    for (const person of [guest, stranger]) {
      expectError(await send(person, "POST", "/cards", { title: "No", listPublicId: list.publicId }), "FORBIDDEN");
      expectError(await send(person, "PUT", `/cards/${card?.publicId}`, { title: "No" }), "FORBIDDEN");
      expectError(await send(person, "PUT", `/cards/${card?.publicId}`, { index: 0 }), "FORBIDDEN");
    }
    const away = { listPublicId: elsewhere.list.publicId };
    expectError(await send(owner, "PUT", `/cards/${card?.publicId}`, away), "FORBIDDEN");
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    expect(await news()).toEqual([expect.objectContaining({ type: "board.archived" })]);
    expectError(await send(owner, "POST", "/cards", { title: "No", listPublicId: list.publicId }), "BAD_REQUEST");
    expectError(await send(owner, "PUT", `/cards/${card?.publicId}`, { title: "No" }), "BAD_REQUEST");
    expectError(await send(owner, "PUT", `/cards/${card?.publicId}`, { index: 1 }), "BAD_REQUEST");
    expect(await news()).toEqual([]);
  });
});
