// Joining a board and its stream (clients section 1): from a snapshot, past the end of the log, and to the last event of an operation.

import { describe, expect, test } from "vitest";
import { type Board, ok, testApp } from "../helpers/app.js";
import { read } from "../helpers/streams.js";

const { as, make, listening } = await testApp();
const url = await listening();

const follow = ({ publicId, owner }: Board, query = "", lastEventId?: string) =>
  read(`${url}/api/v1/boards/${publicId}/stream${query}`, owner.token, lastEventId);

describe("a stream with a snapshot", () => {
  test("begins with the board and its number, before any other id, and goes on behind it", async () => {
    const { board, list } = await make.list();
    const reading = await follow(board, "?snapshot=true");
    await reading.until(() => reading.messages.some(({ event }) => event === "snapshot"));
    const { body } = await as(board.owner).get<{ eventId: number }>(`/boards/${board.publicId}`);
    const first = reading.messages.find(({ id }) => id !== undefined);
    expect(first).toEqual({ event: "snapshot", id: String(body.eventId), data: expect.any(String) });
    expect(JSON.parse(first?.data ?? "")).toEqual(body);
    ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "Behind" }));
    await reading.until(() => reading.items().length === 1);
    expect(reading.items()[0]?.id).toBe(body.eventId + 1);
    reading.leave();
  });

  test("that resumes has one only after a reset, which has no id of its own", async () => {
    const { board, list } = await make.list();
    const opened = await follow(board);
    await opened.until(() => opened.messages.length > 0);
    opened.leave();
    ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "Missed" }));
    const resumed = await follow(board, "?snapshot=true", opened.lastId());
    await resumed.until(() => resumed.items().length === 1);
    expect(resumed.messages.some(({ event }) => event === "snapshot")).toBe(false);
    resumed.leave();

    const beyond = await follow(board, "?snapshot=true", "999999");
    await beyond.until(() => beyond.messages.some(({ event }) => event === "snapshot"));
    const [reset, snapshot] = beyond.messages.filter(({ event }) => event !== undefined);
    expect(reset).toEqual({ event: "reset", data: "{}" });
    expect(snapshot?.event).toBe("snapshot");
    beyond.leave();
  });

  test("is refused to who does not see the board", async () => {
    const { board } = await make.board();
    const { token } = await make.user();
    const refused = await read(`${url}/api/v1/boards/${board.publicId}/stream?snapshot=true`, token);
    expect(await refused.body()).toMatchObject({ code: "FORBIDDEN" });
  });

  test("over tRPC has the board as its first item, with an id, also beyond the end of the log", async () => {
    const { board } = await make.board();
    const input = encodeURIComponent(JSON.stringify({ boardPublicId: board.publicId, snapshot: true }));
    for (const lastEventId of [undefined, "999999"]) {
      const reading = await read(`${url}/trpc/board.stream?input=${input}`, board.owner.token, lastEventId);
      await reading.until(() => reading.items().length > 0);
      const { body } = await as(board.owner).get<{ eventId: number }>(`/boards/${board.publicId}`);
      expect(reading.messages[0]).toEqual({ event: "connected", data: "{}" });
      expect(reading.messages[1]).toMatchObject({ id: String(body.eventId) });
      expect(reading.items<object>()).toEqual([{ type: "snapshot", board: body }]);
      reading.leave();
    }
  });
});

describe("a position beyond the end of the log", () => {
  test("is answered by a reset, and the stream goes on from the end", async () => {
    const { board, list } = await make.list();
    const reading = await follow(board, "", "999999");
    ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "New" }));
    await reading.until(() => reading.items().length === 1);
    const { id } = reading.items()[0] ?? { id: 0 };
    expect(reading.messages.find(({ event }) => event === "reset")).toEqual({
      event: "reset",
      id: String(id - 1),
      data: "{}",
    });
    reading.leave();
  });

  test("over tRPC is PRECONDITION_FAILED", async () => {
    const { board } = await make.board();
    const input = encodeURIComponent(JSON.stringify({ boardPublicId: board.publicId }));
    const reading = await read(`${url}/trpc/board.stream?input=${input}`, board.owner.token, "999999");
    await reading.ended;
    expect(reading.messages.at(-1)?.data).toContain("PRECONDITION_FAILED");
  });
});

interface Marked {
  operationPublicId: string;
  isLast?: boolean;
}

function marksOf(events: readonly Marked[]): boolean[][] {
  const marks = new Map<string, boolean[]>();
  for (const { operationPublicId, isLast } of events) {
    marks.set(operationPublicId, [...(marks.get(operationPublicId) ?? []), isLast === true]);
  }
  return [...marks.values()];
}

describe("the last event of an operation is marked", () => {
  /** Archives several cards at once and moves one: an operation of three events, and one of one. */
  async function act(board: Board, listPublicId: string) {
    const ids: string[] = [];
    for (const title of ["a", "b", "c", "d"]) {
      ids.push(ok(await as(board.owner).post<{ publicId: string }>("/cards", { listPublicId, title })).publicId);
    }
    ok(await as(board.owner).post("/cards/bulk/archive", { cardPublicIds: ids.slice(0, 3) }));
    ok(await as(board.owner).put(`/cards/${ids[3]}`, { title: "e" }));
  }
  const EXPECTED = [[true], [true], [true], [true], [false, false, true], [true]];

  test("as it happens and when it is read later", async () => {
    const { board, list } = await make.list();
    const live = await follow(board);
    await live.until(() => live.messages.length > 0);
    const start = live.lastId();
    await act(board, list.publicId);
    await live.until(() => live.items().length === 8);
    expect(marksOf(live.items<Marked>())).toEqual(EXPECTED);
    const later = await follow(board, "", start);
    await later.until(() => later.items().length === 8);
    expect(later.items()).toEqual(live.items());
    live.leave();
    later.leave();
  });

  test("of those that the stream delivers, across pages of the log", async () => {
    const { board, list, workspace } = await make.list();
    const start = await follow(board);
    await start.until(() => start.messages.length > 0);
    start.leave();
    const rows = Array.from({ length: 230 }, (_, row) => [`Card ${row}`, list.name]);
    const wanted = { workspacePublicId: workspace.publicId, boardPublicId: board.publicId, boardName: "-" };
    const live = await follow(board);
    ok(await as(board.owner).post("/imports/csv/boards", { ...wanted, rows, mapping: { title: 0, list: 1 } }));
    const later = await follow(board, "", start.lastId());
    for (const reading of [live, later]) {
      await reading.until(() => reading.items<Marked>().some(({ isLast }) => isLast === true));
      const marks = marksOf(reading.items<Marked>()).flat();
      expect(marks).toEqual([...Array(marks.length - 1).fill(false), true]);
      expect(marks.length).toBeGreaterThanOrEqual(230);
      reading.leave();
    }
  });

  test("a card moved to another board: each board's stream marks its own event", async () => {
    const { board, card, workspace } = await make.card();
    const other = await make.list({ board: (await make.board({ workspace })).board });
    const readings = [await follow(board), await follow(other.board)];
    ok(await as(board.owner).put(`/cards/${card.publicId}`, { listPublicId: other.list.publicId }));
    for (const reading of readings) {
      await reading.until(() => reading.items().length > 0);
      expect(marksOf(reading.items<Marked>())).toEqual([[true]]);
      reading.leave();
    }
  });
});
