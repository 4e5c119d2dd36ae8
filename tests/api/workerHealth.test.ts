// What tells that a worker of the process still succeeds: the metric of its last success, and the names in `/ready`.

import { sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { MAIL, sendMail } from "../mail/mailServer.js";

const world = await testApp(MAIL);
const { anonymous, app, db } = world;

/** Takes the queue of mails away, so that nobody can read it, until the test ends. */
const takeMailAway = () => db.rows(sql`alter table mail rename to mail_elsewhere`);
const bringMailBack = () => db.rows(sql`alter table if exists mail_elsewhere rename to mail`);
afterEach(bringMailBack);

async function lastSuccess(worker: string): Promise<number> {
  const { text } = await anonymous.send({ method: "GET", url: "/metrics" });
  const pattern = new RegExp(`^worker_last_success_timestamp_seconds\\{worker="${worker}"\\} (.+)$`, "m");
  return Number(pattern.exec(text)?.[1]);
}

const stoppedWorkers = async () =>
  ok(await anonymous.send<{ stoppedWorkers: string[] }>({ method: "GET", url: "/ready" })).stoppedWorkers;

test("the time of a worker's last success is that of its start, and then advances with each round", async () => {
  const begun = Date.now() / 1000;
  const onSuccess = app.workers.add("mail", 60_000);
  const first = await lastSuccess("mail");
  expect(first).toBeGreaterThanOrEqual(begun);
  expect(first).toBeLessThanOrEqual(Date.now() / 1000);

  sendMail(world, MAIL.MAIL_URL, { onSuccess });
  await expect.poll(() => lastSuccess("mail"), { timeout: 10_000 }).toBeGreaterThan(first);
});

test("/ready names a worker that has stopped, but does not fail, until the worker succeeds again", async () => {
  sendMail(world, MAIL.MAIL_URL, { onSuccess: app.workers.add("mail", 2000) });
  expect(await stoppedWorkers()).toEqual([]);

  await takeMailAway();
  await expect.poll(stoppedWorkers, { timeout: 20_000 }).toEqual(["mail"]);
  const stopped = await lastSuccess("mail");
  expect(await lastSuccess("mail")).toBe(stopped);

  await bringMailBack();
  await expect.poll(stoppedWorkers, { timeout: 20_000 }).toEqual([]);
  expect(await lastSuccess("mail")).toBeGreaterThan(stopped);
});
