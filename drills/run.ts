// The short form of every drill, one after the other; the last line counts them.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The longest time of one drill on a slow machine. */
const LIMIT_MS = 120_000;
/** The drills that need nothing but the service and PostgreSQL's own programs, whose short form takes at most 20 s. */
const ALL = ["kill", "postgres", "terminate", "disk", "sigterm", "movers", "webhooks", "streams", "drain"];

let failed = 0;
for (const name of ALL) {
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, ["--import", "tsx", script, "--short"], {
    stdio: "inherit",
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  if (status !== 0) failed += 1;
}
console.log(`drills: ${ALL.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
