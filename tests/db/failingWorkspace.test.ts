// A workspace whose rows cannot be written, as on a server that is out of reach: workers log it, try it again, and go on with all others.

import { sql } from "drizzle-orm";
import { expect, onTestFinished, test, vi } from "vitest";
import { Backoff } from "../../src/db/backoff.js";
import type { Database } from "../../src/db/client.js";
import { workspaceOf } from "../../src/db/ids.js";
import { mail } from "../../src/db/schema/index.js";
import { WorkspacesLeftOut } from "../../src/db/sweptWorkspaces.js";
import { claimBundles } from "../../src/mail/mailQueue.js";
import { mailRow, NOW } from "../../src/mail/newMail.js";
import { remindersOf } from "../../src/notification/reminders.js";
import { SWEEPS, startSweeping } from "../../src/sweeper.js";
import { closeAbandonedGuests } from "../../src/user/guests.js";
import { forgetOldEvents } from "../../src/webhook/oldEvents.js";
import { type List, ok, testApp, type Workspace } from "../helpers/app.js";
import { accountIdOf } from "../helpers/recovery.js";
import { swept } from "../helpers/sweeping.js";
import { deliver, deliveriesOf, ended, eventually, makeTag, makeWebhook, receiver } from "../webhook/receivers.js";

const world = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const { anonymous, app, as, db, logs, make } = world;

const keyOf = ({ publicId }: Workspace) => workspaceOf(publicId) ?? 0;

/** Lets the database refuse writes to rows of a table for which a condition holds, until the test ends or `heal` is called. */
async function refusing(table: string, condition: string, on: Database = db) {
  const name = sql.identifier(`refuse_${table}`);
  await on.rows(sql`
    create function ${name}() returns trigger language plpgsql as $$
    declare r record;
    begin
      r := coalesce(new, old);
      if ${sql.raw(condition)} then raise exception 'out of reach' using errcode = '08006'; end if;
      return r;
    end $$`);
  await on.rows(sql`create trigger ${name} before insert or update or delete on ${sql.identifier(table)}
    for each row execute function ${name}()`);
  const heal = async () => void (await on.rows(sql`drop function if exists ${name} cascade`));
  onTestFinished(heal);
  return heal;
}

const warnings = (text: string) => logs.filter((line) => line.includes(text));

test("webhooks of other workspaces are delivered while one fails, and its own once it does no longer", async () => {
  const [failing, other] = [await receiver(), await receiver()];
  const { workspace } = await make.workspace();
  const { workspace: healthy } = await make.workspace();
  const broken = await makeWebhook(world, workspace, { url: failing.url });
  const whole = await makeWebhook(world, healthy, { url: other.url });
  await makeTag(world, workspace);
  const heal = await refusing("webhook_delivery", `r.workspace_id = ${keyOf(workspace)} and tg_op <> 'INSERT'`);
  const onSuccess = app.workers.add("webhooks", 60_000);
  deliver(world);
  await eventually(() => expect(warnings("webhook deliveries of a workspace failed")).not.toEqual([]));
  for (let count = 1; count <= 3; count += 1) {
    await makeTag(world, healthy);
    await eventually(() => expect(other.received).toHaveLength(count));
  }
  await ended(world, healthy, whole, "delivered");
  expect(failing.received).toEqual([]);
  expect(warnings("are delayed")).toEqual([]);
  onSuccess();

  await heal();
  await ended(world, workspace, broken, "delivered");
  expect(failing.received).toHaveLength(1);
});

test("a result that cannot be stored keeps no other from being stored, and is stored later", async () => {
  const { url } = await receiver();
  const { workspace } = await make.workspace();
  const { workspace: healthy } = await make.workspace();
  const broken = await makeWebhook(world, workspace, { url });
  const whole = await makeWebhook(world, healthy, { url });
  const heal = await refusing("webhook_delivery", `r.workspace_id = ${keyOf(workspace)} and r.status = 'delivered'`);
  deliver(world);
  await makeTag(world, workspace);
  for (let count = 0; count < 3; count += 1) {
    await makeTag(world, healthy);
    await ended(world, healthy, whole, "delivered");
  }
  expect(await deliveriesOf(world, workspace, broken)).toMatchObject([{ status: "pending" }]);
  await heal();
  await ended(world, workspace, broken, "delivered");
});

/** A card of its owner's that is due now. */
async function dueCard(list: List) {
  const { card } = await make.card({ list });
  ok(await as(list.owner).put(`/cards/${card.publicId}`, { dueDate: new Date().toISOString() }));
}

const remindedIn = async (workspace: Workspace) =>
  (await db.rows(sql`select from reminder where workspace_id = ${keyOf(workspace)}::bigint`)).length;

test("people of other workspaces are reminded while one fails, and its own once it does no longer", async () => {
  const lists = [(await make.list()).list, (await make.list()).list, (await make.list()).list];
  for (const list of lists) await dueCard(list);
  const [first, failing, last] = lists.map(({ board }) => board.workspace) as [Workspace, Workspace, Workspace];
  const heal = await refusing("reminder", `r.workspace_id = ${keyOf(failing)}`);
  const remind = () => swept(remindersOf({ mail: null }), db);
  await expect(remind()).rejects.toThrow(WorkspacesLeftOut);
  expect(await Promise.all([first, failing, last].map(remindedIn))).toEqual([1, 0, 1]);
  await heal();
  await remind();
  expect(await Promise.all([first, failing, last].map(remindedIn))).toEqual([1, 1, 1]);
});

test("a sweep goes on past more rows of a failing workspace than a batch has, warns of it, and counts as a success", async () => {
  const { workspace } = await make.workspace();
  const { workspace: healthy } = await make.workspace();
  const add = (key: number, count: number, age: string) =>
    db.rows(sql`
      insert into idempotency_key (workspace_id, account_id, key, request_hash, answer, created_at)
      select ${key}::bigint, (select min(id) from account), n::text, '', '{}', now() - ${age}::interval
      from generate_series(1, ${count}::int) n`);
  await add(keyOf(workspace), 1001, "27 hours");
  await add(keyOf(healthy), 3, "25 hours");
  await refusing("idempotency_key", `r.workspace_id = ${keyOf(workspace)}`);
  let rounds = 0;
  const sweeper = startSweeping({
    db,
    retention: { audit: 400, events: 30 },
    log: app.log,
    sweeps: SWEEPS,
    times: { firstMs: 0, everyMs: 60_000 },
    onSuccess: () => (rounds += 1),
  });
  await expect.poll(() => rounds, { timeout: 20_000 }).toBe(1);
  await sweeper.stop(10_000);
  const left = await db.rows(sql`select workspace_id as key, count(*)::int as n from idempotency_key group by 1`);
  expect(left).toEqual([{ key: keyOf(workspace), n: 1001 }]);
  expect(warnings("a sweep left out the workspaces")).toMatchObject([
    expect.stringContaining(String(keyOf(workspace))),
  ]);
});

test("events of other workspaces are forgotten while one fails", async () => {
  const workspaces = [(await make.workspace()).workspace, (await make.workspace()).workspace];
  for (const workspace of workspaces) await makeTag(world, workspace);
  const keys = workspaces.map(keyOf).sort((one, other) => one - other);
  await db.rows(sql`
    update event set created_at = now() - interval '40 days' where workspace_id in ${keys}`);
  const heal = await refusing("workspace_counter", `r.workspace_id = ${keys[0]}`);
  const sweep = () => swept(forgetOldEvents, db, { audit: 400, events: 30 });
  const left = async () => {
    const rows = await db.rows<{ key: number }>(sql`
      select distinct workspace_id as key from event where workspace_id in ${keys} order by 1`);
    return rows.map(({ key }) => key);
  };
  await expect(sweep()).rejects.toMatchObject({ workspaceIds: [keys[0]] });
  expect(await left()).toEqual([keys[0]]);
  await heal();
  await sweep();
  expect(await left()).toEqual([]);
});

test("abandoned guests of other workspaces are closed while one fails", async () => {
  const workspaces = [(await make.workspace()).workspace, (await make.workspace()).workspace] as const;
  const guests: string[] = [];
  for (const { publicId, owner } of workspaces) {
    const { inviteCode } = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${publicId}/invites`));
    const token = (await anonymous.post("/invites/accept", { inviteCode })).headers["x-access-token"] ?? "";
    guests.push(ok(await as({ token }).get<{ publicId: string }>("/users/me")).publicId);
    ok(await as({ token }).post("/auth/sign-out"));
  }
  const heal = await refusing("workspace_counter", `r.workspace_id = ${keyOf(workspaces[0])}`);
  const open = async () => {
    const rows = await db.rows<{ publicId: string }>(sql`
      select public_id as "publicId" from account where public_id in ${guests} and deleted_at is null`);
    return rows.map(({ publicId }) => publicId);
  };
  await expect(swept(closeAbandonedGuests, db)).rejects.toThrow();
  expect(await open()).toEqual([guests[0]]);
  await heal();
  await swept(closeAbandonedGuests, db);
  expect(await open()).toEqual([]);
});

test("mail about notifications goes on past an account that fails", async () => {
  const accounts = [await accountIdOf(db, await make.user()), await accountIdOf(db, await make.user())];
  await db.insert(mail).values(
    accounts.map((accountId) => ({
      ...mailRow({ kind: "notification", accountId, address: null }, NOW),
      nextAttemptAt: new Date(0).toISOString(),
    })),
  );
  const heal = await refusing("mail", `r.account_id = ${accounts[0]} and tg_op = 'UPDATE'`);
  const backoff = new Backoff<number>(app.log, "mail of an account");
  expect((await claimBundles(db, 1, backoff)).flat()).toEqual([]);
  expect((await claimBundles(db, 1, backoff)).flat().map(({ accountId }) => accountId)).toEqual([accounts[1]]);
  await heal();
  await eventually(async () => expect((await claimBundles(db, 1, backoff)).flat()).toHaveLength(1));
});

test("a part that failed long ago, and was not tried since, fails anew", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const backoff = new Backoff<string>(app.log, "work of a part");
  const fail = (key: string) => backoff.run(key, () => Promise.reject(new Error("out of reach")));
  await fail("tried again");
  for (let minutes = 0; minutes < 10; minutes += 1) {
    vi.advanceTimersByTime(60_000);
    await fail("tried again");
  }
  expect(backoff.failingMs("tried again")).toBe(600_000);
  await fail("left");
  vi.advanceTimersByTime(600_000);
  await fail("left");
  expect(backoff.failingMs("left")).toBe(0);
  expect(backoff.paused()).toEqual(["left"]);
  vi.advanceTimersByTime(1000);
  expect(backoff.paused()).toEqual([]);
});
