// Deliveries that fail: when they are tried again, and when the webhook is given up (contract section 6).

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import {
  deliver,
  deliveriesOf,
  ended,
  eventually,
  makeDue,
  makeTag,
  makeWebhook,
  receiver,
  secondsLeft,
  webhooksOf,
} from "./receivers.js";

const world = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const { as, make, db } = world;

describe("a delivery that fails", () => {
  const STEPS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400];

  test("is tried again after each step of the schedule, under the same identifier, then fails for good", async () => {
    const { url, received } = await receiver((res) => res.writeHead(500).end("internal details"));
    const { workspace, owner } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    const worker = deliver(world);
    await makeTag(world, workspace);
    for (const [n, step] of STEPS.entries()) {
      const pending = await ended(world, workspace, webhook, "pending", n + 1);
      expect(pending).toMatchObject({ lastStatusCode: 500, lastError: "The response has the status 500" });
      await eventually(async () => {
        const seconds = await secondsLeft(world, webhook);
        expect(seconds).toBeLessThanOrEqual(Math.ceil(step * 1.2));
        // The first step is short enough to be over by now.
        if (step > 60) expect(seconds).toBeGreaterThan(step - 60);
      });
      await makeDue(world, webhook);
      worker.wake();
    }
    const failed = await ended(world, workspace, webhook, "failed", 8);

    expect(failed.nextAttemptAt).toBeNull();
    expect(new Set(received.map(({ id }) => id))).toEqual(new Set([failed.publicId]));
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(received).toHaveLength(8);
    expect(ok(await as(owner).get(webhooksOf(workspace)))).toMatchObject([{ active: true, lastStatus: 500 }]);
  });

  test.each([
    ["seconds between the steps", () => "200", 200],
    ["seconds beyond the next step", () => "86400", 300],
    ["an HTTP date", () => new Date(Date.now() + 200_000).toUTCString(), 200],
  ])("waits as Retry-After says: %s", async (_, retryAfter, expected) => {
    const { url } = await receiver((res) => res.writeHead(503, { "retry-after": retryAfter() }).end());
    const { workspace } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    deliver(world);
    await makeTag(world, workspace);
    await ended(world, workspace, webhook, "pending");
    const seconds = await secondsLeft(world, webhook);
    expect(seconds).toBeLessThanOrEqual(expected + 1);
    expect(seconds).toBeGreaterThan(expected - 60);
  });

  test("follows no redirect", async () => {
    const target = await receiver();
    const { url } = await receiver((res) => res.writeHead(307, { location: target.url }).end());
    const { workspace } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    deliver(world);
    await makeTag(world, workspace);
    const pending = await ended(world, workspace, webhook, "pending");
    expect(pending.lastError).toBe("The response has the status 307; redirects are not followed");
    expect(target.received).toEqual([]);
  });

  test("with 410 switches the webhook off, which the log tells with no actor; what waits fails", async () => {
    const { url, received } = await receiver((res) => res.writeHead(410).end());
    const { workspace, owner } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    await makeTag(world, workspace);
    await makeTag(world, workspace);
    // One of the two waits for a later attempt.
    await db.rows(sql`
      update webhook_delivery set next_attempt_at = now() + interval '1 hour'
      where id = (select max(d.id) from webhook_delivery d join webhook w on w.workspace_id = d.workspace_id and w.id = d.webhook_id
        where w.public_id = ${webhook.publicId}::text)`);
    deliver(world);

    await ended(world, workspace, webhook, "failed", 0);

    expect(await deliveriesOf(world, workspace, webhook)).toMatchObject([
      { lastError: "The webhook was deactivated", attempts: 0, nextAttemptAt: null },
      { status: "failed", attempts: 1, lastStatusCode: 410, nextAttemptAt: null },
    ]);
    expect(received).toHaveLength(1);
    expect(ok(await as(owner).get(webhooksOf(workspace)))).toMatchObject([{ active: false, lastStatus: 410 }]);
    const [event] = await db.rows(sql`
      select e.type, e.actor_id as actor, e.data->'changes' as changes from event e
      join workspace w on w.id = e.workspace_id where w.public_id = ${workspace.publicId}::text order by seq desc limit 1`);
    expect(event).toEqual({ type: "webhook.updated", actor: null, changes: { active: { from: true, to: false } } });
  });

  test("with 410 says nothing of a webhook that is sent to another URL since", async () => {
    const { workspace, owner } = await make.workspace();
    const next = await receiver();
    let change = async () => {};
    const gone = await receiver(async (res) => {
      await change();
      res.writeHead(410).end();
    });
    const webhook = await makeWebhook(world, workspace, { url: gone.url });
    change = async () => void ok(await as(owner).put(webhook.path, { url: next.url }));
    deliver(world);
    await makeTag(world, workspace);
    await ended(world, workspace, webhook, "failed");
    await makeTag(world, workspace);
    await eventually(() => expect(next.received).toHaveLength(1));
    expect(ok(await as(owner).get(webhooksOf(workspace)))).toMatchObject([{ active: true, url: next.url }]);
  });

  test("after five days of nothing but failures switches the webhook off; one success starts the days anew", async () => {
    let status = 500;
    const { url } = await receiver((res) => res.writeHead(status).end());
    const { workspace, owner } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    const worker = deliver(world);
    const failSince = (days: number) =>
      db.rows(sql`
      update webhook set failing_since = now() - make_interval(days => ${days}::int) where public_id = ${webhook.publicId}::text`);
    const isActive = async () => ok(await as(owner).get<{ active: boolean }[]>(webhooksOf(workspace)))[0]?.active;
    await failSince(6);
    status = 200;
    await makeTag(world, workspace);
    await ended(world, workspace, webhook, "delivered");
    status = 500;
    await makeTag(world, workspace);
    await ended(world, workspace, webhook, "pending");
    expect(await isActive()).toBe(true);

    await failSince(5);
    await makeDue(world, webhook);
    worker.wake();
    await eventually(async () => expect(await isActive()).toBe(false));

    ok(await as(owner).put(webhook.path, { active: true }));
    const [row] = await db.rows(
      sql`select failing_since as since from webhook where public_id = ${webhook.publicId}::text`,
    );
    expect(row).toEqual({ since: null });
  });
});
