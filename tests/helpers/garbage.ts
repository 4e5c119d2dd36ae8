// Collects the garbage of earlier files: V8 does not count the memory of embedded databases.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** A collection takes as long as several tests: it waits until there is something to collect. */
const GROWTH_BYTES = 256 * 2 ** 20;
let residentMax = 600 * 2 ** 20;

/** Collects if the process has grown since the last time. */
export function collectGarbage(): void {
  if (process.memoryUsage.rss() <= residentMax) return;
  collect();
  residentMax = process.memoryUsage.rss() + GROWTH_BYTES;
}
