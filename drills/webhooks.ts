// Webhooks while the process that delivers is killed, and while some of their receivers are as bad as receivers can be: every
// event arrives, repeats carry the same webhook-id, what was rolled back never arrives, and the healthy notice nothing.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Message } from "../examples/webhook-receiver.js";
import { insist, made, type Send, sender, signUp } from "./calls.js";
import { drill, freePort, type Run, readyAfter } from "./harness.js";
import { badReceivers, receive } from "./receivers.js";
import type { Store } from "./stores.js";

const ARRIVAL_LIMIT_MS = 120_000;
const SLOT_LIMIT_MS = 10_000;
/** The delay with which the end of an attempt may be seen on a busy machine; longer only if the drill itself stood still. */
const TOLERANCE_MS = 1_000;
const HEALTHY_WITHIN_MS = 5_000;

/** A workspace with a list to put cards on. */
async function makeWorkspace(send: Send, name: string) {
  const workspace = await made(send, "/workspaces", { name });
  const board = await made(send, `/workspaces/${workspace}/boards`, { name });
  return { workspace, list: await made(send, "/lists", { name, boardPublicId: board }) };
}

async function makeWebhook(send: Send, workspace: string, url: string, events: string[]) {
  const body = await insist(send, "POST", `/workspaces/${workspace}/webhooks`, { name: "Drill", url, events });
  return String(body.secret);
}

/** The deliveries by event: their identifiers, and the number of each. */
class Arrivals {
  readonly #byEvent = new Map<number, { ids: Set<string>; types: Set<string> }>();
  repeats = 0;
  readonly texts: string[] = [];

  take({ type, data }: Message, id: string): void {
    this.texts.push(JSON.stringify(data));
    const known = this.#byEvent.get(data?.id ?? 0) ?? { ids: new Set(), types: new Set() };
    if (known.ids.has(id)) this.repeats += 1;
    known.ids.add(id);
    known.types.add(type);
    this.#byEvent.set(data?.id ?? 0, known);
  }

  get size(): number {
    return this.#byEvent.size;
  }

  /** Events of the log that never came, those that came and are not in it, and those under more than one identifier. */
  against(log: readonly { seq: number; type: string }[]) {
    const types = new Map(log.map(({ seq, type }) => [seq, type]));
    const came = [...this.#byEvent];
    return {
      missing: log.filter(({ seq }) => !this.#byEvent.has(seq)),
      unknown: came.filter(([seq, { types: sent }]) => [...sent].some((type) => types.get(seq) !== type)),
      renamed: came.filter(([, { ids }]) => ids.size > 1),
    };
  }
}

/** Ends the leases of processes that are dead, which the long form waits for. */
async function endLeases(store: Store): Promise<void> {
  const db = await store.open();
  await db.rows(sql`update webhook_delivery set next_attempt_at = now() where status = 'pending'`);
  await db.close();
}

async function killWhileDelivering(run: Run, store: Store, { changes, kills }: { changes: number; kills: number }) {
  const env = { ...store.env, PORT: String(await freePort()), WEBHOOK_ALLOW_PRIVATE: "true" };
  let service = await run.serve(env);
  const send = sender(service.url, await signUp(service.url), 8);
  const { workspace, list } = await makeWorkspace(send, "Drill");
  const arrivals = new Arrivals();
  const receiver = await receive(run, (message, id) => arrivals.take(message, id));
  receiver.trust(await makeWebhook(send, workspace, receiver.url, ["*"]));

  let left = changes;
  let rolledBack = 0;
  const never = { workspacePublicId: workspace, boardName: "NEVER", rows: [["NEVER"]], mapping: { title: 0 } };
  const writers = Array.from({ length: 4 }, async () => {
    while (left > 0) {
      left -= 1;
      await made(send, "/cards", { title: `Card ${left}`, listPublicId: list });
      if (left % 10 === 0) {
        await insist(send, "POST", "/imports/csv/boards", { ...never, dryRun: true });
        rolledBack += 1;
      }
      // So that the kills fall among the changes.
      await sleep(run.seconds({ long: kills, short: 1 }) / changes);
    }
  });
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(run.isShort ? 700 : 2000);
    service.signal("SIGKILL");
    await service.ended;
    if (run.isShort) await endLeases(store);
    service = await run.serve(env);
    await readyAfter(service.url);
  }
  await Promise.all(writers);
  const begun = performance.now();
  const before = arrivals.size;
  const isOver = () => performance.now() - begun > ARRIVAL_LIMIT_MS;
  while (arrivals.size < changes + 1 && !isOver()) await sleep(50);
  // Calls whose answer a kill took with it have written more: wait until nothing more comes.
  for (let size = -1; size !== arrivals.size; await sleep(run.isShort ? 1500 : 20_000)) size = arrivals.size;
  service.signal("SIGTERM");
  await service.ended;

  const db = await store.open();
  const log = await db.rows<{ seq: number; type: string }>(sql`
    select e.seq, e.type from event e join workspace w on w.id = e.workspace_id
    where w.public_id = ${workspace}::text and e.seq >= (
      select seq from event where workspace_id = w.id and type = 'webhook.created') order by e.seq`);
  await db.close();
  const { missing, unknown, renamed } = arrivals.against(log);
  run.report(`${store.name}, kills`, kills);
  run.report(`${store.name}, of ${log.length} events, there when the last change was answered`, before);
  run.report(`${store.name}, repeats, all under their identifier`, arrivals.repeats);
  run.some(`${store.name}, events logged`, log.length);
  run.some(`${store.name}, changes rolled back`, rolledBack);
  run.none(`${store.name}, events that never arrived`, missing.length, missing);
  run.none(`${store.name}, events that arrived and are not in the log`, unknown.length, unknown);
  run.none(`${store.name}, events under more than one webhook-id`, renamed.length, renamed);
  run.none(
    `${store.name}, arrivals of what was rolled back`,
    arrivals.texts.filter((text) => text.includes("NEVER")).length,
  );
  run.none(`${store.name}, messages wrongly signed`, receiver.refused());
}

const at = (sorted: readonly number[], share: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);

async function deliverBesideTheBad(run: Run, store: Store): Promise<void> {
  const stalls = monitorEventLoopDelay();
  stalls.enable();
  const service = await run.serve({ ...store.env, WEBHOOK_ALLOW_PRIVATE: "true" });
  const send = sender(service.url, await signUp(service.url), 8);
  const bad = await badReceivers(run);
  const places: string[] = [];
  for (const url of bad.urls) {
    const { workspace, list } = await makeWorkspace(send, "Bad");
    await makeWebhook(send, workspace, url, ["card.*"]);
    places.push(list);
  }
  const delaysMs: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    const { workspace, list } = await makeWorkspace(send, "Healthy");
    const receiver = await receive(run, ({ timestamp }) => delaysMs.push(Date.now() - Date.parse(timestamp)));
    receiver.trust(await makeWebhook(send, workspace, receiver.url, ["card.*"]));
    places.push(list);
  }

  // A backlog for the bad ones, then as much for everybody, until the slots of the first must have been given back.
  const bulk = run.isShort ? 20 : 200;
  for (const list of places.slice(0, bad.urls.length)) {
    for (let n = 0; n < bulk; n += 1) await made(send, "/cards", { title: `Backlog ${n}`, listPublicId: list });
  }
  const begun = performance.now();
  let rounds = 0;
  while (performance.now() - begun < run.seconds({ long: 60, short: 13 })) {
    await Promise.all(places.map((list) => made(send, "/cards", { title: "Card", listPublicId: list })));
    rounds += 1;
    await sleep(100);
  }
  const changed = performance.now();
  const due = rounds * (places.length - bad.urls.length);
  const end = performance.now() + ARRIVAL_LIMIT_MS;
  while (delaysMs.length < due && performance.now() < end) await sleep(50);
  service.signal("SIGKILL");
  await service.ended;

  const stalledMs = Math.round(stalls.max / 1e6);
  const sorted = delaysMs.sort((a, b) => a - b);
  const inTime = sorted.filter((ms) => ms <= HEALTHY_WITHIN_MS).length;
  run.report(`${store.name}, attempts at bad receivers`, bad.held.length);
  run.report(`${store.name}, longest that one was held, ms`, Math.round(Math.max(...bad.held.map(({ ms }) => ms))));
  run.report(
    `${store.name}, healthy: ${due} events, ms from commit to arrival`,
    `median ${at(sorted, 0.5)}, p95 ${at(sorted, 0.95)}, p99 ${at(sorted, 0.99)}, most ${at(sorted, 1)}`,
  );
  run.report(`${store.name}, longest stall of the drill, ms`, stalledMs);
  run.report(`${store.name}, seconds of changes`, Math.round((changed - begun) / 1000));
  run.report(`${store.name}, healthy: within 5 s`, `${((100 * inTime) / due).toFixed(1)} %`);
  run.some(
    `${store.name}, attempts held to their end`,
    bad.held.filter(({ ms }) => ms > SLOT_LIMIT_MS - TOLERANCE_MS).length,
  );
  const tooLong = bad.held.filter(({ ms }) => ms > SLOT_LIMIT_MS + Math.max(TOLERANCE_MS, stalledMs));
  run.none(`${store.name}, attempts held longer than 10 s`, tooLong.length, tooLong);
  run.atMost(Math.floor(due * 0.05), `${store.name}, healthy deliveries later than 5 s`, due - inTime);
}

await drill("webhooks", async (run) => {
  const counts = run.isShort ? { changes: 100, kills: 1 } : { changes: 1000, kills: 10 };
  if (run.isShort) {
    await Promise.all([
      deliverBesideTheBad(run, await run.postgres()),
      killWhileDelivering(run, await run.embedded(), counts),
    ]);
    return;
  }
  for (const store of [await run.embedded(), await run.postgres()]) await killWhileDelivering(run, store, counts);
  for (const store of [await run.embedded(), await run.postgres()]) await deliverBesideTheBad(run, store);
});
