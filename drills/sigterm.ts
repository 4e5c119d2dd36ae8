// SIGTERM while the service writes: every request sent before it succeeds, later ones too until the service closes, it ends with
// exit code 0, and what was acknowledged is there.

import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, sender, signUp } from "./calls.js";
import { drill, freePort, type Run, readyAfter } from "./harness.js";
import { examine, startLoad } from "./load.js";
import type { Store } from "./stores.js";

const IMPORTS = 4;
const IMPORTED_ROWS = 500;

/** Sends imports, which take a while; gives their answers. */
async function startImports(url: string): Promise<Promise<Answer>[]> {
  const send = sender(url, await signUp(url), IMPORTS);
  const { body } = await send("POST", "/workspaces", { name: "Imports" });
  const rows = Array.from({ length: IMPORTED_ROWS }, (_, n) => [`Row ${n}`]);
  const board = { workspacePublicId: body.publicId, boardName: "Imported", rows, mapping: { title: 0 } };
  return Array.from({ length: IMPORTS }, () => send("POST", "/imports/csv/boards", board));
}

async function terminateOn(run: Run, store: Store): Promise<void> {
  const env = { ...store.env, PORT: String(await freePort()) };
  const service = await run.serve(env);
  const load = await startLoad(run, service.url);
  await sleep(run.seconds({ long: 5, short: 1 }));
  const imports = await startImports(service.url);
  const signalled = performance.now();
  service.signal("SIGTERM");
  const exitCode = await service.ended;
  const endedMs = Math.round(performance.now() - signalled);
  await load.stop();
  const importsFailed = (await Promise.all(imports)).filter(({ status }) => status !== 200);

  const restarted = await run.serve(env);
  await readyAfter(restarted.url);
  run.report(`${store.name}, milliseconds to the end`, endedMs);
  run.none(`${store.name}, exit code after the signal`, exitCode ?? 1);
  const failed = load.calls.filter(({ sentAt, status }) => sentAt < signalled && status !== 200);
  run.none(`${store.name}, requests sent before the signal that failed`, failed.length, failed);
  run.none(`${store.name}, imports sent before the signal that failed`, importsFailed.length, importsFailed);
  await examine(run, { store, load, services: [service, restarted], isCutOff: true });
}

await drill("sigterm", async (run) => {
  for (let round = 0; round < (run.isShort ? 1 : 5); round += 1) {
    await terminateOn(run, await run.embedded());
    await terminateOn(run, await run.postgres());
  }
});
