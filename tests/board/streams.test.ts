// A board's stream over REST, on the listening application: what arrives, who is let in, and when it ends.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Board, ok, type Person, testApp } from "../helpers/app.js";
import { logOn } from "../helpers/logging.js";
import { type Reading, read, type StreamedEvent } from "../helpers/streams.js";

const { as, make, db, listening, another } = await testApp();
const url = await listening();

const addressOf = (board: { publicId: string }, base = url) => `${base}/api/v1/boards/${board.publicId}/stream`;

const follow = (board: { publicId: string }, person: { token: string }, lastEventId?: string) =>
  read(addressOf(board), person.token, lastEventId);

async function change(board: Board, listPublicId: string, title: string) {
  ok(await as(board.owner).post("/cards", { listPublicId, title }));
}

const titles = (reading: Reading) =>
  reading.items<{ data: { card?: { title: string } } }>().flatMap(({ data }) => data.card?.title ?? []);

describe("what arrives", () => {
  test("events of the board and no others, in order, each under its id", async () => {
    const { list, board, workspace } = await make.list();
    const other = await make.list({ board: (await make.board({ workspace })).board });
    const reading = await follow(board, board.owner);
    await change(board, list.publicId, "one");
    await change(other.board, other.list.publicId, "elsewhere");
    ok(await as(board.owner).put(`/workspaces/${workspace.publicId}`, { name: "Renamed" }));
    await change(board, list.publicId, "two");
    await reading.until(() => reading.items().length === 2);
    expect(titles(reading)).toEqual(["one", "two"]);
    expect(reading.messages.filter(({ data }) => data).map(({ id }) => id)).toEqual(
      reading.items().map(({ id }) => String(id)),
    );
    const { items } = ok(
      await as(board.owner).get<{ items: object[] }>(
        `/workspaces/${workspace.publicId}/events?boardPublicId=${board.publicId}`,
      ),
    );
    expect(reading.items()).toEqual(items.slice(-2).map((item) => ({ ...item, isLast: true })));
  });

  test("first an id without data, which resumes without loss before any event came", async () => {
    const { list, board } = await make.list();
    const reading = await follow(board, board.owner);
    await reading.until(() => reading.messages.length > 0);
    expect(reading.messages).toEqual([{ id: expect.stringMatching(/^\d+$/) }]);
    reading.leave();
    await change(board, list.publicId, "missed");
    const resumed = await follow(board, board.owner, reading.lastId());
    await resumed.until(() => resumed.items().length === 1);
    expect(titles(resumed)).toEqual(["missed"]);
  });

  test("what was missed, over several pages, then what comes, nothing lost and nothing twice", async () => {
    const { list, board } = await make.list();
    const first = await follow(board, board.owner);
    await first.until(() => first.messages.length > 0);
    first.leave();
    for (let n = 0; n < 23; n += 1) {
      await Promise.all(Array.from({ length: 10 }, (_, index) => change(board, list.publicId, `missed ${n} ${index}`)));
    }
    const resumed = await follow(board, board.owner, first.lastId());
    await change(board, list.publicId, "new");
    await resumed.until(() => titles(resumed).includes("new"));
    const ids = resumed.items().map(({ id }) => id);
    expect(ids).toHaveLength(231);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  test("a burst of 2000 events, to a reader that takes none meanwhile, all of them in order", {
    tags: ["slow"],
  }, async () => {
    const { list, board } = await make.list();
    const response = await fetch(addressOf(board), { headers: { authorization: `Bearer ${board.owner.token}` } });
    const filler = "x".repeat(10_000);
    await logOn(
      db,
      board,
      Array.from({ length: 2000 }, (_, n) => ({ n, filler })),
    );
    await sleep(1500);
    await change(board, list.publicId, "behind it all");
    const numbers: number[] = [];
    let rest = "";
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      const items = blocks.flatMap((block) => /^data: (.*)$/m.exec(block)?.[1] ?? []);
      numbers.push(...items.map((item) => JSON.parse(item).data.n ?? -1));
      if (numbers.at(-1) === -1) break;
    }
    expect(numbers).toEqual([...Array.from({ length: 2000 }, (_, n) => n), -1]);
  });

  test("changes of people and tags on the board alone, to a guest too, without addresses, as they are listed", async () => {
    const { board, workspace, owner } = await make.board();
    const guest = await make.member(board, "guest");
    const [leaving, elsewhere] = [await make.member(board, "member"), await make.member(workspace, "member")];
    const [tag, other] = [(await make.tag({ workspace })).tag, (await make.tag({ workspace })).tag];
    ok(await as(owner).put(`/boards/${board.publicId}/tags/${tag.publicId}`));
    const reading = await follow(board, guest);
    for (const { publicId } of [tag, other]) {
      const path = `/workspaces/${workspace.publicId}/tags/${publicId}`;
      ok(await as(owner).put(path, { name: `New ${publicId}` }));
      ok(await as(owner).delete(path));
    }
    for (const person of [leaving, elsewhere]) {
      ok(await as(person).put("/users/me", { name: "Renamed" }));
      ok(await as(owner).delete(`/workspaces/${workspace.publicId}/members/${person.memberPublicId}`));
    }
    await reading.until(() => reading.items().some(({ type }) => type === "member.removed"));

    const shared = reading.items().filter(({ type }) => /^(?:member|tag)\./.test(type));
    expect(shared.map(({ type }) => type)).toEqual(["tag.updated", "tag.deleted", "member.updated", "member.removed"]);
    expect(shared.map(({ data }) => data.tagPublicId ?? data.memberPublicId)).toEqual([
      tag.publicId,
      tag.publicId,
      leaving.memberPublicId,
      leaving.memberPublicId,
    ]);
    expect(JSON.stringify(shared)).not.toMatch(/@|boardPublicIds/);
    // The names of who left are no longer in the log, and they are nobody's member any more.
    const kept = reading.items<StreamedEvent & { isLast: boolean; actor: object }>().map(({ isLast: _, ...item }) => {
      const { memberPublicId } = item.data;
      if (item.type !== "member.updated") return item;
      return { ...item, actor: { ...item.actor, memberPublicId: null }, data: { memberPublicId }, redacted: true };
    });
    for (const person of [guest, owner]) {
      const { items } = ok(
        await as(person).get<{ items: object[] }>(
          `/workspaces/${workspace.publicId}/events?limit=100&boardPublicId=${board.publicId}`,
        ),
      );
      expect(items.slice(-kept.length)).toEqual(kept);
    }
  });

  test("an archived board can be followed", async () => {
    const { board } = await make.board();
    ok(await as(board.owner).post(`/boards/${board.publicId}/archive`));
    const reading = await follow(board, board.owner);
    ok(await as(board.owner).post(`/boards/${board.publicId}/unarchive`));
    await reading.until(() => reading.items().length === 1);
    expect(reading.items()).toMatchObject([{ type: "board.unarchived" }]);
  });

  test("the headers keep proxies from holding it back, and carry those of every answer", async () => {
    const { board } = await make.board();
    const limited = await another({ RATE_LIMIT_PER_MINUTE: "1000", CORS_ORIGIN: "https://app.example.org" });
    const base = await limited.listening();
    const leaving = new AbortController();
    const { headers } = await fetch(addressOf(board, base), {
      headers: { authorization: `Bearer ${board.owner.token}`, origin: "https://app.example.org" },
      signal: leaving.signal,
    });
    leaving.abort();
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "private, no-store",
      "x-accel-buffering": "no",
      "access-control-allow-origin": "https://app.example.org",
      "ratelimit-remaining": "999",
      "x-request-id": expect.any(String),
      "service-version": expect.any(String),
    });
    expect(headers.get("content-encoding")).toBeNull();
  });
});

describe("who is not let in gets the plain error body", () => {
  test.each(["x", "-1", "1.5", "0x10", "9".repeat(16)])("a Last-Event-ID of %s is BAD_REQUEST", async (id) => {
    const { board } = await make.board();
    const reading = await follow(board, board.owner, id);
    expect(reading.status).toBe(400);
    expect(await reading.body()).toMatchObject({
      code: "BAD_REQUEST",
      message: "Invalid input data",
      issues: [{ path: ["lastEventId"] }],
    });
  });

  test("a stranger, nobody, and an unknown board", async () => {
    const { board } = await make.board();
    const stranger = await make.user();
    expect(await (await follow(board, stranger)).body()).toMatchObject({ code: "FORBIDDEN", issues: [] });
    expect(await (await read(addressOf(board), null)).body()).toMatchObject({ code: "UNAUTHORIZED" });
    expect(await (await follow({ publicId: "0".repeat(12) }, stranger)).body()).toMatchObject({ code: "NOT_FOUND" });
  });

  test("a token in the address is none", async () => {
    const { board } = await make.board();
    const { token } = board.owner;
    const reading = await read(`${addressOf(board)}?token=${token}&access_token=${token}`, null);
    expect(reading.status).toBe(401);
  });

  test("a 21st stream is TOO_MANY_REQUESTS until one of the 20 is left", async () => {
    const { board } = await make.board();
    const twenty = await Promise.all(Array.from({ length: 20 }, () => follow(board, board.owner)));
    expect(twenty.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const refused = await follow(board, board.owner);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await refused.body()).toMatchObject({ code: "TOO_MANY_REQUESTS" });
    const input = encodeURIComponent(JSON.stringify({ boardPublicId: board.publicId }));
    const overTrpc = await read(`${url}/trpc/board.stream?input=${input}`, board.owner.token);
    expect(overTrpc.headers.get("retry-after")).toMatch(/^\d+$/);
    twenty[0]?.leave();
    await expect.poll(async () => (await follow(board, board.owner)).status).toBe(200);
    for (const reading of twenty) reading.leave();
  });
});

describe("ends at once", () => {
  /** A member who follows a board, what is done to it, and the failure that its stream ends with. */
  const losses: [
    string,
    "FORBIDDEN" | "NOT_FOUND",
    (board: Board, member: Person & { memberPublicId: string }) => Promise<unknown>,
  ][] = [
    [
      "when the member is removed",
      "FORBIDDEN",
      (board, { memberPublicId }) =>
        as(board.owner).delete(`/workspaces/${board.workspace.publicId}/members/${memberPublicId}`),
    ],
    [
      "when the member is made a guest",
      "FORBIDDEN",
      (board, { memberPublicId }) =>
        as(board.owner).put(`/workspaces/${board.workspace.publicId}/members/${memberPublicId}/role`, {
          role: "guest",
        }),
    ],
    [
      "when the board is made private",
      "FORBIDDEN",
      (board) => as(board.owner).put(`/boards/${board.publicId}`, { visibility: "private" }),
    ],
    ["when the board is deleted", "NOT_FOUND", (board) => as(board.owner).delete(`/boards/${board.publicId}`)],
    [
      "when the workspace is deleted",
      "NOT_FOUND",
      (board) => as(board.owner).delete(`/workspaces/${board.workspace.publicId}`),
    ],
    [
      "when the account is deleted",
      "FORBIDDEN",
      (_board, member) => as(member).post("/users/me/delete", { password: member.password }),
    ],
  ];

  test.each(losses)("%s, with %s, and sends nothing of what comes then", async (_when, code, lose) => {
    const { board, list } = await make.list();
    const member = await make.member(board.workspace, "member");
    const reading = await follow(board, member);
    await change(board, list.publicId, "seen");
    await reading.until(() => reading.items().length === 1);
    await lose(board, member);
    await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "unseen" });
    await reading.ended;
    expect(titles(reading)).toEqual(["seen"]);
    const last = reading.messages.at(-1);
    expect(last?.event).toBe("end");
    expect(JSON.parse(last?.data ?? "")).toMatchObject({ code, issues: [] });
    expect((await follow(board, member)).status).not.toBe(200);
  });

  test("when the board is deleted, for an admin after the event that says so", async () => {
    const { board, list } = await make.list();
    const admin = await make.member(board.workspace, "admin");
    const reading = await follow(board, admin);
    await change(board, list.publicId, "seen");
    ok(await as(board.owner).delete(`/boards/${board.publicId}`));
    await reading.ended;
    expect(reading.items<{ type: string }>().map(({ type }) => type)).toEqual(["card.created", "board.deleted"]);
    const last = reading.messages.at(-1);
    expect(last?.event).toBe("end");
    expect(JSON.parse(last?.data ?? "")).toMatchObject({ code: "NOT_FOUND" });
  });

  test("when the board is deleted while an admin is still reading what it missed, nothing of it is left out", async () => {
    const { board, list } = await make.list();
    const opened = await follow(board, board.owner);
    await opened.until(() => opened.messages.length > 0);
    opened.leave();
    const rows = Array.from({ length: 250 }, (_, row) => [`Card ${row}`, list.name]);
    const wanted = { workspacePublicId: board.workspace.publicId, boardPublicId: board.publicId, boardName: "-" };
    ok(await as(board.owner).post("/imports/csv/boards", { ...wanted, rows, mapping: { title: 0, list: 1 } }));
    const resumed = await follow(board, board.owner, opened.lastId());
    ok(await as(board.owner).delete(`/boards/${board.publicId}`));
    await resumed.ended;
    const types = resumed.items<{ type: string }>().map(({ type }) => type);
    expect(types).toEqual([...Array(250).fill("card.created"), "board.deleted"]);
  });

  test.each(losses)("%s, with %s, though nothing else happens", async (_when, code, lose) => {
    const { board } = await make.board();
    const member = await make.member(board.workspace, "member");
    const reading = await follow(board, member);
    await lose(board, member);
    await reading.ended;
    const last = reading.messages.at(-1);
    expect([last?.event, JSON.parse(last?.data ?? "{}").code]).toEqual(["end", code]);
  });

  test("a guest who keeps the board keeps its stream", async () => {
    const { board, list } = await make.list();
    const guest = await make.member(board, "guest");
    const reading = await follow(board, guest);
    const other = await make.member(board.workspace, "member");
    await as(board.owner).delete(`/workspaces/${board.workspace.publicId}/members/${other.memberPublicId}`);
    await change(board, list.publicId, "still");
    await reading.until(() => reading.items().length === 1);
  });
});

test("opens in the middle of writing and misses nothing after its first id", async () => {
  const { board, list, workspace } = await make.list();
  const writing = Promise.all(Array.from({ length: 60 }, (_, index) => change(board, list.publicId, `card ${index}`)));
  const readings = await Promise.all(Array.from({ length: 5 }, () => follow(board, board.owner)));
  await writing;
  const [end] = await db.rows<{ seq: number }>(sql`
    select k.event_seq as seq from workspace_counter k join workspace w on w.id = k.workspace_id
    where w.public_id = ${workspace.publicId}::text`);
  for (const reading of readings) {
    await reading.until(() => reading.lastId() === String(end?.seq));
    const opening = Number(reading.messages[0]?.id);
    const expected = Array.from({ length: (end?.seq ?? 0) - opening }, (_, index) => opening + 1 + index);
    expect(reading.items().map(({ id }) => id)).toEqual(expected);
  }
});
