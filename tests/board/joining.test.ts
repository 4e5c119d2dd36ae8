// @module-tag slow
// Joining a board while others write (clients section 1): whichever position of the log a reader meets, the board that it has in the
// end is the board of the service.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { applyEvent, type BoardState, boardState } from "../../packages/client/src/board/index.js";
import type { Event, Snapshot } from "../../packages/client/src/board/things.js";
import { compared } from "../events/replay/snapshots.js";
import { type Board, ok, type Person, testApp } from "../helpers/app.js";
import { type Reading, read } from "../helpers/streams.js";

const { as, make, listening } = await testApp();
const url = await listening();

const ROUNDS = 10;
/** In each round, as many as the streams of one person. */
const JOINS = 10;
/** Of one writer: with the others, 50 moves a second. */
const PAUSE_MS = 60;
const WAIT = { timeout: 60_000, interval: 5 };

const joined: Reading[] = [];
afterAll(() => {
  for (const reading of joined) reading.leave();
});

const pathOf = ({ publicId }: Board) => `/boards/${publicId}`;
const streamOf = (board: Board) => `${url}/api/v1${pathOf(board)}/stream`;

/** A reader that has joined: where it began, and its board by now. */
interface Joined {
  reading: Reading;
  start: number;
  /** The board after the events that have arrived, and the number of the last one. */
  now(): { board: BoardState; eventId: number };
}

function joinedAt(snapshot: Snapshot, reading: Reading): Joined {
  joined.push(reading);
  const now = () => {
    const events = reading.items<Event>().filter(({ id }) => id > snapshot.eventId);
    return {
      board: events.reduce(applyEvent, boardState(snapshot)),
      eventId: events.at(-1)?.id ?? snapshot.eventId,
    };
  };
  return { reading, start: snapshot.eventId, now };
}

/** Reads a board, then follows it from there. */
async function readThenFollow(board: Board, { token }: Person): Promise<Joined> {
  const snapshot = ok(await as({ token }).get<Snapshot>(pathOf(board)));
  return joinedAt(snapshot, await read(streamOf(board), token, String(snapshot.eventId)));
}

/** Follows a board from the snapshot with which its stream begins. */
async function joinBySnapshot(board: Board, { token }: Person): Promise<Joined> {
  const reading = await read(`${streamOf(board)}?snapshot=true`, token);
  const message = () => reading.messages.find(({ event }) => event === "snapshot");
  await reading.until(() => message() !== undefined);
  return joinedAt(JSON.parse(message()?.data ?? ""), reading);
}

/** Three people who move cards of a board about, until they are told to stop. */
function writing({ lists, cards, people }: Awaited<ReturnType<typeof scene>>) {
  let isOver = false;
  let answered = 0;
  const writers = people.map(async (person, nth) => {
    for (let turn = nth; !isOver; turn += 7) {
      const place = { listPublicId: lists[turn % lists.length]?.publicId, index: turn % 5 };
      const moving = as(person).put(`/cards/${cards[turn % cards.length]}`, place);
      const [moved] = await Promise.all([moving, sleep(PAUSE_MS)]);
      ok(moved);
      answered = Math.max(answered, Number(moved.headers["event-id"] ?? 0));
    }
  });
  return {
    /** Resolves when a move behind a position has been answered. */
    moveBehind: (position: number) =>
      Promise.race([vi.waitFor(() => expect(answered).toBeGreaterThan(position), WAIT), Promise.all(writers)]),
    async stop() {
      isOver = true;
      await Promise.all(writers);
    },
  };
}

async function scene() {
  const { board, list, workspace } = await make.list();
  const lists = [list, (await make.list({ board })).list, (await make.list({ board })).list];
  const cards: string[] = [];
  for (let n = 0; n < 31; n += 1) {
    const place = { listPublicId: lists[n % 3]?.publicId ?? "", title: `Card ${n}` };
    cards.push(ok(await as(board.owner).post<{ publicId: string }>("/cards", place)).publicId);
  }
  const people = [board.owner, await make.member(workspace, "member"), await make.member(workspace, "member")];
  return { board, lists, cards, people };
}

test.each([
  ["reads and then follows", readThenFollow],
  ["follows from a snapshot", joinBySnapshot],
])("a reader that %s has the board, whatever the others move meanwhile", { timeout: 300_000 }, async (_how, join) => {
  const place = await scene();
  const { board } = place;
  const starts = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const writers = writing(place);
    const readers: Joined[] = [];
    for (let n = 0; n < JOINS; n += 1) {
      // Each reader meets another position.
      await writers.moveBehind(readers.at(-1)?.start ?? 0);
      readers.push(await join(board, board.owner));
    }
    await writers.stop();
    const end = ok(await as(board.owner).get<Snapshot>(pathOf(board)));
    for (const { reading, start, now } of readers) {
      await vi.waitFor(() => expect(now().eventId).toBe(end.eventId), WAIT);
      expect(compared(now().board)).toEqual(compared(boardState(end)));
      starts.add(start);
      reading.leave();
    }
  }
  expect(starts.size).toBe(ROUNDS * JOINS);
});

test("a snapshot of a board that was not read before comes like the board itself, and waits for no import", async () => {
  const { board, owner, workspace } = await make.board();
  const others = await Promise.all([make.user(), make.user()]);
  let isOver = false;
  // While others wait for the database, an import does.
  const busy = others.flatMap((person) =>
    Array.from({ length: 30 }, async () => {
      while (!isOver) ok(await as(person).get("/workspaces"));
    }),
  );
  await sleep(200);
  const cards = { rows: [["Card"]], mapping: { title: 0 } };
  const wanted = { workspacePublicId: workspace.publicId, boardName: "Imported", ...cards };
  const importing = as(owner).post("/imports/csv/boards", wanted);
  const first = await Promise.race([joinBySnapshot(board, owner), importing]);
  isOver = true;
  await Promise.all(busy);
  ok(await importing);
  expect(first).toHaveProperty("reading");
});
