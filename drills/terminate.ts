// pg_terminate_backend of the service's sessions at random while it writes: nothing acknowledged is lost, and afterwards every
// slot of its pool works.

import { setTimeout as sleep } from "node:timers/promises";
import { drill } from "./harness.js";
import { examine, startLoad } from "./load.js";
import { asAdmin, usableSlots } from "./stores.js";

const POOL_SIZE = 8;

await drill("terminate", async (run) => {
  const store = await run.postgres();
  const service = await run.serve({ ...store.env, DATABASE_POOL_SIZE: String(POOL_SIZE) });
  const load = await startLoad(run, service.url);

  const usable = await asAdmin(store.env.DATABASE_URL ?? "", async (admin) => {
    const end = performance.now() + run.seconds({ long: 60, short: 6 });
    let terminated = 0;
    while (performance.now() < end) {
      const sessions = await admin<{ pid: number }[]>`
        select pid from pg_stat_activity
        where datname = current_database() and application_name = 'work-board' and pid <> pg_backend_pid()`;
      const victims = sessions.filter(() => run.random() < 0.4);
      for (const { pid } of victims) await admin`select pg_terminate_backend(${pid})`;
      terminated += victims.length;
      await sleep(20 + run.random() * 200);
    }
    run.some("sessions terminated", terminated);

    return usableSlots(admin, POOL_SIZE, load.look);
  });
  run.none("stuck slots of the pool", POOL_SIZE - usable);
  await sleep(300);
  await load.stop();
  await examine(run, { store, load, services: [service] });
});
