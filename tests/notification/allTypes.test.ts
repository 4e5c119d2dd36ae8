// The types of notifications beyond the specification's five (capabilities section 0): who gets them, and who asks for them.

import { sql } from "drizzle-orm";
import { Temporal } from "temporal-polyfill";
import { describe, expect, onTestFinished, test } from "vitest";
import { remindersOf } from "../../src/notification/reminders.js";
import { type Card, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { racingOn } from "../helpers/racing.js";
import { type Reading, read } from "../helpers/streams.js";
import { swept } from "../helpers/sweeping.js";
import { type Notification, notificationsOn } from "./received.js";

const app = await testApp();
const { as, make, db } = app;
const { listOf } = notificationsOn(app);
const { overtaken } = racingOn(app);

const allOf = (person: Person) => listOf(person, "?types=all");
const typesOf = async (person: Person) => (await allOf(person)).map(({ type }) => type);
const countOf = async (person: Person, query = "") =>
  ok(await as(person).get<{ count: number }>(`/notifications/unread-count${query}`)).count;
const toggle = (card: Card, by: Person, memberPublicId: string) =>
  as(by).put(`/cards/${card.publicId}/members/${memberPublicId}`);
const comment = (card: Card, by: Person, text: string) => make.comment({ card, by, comment: text });

async function team() {
  const made = await make.card();
  const ann = await make.member(made.board, "member");
  const ben = await make.member(made.board, "member");
  return { ...made, ann, ben };
}

test("list, count and read-all hold the specification's five unless all types are asked for", async () => {
  const { card, owner, ann } = await team();
  ok(await toggle(card, owner, ann.memberPublicId));
  await comment(card, owner, `@${ann.email}`);
  expect((await listOf(ann)).map(({ type }) => type)).toEqual(["mention"]);
  expect(await typesOf(ann)).toEqual(["mention", "card.assigned"]);
  expect([await countOf(ann), await countOf(ann, "?types=all")]).toEqual([1, 2]);
  expect(ok(await as(ann).post("/notifications/read-all"))).toEqual({ count: 1 });
  expect(await countOf(ann, "?types=all")).toBe(1);
  expect(ok(await as(ann).post("/notifications/read-all", { types: "all" }))).toEqual({ count: 1 });
  expectError(await as(ann).get("/notifications?types=some"), "BAD_REQUEST", "types");
});

describe("what was said", () => {
  interface Said extends Notification {
    comment?: { publicId: string; text: string } | null;
  }

  test("is in lists and streams of all types with the name of the board, and in no others", async () => {
    const { card, board, owner, ann, ben } = await team();
    const url = `${await app.listening()}/api/v1/notifications/stream`;
    const [all, five] = await Promise.all([read(`${url}?types=all`, ann.token), read(url, ann.token)]);
    onTestFinished(() => [all, five].forEach((stream) => void stream.leave()));
    for (const stream of [all, five]) await stream.until(() => stream.lastId() !== undefined);
    ok(await toggle(card, owner, ann.memberPublicId));
    const text = `@${ann.email} **${"🚀".repeat(300)}**`;
    const { publicId } = (await comment(card, ben, text)).comment;
    await all.until(() => all.items().length === 2);
    await five.until(() => five.items().length === 1);

    const said = { publicId, text: [...text].slice(0, 280).join("") };
    const [mention, assigned] = (await allOf(ann)) as Said[];
    expect(mention).toMatchObject({ type: "mention", comment: said, card: { boardName: board.name } });
    expect(assigned).toMatchObject({ type: "card.assigned", comment: null, card: { boardName: board.name } });
    expect(all.items<Said>()).toEqual([assigned, mention]);
    const { comment: _, card: shown, ...others } = mention ?? expect.fail();
    const { boardName: _name, ...asSpecified } = Object(shown);
    expect(await listOf(ann)).toEqual([{ ...others, card: asSpecified }]);
    expect(five.items<Said>()).toEqual([{ ...others, card: asSpecified }]);
  });

  test("of a watched card, a reply and an edited comment is the comment as it is now", async () => {
    const { card, owner, ann, ben } = await team();
    const { comment: first } = await comment(card, ann, "first");
    const reply = ok(
      await as(ben).post<{ publicId: string }>(`/cards/${card.publicId}/comments`, {
        comment: "second",
        parentCommentPublicId: first.publicId,
      }),
    );
    const edited = `edited for @${owner.email}`;
    ok(await as(ben).put(`/cards/${card.publicId}/comments/${reply.publicId}`, { comment: edited }));
    const textsOf = async (person: Person) =>
      ((await allOf(person)) as Said[]).map(({ type, comment: said }) => [type, said?.text]);
    expect(await textsOf(ann)).toEqual([["comment.reply", edited]]);
    expect(await textsOf(owner)).toEqual([
      ["mention", edited],
      ["comment.created", edited],
      ["comment.created", "first"],
    ]);
  });

  test("is null for a description, a deleted comment, and on a card that can no longer be seen", async () => {
    const { card, board, owner, ann } = await team();
    ok(await as(owner).put(`/cards/${card.publicId}`, { description: `@${ann.email}` }));
    const { publicId } = (await comment(card, owner, `@${ann.email} deleted`)).comment;
    await comment(card, owner, `@${ann.email} stays`);
    ok(await as(owner).delete(`/cards/${card.publicId}/comments/${publicId}`));
    const saidTo = async () => ((await allOf(ann)) as Said[]).map(({ comment: said }) => said?.text ?? said);
    expect(await saidTo()).toEqual([`@${ann.email} stays`, null, null]);
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
    ok(await as(owner).delete(`/boards/${board.publicId}/members/${ann.memberPublicId}`));
    expect(await saidTo()).toEqual([null, null, null]);
  });
});

test("the stream holds all types only for who asks for them", async () => {
  const { card, owner, ann } = await team();
  const url = `${await app.listening()}/api/v1/notifications/stream`;
  const [all, five] = await Promise.all([read(`${url}?types=all`, ann.token), read(url, ann.token)]);
  onTestFinished(() => [all, five].forEach((stream) => void stream.leave()));
  for (const stream of [all, five]) await stream.until(() => stream.lastId() !== undefined);
  ok(await toggle(card, owner, ann.memberPublicId));
  await comment(card, owner, `@${ann.email}`);
  const typesIn = (stream: Reading) => stream.items<Notification>().map(({ type }) => type);
  await all.until(() => typesIn(all).length === 2);
  await five.until(() => typesIn(five).length === 1);
  expect(typesIn(all)).toEqual(["card.assigned", "mention"]);
  expect(typesIn(five)).toEqual(["mention"]);
});

describe("card.assigned", () => {
  test("goes to whom somebody else assigned, however they did", async () => {
    const { card, list, owner, ann, ben } = await team();
    const memberPublicIds = [ann.memberPublicId, ben.memberPublicId];
    ok(await as(ann).post("/cards", { listPublicId: list.publicId, title: "New", memberPublicIds }));
    ok(await toggle(card, ann, ann.memberPublicId));
    ok(
      await as(owner).post("/cards/bulk/update", {
        cardPublicIds: [card.publicId],
        addMemberPublicIds: memberPublicIds,
      }),
    );
    ok(await as(owner).post(`/cards/${card.publicId}/duplicate`));
    expect(await typesOf(ann)).toEqual(["card.assigned"]);
    expect(await typesOf(ben)).toEqual(["card.assigned", "card.assigned", "card.assigned"]);
    expect((await allOf(ben))[1]?.card?.publicId).toBe(card.publicId);
  });

  test("goes once for an import, about a card that is open if there is one", async () => {
    const { list, board, owner, ann } = await team();
    const memberPublicIds = [ann.memberPublicId];
    const { card: archived } = await make.card({ list, title: "Archived", memberPublicIds });
    await make.card({ list, title: "Open", memberPublicIds });
    ok(await as(owner).post(`/cards/${archived.publicId}/archive`));
    const file = ok(await as(owner).get<{ cards: object[] }>(`/boards/${board.publicId}/export`));
    const { workspace } = await make.workspace();
    await make.member(workspace, "member", ann);
    const before = (await typesOf(ann)).length;
    const imported = { ...file, cards: file.cards.toReversed() };
    const body = { workspacePublicId: workspace.publicId, board: imported };
    ok(await as(workspace.owner).post("/imports/boards", body));
    const all = await allOf(ann);
    expect(all.slice(0, all.length - before).map(({ type, card }) => [type, card?.title])).toEqual([
      ["card.assigned", "Open"],
    ]);
  });

  test("tells of no assignment that was there, or was taken back", async () => {
    const { card, owner, ann } = await team();
    ok(await toggle(card, owner, ann.memberPublicId));
    const again = { cardPublicIds: [card.publicId], addMemberPublicIds: [ann.memberPublicId] };
    ok(await as(owner).post("/cards/bulk/update", again));
    ok(await toggle(card, owner, ann.memberPublicId));
    expect(await typesOf(ann)).toEqual(["card.assigned"]);
  });
});

describe("comment.created", () => {
  test("goes to the creator, the assignees and those who commented before, not to the writer or anyone else", async () => {
    const { card, owner, ann, ben, board } = await team();
    const cleo = await make.member(board, "member");
    await comment(card, ann, "First");
    ok(await toggle(card, owner, ben.memberPublicId));
    await comment(card, ann, "Second");
    expect(await typesOf(owner)).toEqual(["comment.created", "comment.created"]);
    expect(await typesOf(ben)).toEqual(["comment.created", "card.assigned"]);
    await comment(card, ben, "Third");
    expect(await typesOf(ann)).toEqual(["comment.created"]);
    expect(await typesOf(cleo)).toEqual([]);
  });

  test("goes to nobody whom the comment mentions or replies to, nor who no longer sees the card", async () => {
    const { card, owner, board, ann, ben } = await team();
    const { comment: first } = await comment(card, ann, "First");
    await comment(card, ben, "Second");
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
    ok(await as(owner).delete(`/boards/${board.publicId}/members/${ben.memberPublicId}`));
    await comment(card, owner, `@${ann.email}`);
    const reply = { comment: "Third", parentCommentPublicId: first.publicId };
    ok(await as(owner).post(`/cards/${card.publicId}/comments`, reply));
    expect(await typesOf(ann)).toEqual(["comment.reply", "mention", "comment.created"]);
    expect(await typesOf(ben)).toEqual([]);
  });
});

describe("card.due", () => {
  const remind = () => swept(remindersOf({ mail: null }), db);
  const dueIn = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const setDue = (card: Card, minutes: number) =>
    as(card.owner).put(`/cards/${card.publicId}`, { dueDate: dueIn(minutes) });
  const dueOf = async (person: Person) => (await allOf(person)).filter(({ type }) => type === "card.due");

  test("goes once for each due date to the assignees, a day before unless they want it otherwise", async () => {
    const { card, owner, ann, ben } = await team();
    for (const one of [ann, ben]) ok(await toggle(card, owner, one.memberPublicId));
    ok(await as(ben).put("/users/me/notification-settings", { dueMinutes: 30 }));
    ok(await setDue(card, 60 * 25));
    await remind();
    expect([await dueOf(ann), await dueOf(ben)]).toEqual([[], []]);
    ok(await setDue(card, 60 * 23));
    await remind();
    await remind();
    expect(await dueOf(ann)).toMatchObject([
      {
        card: { publicId: card.publicId },
        actor: { name: "Reminder", email: null, image: null },
      } as Partial<Notification>,
    ]);
    expect(await dueOf(ben)).toEqual([]);
    ok(await setDue(card, 20));
    await remind();
    expect([(await dueOf(ann)).length, (await dueOf(ben)).length, (await dueOf(owner)).length]).toEqual([2, 1, 0]);
  });

  test("goes once for a due date just past, also while others of the workspace are reminded", async () => {
    const { card, list, owner } = await team();
    ok(await setDue(card, -10));
    await remind();
    ok(await setDue((await make.card({ list })).card, 10));
    await remind();
    ok(await setDue((await make.card({ list })).card, 10));
    await remind();
    expect((await dueOf(owner)).filter((one) => one.card?.publicId === card.publicId)).toHaveLength(1);
    ok(await setDue(card, -61));
    await remind();
    expect(await dueOf(owner)).toHaveLength(3);
  });

  test("goes to the creator where nobody is assigned, copies included", async () => {
    const { card, owner, ann } = await team();
    ok(await setDue(card, 60));
    ok(await as(ann).post(`/cards/${card.publicId}/duplicate`));
    await remind();
    expect([(await dueOf(owner)).length, (await dueOf(ann)).length]).toEqual([1, 1]);
  });

  test("is not for cards that are completed, archived or long overdue, nor for who wants none or does not see the card", async () => {
    const { card, list, owner, board, ann, ben } = await team();
    const dueDate = dueIn(30);
    const made = async (by: Person, fields: object) =>
      ok(await as(by).post<Card>("/cards", { listPublicId: list.publicId, title: "Due", ...fields }));
    const done = await made(owner, { dueDate });
    ok(await as(owner).put(`/cards/${done.publicId}`, { completed: true }));
    ok(await as(owner).post(`/cards/${(await made(owner, { dueDate })).publicId}/archive`));
    ok(await setDue(card, -120));
    await made(ann, { dueDate });
    await made(ben, { dueDate });
    ok(await as(ann).put("/users/me/notification-settings", { dueMinutes: null }));
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
    ok(await as(owner).delete(`/boards/${board.publicId}/members/${ben.memberPublicId}`));
    await remind();
    expect([await dueOf(owner), await dueOf(ann), await dueOf(ben)]).toEqual([[], [], []]);
  });

  test("is not for a card that is completed, or due another day, before its turn", async () => {
    const { card, owner, workspace, list } = await team();
    const { card: other } = await make.card({ list, dueDate: dueIn(30) });
    const { card: still } = await make.card({ list, dueDate: dueIn(31) });
    ok(await setDue(card, 30));
    await overtaken(workspace, remind, async () => {
      // The cards are read behind the time zones of accounts.
      await db.rows(sql`select 1`);
      await db.rows(sql`
        update card set completed_at = case when public_id = ${card.publicId}::text then now() end,
          due_date = case when public_id = ${other.publicId}::text then now() + interval '40 minutes' else due_date end
        where public_id in ${[card.publicId, other.publicId]}`);
    });
    expect((await dueOf(owner)).map((one) => one.card?.publicId)).toEqual([still.publicId]);
  });

  test("is late by an hour at most, and none of a board that is archived", async () => {
    const { list, owner } = await team();
    const { board: closed, list: elsewhere } = await make.list({
      board: (await make.board({ workspace: list.board.workspace })).board,
    });
    const [late, tooLate] = [
      await make.card({ list, dueDate: dueIn(-59) }),
      await make.card({ list, dueDate: dueIn(-61) }),
    ];
    await make.card({ list: elsewhere, dueDate: dueIn(30) });
    ok(await as(owner).post(`/boards/${closed.publicId}/archive`));
    await remind();
    const reminded = (await dueOf(owner)).map(({ card }) => card?.publicId);
    expect(reminded).toEqual([late.card.publicId]);
    expect(reminded).not.toContain(tooLate.card.publicId);
  });

  const settingsOf = (person: Person, settings: object) => as(person).put("/users/me/notification-settings", settings);
  /** The minutes until a date begins in a time zone. */
  const minutesTo = (date: string, timeZone: string) =>
    (Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds - Date.now()) / 60_000;

  test.each(["Pacific/Kiritimati", "America/New_York", "UTC", "Pacific/Pago_Pago"])(
    "counts from the beginning of a day in the time zone of each reader: %s",
    async (timeZone) => {
      const { card, owner, ann, ben } = await team();
      const date = Temporal.Now.plainDateISO(timeZone).add({ days: 2 }).toString();
      const minutes = Math.ceil(minutesTo(date, timeZone));
      for (const one of [ann, ben]) ok(await toggle(card, owner, one.memberPublicId));
      ok(await settingsOf(ann, { timeZone, dueMinutes: minutes + 2 }));
      ok(await settingsOf(ben, { timeZone, dueMinutes: minutes - 2 }));
      ok(await as(owner).put(`/cards/${card.publicId}`, { dueDate: date }));
      await remind();
      await remind();
      expect([(await dueOf(ann)).length, (await dueOf(ben)).length]).toEqual([1, 0]);
      ok(await settingsOf(ben, { dueMinutes: minutes + 2 }));
      await remind();
      expect([(await dueOf(ann)).length, (await dueOf(ben)).length]).toEqual([1, 1]);
    },
  );

  test("of one day reaches the east first", async () => {
    const { card, owner, ann, ben } = await team();
    const [east, west] = ["Pacific/Kiritimati", "Pacific/Pago_Pago"] as const;
    const date = Temporal.Now.plainDateISO(east).add({ days: 2 }).toString();
    const dueMinutes = Math.ceil(minutesTo(date, east)) + 2;
    for (const one of [ann, ben]) ok(await toggle(card, owner, one.memberPublicId));
    ok(await settingsOf(ann, { timeZone: east, dueMinutes }));
    ok(await settingsOf(ben, { timeZone: west, dueMinutes }));
    ok(await as(owner).put(`/cards/${card.publicId}`, { dueDate: date }));
    await remind();
    expect([(await dueOf(ann)).length, (await dueOf(ben)).length]).toEqual([1, 0]);
  });

  test("is not for a day that began more than an hour ago", async () => {
    const { list, owner } = await team();
    const timeZone = "Etc/GMT+12";
    ok(await settingsOf(owner, { timeZone }));
    const yesterday = Temporal.Now.plainDateISO(timeZone).subtract({ days: 1 });
    await make.card({ list, dueDate: yesterday.toString() });
    await remind();
    expect(await dueOf(owner)).toEqual([]);
  });

  test("goes to everybody where an account has a time zone that is not known, whose days are those of UTC", async () => {
    const { card, owner, ann, ben } = await team();
    for (const one of [ann, ben]) ok(await toggle(card, owner, one.memberPublicId));
    ok(await as(owner).put(`/cards/${card.publicId}`, { dueDate: Temporal.Now.plainDateISO("UTC").add({ days: 1 }) }));
    await db.rows(sql`update account set time_zone = 'PST' where public_id = ${ann.publicId}::text`);
    await remind();
    expect([(await dueOf(ann)).length, (await dueOf(ben)).length]).toEqual([1, 1]);
  });

  test("forgets reminders of dates long past", async () => {
    const { card } = await team();
    ok(await setDue(card, 10));
    await remind();
    await db.rows(sql`update reminder set due_date = due_date - interval '8 days'`);
    ok(await setDue(card, 15));
    await remind();
    const kept = await db.rows<{ count: number }>(
      sql`select count(*)::int as count from reminder r join card c on c.workspace_id = r.workspace_id and c.id = r.card_id
        where c.public_id = ${card.publicId}::text`,
    );
    expect(kept).toEqual([{ count: 1 }]);
  });
});
