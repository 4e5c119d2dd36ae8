// What is kept of deliveries and for how long, what the figures tell, and what ends with the process.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { forgetOldDeliveries, forgetOldSecrets } from "../../src/webhook/webhookRetention.js";
import { startDelivering } from "../../src/webhook/worker.js";
import { expectError, ok, testApp } from "../helpers/app.js";
import { racingOn } from "../helpers/racing.js";
import { swept } from "../helpers/sweeping.js";
import { deliveriesOf, ended, eventually, makeWebhook, receiver } from "./receivers.js";

const world = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const { app, as, make, db, another } = world;
const { overtaken } = racingOn(world);

test("deliveries that ended are forgotten after 30 days, those that wait never; secrets that no longer sign go too", async () => {
  const { workspace, owner } = await make.workspace();
  const webhook = await makeWebhook(world, workspace, { url: "http://127.0.0.1:1/" });
  for (let n = 0; n < 4; n += 1) ok(await as(owner).post(`${webhook.path}/test`));
  ok(await as(owner).post(`${webhook.path}/rotate-secret`));
  const [newest, third, second, oldest] = await deliveriesOf(world, workspace, webhook);
  const set = (id: string | undefined, days: number, status: string) =>
    db.rows(sql`
    update webhook_delivery set created_at = now() - make_interval(days => ${days}::int), status = ${status}::text
    where public_id = ${id ?? null}::text`);
  await set(oldest?.publicId, 31, "pending");
  await set(second?.publicId, 31, "failed");
  await set(third?.publicId, 29, "delivered");

  await swept(forgetOldDeliveries, db);
  await swept(forgetOldSecrets, db);

  const left = await deliveriesOf(world, workspace, webhook);
  expect(left.map(({ publicId }) => publicId)).toEqual([newest, third, oldest].map((kept) => kept?.publicId));
  const secrets = () =>
    db.rows<{ has: boolean }>(sql`
    select previous_secret is not null as has from webhook where public_id = ${webhook.publicId}::text`);
  expect(await secrets()).toEqual([{ has: true }]);
  await db.rows(
    sql`update webhook set previous_secret_until = now() - interval '1 second' where public_id = ${webhook.publicId}::text`,
  );
  await swept(forgetOldSecrets, db);
  expect(await secrets()).toEqual([{ has: false }]);
});

test("a delivery that is sent again before its turn stays", async () => {
  const { workspace, owner } = await make.workspace();
  const webhook = await makeWebhook(world, workspace, { url: "http://127.0.0.1:1/" });
  for (let n = 0; n < 2; n += 1) ok(await as(owner).post(`${webhook.path}/test`));
  const [again] = await deliveriesOf(world, workspace, webhook);
  await db.rows(sql`
    update webhook_delivery set created_at = now() - interval '31 days'
    where workspace_id = ${workspaceOf(workspace.publicId)}::bigint`);

  await overtaken(
    workspace,
    () => swept(forgetOldDeliveries, db),
    () => db.rows(sql`update webhook_delivery set status = 'pending' where public_id = ${again?.publicId ?? ""}::text`),
  );

  const left = await deliveriesOf(world, workspace, webhook);
  expect(left.map(({ publicId }) => publicId)).toEqual([again?.publicId]);
});

test("the figures tell of attempts and of what is due", async () => {
  const { url } = await receiver((res, { message }) => res.writeHead(message.type === "tag.deleted" ? 500 : 204).end());
  const { workspace, owner } = await make.workspace();
  const webhook = await makeWebhook(world, workspace, { url });
  const worker = startDelivering({
    db,
    log: app.log,
    outside: { resolve: async () => [], allowPrivate: true },
    registry: app.figures,
  });
  const tag = ok(
    await as(owner).post<{ publicId: string }>(`/workspaces/${workspace.publicId}/tags`, {
      name: "One",
      colourCode: "#123456",
    }),
  );
  await ended(world, workspace, webhook, "delivered");
  ok(await as(owner).delete(`/workspaces/${workspace.publicId}/tags/${tag.publicId}`));
  await ended(world, workspace, webhook, "pending");
  await worker.stop(0);
  const { text } = await world.anonymous.send({ method: "GET", url: "/metrics" });
  expect(text).toMatch(/^webhook_attempts_total\{outcome="delivered"\} [1-9]/m);
  expect(text).toMatch(/^webhook_attempts_total\{outcome="retried"\} [1-9]/m);
  expect(text).toMatch(/^webhook_attempts_in_flight 0$/m);
  expect(text).toMatch(/^webhook_oldest_due_seconds \d+$/m);
});

test("a test of a webhook whose receiver does not answer is answered when the process ends", async () => {
  const ending = await another({});
  const { url, received } = await receiver(() => {});
  const { workspace, owner } = await make.workspace();
  const webhook = await makeWebhook(world, workspace, { url });
  const answer = ending.as(owner).post(`${webhook.path}/test`);
  await eventually(() => expect(received).toHaveLength(1));
  await ending.app.close();
  expect(ok(await answer)).toMatchObject({ status: "failed", lastError: "The service stopped during the attempt" });
});

test("secrets are not for an Idempotency-Key to keep", async () => {
  const { workspace, owner } = await make.workspace();
  const webhook = await makeWebhook(world, workspace, { url: "https://hooks.example.org/" });
  const refused = await as(owner).send({
    method: "POST",
    url: `/api/v1${webhook.path}/rotate-secret`,
    headers: { "idempotency-key": "once" },
  });
  expectError(refused, "BAD_REQUEST");
});
