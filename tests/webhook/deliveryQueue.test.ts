// The queue of deliveries as its workers use it: what they take, and what the results of their attempts change.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { type Claimed, claimIn, finishIn, type Result, START, waitingBehind } from "../../src/webhook/deliveryQueue.js";
import { testApp, type Workspace } from "../helpers/app.js";
import { deliveriesOf, makeDue, makeTag, makeWebhook } from "./receivers.js";

const world = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const { make, db } = world;
const URL_OF_ALL = "http://127.0.0.1:1/";

/** A workspace with a webhook, and some deliveries that are due. */
async function queued(count: number) {
  const { workspace } = await make.workspace();
  const webhook = await makeWebhook(world, workspace, { url: URL_OF_ALL });
  for (let n = 0; n < count; n += 1) await makeTag(world, workspace);
  const workspaceId = workspaceOf(workspace.publicId) ?? 0;
  const [row] = await db.rows<{ id: number }>(sql`select id from webhook where public_id = ${webhook.publicId}::text`);
  const key = { workspaceId, webhookId: row?.id ?? 0 };
  return { workspace, webhook, key, take: (most: number) => claimIn(db, key.workspaceId, [{ ...key, take: most }]) };
}

const resultOf = (claimed: Claimed | undefined, fields: Partial<Result>): Result => {
  if (claimed === undefined) throw new Error("nothing was claimed");
  const { workspaceId, webhookId, deliveryId, url, leasedUntil } = claimed;
  const failed = {
    status: "pending",
    code: 500,
    error: "The response has the status 500",
    retryInSeconds: 60,
  } as const;
  return { workspaceId, webhookId, deliveryId, url, leasedUntil, ...failed, ...fields };
};

async function stateIn({ publicId }: Workspace) {
  const [state] = await db.rows<{ lastStatus: number | null; failingSince: string | null }>(sql`
    select last_status as "lastStatus", failing_since::text as "failingSince" from webhook
    where workspace_id = ${workspaceOf(publicId)}::bigint`);
  return state;
}

describe("what is taken", () => {
  test("is at most as many as are asked for of a webhook, those that have waited longest first, and nothing twice", async () => {
    const { workspace, webhook, take } = await queued(4);
    const [newest, , , oldest] = await deliveriesOf(world, workspace, webhook);
    await db.rows(sql`
      update webhook_delivery set next_attempt_at = now() - case when public_id = ${newest?.publicId ?? ""}::text
        then interval '2 hours' else interval '1 hour' end where workspace_id = ${workspaceOf(workspace.publicId)}::bigint`);
    const taken = async (most: number) => (await take(most)).map(({ publicId, attempts }) => [publicId, attempts]);
    expect(await taken(2)).toEqual([
      [oldest?.publicId, 1],
      [newest?.publicId, 1],
    ]);
    expect(await taken(9)).toHaveLength(2);
    expect(await taken(9)).toEqual([]);
    await makeDue(world, webhook);
    expect((await taken(9)).map(([, attempts]) => attempts)).toEqual([2, 2, 2, 2]);
  });

  test("is found behind the webhooks that were looked at, and from the start again at the end", async () => {
    const { key } = await queued(1);
    const before = await waitingBehind(db, { ...key, webhookId: key.webhookId - 1 });
    expect(before.waiting.map(({ webhookId, workspaceId }) => ({ workspaceId, webhookId }))).toContainEqual(key);
    const behind = await waitingBehind(db, key);
    expect(behind.waiting.map(({ webhookId, workspaceId }) => ({ workspaceId, webhookId }))).not.toContainEqual(key);
    expect(behind.next).toEqual(START);
  });
});

describe("the result of an attempt", () => {
  test("that failed counts while its lease lasts: later it changes nothing of a newer attempt, but a success does", async () => {
    const { workspace, webhook, key, take } = await queued(1);
    const [old] = await take(1);
    await makeDue(world, webhook);
    // Leases are told apart by the millisecond.
    await sleep(2);
    const [renewed] = await take(1);
    const before = await deliveriesOf(world, workspace, webhook);
    expect(before).toMatchObject([{ status: "pending", attempts: 2, lastStatusCode: null }]);

    for (const status of ["pending", "failed"] as const) {
      await finishIn(db, key.workspaceId, [resultOf(old, { status })]);
      expect(await deliveriesOf(world, workspace, webhook)).toEqual(before);
    }
    await finishIn(db, key.workspaceId, [resultOf(renewed, {})]);
    expect(await deliveriesOf(world, workspace, webhook)).toMatchObject([{ status: "pending", lastStatusCode: 500 }]);

    const reached = { status: "delivered", code: 204, error: null, retryInSeconds: null } as const;
    await finishIn(db, key.workspaceId, [resultOf(old, reached)]);
    expect(await deliveriesOf(world, workspace, webhook)).toMatchObject([{ status: "delivered", nextAttemptAt: null }]);
    await finishIn(db, key.workspaceId, [resultOf(renewed, { status: "failed", retryInSeconds: null })]);
    expect(await deliveriesOf(world, workspace, webhook)).toMatchObject([{ status: "delivered" }]);
  });

  test("of failures with changing statuses keeps since when the webhook fails, until one is delivered", async () => {
    const { workspace, key, take } = await queued(4);
    const [first, second, third, fourth] = await take(4);
    await finishIn(db, key.workspaceId, [resultOf(first, { code: 500 })]);
    await db.rows(sql`
      update webhook set failing_since = now() - interval '1 day' where workspace_id = ${key.workspaceId}::bigint`);
    const since = (await stateIn(workspace))?.failingSince;
    await finishIn(db, key.workspaceId, [resultOf(second, { code: 502 })]);
    expect(await stateIn(workspace)).toEqual({ lastStatus: 502, failingSince: since });
    await finishIn(db, key.workspaceId, [resultOf(third, { code: null, error: "No answer" })]);
    expect(await stateIn(workspace)).toEqual({ lastStatus: null, failingSince: since });

    // One success among the results of a moment is enough; the last of them is the status.
    const results = [resultOf(fourth, { status: "delivered", code: 204 }), resultOf(third, { code: 503 })];
    await finishIn(db, key.workspaceId, results);
    expect(await stateIn(workspace)).toEqual({ lastStatus: 503, failingSince: null });
  });

  test("names a webhook to switch off that has failed for five days, or is gone, unless its URL has changed", async () => {
    const { workspace, key, take } = await queued(4);
    const [first, second, third, fourth] = await take(4);
    const failFor = (interval: string) =>
      db.rows(sql`
        update webhook set failing_since = now() - ${interval}::interval where workspace_id = ${key.workspaceId}::bigint`);
    await failFor("4 days 23:59:00");
    expect(await finishIn(db, key.workspaceId, [resultOf(first, {})])).toEqual([]);
    // A transaction that began before would call it a moment less.
    await failFor("5 days 00:00:01");
    expect(await finishIn(db, key.workspaceId, [resultOf(second, {})])).toEqual([
      { ...key, url: URL_OF_ALL, isGone: false },
    ]);
    const elsewhere = { url: "http://127.0.0.1:2/", code: 410, status: "failed", retryInSeconds: null } as const;
    expect(await finishIn(db, key.workspaceId, [resultOf(third, elsewhere)])).toEqual([]);
    expect((await stateIn(workspace))?.lastStatus).toBe(500);
    const gone = [
      resultOf(fourth, { ...elsewhere, url: URL_OF_ALL }),
      resultOf(third, { status: "delivered", code: 200 }),
    ];
    expect(await finishIn(db, key.workspaceId, gone)).toEqual([{ ...key, url: URL_OF_ALL, isGone: true }]);
  });
});
