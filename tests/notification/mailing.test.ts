// Mail about notifications (capabilities section 1): to whom, when, and what it says. What counts is what holds when it is sent.

import { eq, sql } from "drizzle-orm";
import { Temporal } from "temporal-polyfill";
import { expect, test, vi } from "vitest";
import { account, mail } from "../../src/db/schema/index.js";
import { nextDigest } from "../../src/notification/mailing.js";
import { remindersOf } from "../../src/notification/reminders.js";
import { type Card, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { swept } from "../helpers/sweeping.js";
import { unsubscribeToken } from "../helpers/unsubscribing.js";
import { MAIL, mailServer, sendMail } from "../mail/mailServer.js";

const app = await testApp(MAIL);
const { as, anonymous, make, db } = app;

const eventually = (expected: () => unknown) => vi.waitFor(expected, { timeout: 25_000, interval: 20 });
const accountIdOf = ({ publicId }: Person) =>
  db.select({ id: account.id }).from(account).where(eq(account.publicId, publicId));
const queuedFor = (person: Person) =>
  db
    .select({ status: mail.status, nextAttemptAt: mail.nextAttemptAt })
    .from(mail)
    .where(eq(mail.accountId, sql`(${accountIdOf(person)})`))
    .orderBy(mail.id);
const statusesOf = async (person: Person) => (await queuedFor(person)).map(({ status }) => status);
const ended = (person: Person) =>
  eventually(async () => expect(new Set(await statusesOf(person)).has("pending")).toBe(false));
const mention = (card: Card, person: Person) => make.comment({ card, comment: `@${person.email} look` });
const settings = "/users/me/notification-settings";

async function reader() {
  const made = await make.card();
  const person = await make.member(made.board, "member");
  return { ...made, person };
}

test("a mention goes to the verified address at once, with the card's title in the text and never in the subject", async () => {
  const { url, arrived } = await mailServer();
  const { card, person, owner, workspace } = await reader();
  await mention(card, person);
  sendMail(app, url, { APP_URL: "https://app.example.org" });
  await eventually(() => expect(arrived).toHaveLength(1));
  const [received] = arrived;
  expect(received?.recipient).toBe(person.email);
  expect(received?.subject).toBe(`${owner.name} mentioned you in ${workspace.name}`);
  expect(received?.text).toContain(card.title);
  expect(received?.html).toContain(`href="https://app.example.org/cards/${card.publicId}"`);
  await ended(person);
  expect(await statusesOf(person)).toEqual(["sent"]);
});

test("one click of the mail program, a form, ends mail to that person for good", async () => {
  const { url, arrived } = await mailServer();
  const { card, person } = await reader();
  await mention(card, person);
  sendMail(app, url);
  await eventually(() => expect(arrived).toHaveLength(1));
  const header = (name: string) => arrived[0]?.headers.find(({ key }) => key === name)?.value ?? "";
  expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  const [, link = ""] = /^<https:\/\/board\.example\.org\/api\/v1(.+)>$/.exec(header("list-unsubscribe")) ?? [];
  expect(arrived[0]?.text).toContain("https://board.example.org/account/unsubscribe#token=");

  const res = await app.app.inject({
    method: "POST",
    url: `/api/v1${link}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: "List-Unsubscribe=One-Click",
  });
  expect(res.json()).toEqual({ success: true });
  const off = { mention: "off", reply: "off", assigned: "off", comment: "off", due: "off", membership: "off" };
  expect(ok(await as(person).get<object>(settings))).toMatchObject({ email: off });
  await ended(person);
  await db
    .update(mail)
    .set({ sentAt: sql`${mail.sentAt} - interval '5 minutes'` })
    .where(eq(mail.status, "sent"));
  await mention(card, person);
  await ended(person);
  expect(await statusesOf(person)).toEqual(["sent", "dropped"]);
  expect(arrived).toHaveLength(1);
});

test("the link of an earlier mail still unsubscribes after later mails", async () => {
  const { person } = await reader();
  const token = await unsubscribeToken(app, person);
  await unsubscribeToken(app, person);
  ok(await anonymous.post("/mail/unsubscribe", { token }));
  expect(ok(await as(person).get<object>(settings))).toMatchObject({ email: { mention: "off" } });
});

test("a token that was never sent unsubscribes nobody", async () => {
  const { person } = await reader();
  for (const token of ["x", person.publicId, `${person.publicId}null`]) {
    expectError(await anonymous.post("/mail/unsubscribe", { token }), "BAD_REQUEST", "token");
  }
  expectError(await anonymous.post("/mail/unsubscribe"), "BAD_REQUEST", "token");
});

test("who lost access between the change and the sending gets nothing, nor who read it, is disabled, or has an address that was not verified", async () => {
  const { url, arrived } = await mailServer();
  const { card, board, owner, person } = await reader();
  const second = await make.member(board, "member", await make.unverified());
  const [third, disabled] = [await make.member(board, "member"), await make.member(board, "member")];
  for (const one of [person, second, third, disabled]) await mention(card, one);
  ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
  ok(await as(owner).delete(`/boards/${board.publicId}/members/${person.memberPublicId}`));
  ok(await as(third).post("/notifications/read-all"));
  await db.update(account).set({ disabledAt: sql`now()` }).where(eq(account.publicId, disabled.publicId));
  sendMail(app, url);
  for (const one of [person, second, third, disabled]) await ended(one);
  const statuses = await Promise.all([person, second, third, disabled].map(statusesOf));
  expect(statuses).toEqual(Array(4).fill(["dropped"]));
  expect(arrived).toEqual([]);
});

test("who was removed hears of that, and of nothing that was in the workspace before; a reminder goes with its reason", async () => {
  const { url, arrived } = await mailServer();
  const { card, list, owner, workspace, person } = await reader();
  ok(await as(person).put(settings, { email: { due: "now", assigned: "off" } }));
  const [done, archived] = [(await make.card({ list })).card, (await make.card({ list })).card];
  const dueDate = new Date(Date.now() + 600_000).toISOString();
  for (const { publicId } of [card, done, archived]) {
    ok(await as(owner).put(`/cards/${publicId}/members/${person.memberPublicId}`));
    ok(await as(owner).put(`/cards/${publicId}`, { dueDate }));
  }
  await swept(remindersOf({ mail: { url, from: "board@example.org" } }), db);
  ok(await as(owner).put(`/cards/${done.publicId}`, { completed: true }));
  ok(await as(owner).post(`/cards/${archived.publicId}/archive`));
  const other = await make.member(workspace, "member");
  const path = `/workspaces/${workspace.publicId}/members/${other.memberPublicId}`;
  ok(await as(owner).put(`${path}/role`, { role: "admin" }));
  ok(await as(owner).delete(path));
  sendMail(app, url);
  for (const one of [person, other]) await ended(one);
  const to = ({ email }: Person) =>
    arrived.filter(({ recipient }) => recipient === email).map(({ subject }) => subject);
  expect(to(person)).toEqual([`A card is due in ${workspace.name}`]);
  expect(to(other)).toEqual([`${owner.name} removed you from ${workspace.name}`]);
});

test("what happened in several workspaces comes in the order in which it happened", async () => {
  const { url, arrived } = await mailServer();
  const [one, two] = [await reader(), await make.card()];
  await make.member(two.board, "member", one.person);
  const cards = [one.card, two.card, (await make.card({ list: one.list })).card];
  for (const card of cards) await mention(card, one.person);
  sendMail(app, url);
  await eventually(() => expect(arrived).toHaveLength(1));
  const text = arrived[0]?.text ?? "";
  const places = cards.map(({ title }) => text.indexOf(title));
  expect(Math.min(...places)).toBeGreaterThan(0);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test("what is wanted once a day waits for its hour, and comes as one mail", async () => {
  const { url, arrived } = await mailServer();
  const { board, card, owner, person } = await reader();
  const other = await make.member(board, "member");
  const wanted = { timeZone: "Asia/Tokyo", digestHour: 6, email: { mention: "daily" } };
  for (const one of [person, other]) ok(await as(one).put(settings, wanted));
  await mention(card, person);
  await mention(card, other);
  await mention(card, person);
  const worker = sendMail(app, url);
  const hour = nextDigest(new Date().toISOString(), "Asia/Tokyo", 6);
  const hoursOf = async (one: Person) => (await queuedFor(one)).map(({ nextAttemptAt }) => nextAttemptAt);
  await eventually(async () => expect([await hoursOf(person), await hoursOf(other)]).toEqual([[hour, hour], [hour]]));
  expect(arrived).toEqual([]);

  await db.update(mail).set({ nextAttemptAt: sql`now()` }).where(eq(mail.nextAttemptAt, hour));
  worker.wake();
  for (const one of [person, other]) await ended(one);
  const to = ({ email }: Person) => arrived.filter(({ recipient }) => recipient === email);
  expect(to(person).map(({ subject }) => subject)).toEqual(["Your day: 2 notifications"]);
  expect(to(person)[0]?.text?.match(new RegExp(`${owner.name} mentioned you`, "g"))).toHaveLength(2);
  expect(to(other).map(({ subject }) => subject)).toEqual(["Your day: 1 notification"]);
});

test("what waited for its hour and what came at once are not called a day", async () => {
  const { url, arrived } = await mailServer();
  const { card, person } = await reader();
  ok(await as(person).put(settings, { email: { mention: "daily" } }));
  await mention(card, person);
  const worker = sendMail(app, url);
  await eventually(async () =>
    expect((await queuedFor(person)).every(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? "") > Date.now())).toBe(
      true,
    ),
  );
  await worker.stop(10_000);
  ok(await as(person).put(settings, { email: { mention: "now" } }));
  await mention(card, person);
  await db.update(mail).set({ nextAttemptAt: sql`now()` }).where(eq(mail.status, "pending"));
  sendMail(app, url);
  await ended(person);
  expect(arrived.map(({ subject }) => subject)).toEqual(["2 notifications"]);
});

test("the daily mail comes by UTC to who has a time zone that is not known", async () => {
  const { url } = await mailServer();
  const { card, person } = await reader();
  ok(await as(person).put(settings, { digestHour: 6, email: { mention: "daily" } }));
  await db.update(account).set({ timeZone: "PST" }).where(eq(account.publicId, person.publicId));
  await mention(card, person);
  sendMail(app, url);
  const hour = nextDigest(new Date().toISOString(), "UTC", 6);
  await eventually(async () => expect((await queuedFor(person))[0]?.nextAttemptAt).toBe(hour));
  expect(ok(await as(person).get(settings))).toMatchObject({ timeZone: "UTC" });
});

test.each([
  ["later the same day", "2026-11-20T06:59:00Z", "Europe/Berlin", 8, "2026-11-20T07:00:00.000Z"],
  ["the next day, once the hour has begun", "2026-11-20T07:00:00Z", "Europe/Berlin", 8, "2026-11-21T07:00:00.000Z"],
  [
    "an hour earlier by UTC after clocks go forward",
    "2027-03-27T12:00:00Z",
    "Europe/Berlin",
    8,
    "2027-03-28T06:00:00.000Z",
  ],
  ["after the hour that clocks leave out", "2027-03-27T12:00:00Z", "Europe/Berlin", 2, "2027-03-28T01:00:00.000Z"],
  ["once in the hour that clocks repeat", "2026-10-24T12:00:00Z", "Europe/Berlin", 2, "2026-10-25T00:00:00.000Z"],
  ["not again in its repetition", "2026-10-25T00:00:00Z", "Europe/Berlin", 2, "2026-10-26T01:00:00.000Z"],
  ["where the day has another date", "2026-11-20T12:00:00Z", "Pacific/Auckland", 0, "2026-11-21T11:00:00.000Z"],
])("the daily mail comes %s", (_, now, timeZone, hour, expected) => {
  expect(nextDigest(now, timeZone, hour)).toBe(expected);
});

test("a reminder says when the card is due, in the reader's time zone", async () => {
  const { url, arrived } = await mailServer();
  const { card, owner, person } = await reader();
  ok(await as(person).put(settings, { timeZone: "Asia/Kolkata", email: { assigned: "off", due: "now" } }));
  const dueDate = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000);
  ok(await as(owner).put(`/cards/${card.publicId}`, { dueDate: dueDate.toISOString() }));
  ok(await as(owner).put(`/cards/${card.publicId}/members/${person.memberPublicId}`));
  await swept(remindersOf({ mail: { url, from: "board@example.org" } }), db);
  sendMail(app, url);
  await eventually(() => expect(arrived.map(({ subject }) => subject)).toContainEqual(expect.stringContaining("due")));
  const reminded = arrived.find(({ subject }) => subject?.includes("due"));
  const there = new Date(dueDate.getTime() + 19_800_000).toISOString();
  expect(reminded?.text).toContain(` ${there.slice(0, 4)}, ${there.slice(11, 16)} GMT+5:30: `);
  expect(reminded?.subject).not.toContain(card.title);
});

test("a reminder of a day names the day alone, the same in every time zone", async () => {
  const { url, arrived } = await mailServer();
  const { card, owner, person } = await reader();
  const timeZone = "Pacific/Pago_Pago";
  ok(await as(person).put(settings, { timeZone, dueMinutes: 2880, email: { assigned: "off", due: "now" } }));
  const tomorrow = Temporal.Now.plainDateISO(timeZone).add({ days: 1 });
  ok(await as(owner).put(`/cards/${card.publicId}`, { dueDate: tomorrow.toString() }));
  ok(await as(owner).put(`/cards/${card.publicId}/members/${person.memberPublicId}`));
  await swept(remindersOf({ mail: { url, from: "board@example.org" } }), db);
  sendMail(app, url);
  await eventually(() => expect(arrived.map(({ subject }) => subject)).toContainEqual(expect.stringContaining("due")));
  const reminded = arrived.find(({ subject }) => subject?.includes("due"));
  const written = tomorrow.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  expect(reminded?.text?.replaceAll(/\s+/g, " ")).toContain(`on ${written}: `);
});

test("without a mail server nothing is queued", async () => {
  const plain = await app.another({ MAIL_URL: "", MAIL_FROM: "" });
  const { person, card } = await reader();
  ok(await plain.as(card.owner).post(`/cards/${card.publicId}/comments`, { comment: `@${person.email}` }));
  expect(await statusesOf(person)).toEqual([]);
});
