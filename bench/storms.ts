// The slowdown of others by one account that uses its whole allowance of calls at once: nine kinds of storm. Prints a
// line for each. BENCH_DATABASE_URL: a PostgreSQL server; `--embedded` measures the embedded database, too, which is also measured
// without a server.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { databasesOn, newDataDir } from "./databases.js";
import { nothingSeen, type Seen, shownMs, shownStatuses, useOwnWorkspace } from "./neighbours.js";
import { type Server, startService } from "./servers.js";
import { type Raging, STORMS } from "./stormCalls.js";
import { type SmallWorld, type StormWorld, smallWorlds, stormWorlds } from "./world.js";

const { values: options } = parseArgs({
  options: {
    accounts: { type: "string", default: "1" },
    calls: { type: "string", default: "300" },
    rate: { type: "string", default: "10" },
    only: { type: "string", default: "" },
    embedded: { type: "boolean", default: false },
  },
});
/** The number of accounts that storm at the same time. */
const ACCOUNTS = Number(options.accounts);
/** The number of calls of each of them, all at once. */
const CALLS = Number(options.calls);
const OTHERS = 8;
/** The calls per second of the others together. */
const RATE = Number(options.rate);
/** The time for which the others call before a storm begins, and at least while it lasts. */
const CALM_MS = 3000;
const RAGING = fileURLToPath(new URL("raging.ts", import.meta.url));

/** Makes the calls of a storm in a process of its own. */
async function raged(raging: Raging): Promise<Seen> {
  const child = fork(RAGING, { serialization: "advanced", execArgv: ["--import", "tsx"] });
  child.send(raging);
  const [seen] = await once(child, "message");
  return seen;
}

/** Runs a storm, and prints what others saw of it. */
async function observe(
  database: string,
  server: Server,
  name: string,
  { worlds, others }: { worlds: readonly StormWorld[]; others: readonly SmallWorld[] },
): Promise<void> {
  const foreign = nothingSeen();
  const intervalMs = (1000 / RATE) * others.length;
  const use = (seen: Seen, isOver: () => boolean) =>
    others.map((other) => useOwnWorkspace(seen, server, other, { intervalMs, isOver }));
  const calmUntil = performance.now() + CALM_MS;
  await Promise.all(use(nothingSeen(), () => performance.now() >= calmUntil));
  const leastUntil = performance.now() + CALM_MS;
  let isRaging = true;
  const raging = raged({ name, url: server.url, worlds, calls: CALLS }).finally(() => {
    isRaging = false;
  });
  const [own] = await Promise.all([raging, ...use(foreign, () => !isRaging && performance.now() >= leastUntil)]);
  const figures = [0.5, 0.99, 1].map((share) => shownMs(foreign, share));
  console.log(`| ${[`${database}: ${name}`, shownStatuses(own), shownStatuses(foreign), ...figures].join(" | ")} |`);
}

async function measure(database: string, env: Record<string, string>): Promise<void> {
  const server = await startService(env);
  const worlds = await stormWorlds(server.url, ACCOUNTS);
  const others = await smallWorlds(server.url, OTHERS);
  for (const { name } of STORMS) {
    if (name.includes(options.only)) await observe(database, server, name, { worlds, others });
  }
  await server.stop();
}

console.log(
  `${ACCOUNTS} accounts, ${CALLS} calls each at once; ${OTHERS} others make ${RATE} calls per second together\n`,
);
console.log("| storm | its own calls | others' calls | p50 ms | p99 ms | longest ms |");
console.log("|---|---|---|---:|---:|---:|");
const address = process.env.BENCH_DATABASE_URL;
if (address) {
  const databases = databasesOn(address);
  try {
    await measure("PostgreSQL", { DATABASE_URL: await databases.create() });
  } finally {
    await databases.drop();
  }
}
if (!address || options.embedded) await measure("embedded", { DATA_DIR: await newDataDir() });
process.exit(0);
