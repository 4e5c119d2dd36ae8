// Reading a board costs what changed: how many rows are read, what is sent, and what is kept.

import { gunzipSync, inflateRawSync } from "node:zlib";
import type { SQL } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import type { Database } from "../../src/db/client.js";
import type { Selection } from "../../src/db/selections.js";
import { compile } from "../../src/db/statements.js";
import { appOn, type Board, type Card, ok, type Person, type TestApp, testApp } from "../helpers/app.js";

function countingRows(db: Database) {
  let count = 0;
  const read = async <Row>(selection: Selection<Row>, statement: SQL) => {
    const found = await db.read(selection, statement);
    if (compile(statement).text.includes('"isSeen"')) count += found.length;
    return found;
  };
  const during = async (run: () => Promise<unknown>) => {
    const before = count;
    await run();
    return count - before;
  };
  const counted: Database = Object.assign(Object.create(db), { read });
  return { counted, during };
}

const { db } = await testApp();
const { counted, during } = countingRows(db);
const app = await appOn(counted, {});
/** Another process, which is asked for the first time. */
const other = () => app.another({});
const { as, make } = app;

const LISTS = 3;
const CARDS = 10;
/** Whether the board changed, and then the head of what did. */
const UNCHANGED_ROWS = 1;
const HEAD_ROWS = UNCHANGED_ROWS + 1;
/** A board that is not kept: its head and its cards. */
const WHOLE_ROWS = 1 + LISTS * CARDS;

async function filledBoard(fields: { visibility?: "public" } = {}) {
  const { owner, workspace, board } = await make.board(fields);
  const { label } = await make.label({ board });
  const member = await make.member(board, "member");
  const cards: Card[] = [];
  for (let list = 0; list < LISTS; list += 1) {
    const { list: made } = await make.list({ board });
    for (let n = 0; n < CARDS; n += 1) {
      const shown = { labelPublicIds: [label.publicId], memberPublicIds: [member.memberPublicId] };
      cards.push(
        (await make.card({ list: made, title: `Card ${n} "index":0,"labels":[]`, ...(n === 0 && shown) })).card,
      );
    }
  }
  const [first, last] = [cards[0], cards.at(-1)];
  if (first === undefined || last === undefined) throw new Error("A board without a card");
  return { owner, workspace, board, label, member, first, last };
}

const pathOf = ({ publicId }: Board) => `/boards/${publicId}`;

const read = async ({ as }: Pick<TestApp, "as">, board: Board, person: Person = board.owner) => {
  const answer = await as(person).get(pathOf(board));
  ok(answer);
  return answer;
};

/** The answer after a change is the one that another process gives. */
async function expectFresh(board: Board) {
  const [warm, cold] = [await read(app, board), await read(await other(), board)];
  expect(warm.text).toBe(cold.text);
  expect(warm.headers.etag).toBe(cold.headers.etag);
}

describe("after a change of a board that is kept", () => {
  test("the cards that changed alone are read", async () => {
    const { owner, board, label, first, last } = await filledBoard();
    const call = as(owner);
    const changes: [number, () => Promise<{ status: number }>][] = [
      [1, () => call.put(`/cards/${first.publicId}`, { title: "Renamed" })],
      [1, () => call.put(`/cards/${first.publicId}`, { index: CARDS })],
      [0, () => call.post(`/cards/${last.publicId}/archive`)],
      [1, () => call.post(`/cards/${last.publicId}/unarchive`)],
      [1, () => call.put(`/cards/${last.publicId}/labels/${label.publicId}`)],
      [0, () => call.put(pathOf(board), { name: "Renamed" })],
    ];
    expect(await during(() => read(app, board))).toBe(WHOLE_ROWS);
    expect(await during(() => read(app, board))).toBe(UNCHANGED_ROWS);
    for (const [cards, change] of changes) {
      expect((await change()).status).toBe(200);
      expect([change.toString(), await during(() => read(app, board))]).toEqual([change.toString(), HEAD_ROWS + cards]);
      await expectFresh(board);
    }
  });

  test("the new name of a label or a person is shown on every card without reading any", async () => {
    const { owner, board, label, member } = await filledBoard();
    await read(app, board);
    ok(await as(owner).put(`/labels/${label.publicId}`, { name: "A label of another length" }));
    expect(await during(() => read(app, board))).toBe(HEAD_ROWS);
    ok(await as(member).put("/users/me", { name: "Somebody with another name" }));
    expect(await during(() => read(app, board))).toBe(HEAD_ROWS);
    const { text } = await read(app, board);
    expect(text.split("A label of another length")).toHaveLength(1 + 1 + LISTS);
    expect(text.split("Somebody with another name")).toHaveLength(1 + 1 + LISTS);
    await expectFresh(board);
  });

  test("a public board is read the same way by strangers", async () => {
    const { owner, board, first } = await filledBoard({ visibility: "public" });
    const get = () => app.anonymous.get(`/public${pathOf(board)}`);
    await get();
    expect(await during(get)).toBe(UNCHANGED_ROWS);
    ok(await as(owner).put(`/cards/${first.publicId}`, { title: "Renamed" }));
    expect(await during(get)).toBe(HEAD_ROWS + 1);
    expect((await get()).text).toBe((await (await other()).anonymous.get(`/public${pathOf(board)}`)).text);
  });

  test("readers of one moment, and of changes under way, are each answered a state that was", async () => {
    const { owner, board, first, last } = await filledBoard();
    const bodies = new Map<unknown, Set<string>>();
    const reading = async () => {
      const { headers, text } = await read(app, board);
      bodies.set(headers.etag, (bodies.get(headers.etag) ?? new Set()).add(text));
    };
    const writing = async (card: Card, n: number) => {
      ok(await as(owner).put(`/cards/${card.publicId}`, { title: `Title ${n}`, index: n }));
      const { text } = await read(app, board);
      expect(text).toContain(`"title":"Title ${n}"`);
    };
    for (let n = 0; n < CARDS; n += 1) {
      await Promise.all([reading(), writing(n % 2 === 0 ? first : last, n), reading(), reading()]);
    }
    expect([...bodies.values()].map(({ size }) => size)).toEqual([...bodies.keys()].map(() => 1));
    await expectFresh(board);
  });
});

describe("a board that is not kept", () => {
  test("is read whole by one of its readers, however many wait, and each is authorised", async () => {
    const { owner, board, member } = await filledBoard();
    ok(await as(owner).put(pathOf(board), { visibility: "private" }));
    const outsider = await make.member(board.workspace, "member");
    const cold = await other();
    const answers: number[] = [];
    const rows = await during(() =>
      Promise.all(
        [outsider, owner, member, outsider, member, owner].map(async (person, place) => {
          answers[place] = (await cold.as(person).get(pathOf(board))).status;
        }),
      ),
    );
    expect(answers).toEqual([403, 200, 200, 403, 200, 200]);
    expect(rows).toBe(WHOLE_ROWS + (answers.length - 1) * UNCHANGED_ROWS);
  });

  test("is read whole by one of the strangers who wait, if it is public", async () => {
    const { board } = await filledBoard({ visibility: "public" });
    const cold = await other();
    const get = () => cold.anonymous.get(`/public${pathOf(board)}`);
    const readers = [get, get, get, get];
    const rows = await during(() => Promise.all(readers.map((read) => read().then(ok))));
    expect(rows).toBe(WHOLE_ROWS + (readers.length - 1) * UNCHANGED_ROWS);
  });

  test("is answered as one state, its own fields and its cards, whoever read it", async () => {
    const { owner, workspace, board, member, first } = await filledBoard();
    const outsider = await make.member(workspace, "member");
    const uncached = await appOn(counted, {}, { limits: { cachedBoardsBytes: 0 } });
    let isOver = false;
    // A board that becomes private loses, by the same change, the assignees who are not on it.
    const change = async () => {
      for (let n = 0; n < 10; n += 1) {
        ok(await as(owner).put(`/cards/${first.publicId}/members/${outsider.memberPublicId}`));
        ok(await as(owner).put(pathOf(board), { visibility: "private" }));
        ok(await as(owner).put(pathOf(board), { visibility: "workspace" }));
      }
      isOver = true;
    };
    const seen = new Set<string>();
    const watch = async (person: Person, app: TestApp, query: string) => {
      while (!isOver) {
        const { text } = await app.as(person).get(pathOf(board) + query);
        seen.add(`${/"visibility":"(\w+)"/.exec(text)?.[1]} ${text.includes(outsider.memberPublicId)}`);
      }
    };
    const watchers = [owner, member].flatMap((person) =>
      [app, uncached].flatMap((process) => ["", "?search=card"].map((query) => watch(person, process, query))),
    );
    await Promise.all([change(), ...watchers]);
    expect([...seen].sort()).toEqual(["private false", "workspace false", "workspace true"]);
  });
});

test("a filter is applied to the board that is kept: no card is read for it that is there", async () => {
  const { owner, board, first } = await filledBoard();
  const filtered = async () =>
    ok(await as(owner).get<{ lists: { cards: unknown[] }[] }>(`${pathOf(board)}?search=card`));
  const cards = async () => (await filtered()).lists.flatMap((list) => list.cards).length;
  expect(await during(filtered)).toBe(WHOLE_ROWS);
  expect(await cards()).toBe(LISTS * CARDS);
  expect(await during(filtered)).toBe(UNCHANGED_ROWS);
  expect(await during(() => read(app, board))).toBe(UNCHANGED_ROWS);
  ok(await as(owner).put(`/cards/${first.publicId}`, { title: "Renamed" }));
  expect(await during(filtered)).toBe(UNCHANGED_ROWS + 1);
  expect(await cards()).toBe(LISTS * CARDS - 1);
});

describe("a board that was put together", () => {
  test("is one member of gzip that holds the plain body", async () => {
    const { owner, board, first } = await filledBoard();
    for (const title of ["Before", "After"]) {
      ok(await as(owner).put(`/cards/${first.publicId}`, { title }));
      const plain = await read(app, board);
      const { rawPayload, headers } = await app.app.inject({
        url: `/api/v1${pathOf(board)}`,
        headers: { authorization: `Bearer ${owner.token}`, "accept-encoding": "gzip" },
      });
      expect(headers["content-encoding"]).toBe("gzip");
      expect(gunzipSync(rawPayload).toString()).toBe(plain.text);
      // Ten bytes of header, one stream of blocks up to the last, and eight bytes of checksum and length.
      expect(inflateRawSync(rawPayload.subarray(10, -8)).toString()).toBe(plain.text);
    }
  });

  test("is sent over tRPC as the bytes of REST, alone and in a batch with others", async () => {
    const { owner, board, first } = await filledBoard();
    await read(app, board);
    ok(await as(owner).put(`/cards/${first.publicId}`, { title: "Renamed ü" }));
    const { text } = await read(app, board);
    const result = `{"result":{"data":${text}}}`;
    const { boardPublicId, unknown } = { boardPublicId: board.publicId, unknown: "AAAAAAAAAAAA" };
    const get = async (url: string, input: unknown) => {
      const query = `input=${encodeURIComponent(JSON.stringify(input))}`;
      const answer = await as(owner).send({ method: "GET", url: `/trpc/${url}${query}` });
      expect(answer.headers["content-length"]).toBe(String(Buffer.byteLength(answer.text)));
      return answer;
    };
    expect((await get("board.get?", { boardPublicId })).text).toBe(result);
    expect((await get("board.get?batch=1&", { 0: { boardPublicId } })).text).toBe(`[${result}]`);
    const inputs = { 0: { boardPublicId }, 1: { boardPublicId: unknown }, 3: { boardPublicId } };
    const mixed = await get("board.get,board.get,user.me,board.get?batch=1&", inputs);
    const failed = expect.objectContaining({ message: expect.any(String) });
    const me = expect.objectContaining({ publicId: owner.publicId });
    const data = JSON.parse(text);
    expect([mixed.status, mixed.body]).toEqual([
      207,
      [{ result: { data } }, { error: failed }, { result: { data: me } }, { result: { data } }],
    ]);
  });

  test("has a tag that another process knows, also after changes", async () => {
    const { owner, board, first } = await filledBoard();
    await read(app, board);
    ok(await as(owner).put(`/cards/${first.publicId}`, { title: "Renamed" }));
    const etag = String((await read(app, board)).headers.etag);
    const again = await (await other())
      .as(owner)
      .send({ method: "GET", url: `/api/v1${pathOf(board)}`, headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });
});

test("kept boards stay within their memory: the one that was asked for least recently goes", {
  tags: ["slow"],
}, async () => {
  const boards = [await filledBoard(), await filledBoard(), await filledBoard()].map(({ board }) => board);
  const [a, b, c] = boards;
  if (a === undefined || b === undefined || c === undefined) throw new Error("Three boards were made");
  const bodyBytes = Buffer.byteLength((await read(app, a)).text);
  // A board takes what its lists are, as much again for their compressed form, and something for each card.
  const small = await appOn(counted, {}, { limits: { cachedBoardsBytes: 6 * bodyBytes } });
  const isKept = async (board: Board) => (await during(() => read(small, board))) === UNCHANGED_ROWS;
  expect(await isKept(a)).toBe(false);
  expect(await isKept(b)).toBe(false);
  expect(await isKept(a)).toBe(true);
  expect(await isKept(c)).toBe(false);
  expect(await isKept(a)).toBe(true);
  expect(await isKept(b)).toBe(false);
});
