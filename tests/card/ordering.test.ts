// Guarantees of order and counts under many hands, and of what a move costs in a long list.
//
// @module-tag slow

import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Board, type Fields, type List, ok, testApp } from "../helpers/app.js";
import { deadlocksIn } from "../helpers/databases.js";
import { storedOn } from "./stored.js";

/** How long the clients of the storm go on; raise it to look harder. */
const STORM_MS = 10_000;
const CLIENTS = 20;

const app = await testApp();
const { as, make, db } = app;
const { titlesIn, listOf, eventsOf, expectSound } = storedOn(app);

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] ?? expect.fail("nothing left");
const chance = (percent: number) => Math.random() * 100 < percent;

/** Random work on cards, which keeps account of those that must be there when it ends. */
function stormOn(owner: Board["owner"], lists: readonly List[]) {
  const alive = new Set<string>();
  const known: string[] = [];
  const numbers: number[] = [];
  const outcomes = new Map<string, number>();

  function made({ status, body }: Answer<{ publicId: string; cardNumber: number }>) {
    if (status !== 200) return;
    alive.add(body.publicId);
    known.push(body.publicId);
    numbers.push(body.cardNumber);
  }
  const create = async () => {
    const index = chance(50) ? Math.floor(Math.random() * 10) : undefined;
    const res = await as(owner).post<{ publicId: string; cardNumber: number }>("/cards", {
      title: "Card",
      listPublicId: pick(lists).publicId,
      index,
    });
    made(res);
    return res;
  };
  const move = () => {
    const index = chance(70) ? Math.floor(Math.random() * 20) : undefined;
    const listPublicId = index === undefined || chance(60) ? pick(lists).publicId : undefined;
    return as(owner).put(`/cards/${pick(known)}`, { index, listPublicId });
  };
  const remove = async () => {
    const publicId = pick(known);
    const res = await as(owner).delete(`/cards/${publicId}`);
    if (res.status === 200) alive.delete(publicId);
    return res;
  };
  const duplicate = async () => {
    const res = await as(owner).post<{ publicId: string; cardNumber: number }>(`/cards/${pick(known)}/duplicate`);
    made(res);
    return res;
  };
  const bulk = () => {
    const cardPublicIds = Array.from({ length: 1 + Math.floor(Math.random() * 10) }, () => pick(known));
    if (chance(70)) return as(owner).post("/cards/bulk/move", { cardPublicIds, listPublicId: pick(lists).publicId });
    return as(owner).post("/cards/bulk/archive", { cardPublicIds: cardPublicIds.slice(0, 2) });
  };
  const actions = [
    { name: "move", share: 45, run: move, allowed: [200, 400, 404] },
    {
      name: "edit",
      share: 10,
      run: () => as(owner).put(`/cards/${pick(known)}`, { title: `${Math.random()}` }),
      allowed: [200, 404],
    },
    { name: "create", share: 10, run: create, allowed: [200] },
    { name: "archive", share: 6, run: () => as(owner).post(`/cards/${pick(known)}/archive`), allowed: [200, 403] },
    { name: "unarchive", share: 12, run: () => as(owner).post(`/cards/${pick(known)}/unarchive`), allowed: [200, 403] },
    { name: "delete", share: 3, run: remove, allowed: [200, 404] },
    { name: "duplicate", share: 4, run: duplicate, allowed: [200, 403] },
    { name: "bulk", share: 10, run: bulk, allowed: [200, 400, 403] },
  ];

  const weighted = actions.flatMap((action) => Array.from({ length: action.share }, () => action));

  async function client(until: number): Promise<void> {
    while (performance.now() < until) {
      const action = pick(weighted);
      const { status, text } = await action.run();
      expect(action.allowed, `${action.name}: ${text}`).toContain(status);
      outcomes.set(`${action.name} ${status}`, (outcomes.get(`${action.name} ${status}`) ?? 0) + 1);
    }
  }
  return { alive, numbers, outcomes, create, client };
}

test("20 clients at once lose no card, double none, and leave every count, place and number right, without a deadlock", {
  timeout: STORM_MS + 60_000,
}, async () => {
  const { owner, workspace, board } = await make.board({ labels: [{ name: "Bug", colourCode: "#112233" }] });
  const { board: other } = await make.board({ workspace });
  const lists: List[] = [];
  for (const on of [board, board, board, other]) lists.push((await make.list({ board: on })).list);
  const { alive, numbers, outcomes, create, client } = stormOn(owner, lists);
  for (let n = 0; n < 40; n += 1) await create();
  const before = await deadlocksIn(db);

  const until = performance.now() + STORM_MS;
  await Promise.all(Array.from({ length: CLIENTS }, () => client(until)));

  expect(await deadlocksIn(db)).toBe(before);
  const stored = await db.rows<{ id: string; list: string; isOpen: boolean }>(sql`
      select c.public_id as id, l.public_id as list, c.position is not null as "isOpen"
      from card c join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
      join workspace w on w.id = c.workspace_id where w.public_id = ${workspace.publicId}::text`);
  expect(stored.map(({ id }) => id).sort()).toEqual([...alive].sort());
  for (const list of lists) {
    const inList = stored.filter((card) => card.isOpen && card.list === list.publicId);
    expect(await titlesIn(list)).toHaveLength(inList.length);
  }
  expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, n) => n + 1));
  await expectSound(workspace);
  expect([...outcomes.keys()], "every kind of work was done").toEqual(
    expect.arrayContaining(["move 200", "create 200", "archive 200", "unarchive 200", "delete 200", "bulk 200"]),
  );
});

describe("a list of 10 000 cards", () => {
  beforeAll(async () => {
    await db.rows(sql`create table written (card_id bigint)`);
    await db.rows(sql`create function note_written() returns trigger language plpgsql as
      'begin insert into written values (new.id); return null; end'`);
    await db.rows(sql`create trigger note_written after update on card for each row execute function note_written()`);
  });

  async function writtenBy(run: () => Promise<unknown>): Promise<number> {
    await db.rows(sql`truncate written`);
    await run();
    const [row] = await db.rows<{ rows: number }>(sql`select count(*) as rows from written`);
    return row?.rows ?? 0;
  }

  async function longList() {
    const { owner, workspace, board, list, cards } = await listOf(["first", "last"]);
    await db.rows(
      sql`update card set position = 10001 * 4294967296 where public_id = ${cards[1]?.publicId ?? ""}::text`,
    );
    await db.rows(sql`
      insert into card (workspace_id, id, public_id, board_id, list_id, position, card_number, title)
      select l.workspace_id, -n, left(l.public_id, 5) || 'L0' || lpad(n::text, 5, '0'), l.board_id, l.id,
        n * 4294967296, 100 + n, n::text
      from list l, generate_series(1, 10000) n where l.public_id = ${list.publicId}::text`);
    await db.rows(sql`update list set open_cards = 10002 where public_id = ${list.publicId}::text`);
    const stored = () =>
      db.rows<{ title: string; position: number }>(sql`
        select c.title, c.position from card c join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
        where l.public_id = ${list.publicId}::text and c.position is not null order by c.position`);
    const order = async () => (await stored()).map(({ title }) => title);
    const [card] = cards;
    const move = async (body: Fields) => ok(await as(owner).put(`/cards/${card?.publicId}`, body));
    return { workspace, board, list, stored, order, move };
  }

  test("a move writes one row, wherever it goes", async () => {
    const { workspace, board, list, order, move } = await longList();
    const { list: other } = await listOf(["x"], { board });
    const wanted = await order();

    for (const index of [5000, 0, 10_001, 1, 9_999]) {
      expect(await writtenBy(() => move({ index }))).toBe(1);
      wanted.splice(wanted.indexOf("first"), 1);
      wanted.splice(index, 0, "first");
      expect(await order()).toEqual(wanted);
    }
    expect(await writtenBy(() => move({ index: 9_999 }))).toBe(0);
    expect(await writtenBy(() => move({ listPublicId: other.publicId, index: 0 }))).toBe(1);
    expect(await writtenBy(() => move({ listPublicId: list.publicId, index: 7_777 }))).toBe(1);
    expect((await order())[7_777]).toBe("first");
    const [counts] = await db.rows(sql`select open_cards from list where public_id = ${list.publicId}::text`);
    expect(counts).toEqual({ open_cards: 10_002 });
    expect((await eventsOf(workspace)).map(({ seq }) => seq)).toEqual(
      (await eventsOf(workspace)).map((_, offset) => offset + 1),
    );
  });

  test("a gap that is used up is made again once, keeping the order; the next move writes one row", async () => {
    const { list, stored, order, move } = await longList();
    const wanted = await order();
    const lower = (await stored())[5000];
    await db.rows(sql`
      update card set position = ${(lower?.position ?? 0) + 1}::bigint
      where title = '5001' and list_id = (select id from list where public_id = ${list.publicId}::text)`);

    expect(await writtenBy(() => move({ index: 5000, title: "moved" }))).toBeGreaterThan(10_000);
    wanted.shift();
    wanted.splice(5000, 0, "moved");
    expect(await order()).toEqual(wanted);
    expect(await writtenBy(() => move({ index: 4_999 }))).toBe(1);
    expect(await writtenBy(() => move({ index: 5000 }))).toBe(1);
    expect(await order()).toEqual(wanted);
  });
});

test("cards created 80 times at one same place, and 40 times at the start, stand in the order that asks for", async () => {
  const { owner, workspace, list } = await listOf(["a", "b", "c"]);
  const model = ["a", "b", "c"];
  for (let n = 0; n < 120; n += 1) {
    const index = n < 80 ? 1 : 0;
    ok(await as(owner).post("/cards", { title: `${n}`, listPublicId: list.publicId, index }));
    model.splice(index, 0, `${n}`);
  }
  expect(await titlesIn(list)).toEqual(model);
  await expectSound(workspace);
});
