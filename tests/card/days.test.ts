// Guarantees of due dates without a time: a day is the same date for everybody, wherever it goes.

import { sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEvent, boardState } from "../../packages/client/src/board/index.js";
import type { Event, Snapshot } from "../../packages/client/src/board/things.js";
import { workspaceOf } from "../../src/db/ids.js";
import { todayIn } from "../../src/workspace/calendarWindows.js";
import { type Board, type Card, expectError, expectTrpcError, ok, testApp } from "../helpers/app.js";
import { filesOf } from "../import/boardFiles.js";
import { bodyFor, type Imported, type Preview } from "../import/imports.js";

const app = await testApp();
const { as, make, db, trpcClient } = app;

interface Due {
  dueDate: string | null;
  dueHasTime: boolean;
}
type ShownCard = Due & { publicId: string; title: string };
type ShownBoard = { lists: { cards: ShownCard[] }[] };

const DAY = "2026-12-24";
const MIDNIGHT = `${DAY}T00:00:00.000Z`;
const day: Due = { dueDate: MIDNIGHT, dueHasTime: false };
const instant: Due = { dueDate: MIDNIGHT, dueHasTime: true };
const never: Due = { dueDate: null, dueHasTime: false };

const dueOf = async ({ publicId, owner }: Pick<Card, "publicId" | "owner">): Promise<Due> => {
  const { dueDate, dueHasTime } = ok(await as(owner).get<Due>(`/cards/${publicId}`));
  return { dueDate, dueHasTime };
};

async function cardsOn(board: Pick<Board, "publicId" | "owner">, query = ""): Promise<ShownCard[]> {
  const { lists } = ok(await as(board.owner).get<ShownBoard>(`/boards/${board.publicId}${query}`));
  return lists.flatMap(({ cards }) => cards);
}
const duesOn = async (board: Pick<Board, "publicId" | "owner">) =>
  (await cardsOn(board)).map(({ dueDate, dueHasTime }) => ({ dueDate, dueHasTime }));

async function scene() {
  const { owner, workspace, board, list } = await make.list();
  const { card: onDay } = await make.card({ list, title: "day", dueDate: DAY });
  const { card: atMidnight } = await make.card({ list, title: "instant", dueDate: MIDNIGHT });
  const { card: undated } = await make.card({ list, title: "never" });
  return { owner, workspace, board, list, onDay, atMidnight, undated };
}

describe("what is sent", () => {
  test("as a date is a day, and as an instant is an instant, also at midnight; over REST", async () => {
    const { board, onDay, atMidnight, undated } = await scene();

    expect([await dueOf(onDay), await dueOf(atMidnight), await dueOf(undated)]).toEqual([day, instant, never]);
    expect(await duesOn(board)).toEqual([day, instant, never]);
    const update = (body: object) => as(onDay.owner).put(`/cards/${onDay.publicId}`, body);
    expect(ok(await update({ dueDate: "2026-12-24T01:00+01:00" }))).not.toHaveProperty("dueHasTime");
    expect(await dueOf(onDay)).toEqual(instant);
    ok(await update({ title: "Other" }));
    expect(await dueOf(onDay)).toEqual(instant);
    ok(await update({ dueDate: DAY }));
    expect(await dueOf(onDay)).toEqual(day);
    ok(await update({ dueDate: null }));
    expect(await dueOf(onDay)).toEqual(never);
  });

  test("is the same over tRPC, and for many cards at once", async () => {
    const { owner, board, list, onDay, atMidnight } = await scene();
    const client = trpcClient(owner).card;
    const { publicId: cardPublicId } = await client.create.mutate({
      title: "t",
      listPublicId: list.publicId,
      dueDate: DAY,
    });
    expect(await client.get.query({ cardPublicId })).toMatchObject(day);
    await client.update.mutate({ cardPublicId, dueDate: MIDNIGHT });
    expect(await client.get.query({ cardPublicId })).toMatchObject(instant);

    const cardPublicIds = [cardPublicId, onDay.publicId, atMidnight.publicId];
    await client.bulk.update.mutate({ cardPublicIds, dueDate: DAY });
    expect((await duesOn(board)).filter(({ dueDate }) => dueDate !== null)).toEqual([day, day, day]);
    ok(await as(owner).post("/cards/bulk/update", { cardPublicIds, dueDate: MIDNIGHT }));
    expect((await duesOn(board)).filter(({ dueDate }) => dueDate !== null)).toEqual([instant, instant, instant]);
  });

  test.each(["2026-02-30", "2026-13-01", "2026-12-24Z", "2026-12-24+14:00", "24.12.2026", "", "2026-12-24T10:00"])(
    "is refused if it is neither: %s",
    async (dueDate) => {
      const { owner, list, onDay } = await scene();
      expectError(
        await as(owner).post("/cards", { title: "x", listPublicId: list.publicId, dueDate }),
        "BAD_REQUEST",
        "dueDate",
      );
      expectError(await as(owner).put(`/cards/${onDay.publicId}`, { dueDate }), "BAD_REQUEST", "dueDate");
      const cardPublicIds = [onDay.publicId];
      expectError(await as(owner).post("/cards/bulk/update", { cardPublicIds, dueDate }), "BAD_REQUEST", "dueDate");
      const update = trpcClient(owner).card.update.mutate({ cardPublicId: onDay.publicId, dueDate });
      await expectTrpcError(update, "BAD_REQUEST", "dueDate");
      expect(await dueOf(onDay)).toEqual(day);
    },
  );

  test("cannot be a flag: whether a date has a time follows from its form", async () => {
    const { owner, onDay } = await scene();
    expectError(await as(owner).put(`/cards/${onDay.publicId}`, { dueHasTime: true }), "BAD_REQUEST");
    expect(await dueOf(onDay)).toEqual(day);
  });
});

describe("events", () => {
  const eventsAfter = async (
    { owner, board }: { owner: Card["owner"]; board: Board },
    change: () => Promise<unknown>,
  ) => {
    const path = `/workspaces/${board.workspace.publicId}/events?boardPublicId=${board.publicId}&limit=100`;
    const { nextCursor } = ok(await as(owner).get<{ nextCursor: number }>(path));
    await change();
    return ok(await as(owner).get<{ items: Event[] }>(`${path}&after=${nextCursor}`)).items;
  };

  test("hold both fields whenever a due date changes, and make the next snapshot of the last one", async () => {
    const { owner, board, onDay } = await scene();
    const read = async () => boardState(ok(await as(owner).get<Snapshot>(`/boards/${board.publicId}`)));
    let state = await read();
    for (const [dueDate, from, to] of [
      [MIDNIGHT, day, instant],
      [DAY, instant, day],
      [null, day, never],
      ["2026-12-25", never, { dueDate: "2026-12-25T00:00:00.000Z", dueHasTime: false }],
    ] as const) {
      const events = await eventsAfter({ owner, board }, async () =>
        ok(await as(owner).put(`/cards/${onDay.publicId}`, { dueDate })),
      );
      expect(events.map(({ data }) => data)).toEqual([
        {
          changes: {
            dueDate: { from: from.dueDate, to: to.dueDate },
            dueHasTime: { from: from.dueHasTime, to: to.dueHasTime },
          },
        },
      ]);
      state = events.reduce(applyEvent, state);
      expect(state.cards[onDay.publicId]).toMatchObject(to);
      expect(state).toEqual(await read());
    }
    const same = await eventsAfter({ owner, board }, async () =>
      ok(await as(owner).put(`/cards/${onDay.publicId}`, { dueDate: "2026-12-25" })),
    );
    expect(same).toEqual([]);
  });

  test("of earlier versions are shown with it: at midnight UTC it was a day", async () => {
    const { owner, board, list } = await scene();
    const events = await eventsAfter({ owner, board }, async () => {
      const { card } = await make.card({ list, dueDate: DAY });
      const { card: timed } = await make.card({ list, dueDate: "2026-12-24T10:00Z" });
      ok(await as(owner).put(`/cards/${card.publicId}`, { dueDate: "2026-12-24T10:00Z" }));
      ok(await as(owner).put(`/cards/${timed.publicId}`, { dueDate: null }));
    });
    const workspaceId = workspaceOf(board.publicId);
    await db.rows(sql`
      update event set data = data #- '{card,dueHasTime}' #- '{changes,dueHasTime}'
      where workspace_id = ${workspaceId}::bigint and type in ('card.created', 'card.updated')`);

    const path = `/workspaces/${board.workspace.publicId}/events?boardPublicId=${board.publicId}&limit=100`;
    const { items } = ok(await as(owner).get<{ items: Event[] }>(path));
    expect(items.slice(-4)).toEqual(events);
    expect(events.map(({ data }) => data)).toMatchObject([
      { card: { dueHasTime: false } },
      { card: { dueHasTime: true } },
      { changes: { dueHasTime: { from: false, to: true } } },
      { changes: { dueHasTime: { from: true, to: false } } },
    ]);
  });
});

describe("a day and an instant stay what they are", () => {
  test("in copies of cards and boards, and on another board", async () => {
    const { owner, workspace, board, list, onDay, atMidnight } = await scene();
    for (const { publicId } of [onDay, atMidnight]) ok(await as(owner).post(`/cards/${publicId}/duplicate`));
    expect(await duesOn(board)).toEqual([day, instant, never, day, instant]);
    const copy = ok(await as(owner).post<{ publicId: string }>(`/boards/${board.publicId}/duplicate`));
    expect(await duesOn({ ...copy, owner })).toEqual([day, instant, never, day, instant]);
    const { list: elsewhere } = await make.list({ board: (await make.board({ workspace })).board });
    for (const { publicId } of [onDay, atMidnight])
      ok(await as(owner).put(`/cards/${publicId}`, { listPublicId: elsewhere.publicId }));
    expect(await duesOn(elsewhere.board)).toEqual([day, instant]);
    expect(list.publicId).not.toBe(elsewhere.publicId);
  });

  test("in board files, which come back as they left", async () => {
    const { owner, workspace, board } = await scene();
    const { exported, imported, send } = filesOf(as(owner));
    const file = await exported(board.publicId);
    expect(file.cards).toMatchObject([day, instant, never]);
    const again = await imported(workspace, file);
    expect(again.file.cards).toMatchObject([day, instant, never]);

    const written = (due: object) => ({ ...file, cards: file.cards.slice(0, 1).map((card) => ({ ...card, ...due })) });
    const dueAfter = async (due: object) => (await imported(workspace, written(due))).file.cards[0];
    expect(await dueAfter({ dueDate: DAY, dueHasTime: undefined })).toMatchObject(day);
    // A file of an earlier version.
    expect(await dueAfter({ dueDate: MIDNIGHT, dueHasTime: undefined })).toMatchObject(day);
    expect(await dueAfter({ dueDate: "2026-12-24T10:00Z", dueHasTime: undefined })).toMatchObject({ dueHasTime: true });
    // A time of day is kept, whatever the file says of it.
    expect(await dueAfter({ dueDate: "2026-12-24T10:00Z", dueHasTime: false })).toMatchObject({ dueHasTime: true });
    expect(await dueAfter({ dueDate: null, dueHasTime: true })).toMatchObject(never);
    expectError(await send(workspace, written({ dueDate: "2026-02-30" })), "BAD_REQUEST", [
      "board",
      "cards",
      0,
      "dueDate",
    ]);
    expectError(await send(workspace, written({ dueHasTime: "no" })), "BAD_REQUEST", [
      "board",
      "cards",
      0,
      "dueHasTime",
    ]);
  });

  test("in CSV, which comes back as it left", async () => {
    const { owner, workspace, board } = await scene();
    const csvOf = async (publicId: string) => ok(await as(owner).get<string>(`/boards/${publicId}/export?format=csv`));
    const csv = await csvOf(board.publicId);
    const { rows, suggestedMapping } = ok(await as(owner).post<Preview>("/imports/csv/preview", { csv }));
    expect(rows.map((row) => row[4])).toEqual([DAY, MIDNIGHT, ""]);
    const body = bodyFor(workspace, rows, { mapping: suggestedMapping });
    const { boardPublicId } = ok(await as(owner).post<Imported>("/imports/csv/boards", body));
    expect(await duesOn({ publicId: boardPublicId, owner })).toEqual([day, instant, never]);
    expect(await csvOf(boardPublicId)).toBe(csv);
  });

  test("but the dates of Trello are instants, also at midnight", async () => {
    const { owner, workspace } = await make.workspace();
    const board = {
      name: "Trello",
      lists: [{ id: "l", name: "List" }],
      cards: [MIDNIGHT, null].map((due, index) => ({ id: `c${index}`, name: "c", idList: "l", due })),
    };
    const body = { workspacePublicId: workspace.publicId, board };
    const { boardPublicId } = ok(await as(owner).post<Imported>("/imports/trello/boards", body));
    expect(await duesOn({ publicId: boardPublicId, owner })).toEqual([instant, never]);
  });
});

describe("in every time zone", () => {
  const ZONES = [
    "Pacific/Kiritimati",
    "Pacific/Auckland",
    "Europe/Rome",
    "UTC",
    "America/Sao_Paulo",
    "Pacific/Pago_Pago",
    "Etc/GMT+12",
  ];
  const dayAfter = (date: string, days: number) =>
    new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

  async function dueOn(dates: readonly string[]) {
    const made = await make.list();
    for (const dueDate of dates) await make.card({ list: made.list, title: dueDate, dueDate });
    return made;
  }

  test("a day belongs to its date in the calendar", async () => {
    const dates = ["2026-12-31", "2027-01-01", "2027-03-14", "2027-03-28", "2027-01-31", "2027-02-01"];
    const { owner, workspace } = await dueOn(dates);
    const shown = async (anchor: string, timeZone: string, view: string) => {
      const query = new URLSearchParams({ anchor, timeZone, view, days: "true" });
      return ok(await as(owner).get<ShownCard[]>(`/workspaces/${workspace.publicId}/calendar?${query}`));
    };
    const anchors = fc.constantFrom(...dates, ...dates.map((date) => dayAfter(date, 1)));
    await fc.assert(
      fc.asyncProperty(anchors, fc.constantFrom(...ZONES), async (anchor, timeZone) => {
        const onDay = await shown(anchor, timeZone, "day");
        expect(onDay.map(({ title }) => title)).toEqual(dates.filter((date) => date === anchor));
        expect(onDay.every(({ dueHasTime }) => dueHasTime === false)).toBe(true);
        const inMonth = await shown(anchor, timeZone, "month");
        const ofMonth = dates.filter((date) => date.startsWith(anchor.slice(0, 7))).sort();
        expect(inMonth.map(({ title }) => title)).toEqual(ofMonth);
      }),
      { numRuns: 40 },
    );
  });

  test("the calendar says whether a card has a time only if it is asked, over REST and tRPC", async () => {
    const { owner, workspace } = await scene();
    const path = `/workspaces/${workspace.publicId}/calendar?anchor=${DAY}`;
    expect(ok(await as(owner).get<object[]>(`${path}&days=true`))).toMatchObject([day, instant]);
    for (const query of ["", "&days=false"]) {
      const plain = ok(await as(owner).get<object[]>(path + query));
      expect(plain).toHaveLength(2);
      for (const card of plain) expect(card).not.toHaveProperty("dueHasTime");
    }
    const input = { workspacePublicId: workspace.publicId, anchor: DAY, days: true };
    expect(await trpcClient(owner).workspace.calendar.query(input)).toMatchObject([day, instant]);
    expectError(await as(owner).get(`${path}&days=yes`), "BAD_REQUEST", "days");
  });

  test.each(ZONES)("a day is overdue when it has ended for the reader, in %s", async (timeZone) => {
    const today = todayIn(timeZone);
    const dates = [-1, 0, 1].map((days) => dayAfter(today, days));
    const { owner, board, list } = await dueOn(dates);
    const { card } = await make.card({ list, title: "now", dueDate: new Date(Date.now() - 1000).toISOString() });
    ok(await as(owner).put("/users/me/notification-settings", { timeZone }));
    const due = async (kind: string) => (await cardsOn(board, `?due=${kind}`)).map(({ title }) => title);

    expect(await due("overdue")).toEqual([dates[0], "now"]);
    expect(await due("today")).toEqual([dates[1], "now"]);
    const monday = dayAfter(today, -((new Date(today).getUTCDay() + 6) % 7));
    const ofWeek = dates.filter((date) => date >= monday && date < dayAfter(monday, 7));
    expect(await due("week")).toEqual([...ofWeek, "now"]);
    ok(await as(owner).put(`/cards/${card.publicId}`, { completed: true }));
    expect(await due("overdue")).toEqual([dates[0]]);
  });

  test("two readers of one board each have their own today", async () => {
    const [east = "", west = ""] = [ZONES[0], ZONES.at(-2)];
    const { owner, board } = await dueOn([todayIn(east)]);
    const member = await make.member(board, "member");
    for (const [person, timeZone] of [
      [owner, east],
      [member, west],
    ] as const)
      ok(await as(person).put("/users/me/notification-settings", { timeZone }));
    const count = async (person: { token: string }) =>
      ok(await as(person).get<ShownBoard>(`/boards/${board.publicId}?due=today`)).lists.flatMap(({ cards }) => cards)
        .length;
    expect(await count(owner)).toBe(1);
    expect(await count(member)).toBe(todayIn(west) === todayIn(east) ? 1 : 0);
  });
});
