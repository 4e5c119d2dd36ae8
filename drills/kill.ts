// kill -9 of the service while it writes, on the embedded database and on PostgreSQL: nothing acknowledged is lost, nothing is
// half there, and it serves again by itself.

import { setTimeout as sleep } from "node:timers/promises";
import { drill, freePort, READY_LIMIT_MS, type Run, readyAfter } from "./harness.js";
import { examine, startLoad } from "./load.js";
import type { Store } from "./stores.js";

async function killOn(run: Run, store: Store, kills: number): Promise<void> {
  const env = { ...store.env, PORT: String(await freePort()) };
  let service = await run.serve(env);
  const services = [service];
  const load = await startLoad(run, service.url);
  const readyMs: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(300 + run.random() * run.seconds({ long: 2, short: 1 }));
    service.signal("SIGKILL");
    await service.ended;
    const restarted = run.serve(env);
    readyMs.push(await readyAfter(service.url));
    service = await restarted;
    services.push(service);
  }
  await sleep(300);
  await load.stop();
  run.report(`${store.name}, milliseconds from each of ${kills} starts to ready`, readyMs.join(", "));
  const late = readyMs.filter((ms) => ms > READY_LIMIT_MS);
  run.none(`${store.name}, starts after which it was not ready within 10 s`, late.length, late);
  await examine(run, { store, load, services, isCutOff: true });
}

await drill("kill", async (run) => {
  await killOn(run, await run.embedded(), run.isShort ? 1 : 10);
  await killOn(run, await run.postgres(), run.isShort ? 2 : 10);
});
