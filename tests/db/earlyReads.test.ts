// What becomes of a guard's row that was read before the turn of its change: it stands, or it is read again.

import { expect, test } from "vitest";
import { EarlyReads, Invalidation, oneRow } from "../../src/db/earlyReads.js";
import { board, card, cardLabel, list, workspace } from "../../src/db/schema/index.js";
import { deletion, inserts, update, updates, type Write } from "../../src/db/typedWrites.js";

const ROW = { workspaceId: 1, cardId: 7, listId: 5, openCards: 3 };
const TEXT = `select … from "card" cross join "list" cross join "board"`;
const fields = { workspaceId: workspace.id, cardId: card.id, listId: card.listId, openCards: list.openCards };
const rules = [oneRow(fields, card), oneRow(fields, list, { by: card.listId, displayed: [list.openCards] })];
const READ = { text: TEXT, params: [7], invalidation: Invalidation.of(TEXT, rules) };

const cardKey = { workspaceId: 1, id: 7 };
const listKey = { workspaceId: 1, id: 5 };
const values = { publicId: "a", boardId: 2, title: "A", cardNumber: 1, createdBy: 1, revision: 1 };

/** The row that is left after a write; null if it has to be read again. */
async function after(...writes: (Write | null)[]): Promise<unknown> {
  const reads = new EarlyReads();
  reads.add(READ, async () => [ROW]);
  for (const write of writes) reads.noteWrite(write);
  const rows = await reads.take(TEXT, [7]);
  return rows === undefined ? expect.fail() : (rows?.[0] ?? null);
}

test("a row stands while nothing is written that it shows", async () => {
  expect(await after()).toEqual(ROW);
  expect(await after(update(card, { ...cardKey, id: 8 }, { title: "Another" }))).toEqual(ROW);
  expect(await after(...inserts(card, [{ id: 9, workspaceId: 1, ...values }]))).toEqual(ROW);
  expect(await after(update(list, { ...listKey, id: 6 }, { name: "Another" }))).toEqual(ROW);
  expect(await after(deletion(cardLabel, { workspaceId: 1, cardId: 7 }))).toEqual(ROW);
});

test("a column that the row only shows is taken over from a write", async () => {
  expect(await after(update(list, listKey, { openCards: 4 }))).toEqual({ ...ROW, openCards: 4 });
  const twice = [update(list, listKey, { openCards: 4 }), update(list, listKey, { openCards: 5 })];
  expect(await after(...twice)).toEqual({ ...ROW, openCards: 5 });
});

test.each<[string, Write | null]>([
  ["another column of it", update(card, cardKey, { title: "B" })],
  ["a column that it is joined by", update(list, listKey, { openCards: 4, boardId: 3 })],
  ["some rows of its tables", deletion(list, { workspaceId: 1, boardId: 2 })],
  ["many rows of its tables", updates(card, 1, [{ id: 7, title: "B" }])[0] ?? null],
  ["a table that it names and has no rule for", update(board, { workspaceId: 1, id: 2 }, { name: "B" })],
  ["something of which nothing is known", null],
])("a row is read again after a write to %s", async (_, write) => {
  expect(await after(write)).toBeNull();
});

test("a statement that several changes begin with is sent once, and answers each", async () => {
  const reads = new EarlyReads();
  let sent = 0;
  const send = async () => {
    sent += 1;
    return [ROW];
  };
  reads.add(READ, send);
  reads.add(READ, send);
  expect(sent).toBe(1);
  expect(await reads.take(TEXT, [7])).toEqual([ROW]);
  expect(await reads.take(TEXT, [7])).toEqual([ROW]);
  expect(reads.take(TEXT, [7])).toBeUndefined();
});
