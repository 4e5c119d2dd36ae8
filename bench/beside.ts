// The slowdown for everybody else while one user or one lock asks too much: ten imports of 2000 rows at once; a workspace whose
// counter another session holds; a table that nobody may touch while sixteen accounts write to it. Prints a line for each.
// BENCH_DATABASE_URL: a PostgreSQL server; without it only the imports beside the embedded database are measured.

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { databasesOn, newDataDir } from "./databases.js";
import {
  atInterval,
  callOnce,
  nothingSeen,
  type Seen,
  shownMs,
  shownStatuses,
  useOwnWorkspace,
  withoutPause,
} from "./neighbours.js";
import { newTitle, oneOf } from "./operations.js";
import { type Server, startService } from "./servers.js";
import { populate, type SmallWorld, smallWorlds, type World } from "./world.js";

const { values: options } = parseArgs({ options: { ms: { type: "string", default: "12000" } } });
const FOR_MS = Number(options.ms);
/**
 * The time for which the others call before the trouble begins: a process that just started has neither boards nor compiled code at
 * hand.
 */
const WARM_UP_MS = 3000;
const OTHERS = 8;
const COMMENTERS = 16;
const IMPORTS = 10;
const CALL_INTERVAL_MS = 50;
const READY_INTERVAL_MS = 100;

/** Keeps a lock in a session of its own, until `until`. */
async function holdLock(databaseUrl: string, until: number, lock: string): Promise<void> {
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await db.begin(async (tx) => {
    await tx.unsafe(lock);
    await sleep(until - performance.now());
  });
  await db.end();
}

/** Runs a trouble, and prints what others and `/ready` saw of it. */
async function observe(
  name: string,
  server: Server,
  others: readonly SmallWorld[],
  trouble: (seen: Seen, until: number) => Promise<unknown>,
): Promise<void> {
  const [own, foreign, ready] = [nothingSeen(), nothingSeen(), nothingSeen()];
  const theirs = (seen: Seen, until: number) =>
    others.slice(0, OTHERS).map((other) =>
      useOwnWorkspace(seen, server, other, {
        intervalMs: CALL_INTERVAL_MS,
        isOver: () => performance.now() >= until,
      }),
    );
  await Promise.all(theirs(nothingSeen(), performance.now() + WARM_UP_MS));
  const until = performance.now() + FOR_MS;
  await Promise.all([
    trouble(own, until),
    ...theirs(foreign, until),
    atInterval(
      READY_INTERVAL_MS,
      () => performance.now() >= until,
      () => callOnce(ready, server.url, null, "GET", "/ready"),
    ),
  ]);
  const cells = [name, shownStatuses(own), shownMs(own, 1), shownStatuses(foreign)];
  const figures = [
    shownMs(foreign, 0.5),
    shownMs(foreign, 0.99),
    shownMs(foreign, 1),
    shownStatuses(ready),
    shownMs(ready, 1),
  ];
  console.log(`| ${[...cells, ...figures].join(" | ")} |`);
}

const importing =
  (server: Server, { token, csvImport }: World) =>
  (seen: Seen, until: number) =>
    Promise.all(
      Array.from({ length: IMPORTS }, () =>
        withoutPause(until, () => callOnce(seen, server.url, token, "POST", "/api/v1/imports/csv/boards", csvImport)),
      ),
    );

const renamingBehind =
  (databaseUrl: string, { url }: Server, { token, cards, board }: SmallWorld) =>
  (seen: Seen, until: number) =>
    Promise.all([
      holdLock(
        databaseUrl,
        until,
        `select from workspace_counter where workspace_id = (select workspace_id from board where public_id = '${board}') for update`,
      ),
      withoutPause(until, () =>
        callOnce(seen, url, token, "PUT", `/api/v1/cards/${oneOf(cards)}`, JSON.stringify({ title: newTitle() })),
      ),
    ]);

const commentingBehind =
  (databaseUrl: string, { url }: Server, commenters: readonly SmallWorld[]) =>
  (seen: Seen, until: number) =>
    Promise.all([
      holdLock(databaseUrl, until, "lock table comment in access exclusive mode"),
      ...commenters.map(({ token, cards }) =>
        withoutPause(until, () =>
          callOnce(
            seen,
            url,
            token,
            "POST",
            `/api/v1/cards/${oneOf(cards)}/comments`,
            JSON.stringify({ comment: "Hello" }),
          ),
        ),
      ),
    ]);

async function onPostgres(address: string): Promise<void> {
  const databases = databasesOn(address);
  try {
    const databaseUrl = await databases.create();
    const server = await startService({ DATABASE_URL: databaseUrl });
    const world = await populate(server.url);
    const others = await smallWorlds(server.url, 1 + OTHERS + COMMENTERS);
    const [held, ...rest] = others;
    if (held === undefined) throw new Error("Nobody is there");
    await observe("PostgreSQL: ten imports of 2000 rows at once", server, rest, importing(server, world));
    await observe("PostgreSQL: a workspace's counter is held", server, rest, renamingBehind(databaseUrl, server, held));
    const commenters = rest.slice(OTHERS);
    await observe(
      "PostgreSQL: comments are locked, 16 accounts comment",
      server,
      rest,
      commentingBehind(databaseUrl, server, commenters),
    );
    await server.stop();
  } finally {
    await databases.drop();
  }
}

async function onEmbedded(): Promise<void> {
  const server = await startService({ DATA_DIR: await newDataDir() });
  const world = await populate(server.url);
  const others = await smallWorlds(server.url, OTHERS);
  await observe("embedded: ten imports of 2000 rows at once", server, others, importing(server, world));
  await server.stop();
}

console.log(
  `${FOR_MS} ms each; ${OTHERS} other accounts call every ${CALL_INTERVAL_MS} ms, each in a workspace of their own\n`,
);
console.log(
  "| trouble | its own calls | longest ms | others' calls | p50 ms | p99 ms | longest ms | `/ready` | longest ms |",
);
console.log("|---|---|---:|---|---:|---:|---:|---|---:|");
if (process.env.BENCH_DATABASE_URL) await onPostgres(process.env.BENCH_DATABASE_URL);
await onEmbedded();
process.exit(0);
