// The workers that send deliveries: they share the work, take over from those that died, and no receiver holds up another.

import { sql } from "drizzle-orm";
import { describe, expect, inject, test, vi } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { type List, ok, testApp } from "../helpers/app.js";
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
  typesOf,
  webhooksOf,
} from "./receivers.js";

const world = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const { as, make, db } = world;

const makeCardOn = (list: List) => async () => (await make.card({ list })).card;

describe("workers", () => {
  test("of several processes deliver each event once while none of them dies", { tags: ["slow"] }, async () => {
    const { url, received } = await receiver();
    const { list } = await make.list();
    const cards = await Promise.all(Array.from({ length: 50 }, makeCardOn(list)));
    await makeWebhook(world, list.board.workspace, { url, events: ["card.*"] });
    for (let n = 0; n < 3; n += 1) deliver(world);
    const cardPublicIds = cards.map(({ publicId }) => publicId);
    ok(await as(list.owner).post("/cards/bulk/update", { cardPublicIds, priority: "high" }));
    ok(await as(list.owner).post("/cards/bulk/archive", { cardPublicIds }));
    await eventually(async () => {
      const [left] = await db.rows(sql`
        select count(*)::int as n from webhook_delivery d join webhook w on w.workspace_id = d.workspace_id and w.id = d.webhook_id
        where d.status = 'pending' and w.url = ${url}::text`);
      expect(left).toEqual({ n: 0 });
    });
    expect(received).toHaveLength(100);
    expect(typesOf(received)).toEqual([...Array(50).fill("card.updated"), ...Array(50).fill("card.archived")]);
  });

  test("take over what one that died had taken, when its lease is over", async () => {
    const { url, received } = await receiver((res, _, count) => {
      if (count > 1) res.writeHead(204).end();
    });
    const { workspace } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    const dying = deliver(world);
    await makeTag(world, workspace);
    await eventually(() => expect(received).toHaveLength(1));
    await dying.stop(0);
    const [taken] = await deliveriesOf(world, workspace, webhook);
    expect(taken).toMatchObject({ status: "pending", attempts: 1, lastError: null });
    expect(await secondsLeft(world, webhook)).toBeLessThanOrEqual(15);

    await makeDue(world, webhook);
    deliver(world);
    await ended(world, workspace, webhook, "delivered", 2);
    expect(received.map(({ id }) => id)).toEqual([taken?.publicId, taken?.publicId]);
  });

  test("that stop let what is in flight end, and take nothing more", async () => {
    let release = () => {};
    const { url, received } = await receiver((res) => {
      release = () => res.writeHead(204).end();
    });
    const { workspace } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    const worker = deliver(world);
    await makeTag(world, workspace);
    await eventually(() => expect(received).toHaveLength(1));
    const stopped = worker.stop(20_000);
    await makeTag(world, workspace);
    release();
    await stopped;
    expect(await deliveriesOf(world, workspace, webhook)).toMatchObject([
      { status: "pending", attempts: 0 },
      { status: "delivered", attempts: 1 },
    ]);
  });

  test("serve healthy receivers while thousands wait for one that never answers", async () => {
    const dead = await receiver(() => {});
    const healthy = await receiver();
    const { workspace } = await make.workspace();
    const { workspace: other } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url: dead.url });
    await makeWebhook(world, other, { url: healthy.url });
    await makeTag(world, workspace);
    await db.rows(sql`
      insert into webhook_delivery (workspace_id, id, public_id, webhook_id, event_seq, type, next_attempt_at)
      select d.workspace_id, 1000000 + n, 'filler' || n, d.webhook_id, d.event_seq, d.type, now() - interval '1 hour'
      from generate_series(1, 3000) n, webhook_delivery d join webhook w on w.workspace_id = d.workspace_id and w.id = d.webhook_id
      where w.public_id = ${webhook.publicId}::text`);
    deliver(world);
    await eventually(() => expect(dead.received.length).toBeGreaterThan(0));
    for (let n = 0; n < 20; n += 1) await makeTag(world, other);

    await eventually(() => expect(healthy.received).toHaveLength(20));

    expect(dead.received.length).toBeLessThanOrEqual(10);
    const [row] = await db.rows(sql`
      select count(*) filter (where status <> 'pending')::int as ended from webhook_delivery d
      join webhook w on w.workspace_id = d.workspace_id and w.id = d.webhook_id where w.public_id = ${webhook.publicId}::text`);
    expect(row).toEqual({ ended: 0 });
    // Else its receiver would be asked for as long as the database lives.
    ok(await as(workspace.owner).delete(webhook.path));
  });

  test.skipIf(inject("template").kind === "embedded")(
    "deliver to other workspaces while one whose webhook they switch off is busy",
    async () => {
      let answer = () => {};
      const gone = await receiver((res) => {
        answer = () => res.writeHead(410).end();
      });
      const healthy = await receiver();
      const [busy, other] = [(await make.workspace()).workspace, (await make.workspace()).workspace];
      const webhook = await makeWebhook(world, busy, { url: gone.url });
      await makeWebhook(world, other, { url: healthy.url });
      deliver(world);
      await makeTag(world, busy);
      await eventually(() => expect(gone.received).toHaveLength(1));
      await db.transaction(async (tx) => {
        await tx.rows(sql`
          select 1 from workspace_counter where workspace_id = ${workspaceOf(busy.publicId)}::bigint for update`);
        answer();
        await ended(world, busy, webhook, "failed");
        await makeTag(world, other);
        await vi.waitFor(() => expect(healthy.received).toHaveLength(1), { timeout: 5000, interval: 5 });
      });
      await eventually(async () =>
        expect(ok(await as(busy.owner).get(webhooksOf(busy)))).toMatchObject([{ active: false, lastStatus: 410 }]),
      );
    },
  );

  test("serve a healthy receiver within a second while four others of its workspace never answer", async () => {
    const { workspace } = await make.workspace();
    const dead = await Promise.all(Array.from({ length: 4 }, () => receiver(() => {})));
    const healthy = await receiver();
    for (const { url } of dead) await makeWebhook(world, workspace, { url });
    deliver(world);
    // As many as all of them may have in flight.
    for (let n = 0; n < 12; n += 1) await makeTag(world, workspace);
    await eventually(() => expect(dead.flatMap(({ received }) => received).length).toBeGreaterThanOrEqual(40));
    await makeWebhook(world, workspace, { url: healthy.url });
    const waits: number[] = [];
    for (let n = 1; n <= 20; n += 1) {
      const since = performance.now();
      await makeTag(world, workspace);
      await vi.waitFor(() => expect(healthy.received).toHaveLength(n), { timeout: 5000, interval: 5 });
      waits.push(performance.now() - since);
    }
    expect(waits.sort((a, b) => a - b)[18]).toBeLessThan(1000);
  });
});
