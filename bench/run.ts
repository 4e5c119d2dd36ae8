// Measures the built service over HTTP: on PostgreSQL beside the floor, in turn and on the same data, and on the embedded
// database. Client, service and database share the machine: the ratios compare versions, the rates compare nothing else.

import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { type Changer, changerOf } from "./changing.js";
import { mustAgree } from "./comparing.js";
import { databasesOn, newDataDir } from "./databases.js";
import { type Load, type Measured, measure } from "./load.js";
import { type Operation, operationsOn } from "./operations.js";
import { readOptions } from "./options.js";
import { at, median, type Result, type Standing, tableOf } from "./report.js";
import { type Server, startFloor, startService } from "./servers.js";
import { type Traffic, tap } from "./wire.js";
import { populate, type World } from "./world.js";

/** The service is compiled while it runs: what it takes before that says nothing of the days after. */
const WARM_UP_MS = 3000;
const COUNTED_MS = 500;

const options = readOptions(process.argv.slice(2));
const results: Result[] = [];
const standings: Standing[] = [];
/** The most memory that a server took, as each of its rounds ended, in MiB. */
const peaks = new Map<string, number>();

/** A server with what belongs to it while it is measured. */
interface Target {
  name: string;
  server: Server;
  databaseUrl: string | null;
}

/** One round of an operation on one server, and the processor time that it took there. */
interface Round extends Measured {
  cpuMs: number | null;
}

const chosen = (world: World): Operation[] =>
  operationsOn(world).filter(
    ({ name }) => options.only.length === 0 || options.only.some((word) => name.includes(word)),
  );

type Changers = Map<string, Changer>;

/** Runs an operation on each target in turn, round after round. */
async function inRounds(
  targets: readonly Target[],
  load: Omit<Load, "url" | "forMs" | "changeBoard">,
  changers: Changers,
) {
  const rounds = new Map(targets.map(({ name }) => [name, [] as Round[]]));
  for (let round = 0; round < options.rounds; round += 1) {
    for (const { name, server } of round % 2 === 0 ? targets : targets.toReversed()) {
      const aimed = { ...load, url: server.url, changeBoard: changers.get(name)?.change ?? (() => {}) };
      if (round === 0) await measure({ ...aimed, forMs: WARM_UP_MS });
      const before = await server.cpuMs();
      const measured = await measure({ ...aimed, forMs: options.measuredMs });
      const after = await server.cpuMs();
      peaks.set(name, Math.max(peaks.get(name) ?? 0, (await server.memory()) ?? 0));
      rounds.get(name)?.push({ ...measured, cpuMs: before === null || after === null ? null : after - before });
    }
  }
  return rounds;
}

/** The results of one server's rounds, beside those of the floor. */
function summaryOf(measured: readonly Round[], floors: readonly Round[] | undefined) {
  const rates = measured.map(({ rate }) => rate);
  const times = measured.flatMap((one) => one.times);
  const isTimed = measured.every(({ cpuMs }) => cpuMs !== null);
  return {
    rate: median(rates),
    p50Ms: at(times, 0.5),
    p99Ms: at(times, 0.99),
    cpuMs: isTimed ? measured.reduce((sum, { cpuMs }) => sum + (cpuMs ?? 0), 0) / times.length : null,
    ratio: floors === undefined ? null : median(rates.map((rate, round) => rate / (floors[round]?.rate ?? rate))),
  };
}

/** Measures every operation on each target, and keeps what it took. */
async function compare(targets: readonly Target[], world: World, traffic: Map<string, Traffic>): Promise<void> {
  const changers: Changers = new Map(targets.map(({ name, databaseUrl }) => [name, changerOf(databaseUrl, world)]));
  for (const operation of chosen(world)) {
    for (const connections of options.connections) {
      if (connections > (operation.maxConnections ?? Number.POSITIVE_INFINITY)) continue;
      const compared = targets.filter(({ name, databaseUrl }) =>
        // Nobody can change a board behind the back of an embedded database.
        name === "floor" ? operation.agreement !== null : databaseUrl !== null || !operation.changesBoard,
      );
      const rounds = await inRounds(compared, { token: world.token, operation, connections }, changers);
      for (const [server, measured] of rounds) {
        const summary = summaryOf(measured, server === "floor" ? undefined : rounds.get("floor"));
        const counted = traffic.get(`${server} ${operation.name}`) ?? null;
        results.push({ operation: operation.name, connections, server, ...summary, traffic: counted });
        process.stderr.write(`${operation.name} · ${connections} · ${server}: ${Math.round(summary.rate)}/s\n`);
      }
    }
  }
  for (const { end } of changers.values()) await end();
}

/** The traffic of each operation to the database, counted on the wire with one connection. */
async function count(name: string, start: (url: string) => Promise<Server>, databaseUrl: string, world: World) {
  const counted = new Map<string, Traffic>();
  const wire = await tap(databaseUrl);
  const server = await start(wire.url);
  const changer = changerOf(databaseUrl, world);
  for (const operation of chosen(world)) {
    if (name === "floor" && operation.agreement === null) continue;
    const load = { url: server.url, token: world.token, operation, connections: 1, changeBoard: changer.change };
    await measure({ ...load, forMs: COUNTED_MS });
    const before = wire.traffic();
    const { times } = await measure({ ...load, forMs: COUNTED_MS });
    const after = wire.traffic();
    // The last request may still run when counting ends.
    const perRequest = (field: keyof Traffic) => Math.round((after[field] - before[field]) / Math.max(1, times.length));
    counted.set(`${name} ${operation.name}`, {
      statements: perRequest("statements"),
      roundTrips: perRequest("roundTrips"),
    });
  }
  await changer.end();
  await server.stop();
  wire.close();
  return counted;
}

async function onPostgres(address: string): Promise<void> {
  const databases = databasesOn(address);
  // The process notifies others of its commits now and then. That belongs to no request, so it goes past the wire.
  const serviceThrough = (direct: string) => (url: string) =>
    startService({ DATABASE_URL: url, DATABASE_DIRECT_URL: direct, DATABASE_PREPARE: "true" });
  const serviceOn = (url: string) => startService({ DATABASE_URL: url });
  try {
    const ours = await databases.create();
    const first = await serviceOn(ours);
    const world = await populate(first.url);
    await first.stop();
    const copies = { counted: await databases.create(ours), floor: await databases.create(ours) };
    const traffic = new Map([
      ...(await count("PostgreSQL", serviceThrough(copies.counted), copies.counted, world)),
      ...(await count("floor", startFloor, copies.counted, world)),
    ]);

    const service = await serviceOn(ours);
    const floor = await startFloor(copies.floor);
    const idle = [await service.memory(), await floor.memory()];
    for (const operation of chosen(world)) {
      const sides = [ours, copies.floor].map((databaseUrl, n) => ({
        url: [service, floor][n]?.url ?? "",
        databaseUrl,
      }));
      const [left, right] = sides;
      if (left && right) await mustAgree(operation, world.token, left, right);
    }
    const targets = [
      { name: "PostgreSQL", server: service, databaseUrl: ours },
      { name: "floor", server: floor, databaseUrl: copies.floor },
    ];
    await compare(targets, world, traffic);
    for (const [n, { name, server }] of targets.entries()) {
      standings.push({
        server: name,
        startMs: server.startMs,
        idleMiB: idle[n] ?? null,
        loadedMiB: peaks.get(name) ?? null,
      });
      await server.stop();
    }
  } finally {
    await databases.drop();
  }
}

async function onEmbedded(): Promise<void> {
  const server = await startService({ DATA_DIR: await newDataDir() });
  const idleMiB = await server.memory();
  const world = await populate(server.url);
  await compare([{ name: "embedded", server, databaseUrl: null }], world, new Map());
  standings.push({ server: "embedded", startMs: server.startMs, idleMiB, loadedMiB: peaks.get("embedded") ?? null });
  await server.stop();
}

const machine = { node: process.version, cores: availableParallelism() };
if (process.env.BENCH_DATABASE_URL) await onPostgres(process.env.BENCH_DATABASE_URL);
if (options.withEmbedded) await onEmbedded();
const seconds = Math.round(performance.now() / 1000);
await writeFile(options.output, `${JSON.stringify({ ...machine, seconds, options, results, standings }, null, 2)}\n`);
console.log(
  `Node ${machine.node}, ${machine.cores} cores, shared by the service, its database and the client; ${seconds} s\n`,
);
console.log(tableOf(results, standings));
