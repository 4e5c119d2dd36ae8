// When sweeps run, in which process, and when they stop.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, describe, expect, inject, onTestFinished, test } from "vitest";
import { deleteOldResponses } from "../src/api/idempotency.js";
import { type Database, openDatabase } from "../src/db/client.js";
import { workspaceOf } from "../src/db/ids.js";
import { openPostgres } from "../src/db/postgres.js";
import { SWEEP_TIMES, SWEEPS, startSweeping } from "../src/sweeper.js";
import { appOn, ok } from "./helpers/app.js";
import { isOnCitus, openTestDatabase } from "./helpers/databases.js";

const RETENTION = { audit: 400, events: null };
const { db, url, close } = await openTestDatabase();
afterAll(close);
const { app, as, anonymous, make, logs } = await appOn(db, {});
afterEach(() => db.rows(sql`delete from idempotency_key`));

async function addOldAnswers(count: number): Promise<void> {
  const { publicId } = await make.user();
  await db.rows(sql`
    insert into idempotency_key (workspace_id, account_id, key, request_hash, answer, created_at)
    select 0, a.id, n::text, '', '{}', now() - interval '25 hours'
    from account a, generate_series(1, ${count}::int) n where a.public_id = ${publicId}::text`);
}

async function answersLeft(): Promise<number> {
  const [row] = await db.rows<{ count: number }>(sql`select count(*)::int as count from idempotency_key`);
  return row?.count ?? 0;
}

/** A sweeper that does not wait long. */
function hasty(on: Database = db, sweeps = SWEEPS) {
  const sweeper = startSweeping({
    db: on,
    retention: RETENTION,
    log: app.log,
    sweeps,
    times: { firstMs: 0, everyMs: 20 },
  });
  onTestFinished(() => sweeper.stop(0));
  return sweeper;
}

test("a process sweeps a minute after its start, and ten minutes after each sweep", () => {
  expect(SWEEP_TIMES).toEqual({ firstMs: 60_000, everyMs: 600_000 });
});

test("it does not sweep before its time, then regularly, and no longer once it has stopped", async () => {
  await addOldAnswers(1);
  const late = startSweeping({ db, retention: RETENTION, log: app.log });
  await sleep(100);
  expect(await answersLeft()).toBe(1);
  await late.stop(1000);

  const sweeper = hasty();
  await expect.poll(answersLeft).toBe(0);
  await addOldAnswers(1);
  await expect.poll(answersLeft).toBe(0);

  await sweeper.stop(10_000);
  await addOldAnswers(1);
  await sleep(100);
  expect(await answersLeft()).toBe(1);
});

test("a sweep that fails keeps no other from running, and is warned of", async () => {
  const before = logs.length;
  let rounds = 0;
  const sweeps = {
    broken: async function* () {
      yield 1;
      throw new Error("broken");
    },
    whole: async function* () {
      rounds += 1;
      yield 2;
    },
  };
  const sweeper = startSweeping({
    db,
    retention: RETENTION,
    log: app.log,
    sweeps,
    times: { ...SWEEP_TIMES, firstMs: 0 },
  });
  await expect.poll(() => rounds).toBe(1);
  await sweeper.stop(10_000);
  const lines = logs
    .slice(before)
    .filter((line) => /sweep|swept/.test(line))
    .map((line) => JSON.parse(line));
  expect(lines.map(({ level, what, count, msg }) => [level, what, count, msg])).toEqual([
    [40, "broken", undefined, "a sweep failed and will be repeated"],
    [30, "broken", 1, "swept"],
    [30, "whole", 2, "swept"],
  ]);
});

test("one that is stopped ends with its batch, and leaves the rest", async () => {
  await addOldAnswers(3000);
  const stopped = new Promise<void>((resolve) => {
    async function* stoppedAfterOne(...by: Parameters<typeof deleteOldResponses>) {
      for await (const removed of deleteOldResponses(...by)) {
        resolve(sweeper.stop(10_000));
        yield removed;
      }
    }
    const sweeper = hasty(db, { answers: stoppedAfterOne });
  });
  await stopped;
  expect(await answersLeft()).toBe(2000);
  await sleep(100);
  expect(await answersLeft()).toBe(2000);
});

test("the first round ends tokens, invitations with their pending members, and guests whose tokens it ended", async () => {
  const { workspace } = await make.workspace();
  const { owner, publicId } = workspace;
  ok(await as(owner).post(`/workspaces/${publicId}/members/invite`, { email: "late@example.org" }));
  const { inviteCode } = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${publicId}/invites`));
  const joined = await anonymous.post("/invites/accept", { inviteCode });
  const guest = ok(await as({ token: joined.headers["x-access-token"] ?? "" }).get<{ publicId: string }>("/users/me"));
  const ended = await make.token(owner, { expiresAt: "2100-01-01T00:00:00.000Z" });
  const past = sql`now() - interval '1 second'`;
  await db.rows(sql`
    update access_token set expires_at = ${past} where public_id = ${ended.publicId}::text
      or account_id = (select id from account where public_id = ${guest.publicId}::text)`);
  await db.rows(sql`update invite set expires_at = ${past} where workspace_id = ${workspaceOf(publicId)}::bigint`);
  const tokensLeft = () => db.rows(sql`select public_id from access_token where expires_at < now()`);
  const membersLeft = async () =>
    ok(await as(owner).get<{ name: string }[]>(`/workspaces/${publicId}/members`)).map(({ name }) => name);
  expect(await tokensLeft()).toHaveLength(2);
  expect(await membersLeft()).toHaveLength(3);

  const sweeper = startSweeping({ db, retention: RETENTION, log: app.log, times: { ...SWEEP_TIMES, firstMs: 0 } });
  onTestFinished(() => sweeper.stop(0));

  await expect.poll(membersLeft, { timeout: 10_000 }).toEqual([owner.name]);
  expect(await tokensLeft()).toEqual([]);
});

test("a round is a success unless one of its sweeps failed", async () => {
  let rounds = 0;
  let successes = 0;
  let isBroken = true;
  const sweeper = startSweeping({
    db,
    retention: RETENTION,
    log: app.log,
    lock: "sweeps that fail",
    times: { firstMs: 0, everyMs: 5 },
    onSuccess: () => {
      successes += 1;
    },
    sweeps: {
      broken: async function* () {
        if (isBroken) throw new Error("broken by the test");
        yield 0;
      },
      // biome-ignore lint/correctness/useYield: there is nothing to remove
      sound: async function* () {
        rounds += 1;
      },
    },
  });
  onTestFinished(() => sweeper.stop(0));
  await expect.poll(() => rounds).toBeGreaterThan(2);
  expect(successes).toBe(0);

  isBroken = false;
  await expect.poll(() => successes).toBeGreaterThan(0);
});

describe.skipIf(inject("template").kind === "embedded")("of several processes on PostgreSQL", () => {
  test("one sweeps, and another when that one has ended", async () => {
    const settings = { url: url ?? "", poolSize: 2, prepare: true, statementTimeoutMs: 10_000 };
    const other = openDatabase(openPostgres({ ...settings, isDistributed: isOnCitus() }));
    onTestFinished(() => other.close());
    let end = () => {};
    const gate = new Promise<void>((resolve) => {
      end = resolve;
    });
    const sweeping = new Promise<void>((begun) => {
      const first = db.asOnlyProcess("work-board sweeps", async () => {
        begun();
        await gate;
      });
      onTestFinished(async () => void expect(await first).toBe(true));
    });
    await sweeping;
    await addOldAnswers(1);
    hasty(other);
    await sleep(200);
    expect(await answersLeft()).toBe(1);

    end();
    await expect.poll(answersLeft).toBe(0);
  });
});
