// Half load for half an hour (`--minutes`): memory does not grow once warm, and every handle that was opened is closed.

import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "../tests/helpers/spawned.js";
import { drill, type Run } from "./harness.js";
import { examine, type Load, startLoad } from "./load.js";
import type { Store } from "./stores.js";

const SAMPLE_MS = 1000;
const GROWTH_PERCENT = 5;
/** Long enough for sessions and sockets that are no longer needed to be closed. */
const QUIET_MS = 3000;
/** The first part of the run, in which caches fill and the heap finds its size. */
const WARM_UP = 0.3;
/** Parts of the run that are compared: after the warm-up, and at the end. */
const COMPARED = 0.2;

interface Sample {
  rss: number;
  heap: number;
}

async function sampleOf({ url, pid }: Service): Promise<Sample> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const metrics = await (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
  const rss = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
  return { rss, heap: Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics)?.[1]) };
}

/**
 * The number of a process's handles. Files are apart: the embedded database keeps those of its tables open, and opens more as they
 * grow.
 */
async function handlesOf({ pid }: Service): Promise<{ files: number; others: number }> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder);
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => "")));
  const files = targets.filter((target) => target.startsWith("/")).length;
  return { files, others: names.length - files };
}

/** Reads beside the writes, with as much rest as work. */
async function readAlong({ send, workspace, board }: Load, isOver: () => boolean): Promise<void> {
  const paths = [
    `/boards/${board}`,
    `/workspaces/${workspace}/boards`,
    `/workspaces/${workspace}/permissions/me`,
    `/workspaces/${workspace}/search?query=number`,
    `/workspaces/${workspace}/calendar`,
    "/notifications",
  ];
  for (let turn = 0; !isOver(); turn += 1) {
    const begun = performance.now();
    await send("GET", paths[turn % paths.length] ?? "");
    await sleep(performance.now() - begun);
  }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Compares the medians of two parts of the run. */
function judgeGrowth(run: Run, name: string, values: number[]): void {
  const part = (from: number, to: number) =>
    median(values.slice(Math.floor(values.length * from), Math.ceil(values.length * to)));
  const [warm, last] = [part(WARM_UP, WARM_UP + COMPARED), part(1 - COMPARED, 1)];
  const megabytes = [warm, last].map((bytes) => Math.round(bytes / 2 ** 20));
  run.report(`${name}, MiB when warm and at the end`, megabytes.join(", "));
  run.atMost(GROWTH_PERCENT, `${name}, growth in percent`, Math.round((last / warm - 1) * 1000) / 10);
}

async function soakOn(run: Run, store: Store): Promise<void> {
  const service = await run.serve(store.env);
  const warming = await startLoad(run, service.url, { isHalf: true });
  await sleep(QUIET_MS);
  await warming.stop();
  warming.send.hangUp();
  await sleep(QUIET_MS);
  const handlesBefore = await handlesOf(service);

  const load = await startLoad(run, service.url, { isHalf: true });
  const end = performance.now() + run.seconds({ long: 30 * 60, short: 10 });
  const readers = [1, 2].map(() => readAlong(load, () => performance.now() > end));
  const samples: Sample[] = [];
  for (; performance.now() < end; await sleep(SAMPLE_MS)) samples.push(await sampleOf(service));
  await Promise.all([...readers, load.stop()]);
  load.send.hangUp();
  await sleep(QUIET_MS);

  run.report(`${store.name}, writes a second`, Math.round((load.acknowledged / samples.length) * (1000 / SAMPLE_MS)));
  judgeGrowth(
    run,
    `${store.name}, resident memory`,
    samples.map(({ rss }) => rss),
  );
  judgeGrowth(
    run,
    `${store.name}, heap in use`,
    samples.map(({ heap }) => heap),
  );
  const handles = await handlesOf(service);
  run.report(`${store.name}, files open before and after`, `${handlesBefore.files}, ${handles.files}`);
  run.none(`${store.name}, other handles left open`, Math.max(0, handles.others - handlesBefore.others));
  await examine(run, { store, load, services: [service] });
}

await drill("soak", async (run) => {
  const stores = [await run.embedded(), await run.postgres()];
  await Promise.all(stores.map((store) => soakOn(run, store)));
});
