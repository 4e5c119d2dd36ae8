// One stream for a page (clients section 1): what arrives of several boards and of the notifications, how it resumes, what is refused.

import { describe, expect, test } from "vitest";
import { type Board, type List, ok, type Person, testApp } from "../helpers/app.js";
import { type Reading, read, type StreamedEvent } from "../helpers/streams.js";
import { forgetEvents } from "../helpers/sweeping.js";

const { as, make, db, listening, another } = await testApp();
const url = await listening();

interface Sent {
  id: string | undefined;
  type: string | undefined;
  data: { boardPublicIds?: string[]; boardPublicId?: string | null; event?: StreamedEvent; code?: string };
}

const follow = (person: { token: string }, query: string, lastEventId?: string) =>
  read(`${url}/api/v1/stream?${query}`, person.token, lastEventId);

const sent = ({ messages }: Reading): Sent[] =>
  messages.flatMap(({ id, event: type, data }) => (data === undefined ? [] : [{ id, type, data: JSON.parse(data) }]));
const ofType = (reading: Reading, type: string) => sent(reading).filter((message) => message.type === type);

/** The boards, number and title of each card that was made, in the order in which it was told. */
const made = (reading: Reading) =>
  ofType(reading, "event").flatMap(({ data }) => {
    const { card } = (data.event?.data ?? {}) as { card?: { title: string } };
    return card === undefined ? [] : [card.title];
  });

async function add({ owner }: Board, { publicId: listPublicId }: List, title: string) {
  ok(await as(owner).post("/cards", { listPublicId, title }));
}

const eventIdOf = async (board: Board) =>
  ok(await as(board.owner).get<{ eventId: number }>(`/boards/${board.publicId}`)).eventId;

const opened = (reading: Reading) => reading.until(() => reading.messages.length > 0);

async function memberOf(count: number) {
  const places = await Promise.all(Array.from({ length: count }, () => make.list()));
  const person = await make.user();
  for (const { workspace } of places) await make.member(workspace, "member", person);
  return { person, places: places.map(({ board, list }) => ({ board, list, id: board.publicId })) };
}

async function mention(board: Board, person: Person) {
  const members = await as(board.owner).get<{ publicId: string; name: string }[]>(
    `/workspaces/${board.workspace.publicId}/members`,
  );
  const { publicId } = ok(members).find(({ name }) => name === person.name) ?? { publicId: "" };
  const { card } = await make.card({ board });
  ok(await as(board.owner).post(`/cards/${card.publicId}/comments`, { comment: `@[x](${publicId})` }));
}

describe("what arrives", () => {
  test("events of boards of six workspaces, in the order of each, and notifications", async () => {
    const { person, places } = await memberOf(6);
    const reading = await follow(person, `boards=${places.map(({ id }) => id)}&notifications=true`);
    await opened(reading);
    await Promise.all(
      places.map(async ({ board, list }, n) => {
        for (let round = 0; round < 5; round += 1) await add(board, list, `${n} ${round}`);
      }),
    );
    const [{ board } = expect.fail()] = places;
    await mention(board, person);
    await reading.until(() => ofType(reading, "notification").length === 1 && made(reading).length >= 31);
    for (const [n, { id }] of places.entries()) {
      const own = ofType(reading, "event").filter(({ data }) => data.boardPublicIds?.includes(id));
      expect(own.every(({ data }) => data.boardPublicIds?.length === 1)).toBe(true);
      const titles = made(reading).filter((title) => title.startsWith(`${n} `));
      expect(titles).toEqual(Array.from({ length: 5 }, (_, round) => `${n} ${round}`));
      const numbers = own.map(({ data }) => data.event?.id ?? 0);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    }
    const [listed] = ok(await as(person).get<object[]>("/notifications"));
    expect(ofType(reading, "notification").map(({ data }) => data)).toEqual([listed]);
    reading.leave();
  });

  test("as the stream of the board has it, with the mark of the last event", async () => {
    const { board, list } = await make.list();
    const [page, single] = [
      await follow(board.owner, `boards=${board.publicId}`),
      await read(`${url}/api/v1/boards/${board.publicId}/stream`, board.owner.token),
    ];
    await Promise.all([opened(page), opened(single)]);
    await add(board, list, "one");
    ok(await as(board.owner).delete(`/lists/${list.publicId}`));
    await single.until(() => single.items().length >= 2);
    await page.until(() => sent(page).length === single.items().length);
    expect(sent(page).map(({ data }) => data)).toEqual(
      single.items().map((item) => ({ boardPublicIds: [board.publicId], event: item })),
    );
    page.leave();
    single.leave();
  });

  test("an event of two of the boards once, with both, and with one where the other began behind it", async () => {
    const { board, workspace, owner } = await make.board();
    const other = (await make.board({ workspace })).board;
    const { tag } = await make.tag({ workspace });
    for (const { publicId } of [board, other]) ok(await as(owner).put(`/boards/${publicId}/tags/${tag.publicId}`));
    const [start, boards] = [await eventIdOf(board), [board.publicId, other.publicId]];
    const reading = await follow(owner, `boards=${boards}`);
    await opened(reading);
    ok(await as(owner).put(`/workspaces/${workspace.publicId}/tags/${tag.publicId}`, { name: "Renamed" }));
    await reading.until(() => sent(reading).length === 1);
    expect(sent(reading)[0]?.data.boardPublicIds?.toSorted()).toEqual(boards.toSorted());
    const later = await follow(owner, `boards=${board.publicId}:${start},${other.publicId}`);
    await later.until(() => sent(later).length === 1);
    expect(sent(later)[0]?.data.boardPublicIds).toEqual([board.publicId]);
    reading.leave();
    later.leave();
  });

  test("each board from behind its number, or from the end; one that stands twice counts once, from the smaller number", async () => {
    const { person, places } = await memberOf(3);
    const starts = await Promise.all(places.map(({ board }) => eventIdOf(board)));
    for (const { board, list } of places) await add(board, list, `before in ${board.publicId}`);
    const [a, b, c] = places.map(({ id }) => id);
    const reading = await follow(person, `boards=${a}:${starts[0]},${b},${c}:999999,${c}:${starts[2]},${c}`);
    await reading.until(() => made(reading).length === 2);
    expect(made(reading).toSorted()).toEqual([`before in ${a}`, `before in ${c}`].toSorted());
    for (const { board, list } of places) await add(board, list, `after in ${board.publicId}`);
    await reading.until(() => made(reading).length === 5);
    expect(made(reading).filter((title) => title === `after in ${c}`)).toHaveLength(1);
    reading.leave();
  });

  test("notifications of the usual types, with `types=all` of all, and none where they are not asked for", async () => {
    const { person, places } = await memberOf(1);
    const [{ board } = expect.fail()] = places;
    const usual = await follow(person, "notifications=true");
    const all = await follow(person, "notifications=true&types=all");
    const none = await follow(person, `boards=${board.publicId}`);
    await Promise.all([usual, all, none].map(opened));
    const { card } = await make.card({ board });
    const members = await as(board.owner).get<{ publicId: string; name: string }[]>(
      `/workspaces/${board.workspace.publicId}/members`,
    );
    const { publicId = "" } = ok(members).find(({ name }) => name === person.name) ?? {};
    ok(await as(board.owner).put(`/cards/${card.publicId}/members/${publicId}`));
    await mention(board, person);
    const typesOf = (reading: Reading) =>
      ofType(reading, "notification").map(({ data }) => (data as { type?: string }).type);
    await usual.until(() => typesOf(usual).includes("mention"));
    await all.until(() => typesOf(all).includes("mention"));
    await none.until(() => made(none).length === 2);
    expect([typesOf(usual), typesOf(all), typesOf(none)]).toEqual([["mention"], ["card.assigned", "mention"], []]);
    for (const reading of [usual, all, none]) reading.leave();
  });

  test("over tRPC items with a type", async () => {
    const { person, places } = await memberOf(1);
    const [{ board, list, id } = expect.fail()] = places;
    const input = { boards: `${id}:999999,${"0".repeat(12)}`, notifications: true };
    const address = `${url}/trpc/user.stream?input=${encodeURIComponent(JSON.stringify(input))}`;
    const reading = await read(address, person.token);
    await opened(reading);
    await add(board, list, "one");
    await mention(board, person);
    const items = () => reading.items<{ type: string }>();
    await reading.until(() => items().some(({ type }) => type === "notification"));
    expect(reading.messages[0]).toEqual({ event: "connected", data: "{}", id: expect.any(String) });
    const itemsOf = (type: string) => items().filter((item) => item.type === type);
    const [notification] = ok(await as(person).get<object[]>("/notifications"));
    expect(itemsOf("reset")).toEqual([{ type: "reset", boardPublicId: id }]);
    expect(itemsOf("end")).toEqual([
      { type: "end", boardPublicId: "0".repeat(12), code: "NOT_FOUND", message: expect.any(String), issues: [] },
    ]);
    expect(itemsOf("event")[0]).toEqual({ type: "event", boardPublicIds: [id], event: expect.anything() });
    expect(itemsOf("notification")).toEqual([{ type: "notification", notification }]);
    reading.leave();
  });
});

describe("a board that cannot be followed gets `end`, and the others go on", () => {
  test("one of strangers, one that does not exist, and one of another workspace than that of the token", async () => {
    const { person, places } = await memberOf(2);
    const [mine = expect.fail(), elsewhere = expect.fail()] = places;
    const { board: foreign } = await make.board();
    const [gone, nowhere] = [`${mine.id.slice(0, 5)}0000000`, "zzzzzzzzzzzz"];
    const boards = [foreign.publicId, gone, nowhere, elsewhere.id, mine.id];
    const token = await make.token(person, { workspacePublicId: mine.board.workspace.publicId });
    const reading = await follow(token, `boards=${boards}`);
    await add(mine.board, mine.list, "one");
    await reading.until(() => made(reading).length === 1);
    const codes = new Map(ofType(reading, "end").map(({ data }) => [data.boardPublicId, data.code]));
    expect(codes).toEqual(
      new Map([
        [foreign.publicId, "FORBIDDEN"],
        [gone, "NOT_FOUND"],
        [nowhere, "NOT_FOUND"],
        [elsewhere.id, "FORBIDDEN"],
      ]),
    );
    reading.leave();
  });

  const losses: [string, string, (board: Board, memberPublicId: string) => Promise<unknown>][] = [
    [
      "when the member is removed",
      "FORBIDDEN",
      (board, memberPublicId) =>
        as(board.owner).delete(`/workspaces/${board.workspace.publicId}/members/${memberPublicId}`),
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
  ];

  test.each(losses)("%s, with %s, and nothing of what comes then", async (_when, code, lose) => {
    const { board: lost, list } = await make.list();
    const person = await make.member(lost.workspace, "member");
    const stays = await make.list();
    await make.member(stays.workspace, "member", person);
    const reading = await follow(person, `boards=${lost.publicId},${stays.board.publicId}`);
    await opened(reading);
    await lose(lost, person.memberPublicId);
    await as(lost.owner).post("/cards", { listPublicId: list.publicId, title: "unseen" });
    await reading.until(() => ofType(reading, "end").length > 0);
    await add(stays.board, stays.list, "still");
    await reading.until(() => made(reading).length > 0);
    expect(made(reading)).toEqual(["still"]);
    expect(ofType(reading, "end").map(({ data }) => data)).toEqual([
      { boardPublicId: lost.publicId, code, message: expect.any(String), issues: [] },
    ]);
    // Its reader resumes without it, and hears so again if it asks for it.
    expect(reading.lastId()).not.toContain(lost.publicId);
    reading.leave();
    const resumed = await follow(person, `boards=${lost.publicId},${stays.board.publicId}`, reading.lastId());
    await resumed.until(() => ofType(resumed, "end").length === 1);
    resumed.leave();
  });

  test.each(losses)("%s, the stream itself if nothing else is followed", async (_when, code, lose) => {
    const { board } = await make.board();
    const person = await make.member(board.workspace, "member");
    const reading = await follow(person, `boards=${board.publicId}`);
    await opened(reading);
    await lose(board, person.memberPublicId);
    await reading.ended;
    const error = { code, message: expect.any(String), issues: [] };
    expect(ofType(reading, "end").map(({ data }) => data)).toEqual([
      { boardPublicId: board.publicId, ...error },
      error,
    ]);
  });
});

describe("resuming", () => {
  test("goes on with what was missed of each, nothing lost and nothing twice", async () => {
    const { person, places } = await memberOf(3);
    const query = `boards=${places.map(({ id }) => id)}&notifications=true`;
    const wanted = new Set<string>();
    const seen: string[] = [];
    let notified = 0;
    let lastId: string | undefined;
    for (let turn = 0; turn < 8; turn += 1) {
      const reading = await follow(person, query, lastId);
      await opened(reading);
      const writing = Promise.all(
        places.map(async ({ board, list }, n) => {
          for (let round = 0; round < 4; round += 1) {
            const title = `turn ${turn} in ${n} round ${round}`;
            wanted.add(title);
            await add(board, list, title);
          }
        }),
      );
      // Left in the middle of what is written.
      await reading.until(() => made(reading).length >= turn);
      reading.leave();
      await Promise.all([writing, reading.ended]);
      const [{ board } = expect.fail()] = places;
      await mention(board, person);
      seen.push(...made(reading));
      notified += ofType(reading, "notification").length;
      lastId = reading.lastId();
    }
    const rest = await follow(person, query, lastId);
    const titles = () => [...seen, ...made(rest)].filter((title) => title.startsWith("turn "));
    await rest.until(() => titles().length >= wanted.size && notified + ofType(rest, "notification").length >= 8);
    expect(titles().toSorted()).toEqual([...wanted].toSorted());
    expect(notified + ofType(rest, "notification").length).toBe(8);
    rest.leave();
  });

  test("with another set of boards: known ones go on, new ones start as they are given, others are forgotten", async () => {
    const { person, places } = await memberOf(3);
    const [known = expect.fail(), left = expect.fail(), fresh = expect.fail()] = places;
    const start = await eventIdOf(fresh.board);
    const first = await follow(person, `boards=${known.id},${left.id}`);
    await opened(first);
    first.leave();
    for (const { board, list } of places) await add(board, list, `missed in ${board.publicId}`);
    const query = `boards=${known.id}:999999,${fresh.id}:${start}&notifications=true`;
    const second = await follow(person, query, first.lastId());
    await second.until(() => made(second).length === 2);
    expect(made(second).toSorted()).toEqual([`missed in ${known.id}`, `missed in ${fresh.id}`].toSorted());
    expect(ofType(second, "reset")).toEqual([]);
    expect(second.lastId()).not.toContain(left.id);
    second.leave();
  });

  test("from before the oldest event that is kept, or beyond the end, is a reset of that board alone", async () => {
    const { person, places } = await memberOf(3);
    const [old = expect.fail(), beyond = expect.fail(), whole = expect.fail()] = places;
    for (const { board, list } of places) await add(board, list, "missed");
    await forgetEvents(db, old.board.workspace, (await eventIdOf(old.board)) - 1);
    const reading = await follow(person, `boards=${old.id}:0,${beyond.id}:999999,${whole.id}:0`);
    await reading.until(() => made(reading).length === 1);
    const resets = ofType(reading, "reset").map(({ data }) => data);
    expect(resets).toEqual([{ boardPublicId: old.id }, { boardPublicId: beyond.id }]);
    await add(old.board, old.list, "after it");
    await add(beyond.board, beyond.list, "after it");
    await reading.until(() => made(reading).length === 3);
    reading.leave();

    // A reader that did not hear of the reset hears of it again; one that did goes on.
    for (const [lastId, count] of [
      [reading.messages[0]?.id, 2],
      [reading.lastId(), 0],
    ] as const) {
      const resumed = await follow(person, `boards=${old.id},${beyond.id}`, lastId);
      await opened(resumed);
      await add(beyond.board, beyond.list, "resumed");
      await resumed.until(() => made(resumed).includes("resumed"));
      expect(ofType(resumed, "reset")).toHaveLength(count);
      resumed.leave();
    }
  });

  test("from beyond the last notification is a reset of the notifications", async () => {
    const { person, places } = await memberOf(1);
    const [{ board } = expect.fail()] = places;
    const reading = await follow(person, "notifications=true", "notifications:999");
    await reading.until(() => sent(reading).length === 1);
    expect(sent(reading)).toMatchObject([{ type: "reset", data: { boardPublicId: null } }]);
    await mention(board, person);
    await reading.until(() => ofType(reading, "notification").length === 1);
    reading.leave();
  });

  test("at another process, when the first one ends", async () => {
    const ending = await another({});
    const base = await ending.listening();
    const { board, list } = await make.list();
    const query = `boards=${board.publicId}&notifications=true`;
    const reading = await read(`${base}/api/v1/stream?${query}`, board.owner.token);
    await opened(reading);
    await ending.app.close();
    await reading.ended;
    expect(sent(reading)).toEqual([]);
    await add(board, list, "later");
    const resumed = await follow(board.owner, query, reading.lastId());
    await resumed.until(() => made(resumed).length === 1);
    resumed.leave();
  });
});

describe("is refused", () => {
  const id = "0".repeat(12);
  const distinct = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(12, "0"));

  test.each([
    ["without boards and notifications", "", "boards"],
    ["with 51 boards", `boards=${distinct(51)}`, "boards"],
    ["with an entry of another form", `boards=${id},x`, "boards"],
    ["with an empty entry", `boards=${id},`, "boards"],
    ["with a negative number", `boards=${id}:-1`, "boards"],
    ["with a number of 16 digits", `boards=${id}:${"9".repeat(16)}`, "boards"],
    ["with two numbers", `boards=${id}:1:2`, "boards"],
    ["with `notifications` as a board", "boards=notifications:1", "boards"],
    ["with another type", "notifications=true&types=some", "types"],
  ])("%s", async (_how, query, field) => {
    const reading = await follow(await make.user(), query);
    expect(await reading.body()).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: [field] }] });
  });

  test.each(["x", "1", `${id}`, `${id}:`, `${id}:1,`, `${id}:1;${id}:2`, "notifications", "notifications:-1"])(
    "with a Last-Event-ID of %s, over tRPC too",
    async (lastEventId) => {
      const person = await make.user();
      const reading = await follow(person, "notifications=true", lastEventId);
      expect(await reading.body()).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["lastEventId"] }] });
      const overTrpc = await read(
        `${url}/trpc/user.stream?input=%7B%22notifications%22:true%7D`,
        person.token,
        lastEventId,
      );
      await overTrpc.ended;
      expect(overTrpc.messages.at(-1)?.data).toContain("BAD_REQUEST");
    },
  );

  test("to nobody", async () => {
    expect(await (await read(`${url}/api/v1/stream?notifications=true`, null)).body()).toMatchObject({
      code: "UNAUTHORIZED",
    });
  });

  test("as a 21st stream: with 50 boards it counts as one", async () => {
    const person = await make.user();
    const query = `boards=${distinct(50)},${distinct(1)}&notifications=true`;
    const twenty = await Promise.all(Array.from({ length: 20 }, () => follow(person, query)));
    expect(twenty.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await (await follow(person, query)).body()).toMatchObject({ code: "TOO_MANY_REQUESTS" });
    for (const reading of twenty) reading.leave();
  });

  test("by a made-up id nothing of another's board is seen", async () => {
    const { board, list } = await make.list();
    await add(board, list, "secret");
    const { person, places } = await memberOf(1);
    const [mine = expect.fail()] = places;
    const madeUp = `${board.publicId}:0,${mine.id}:0,notifications:0`;
    const reading = await follow(person, `boards=${mine.id},${board.publicId}&notifications=true`, madeUp);
    await add(board, list, "secret");
    await add(mine.board, mine.list, "mine");
    await reading.until(() => made(reading).length > 0);
    expect(made(reading)).toEqual(["mine"]);
    expect(ofType(reading, "end")).toMatchObject([{ data: { boardPublicId: board.publicId, code: "FORBIDDEN" } }]);
    reading.leave();
  });
});
