// How much one account that uses its whole allowance of calls at once slows down the calls of others: nine kinds of storm. Prints a
// line for each. BENCH_DATABASE_URL: a PostgreSQL server; `--embedded` measures the embedded database, too, which is also measured
// without a server.

import { parseArgs } from "node:util";
import { databasesOn, newDataDir } from "./databases.js";
import { callOnce, nothingSeen, type Seen, shownMs, shownStatuses, useOwnWorkspace } from "./neighbours.js";
import { oneOf } from "./operations.js";
import { type Server, startService } from "./servers.js";
import { PASSWORD, type SmallWorld, type StormWorld, smallWorlds, stormWorlds } from "./world.js";

const { values: options } = parseArgs({
  options: {
    accounts: { type: "string", default: "1" },
    calls: { type: "string", default: "300" },
    rate: { type: "string", default: "10" },
    only: { type: "string", default: "" },
    embedded: { type: "boolean", default: false },
  },
});
/** How many accounts storm at the same time. */
const ACCOUNTS = Number(options.accounts);
/** How many calls each of them makes, all at once. */
const CALLS = Number(options.calls);
const OTHERS = 8;
/** How many calls per second the others make together. */
const RATE = Number(options.rate);
/** How long the others call before a storm begins, and at least while it lasts. */
const CALM_MS = 3000;
const BATCH = 10;
/** Together with the rest of the body almost 1 MiB. */
const BODY_BYTES = 1024 * 1024 - 200;

/** One request of a storm. */
interface Request {
  token: string | null;
  method: string;
  path: string;
  body?: string;
  /** How many calls of the allowance it counts as; 1 by default. */
  calls?: number;
}

interface Storm {
  name: string;
  next: (world: StormWorld) => Request;
}

const get = (token: string | null, path: string): Request => ({ token, method: "GET", path });

function send(token: string, method: "POST" | "PUT", path: string, body: object): Request {
  return { token, method, path, body: JSON.stringify(body) };
}

function reads(inputs: readonly object[]): string {
  const names = inputs.map(() => "board.get").join(",");
  return `/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify({ ...inputs }))}`;
}

const STORMS: readonly Storm[] = [
  {
    name: "filtered reads",
    next: ({ token, board }) => get(token, `/api/v1/boards/${board}?search=description`),
  },
  {
    name: "bodies of 1 MiB",
    next: ({ token, lists }) =>
      send(token, "POST", "/api/v1/cards", {
        title: "A card",
        listPublicId: oneOf(lists),
        description: "a".repeat(BODY_BYTES),
      }),
  },
  { name: "public reads", next: ({ board }) => get(null, `/api/v1/public/boards/${board}`) },
  { name: "events", next: ({ token, workspace }) => get(token, `/api/v1/workspaces/${workspace}/events?limit=100`) },
  {
    name: "password changes",
    next: ({ token }) =>
      send(token, "PUT", "/api/v1/users/me/password", { currentPassword: PASSWORD, newPassword: PASSWORD }),
  },
  {
    name: "bulk moves",
    next: ({ token, lists, cards }) =>
      send(token, "POST", "/api/v1/cards/bulk/move", {
        cardPublicIds: cards.slice(0, 1000),
        listPublicId: oneOf(lists),
      }),
  },
  {
    name: "searches",
    next: ({ token, workspace }) => get(token, `/api/v1/workspaces/${workspace}/search?query=description`),
  },
  { name: "exports", next: ({ token, board }) => get(token, `/api/v1/boards/${board}/export`) },
  {
    name: "board reads over tRPC",
    next: ({ token, board }) =>
      get(token, `/trpc/board.get?input=${encodeURIComponent(JSON.stringify({ boardPublicId: board }))}`),
  },
  {
    name: "board reads over tRPC, ten in a batch",
    next: ({ token, board }) => ({
      ...get(token, reads(Array(BATCH).fill({ boardPublicId: board }))),
      calls: BATCH,
    }),
  },
];

/** Makes all calls of an account at once, and resolves when all are answered. */
async function rage(seen: Seen, { url }: Server, world: StormWorld, { next }: Storm): Promise<void> {
  const count = CALLS / (next(world).calls ?? 1);
  const requests = Array.from({ length: count }, () => next(world));
  await Promise.all(requests.map(({ token, method, path, body }) => callOnce(seen, url, token, method, path, body)));
}

/** Runs a storm, and prints what others saw of it. */
async function observe(
  database: string,
  server: Server,
  storm: Storm,
  { worlds, others }: { worlds: readonly StormWorld[]; others: readonly SmallWorld[] },
): Promise<void> {
  const [own, foreign] = [nothingSeen(), nothingSeen()];
  const intervalMs = (1000 / RATE) * others.length;
  const use = (seen: Seen, isOver: () => boolean) =>
    others.map((other) => useOwnWorkspace(seen, server, other, { intervalMs, isOver }));
  const calmUntil = performance.now() + CALM_MS;
  await Promise.all(use(nothingSeen(), () => performance.now() >= calmUntil));
  const leastUntil = performance.now() + CALM_MS;
  let isRaging = true;
  const raging = Promise.all(worlds.map((world) => rage(own, server, world, storm))).then(() => {
    isRaging = false;
  });
  await Promise.all([raging, ...use(foreign, () => !isRaging && performance.now() >= leastUntil)]);
  const figures = [0.5, 0.99, 1].map((share) => shownMs(foreign, share));
  console.log(
    `| ${[`${database}: ${storm.name}`, shownStatuses(own), shownStatuses(foreign), ...figures].join(" | ")} |`,
  );
}

async function measure(database: string, env: Record<string, string>): Promise<void> {
  const server = await startService(env);
  const worlds = await stormWorlds(server.url, ACCOUNTS);
  const others = await smallWorlds(server.url, OTHERS);
  for (const storm of STORMS.filter(({ name }) => name.includes(options.only))) {
    await observe(database, server, storm, { worlds, others });
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
