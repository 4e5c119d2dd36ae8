// kill -9 of PostgreSQL while the service writes: nothing acknowledged is lost, and the service is ready within 10 s of the
// database's return, without being restarted.

import { setTimeout as sleep } from "node:timers/promises";
import { drill, READY_LIMIT_MS, readyAfter } from "./harness.js";
import { examine, startLoad } from "./load.js";
import { asAdmin, usableSlots } from "./stores.js";

const POOL_SIZE = 8;

await drill("postgres", async (run) => {
  const server = await run.server();
  const store = await run.postgres(server);
  const service = await run.serve({ ...store.env, DATABASE_POOL_SIZE: String(POOL_SIZE) });
  const load = await startLoad(run, service.url);
  const kills = run.isShort ? 2 : 10;
  const readyMs: number[] = [];
  let readyWithout = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(300 + run.random() * run.seconds({ long: 3, short: 1 }));
    await server.kill();
    await sleep(300 + run.random() * run.seconds({ long: 5, short: 1 }));
    if ((await fetch(`${service.url}/ready`)).ok) readyWithout += 1;
    await server.start();
    readyMs.push(await readyAfter(service.url));
  }
  await sleep(500);
  const usable = await asAdmin(store.env.DATABASE_URL ?? "", (admin) => usableSlots(admin, POOL_SIZE, load.look));
  await load.stop();

  run.report(`milliseconds from each of ${kills} returns to ready`, readyMs.join(", "));
  run.none("returns after which it was not ready within 10 s", readyMs.filter((ms) => ms > READY_LIMIT_MS).length);
  run.none("times it called itself ready without a database", readyWithout);
  run.none("stuck slots of the pool", POOL_SIZE - usable);
  await examine(run, { store, load, services: [service] });
});
