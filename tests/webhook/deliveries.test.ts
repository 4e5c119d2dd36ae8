// What webhooks are sent, and when (contract section 6).

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { expectError, type List, ok, testApp, unique } from "../helpers/app.js";
import {
  deliver,
  deliveriesOf,
  ended,
  eventually,
  exampleReceiver,
  isSignedBy,
  type MadeWebhook,
  makeTag,
  makeWebhook,
  receiver,
  webhooksOf,
} from "./receivers.js";

const world = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const { as, make, db, logs } = world;

const makeCardOn = (list: List) => async () => (await make.card({ list })).card;

describe("a change", () => {
  test("arrives signed, as the event of the log, and is delivered with the first 2xx", async () => {
    const { url, taken, trust } = await exampleReceiver();
    const { workspace, owner } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    trust(webhook.secret);
    deliver(world);
    const tag = await makeTag(world, workspace);

    const delivery = await ended(world, workspace, webhook, "delivered");

    expect(delivery).toEqual({
      publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      eventId: 2,
      type: "tag.created",
      status: "delivered",
      attempts: 1,
      lastStatusCode: 204,
      lastError: null,
      nextAttemptAt: null,
      createdAt: expect.any(String),
    });
    const [event] = await db.rows<{ createdAt: string; data: object; operationPublicId: string }>(sql`
      select e.created_at as "createdAt", e.data, e.operation_public_id as "operationPublicId" from event e join workspace w on w.id = e.workspace_id
      where w.public_id = ${workspace.publicId}::text and e.seq = 2`);
    const { memberPublicId } = ok(
      await as(owner).get<{ me: { memberPublicId: string } }>(`/workspaces/${workspace.publicId}`),
    ).me;
    const data = {
      id: 2,
      type: "tag.created",
      createdAt: event?.createdAt,
      actor: { publicId: owner.publicId, name: owner.name, image: null, memberPublicId },
      workspacePublicId: workspace.publicId,
      boardPublicId: null,
      cardPublicId: null,
      data: event?.data,
      operationPublicId: event?.operationPublicId,
      requestKey: null,
      origin: { kind: "user" },
      redacted: false,
    };
    const message = { type: "tag.created", timestamp: event?.createdAt, data };
    expect(taken).toEqual([{ id: delivery.publicId, message }]);
    expect(JSON.stringify(event?.data)).toContain(tag.publicId);
    expect(ok(await as(owner).get(webhooksOf(workspace)))).toMatchObject([{ lastStatus: 204 }]);
  });

  test("is queued for every active webhook whose filter matches, and for no other", async () => {
    const { list } = await make.list();
    const { workspace } = list.board;
    const hook = (fields: object) => makeWebhook(world, workspace, { url: "https://hooks.example.org/", ...fields });
    const all = await hook({ events: ["*"] });
    const cards = await hook({ events: ["board.*", "card.*"] });
    const exact = await hook({ events: ["list.created", "card.created"] });
    const deeper = await hook({ events: ["card.label.*"] });
    const off = await hook({ events: ["*"], active: false });
    const { workspace: other } = await make.workspace();
    const elsewhere = await makeWebhook(world, other, { url: "https://hooks.example.org/", events: ["*"] });

    const { card } = await make.card({ list });
    ok(await as(list.owner).put(`/cards/${card.publicId}`, { title: "Renamed" }));

    const heard = async (webhook: MadeWebhook, of = workspace) =>
      (await deliveriesOf(world, of, webhook)).map(({ type }) => type).reverse();
    const hooksMade = Array(5).fill("webhook.created");
    expect(await heard(all)).toEqual([...hooksMade, "card.created", "card.updated"]);
    expect(await heard(cards)).toEqual(["card.created", "card.updated"]);
    expect(await heard(exact)).toEqual(["card.created"]);
    expect(await heard(deeper)).toEqual([]);
    expect(await heard(off)).toEqual([]);
    expect(await heard(elsewhere, other)).toEqual(["webhook.created"]);
  });

  test("of many cards arrives once a card, each under an identifier of its own", async () => {
    const { list } = await make.list();
    const cards = await Promise.all(Array.from({ length: 40 }, makeCardOn(list)));
    const { url, received } = await receiver();
    await makeWebhook(world, list.board.workspace, { url, events: ["card.archived"] });
    deliver(world);
    ok(await as(list.owner).post("/cards/bulk/archive", { cardPublicIds: cards.map(({ publicId }) => publicId) }));

    await eventually(() => expect(received).toHaveLength(40));

    expect(new Set(received.map(({ id }) => id)).size).toBe(40);
    expect(new Set(received.map(({ message }) => message.data?.cardPublicId))).toEqual(
      new Set(cards.map(({ publicId }) => publicId)),
    );
  });

  test("of a person arrives from each of its workspaces", async () => {
    const { workspace, owner } = await make.workspace();
    const { workspace: second } = await make.workspace({ owner });
    const { url, received } = await receiver();
    for (const place of [workspace, second]) await makeWebhook(world, place, { url, events: ["member.updated"] });
    deliver(world);
    ok(await as(owner).put("/users/me", { name: "Somebody Else" }));

    await eventually(() => expect(received).toHaveLength(2));

    expect(new Set(received.map(({ message }) => message.data?.workspacePublicId))).toEqual(
      new Set([workspace.publicId, second.publicId]),
    );
  });

  test("that is not made, refused or a dry run, is not sent", async () => {
    const { list } = await make.list();
    const { workspace } = list.board;
    const webhook = await makeWebhook(world, workspace, { url: "https://hooks.example.org/", events: ["*"] });
    const before = await deliveriesOf(world, workspace, webhook);
    const { card } = await make.card({ list });
    const unknown = { cardPublicIds: [card.publicId, "000000000000"] };
    expectError(await as(list.owner).post("/cards/bulk/archive", unknown), "FORBIDDEN");
    ok(
      await as(list.owner).post("/imports/csv/boards", {
        workspacePublicId: workspace.publicId,
        boardName: "Never",
        rows: [["One"]],
        mapping: { title: 0 },
        dryRun: true,
      }),
    );
    expect((await deliveriesOf(world, workspace, webhook)).slice(0, -before.length).map(({ type }) => type)).toEqual([
      "card.created",
    ]);
  });
});

describe("test", () => {
  test("sends one message without an event, also for a webhook that is off, and answers with what became of it", async () => {
    const { url, received } = await receiver();
    const { workspace, owner } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url, active: false });
    const delivery = ok(await as(owner).post(`${webhook.path}/test`));
    expect(delivery).toMatchObject({
      eventId: null,
      type: "webhook.test",
      status: "delivered",
      attempts: 1,
      lastStatusCode: 204,
      lastError: null,
      nextAttemptAt: null,
    });
    expect(await deliveriesOf(world, workspace, webhook)).toEqual([delivery]);
    expect(received).toHaveLength(1);
    expect(received[0]?.message).toEqual({ type: "webhook.test", timestamp: expect.any(String), data: null });
    expect(received.every((message) => isSignedBy(webhook.secret, message))).toBe(true);
  });

  test("under an Idempotency-Key sends nothing again, and nothing where the key came with another request", async () => {
    const { url, received } = await receiver();
    const { workspace, owner } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    const other = await makeWebhook(world, workspace, { url });
    const headers = { "idempotency-key": unique("key").replace(" ", "-") };
    const send = ({ path }: { path: string }) =>
      as(owner).send({ method: "POST", url: `/api/v1${path}/test`, headers });
    const first = ok(await send(webhook));
    const again = await send(webhook);
    expect(ok(again)).toEqual(first);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expectError(await send(other), "CONFLICT");
    expect(received).toHaveLength(1);
    expect(await deliveriesOf(world, workspace, webhook)).toEqual([first]);
    expect(await deliveriesOf(world, workspace, other)).toEqual([]);
  });

  test("that fails is not tried again, and says why", async () => {
    const { url } = await receiver((res) => res.writeHead(418).end());
    const { workspace, owner } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    expect(ok(await as(owner).post(`${webhook.path}/test`))).toMatchObject({
      status: "failed",
      lastStatusCode: 418,
      lastError: "The response has the status 418",
      nextAttemptAt: null,
    });
    const nowhere = await makeWebhook(world, workspace, { url: "http://127.0.0.1:1/" });
    expect(ok(await as(owner).post(`${nowhere.path}/test`))).toMatchObject({
      status: "failed",
      lastStatusCode: null,
      lastError: "The connection was refused",
    });
  });
});

test("after a rotation both secrets sign for 24 hours, then the new one alone", async () => {
  const { url, received } = await receiver();
  const { workspace, owner } = await make.workspace();
  const webhook = await makeWebhook(world, workspace, { url });
  const { secret } = ok(await as(owner).post<{ secret: string }>(`${webhook.path}/rotate-secret`));
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(secret).not.toBe(webhook.secret);
  const [stored] = await db.rows<{ hours: number }>(sql`
    select round(extract(epoch from previous_secret_until - now()) / 3600)::int as hours from webhook
    where public_id = ${webhook.publicId}::text`);
  expect(stored).toEqual({ hours: 24 });
  deliver(world);
  await makeTag(world, workspace);
  await ended(world, workspace, webhook, "delivered");
  ok(await as(owner).post(`${webhook.path}/test`));
  await db.rows(sql`update webhook set previous_secret_until = now() where public_id = ${webhook.publicId}::text`);
  await makeTag(world, workspace);
  await eventually(() => expect(received).toHaveLength(3));

  expect(received.map((message) => isSignedBy(secret, message))).toEqual([true, true, true]);
  expect(received.map((message) => isSignedBy(webhook.secret, message))).toEqual([true, true, false]);
  const data = await db.rows(sql`
    select e.data::text from event e join workspace w on w.id = e.workspace_id where w.public_id = ${workspace.publicId}::text`);
  const written = JSON.stringify([data, logs, await deliveriesOf(world, workspace, webhook)]);
  for (const hidden of [secret, webhook.secret, url]) expect(written).not.toContain(hidden);
});

describe("deliveries", () => {
  test("are listed newest first, a page at a time", async () => {
    const { workspace, owner } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url: "https://hooks.example.org/" });
    for (let n = 0; n < 5; n += 1) await makeTag(world, workspace);
    const all = await deliveriesOf(world, workspace, webhook);
    expect(all.map(({ eventId }) => eventId)).toEqual([6, 5, 4, 3, 2]);
    const paged: unknown[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const page = ok(
        await as(owner).get<{ items: unknown[]; nextCursor: string | null }>(`${webhook.path}/deliveries${query}`),
      );
      paged.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(all);
    expectError(await as(owner).get(`${webhook.path}/deliveries?cursor=nonsense`), "BAD_REQUEST", "cursor");
  });

  test("are sent again under the same identifier, their schedule begun anew, but not while the webhook is off", async () => {
    const { url, received } = await receiver();
    const { workspace, owner } = await make.workspace();
    const webhook = await makeWebhook(world, workspace, { url });
    await makeTag(world, workspace);
    await db.rows(sql`
      update webhook_delivery d set status = 'failed', attempts = 8, next_attempt_at = null from webhook w
      where w.workspace_id = d.workspace_id and w.id = d.webhook_id and w.public_id = ${webhook.publicId}::text`);
    const [failed] = await deliveriesOf(world, workspace, webhook);
    const again = `${webhook.path}/deliveries/${failed?.publicId}/redeliver`;
    ok(await as(owner).put(webhook.path, { active: false }));
    expectError(await as(owner).post(again), "BAD_REQUEST");
    expect(await deliveriesOf(world, workspace, webhook)).toEqual([failed]);
    ok(await as(owner).put(webhook.path, { active: true }));
    expect(ok(await as(owner).post(again))).toEqual({ success: true });
    deliver(world);
    await ended(world, workspace, webhook, "delivered");
    ok(await as(owner).post(again));
    await eventually(() => expect(received.map(({ id }) => id)).toEqual([failed?.publicId, failed?.publicId]));

    const other = await makeWebhook(world, workspace, { url });
    const elsewhere = `${other.path}/deliveries/${failed?.publicId}/redeliver`;
    expectError(await as(owner).post(elsewhere), "FORBIDDEN");
  });
});

test("changes go through, and are queued for those that are there, while webhooks come and go", async () => {
  const { workspace, owner } = await make.workspace();
  const busy = Promise.all(Array.from({ length: 30 }, () => makeTag(world, workspace)));
  const hooks = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const webhook = await makeWebhook(world, workspace, {
        url: "https://hooks.example.org/",
        events: ["tag.created"],
      });
      return webhook;
    }),
  );
  const [kept, ...gone] = hooks;
  await Promise.all(gone.map(({ path }) => as(owner).delete(path).then(ok)));
  await busy;
  if (kept === undefined) throw new Error("no webhook");
  const events = await db.rows<{ eventId: number }>(sql`
    select e.seq as "eventId" from event e join workspace w on w.id = e.workspace_id
    where w.public_id = ${workspace.publicId}::text and e.type = 'tag.created' and e.seq > (
      select seq from event where workspace_id = e.workspace_id and type = 'webhook.created'
        and data->>'webhookPublicId' = ${kept.publicId}::text)
    order by e.seq desc`);
  expect((await deliveriesOf(world, workspace, kept)).map(({ eventId }) => ({ eventId }))).toEqual(events);
});

test("a change of thousands of events reaches as many webhooks as a workspace may have", {
  tags: ["slow"],
}, async () => {
  const { workspace, owner } = await make.workspace();
  const labels = Array.from({ length: 70 }, (_, n) => `Label ${n}`).join();
  const { boardPublicId } = ok(
    await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", {
      workspacePublicId: workspace.publicId,
      boardName: "Large",
      rows: Array.from({ length: 100 }, (_, row) => [`Card ${row}`, row === 0 ? labels : ""]),
      mapping: { title: 0, labels: 1 },
    }),
  );
  type Ids = { publicId: string }[];
  const board = ok(await as(owner).get<{ lists: { cards: Ids }[]; labels: Ids }>(`/boards/${boardPublicId}`));
  for (let n = 0; n < 20; n += 1)
    await makeWebhook(world, workspace, { url: "http://127.0.0.1:9/", events: ["card.*"] });

  const idsOf = (things: Ids) => things.map(({ publicId }) => publicId);
  const body = {
    cardPublicIds: idsOf(board.lists.flatMap(({ cards }) => cards)),
    addLabelPublicIds: idsOf(board.labels),
  };
  ok(await as(owner).post("/cards/bulk/update", body));

  const [queued] = await db.rows<{ count: number }>(sql`
    select count(*) as count from webhook_delivery d join workspace w on w.id = d.workspace_id
    where w.public_id = ${workspace.publicId}::text and d.type = 'card.label.added'`);
  // The first card has them all.
  expect(queued).toEqual({ count: 99 * 70 * 20 });
});
