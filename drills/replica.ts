// A real streaming replica beside PostgreSQL: what may lag is read there, how far it lags, and that nobody notices when it goes
// and comes back.

import { setTimeout as sleep } from "node:timers/promises";
import { drill } from "./harness.js";
import { examine, type Load, startLoad } from "./load.js";
import { asAdmin, type Server } from "./stores.js";

const SETTLE_MS = 7000;
const LAG_LIMIT_MS = 5000;

/** The number of lookups of the load's boards on a server, by its own count. */
const readsOf = (server: Server, database: string) => {
  const url = new URL(server.url);
  url.pathname = database;
  return asAdmin(url.href, async (admin) => {
    const [row] = await admin<{ reads: number }[]>`
      select (seq_scan + coalesce(idx_scan, 0))::int as reads from pg_stat_user_tables where relname = 'board'`;
    return row?.reads ?? 0;
  });
};

/** Milliseconds from the answer to a new board's creation until the list has it. */
async function lagOf({ send, workspace }: Load, name: string): Promise<number> {
  await send("POST", `/workspaces/${workspace}/boards`, { name });
  const begun = performance.now();
  while (performance.now() - begun < LAG_LIMIT_MS) {
    const { body } = await send("GET", `/workspaces/${workspace}/boards`);
    if (JSON.stringify(body).includes(name)) break;
  }
  return Math.round(performance.now() - begun);
}

/** Reads for a while, one after the other; gives how many failed and how long the slowest took, in milliseconds. */
async function readFor({ send, workspace }: Load, forMs: number) {
  const paths = ["boards", "calendar", "search?query=number"];
  const end = performance.now() + forMs;
  const seen = { reads: 0, failed: 0, slowestMs: 0 };
  while (performance.now() < end) {
    const begun = performance.now();
    const { status } = await send("GET", `/workspaces/${workspace}/${paths[seen.reads % paths.length]}`);
    seen.slowestMs = Math.max(seen.slowestMs, Math.round(performance.now() - begun));
    seen.reads += 1;
    if (status !== 200) seen.failed += 1;
  }
  return seen;
}

await drill("replica", async (run) => {
  const server = await run.server();
  const store = await run.postgres(server);
  const replica = await run.server(server);
  const { pathname } = new URL(store.env.DATABASE_URL ?? "");
  const replicaUrl = new URL(replica.url);
  replicaUrl.pathname = pathname;
  const service = await run.serve({ ...store.env, DATABASE_REPLICA_URLS: replicaUrl.href });
  const load = await startLoad(run, service.url, { clients: 8 });
  const forMs = run.seconds({ long: 10, short: 2 });

  const lags: number[] = [];
  for (let time = 0; time < 5; time += 1) lags.push(await lagOf(load, `Late ${time}`));
  run.report("milliseconds until a list on the replica has a new board", lags.join(", "));
  run.none("boards that did not come to the replica within 5 s", lags.filter((ms) => ms >= LAG_LIMIT_MS).length);
  const before = await readsOf(replica, pathname);
  const healthy = await readFor(load, forMs);
  await sleep(1200);
  run.some("looked up on the replica", (await readsOf(replica, pathname)) - before);

  await replica.kill();
  const without = await readFor(load, forMs);
  await replica.start();
  await sleep(run.isShort ? 5500 : SETTLE_MS);
  const since = await readsOf(replica, pathname);
  const again = await readFor(load, forMs);
  await sleep(1200);
  run.some("looked up on the replica after its return", (await readsOf(replica, pathname)) - since);
  for (const [name, seen] of Object.entries({ "with it": healthy, "without it": without, "with it again": again })) {
    run.report(`reads ${name}`, `${seen.reads}, the slowest ${seen.slowestMs} ms`);
    run.none(`reads ${name} that failed`, seen.failed);
  }
  await load.stop();
  await sleep(500);
  await examine(run, { store, load, services: [service] });
});
