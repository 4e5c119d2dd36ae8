// The time of each operation with one board of 1000 cards in the database, and with 200 of them with five comments and five
// checklist items a card: in three rounds, request by request in turn, so that whatever else the machine does falls on both.
// BENCH_DATABASE_URL: a PostgreSQL server to make both on.

import { parseArgs } from "node:util";
import { openDatabase } from "../src/db/client.js";
import { openPostgres } from "../src/db/postgres.js";
import { grow } from "../tests/helpers/grown.js";
import { type Changer, changerOf } from "./changing.js";
import { databasesOn } from "./databases.js";
import { type Operation, operationsOn } from "./operations.js";
import { median } from "./report.js";
import { type Server, startService } from "./servers.js";
import { populate, type World } from "./world.js";

const ROUNDS = 3;
const WARM_UP = 5;
const MOST = 1.3;
const OTHERS = { workspaces: 20, people: 20, boards: 10, cardsABoard: 1000 };

const { values: options } = parseArgs({ options: { ms: { type: "string", default: "1500" } } });

/** Fills a database through a service of its own, which is gone afterwards: only so it can be copied. */
async function populated(databaseUrl: string) {
  const service = await startService({ DATABASE_URL: databaseUrl });
  const world = await populate(service.url);
  await service.stop();
  return world;
}

async function growTo200Boards(url: string): Promise<void> {
  const db = openDatabase(openPostgres({ url, poolSize: 1, prepare: false, statementTimeoutMs: 0 }));
  await grow(db, OTHERS);
  await db.close();
}

/** Milliseconds of one request; an answer other than 200 or 304 ends the benchmark. `etags` keeps the last of each server. */
async function timed({ url }: Server, { token }: World, operation: Operation, etags: Map<string, string>) {
  const { method, path, body, headers } = operation.next();
  const etag = operation.conditional ? etags.get(url) : undefined;
  const begun = performance.now();
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      ...(etag !== undefined && { "if-none-match": etag }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  });
  await answer.arrayBuffer();
  const ms = performance.now() - begun;
  if (answer.status !== 200 && answer.status !== 304) throw new Error(`${operation.name}: ${answer.status}`);
  etags.set(url, answer.headers.get("etag") ?? "");
  return ms;
}

type Pair<T> = readonly [T, T];

/** A service with what changes its board. */
interface Side {
  service: Server;
  changer: Changer;
}

/** Calls both services in turn for a while, and gives the median of each. */
async function round(sides: Pair<Side>, world: World, operation: Operation): Promise<Pair<number>> {
  const etags = new Map<string, string>();
  const [one, many]: [number[], number[]] = [[], []];
  const end = performance.now() + Number(options.ms);
  for (let turn = 0; turn < WARM_UP || performance.now() < end; turn += 1) {
    for (const first of turn % 2 === 0 ? [true, false] : [false, true]) {
      const { service, changer } = sides[first ? 0 : 1];
      if (operation.changesBoard) await changer.change();
      const ms = await timed(service, world, operation, etags);
      (first ? one : many).push(ms);
    }
  }
  return [median(one), median(many)];
}

const databases = databasesOn(process.env.BENCH_DATABASE_URL ?? "postgres://127.0.0.1:5432/postgres");
let worst = 0;
try {
  const one = await databases.create();
  const world = await populated(one);
  const many = await databases.create(one);
  await growTo200Boards(many);
  const sideOn = async (url: string) => ({
    service: await startService({ DATABASE_URL: url }),
    changer: changerOf(url, world),
  });
  const sides = [await sideOn(one), await sideOn(many)] as const;
  console.log("| operation | 1 board, ms | 200 boards, ms | ratio |\n|---|---:|---:|---:|");
  for (const operation of operationsOn(world)) {
    await round(sides, world, operation);
    const rounds: Pair<number>[] = [];
    for (let count = 0; count < ROUNDS; count += 1) rounds.push(await round(sides, world, operation));
    const [alone, among] = [median(rounds.map(([ms]) => ms)), median(rounds.map(([, ms]) => ms))];
    worst = Math.max(worst, among / alone);
    console.log(`| ${operation.name} | ${alone.toFixed(2)} | ${among.toFixed(2)} | ${(among / alone).toFixed(2)} |`);
  }
  for (const { service, changer } of sides) {
    await changer.end();
    await service.stop();
  }
} finally {
  await databases.drop();
}
console.log(`\nthe worst ratio is ${worst.toFixed(2)}, of at most ${MOST}`);
process.exitCode = worst > MOST ? 1 : 0;
