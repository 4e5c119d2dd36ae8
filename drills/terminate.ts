// pg_terminate_backend of the service's sessions at random while it writes: nothing acknowledged is lost, and afterwards every
// slot of its pool works.

import { setTimeout as sleep } from "node:timers/promises";
import { drill } from "./harness.js";
import { examine, startLoad } from "./load.js";
import { asAdmin } from "./stores.js";

const POOL_SIZE = 8;
const SLOTS_LIMIT_MS = 10_000;
const CHECK_MS = 50;

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

    // Every writer needs the counters: while they are locked, as many sessions wait as the pool can use.
    return admin.begin(async (holder) => {
      await holder`select from workspace_counter for update`;
      const deadline = performance.now() + SLOTS_LIMIT_MS;
      for (;;) {
        const [row] = await holder<{ waiting: number }[]>`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and application_name = 'work-board' and wait_event_type = 'Lock'`;
        await holder`select pg_stat_clear_snapshot()`;
        if (row?.waiting === POOL_SIZE || performance.now() > deadline) return row?.waiting ?? 0;
        await sleep(CHECK_MS);
      }
    });
  });
  run.none("stuck slots of the pool", POOL_SIZE - usable);
  await sleep(300);
  await load.stop();
  await examine(run, { store, load, services: [service] });
});
