// A full disk under the embedded database: the service answers with errors or ends clearly, loses nothing acknowledged, and works
// again once there is room and, if it ended, it was started. In the last round SIGTERM ends it on the full disk. As root the disk is a
// small tmpfs; otherwise a limit on the size of files stands for it.

import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "../tests/helpers/spawned.js";
import { defectsOf, drill, freePort, READY_LIMIT_MS, type Run, readyAfter } from "./harness.js";
import { examine, startLoad } from "./load.js";
import { embeddedStore } from "./stores.js";

const DISK_BYTES = 256 * 2 ** 20;
const FULL_LIMIT_MS = 60_000;
const CHECK_MS = 50;
const END_LIMIT_MS = 15_000;

/** A directory whose disk can be filled up under a process. */
interface Disk {
  directory: string;
  fill(service: Service): Promise<unknown>;
  free(service: Service): Promise<unknown>;
}

const limitFiles = ({ pid }: Service, bytes: string) =>
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);

async function smallDisk(run: Run): Promise<Disk> {
  const directory = await run.directory();
  const ballast = join(directory, "ballast");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", directory], { stdio: "pipe" });
  } catch {
    run.report("the disk", "mounting is not permitted here: a limit on the size of files stands for a full disk");
    return {
      directory,
      fill: async (service) => limitFiles(service, "0"),
      free: async (service) => limitFiles(service, "unlimited"),
    };
  }
  run.onEnd(() => execFileSync("umount", [directory]));
  return {
    directory,
    // Node gives up at the first byte that has no room, and leaves the disk full.
    fill: () => writeFile(ballast, Buffer.alloc(DISK_BYTES)).catch(() => {}),
    free: () => rm(ballast),
  };
}

await drill("disk", async (run) => {
  const disk = await smallDisk(run);
  const store = embeddedStore(join(disk.directory, "data"));
  const env = { ...store.env, PORT: String(await freePort()) };
  let service = await run.serve(env);
  const services = [service];
  let isCutOff = false;
  const load = await startLoad(run, service.url);
  const rounds = run.isShort ? 1 : 5;
  for (let round = 1; round <= rounds; round += 1) {
    await sleep(run.seconds({ long: 3, short: 1 }));
    await disk.fill(service);
    const refusedBefore = load.refused;
    const deadline = performance.now() + FULL_LIMIT_MS;
    while (load.refused === refusedBefore && performance.now() < deadline) await sleep(CHECK_MS);
    run.some("answers other than success on the full disk", load.refused - refusedBefore);
    await sleep(run.seconds({ long: 2, short: 1 }));
    if (round === rounds) {
      service.signal("SIGTERM");
      const end = await Promise.race([service.ended, sleep(END_LIMIT_MS, "none")]);
      run.none("processes that SIGTERM does not end", end === "none" ? 1 : 0);
    }
    await disk.free(service);
    const ended = await Promise.race([service.ended.then((code) => ({ code })), sleep(1000, null)]);
    run.report("on the full disk the process", ended === null ? "stayed" : `ended with exit code ${ended.code}`);
    if (ended !== null) {
      if (ended.code !== 0) run.some("lines that say why it ended", defectsOf(service).length);
      isCutOff = true;
      services.pop();
      const restarted = run.serve(env);
      run.atMost(READY_LIMIT_MS, "milliseconds from its start to ready", await readyAfter(service.url));
      service = await restarted;
      services.push(service);
    } else run.atMost(READY_LIMIT_MS, "milliseconds from room to ready", await readyAfter(service.url));
  }
  await sleep(500);
  await load.stop();
  await examine(run, { store, load, services, isCutOff });
});
