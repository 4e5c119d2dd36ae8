// How many mails are sent to a mailbox, and on whose account (capabilities section 1).

import { eq, sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { mail } from "../../src/db/schema/index.js";
import { mailRow, NOW } from "../../src/mail/newMail.js";
import { anAddress, expectError, ok, type Person, testApp, type Workspace } from "../helpers/app.js";
import { accountIdOf, RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";
import { mailServer, sendMail } from "./mailServer.js";

const app = await testApp(RECOVERY_ENVIRONMENT);
const { as, anonymous, make, db } = app;

const eventually = (expected: () => unknown) => vi.waitFor(expected, { timeout: 25_000, interval: 20 });
const statusesOf = async (email: string) =>
  (await db.select({ status: mail.status }).from(mail).where(eq(mail.address, email)).orderBy(mail.id)).map(
    ({ status }) => status,
  );
const ended = (email: string) => eventually(async () => expect(await statusesOf(email)).not.toContain("pending"));
const invite = ({ publicId, owner }: Workspace, email: string) =>
  as(owner).post(`/workspaces/${publicId}/members/invite`, { email });
const changeTo = (person: Person, email: string) =>
  as(person).put("/users/me/email", { email, currentPassword: person.password });

test("invitations and links to a new address are five a day together to one address, whoever causes them", async () => {
  const email = anAddress();
  for (let count = 0; count < 3; count += 1) {
    expect(ok(await invite((await make.workspace()).workspace, email))).toMatchObject({ mailed: true });
  }
  for (let count = 0; count < 2; count += 1) ok(await changeTo(await make.user(), email));

  const { workspace } = await make.workspace();
  expect(ok(await invite(workspace, email))).toMatchObject({ invited: true, mailed: false });
  const person = await make.user();
  const refused = await changeTo(person, email);
  expectError(refused, "TOO_MANY_REQUESTS");
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(86_000);
  expect(ok(await as(person).get("/users/me"))).toMatchObject({ pendingEmail: null });
  expect(await statusesOf(email)).toHaveLength(5);
});

test("they do not keep the owner of the address from resetting a password", async () => {
  const ada = await make.user();
  for (let count = 0; count < 6; count += 1) ok(await invite((await make.workspace()).workspace, ada.email));
  ok(await anonymous.post("/auth/password-reset", { email: ada.email }));
  expect(await statusesOf(ada.email)).toHaveLength(6);
});

test("one account causes a hundred of them a day, however many workspaces it makes", async () => {
  const owner = await make.user();
  const causedBy = await accountIdOf(db, owner);
  const others = Array.from({ length: 99 }, () =>
    mailRow({ kind: "invitation", accountId: null, address: anAddress(), causedBy }, NOW),
  );
  await db.insert(mail).values(others);
  const invited = [];
  for (let count = 0; count < 2; count += 1) {
    const { workspace } = await make.workspace({ owner });
    invited.push(ok(await invite(workspace, anAddress())));
  }
  expect(invited).toMatchObject([
    { invited: true, mailed: true },
    { invited: true, mailed: false },
  ]);
});

test("of six links that were queued at the same moment five are sent", async () => {
  const { url, arrived } = await mailServer();
  const address = anAddress();
  const link = { kind: "emailChange", accountId: null, address, data: { token: "x" } } as const;
  await db.insert(mail).values(Array.from({ length: 6 }, (_, causedBy) => mailRow({ ...link, causedBy }, NOW)));
  sendMail(app, url);
  await ended(address);
  expect(await statusesOf(address)).toEqual(["sent", "sent", "sent", "sent", "sent", "dropped"]);
  expect(arrived.filter(({ recipient }) => recipient === address)).toHaveLength(5);
});

test("of resets that are asked for at once three are sent", async () => {
  const { url, arrived } = await mailServer();
  const { email } = await make.user();
  const all = await Promise.all(Array.from({ length: 8 }, () => anonymous.post("/auth/password-reset", { email })));
  expect(all.map(({ status }) => status)).toEqual(Array(8).fill(200));
  sendMail(app, url);
  await ended(email);
  expect(arrived.filter(({ recipient }) => recipient === email)).toHaveLength(3);
});

test("closing an account and signing up again does not begin to count anew", async () => {
  const [target, email, password] = [anAddress(), anAddress(), "a password of mine"];
  const signUp = async () => {
    const { accessToken } = ok(
      await anonymous.post<{ accessToken: string }>("/auth/sign-up", { name: "Eve", email, password }),
    );
    return { email, password, token: accessToken, name: "Eve", publicId: "" };
  };
  const outcomes: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    const eve = await signUp();
    expect((await as(eve).post("/users/me/email/verify")).status).toBe(count < 5 ? 200 : 429);
    outcomes.push((await changeTo(eve, target)).status);
    ok(await as(eve).post("/users/me/delete", { password }));
  }
  expect(outcomes).toEqual([200, 200, 200, 200, 200, 429]);
  for (const address of [email, target]) expect(await statusesOf(address)).toEqual([]);
});

test("of 95 mentions the first is mailed at once, and the rest five minutes later in one mail", async () => {
  const { url, arrived } = await mailServer();
  const { card, board } = await make.card();
  const reader = await make.member(board, "member");
  const id = await accountIdOf(db, reader);
  const mention = () => make.comment({ card, comment: `@${reader.email} look` });
  const due = () =>
    db
      .select({ status: mail.status, at: mail.nextAttemptAt })
      .from(mail)
      .where(eq(mail.accountId, id))
      .orderBy(mail.id);
  const worker = sendMail(app, url);
  await mention();
  worker.wake();
  await eventually(async () => expect(await due()).toEqual([{ status: "sent", at: null }]));

  for (let count = 0; count < 94; count += 1) await mention();
  worker.wake();
  const pausesUntil = db.select({ at: sql`sent_at + interval '5 minutes'` }).from(mail).where(eq(mail.accountId, id));
  const [first] = await pausesUntil.orderBy(mail.id).limit(1);
  await eventually(async () =>
    expect((await due()).slice(1)).toEqual(Array(94).fill({ status: "pending", at: first?.at })),
  );
  expect(arrived).toHaveLength(1);

  const ago = (column: typeof mail.sentAt | typeof mail.nextAttemptAt) => sql`${column} - interval '5 minutes'`;
  await db
    .update(mail)
    .set({ sentAt: ago(mail.sentAt), nextAttemptAt: ago(mail.nextAttemptAt) })
    .where(eq(mail.accountId, id));
  worker.wake();
  await eventually(async () => expect(new Set((await due()).map(({ status }) => status))).toEqual(new Set(["sent"])));
  expect(arrived.map(({ subject }) => subject).slice(1)).toEqual(["94 notifications"]);
});
