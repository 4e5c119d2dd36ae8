// Compares this version of the service with another one, both built: the same load on each in turn, pair by pair, through the API
// alone. BENCH_DATABASE_URL: a PostgreSQL server, as a superuser for slow commits; without it only the embedded database is measured.

import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { type Databases, databasesOn, newDataDir } from "./databases.js";
import { measure } from "./load.js";
import { newTitle, type Operation, oneOf, operationsOn } from "./operations.js";
import { median } from "./report.js";
import { type Server, startService } from "./servers.js";
import { call, populate, readersOf, type SmallWorld, smallWorlds, type World } from "./world.js";

const { values: options } = parseArgs({
  options: {
    against: { type: "string" },
    rounds: { type: "string", default: "10" },
    ms: { type: "string", default: "1500" },
    only: { type: "string", default: "" },
  },
});
if (options.against === undefined) {
  throw new Error(
    "npm run bench:versions -- --against <folder of the other version, built> [--rounds 10] [--ms 1500] [--only rename,embedded]",
  );
}
const ROUNDS = Number(options.rounds);
const MEASURED_MS = Number(options.ms);
const WARM_UP_MS = 3000;
const WORKSPACES = 32;
/** Members who read one board. */
const READERS = 20;
/** The delay of each commit before it is written, as on a networked disk; in microseconds. */
const COMMIT_DELAY = 3000;

const SCRIPTS = {
  ours: undefined,
  theirs: join(resolve(options.against), "dist/server.js"),
};
type Version = keyof typeof SCRIPTS;
const VERSIONS: readonly Version[] = ["ours", "theirs"];
type Both<T> = Record<Version, T>;

/** One version, running. */
interface Side {
  servers: Server[];
  world: World;
  others: SmallWorld[];
  readers: string[];
}

/** The results of a load: requests a second, and the time that the service's processes computed for each, in milliseconds. */
interface Figures {
  rate: number;
  cpuMs: number;
}

/** The answers under a load: so many of the requests in question a second, and all requests together. */
interface Answered {
  rate: number;
  requests: number;
}

/** A load on one side. */
interface Scenario {
  name: string;
  run: (side: Side, forMs: number) => Promise<Answered>;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const inTurn = async <T>(make: (version: Version) => Promise<T>): Promise<Both<T>> => ({
  ours: await make("ours"),
  theirs: await make("theirs"),
});

const together = (answered: readonly Answered[]): Answered => ({
  rate: sum(answered.map(({ rate }) => rate)),
  requests: sum(answered.map(({ requests }) => requests)),
});

/** Loads one server with one operation. */
async function load(url: string, token: string, operation: Operation, connections: number, forMs: number) {
  const { rate, times } = await measure({ url, token, operation, connections, forMs, changeBoard: () => {} });
  return { rate, requests: times.length };
}

const renaming = (cards: readonly string[]): Operation => ({
  name: "rename a card",
  agreement: null,
  next: () => ({ method: "PUT", path: `/cards/${oneOf(cards)}`, body: JSON.stringify({ title: newTitle() }) }),
});

const operationOf = (world: World, name: string): Operation => {
  const found = operationsOn(world).find((operation) => operation.name === name || operation.name.endsWith(name));
  if (found === undefined) throw new Error(`No operation ${name}`);
  return found;
};

/** An operation of the benchmark, its connections spread over all processes. */
const operating = (name: string, connections: number): Scenario => ({
  name: `${name} · ${connections}`,
  run: async ({ servers, world }, forMs) => {
    const operation = operationOf(world, name);
    const share = connections / servers.length;
    return together(await Promise.all(servers.map(({ url }) => load(url, world.token, operation, share, forMs))));
  },
});

/** Reads of the large board, while another member renames its cards as fast as they can. */
const readingBesideWriters = (name: string): Scenario => ({
  name: `${name} beside 32 writers · 32`,
  run: async ({ servers: [server], world }, forMs) => {
    const url = server?.url ?? "";
    const [reads, writes] = await Promise.all([
      load(url, world.token, operationOf(world, name), 32, forMs),
      load(url, world.colleague, renaming(world.cards.flat()), 32, forMs),
    ]);
    return { rate: reads.rate, requests: reads.requests + writes.requests };
  },
});

/** Reads of the large board by many members, one call of each at a time, while another one renames its cards. */
const readingByMany = (name: string): Scenario => ({
  name: `${name} beside a writer, ${READERS} members · ${READERS}`,
  run: async ({ servers: [server], world, readers }, forMs) => {
    const url = server?.url ?? "";
    const [writes, ...reads] = await Promise.all([
      load(url, world.colleague, renaming(world.cards.flat()), 1, forMs),
      ...readers.map((token) => load(url, token, operationOf(world, name), 1, forMs)),
    ]);
    const { rate, requests } = together(reads);
    return { rate, requests: requests + writes.requests };
  },
});

/** Calls one after another: so many of `measured` in each second that they took, whatever `before` them takes. */
const oneByOne = (
  name: string,
  measured: (url: string, world: World) => Promise<unknown>,
  before?: (url: string, world: World) => Promise<unknown>,
): Scenario => ({
  name: `${name} · 1`,
  run: async ({ servers: [server], world }, forMs) => {
    const url = server?.url ?? "";
    const end = performance.now() + forMs;
    let tookMs = 0;
    let calls = 0;
    while (performance.now() < end) {
      await before?.(url, world);
      const begun = performance.now();
      await measured(url, world);
      tookMs += performance.now() - begun;
      calls += 1;
    }
    return { rate: (1000 * calls) / tookMs, requests: before === undefined ? calls : 2 * calls };
  },
});

const readingAfterLabels = oneByOne(
  "get the board, a label renamed before each",
  (url, { token, board }) => call(url, token, "GET", `/boards/${board}`),
  (url, { token, labels }) => call(url, token, "PUT", `/labels/${oneOf(labels)}`, { name: newTitle() }),
);

/** Last of all: each adds a board. */
const BIG_CHANGES = [
  oneByOne("import 2000 rows of CSV", (url, { csvImport, token }) =>
    call(url, token, "POST", "/imports/csv/boards", JSON.parse(csvImport)),
  ),
  oneByOne("copy the board", (url, { board, token }) => call(url, token, "POST", `/boards/${board}/duplicate`, {})),
];

const renamingIn32: Scenario = {
  name: `rename a card, ${WORKSPACES} workspaces at once · ${WORKSPACES}`,
  run: async ({ servers: [server], others }, forMs) =>
    together(
      await Promise.all(others.map(({ token, cards }) => load(server?.url ?? "", token, renaming(cards), 1, forMs))),
    ),
};

const WRITES = ["create a card", "rename a card", "move a card"];
const READS = ["unchanged", "unchanged, gzip", "If-None-Match", "list 11 boards", "my permissions"];
const BOARDS = ["changed", "changed, gzip"];

/** Each set-up of the service, with what is measured on it. */
const SETUPS: { name: string; processes: number; isSlow?: true; isEmbedded?: true; scenarios: Scenario[] }[] = [
  {
    name: "PostgreSQL",
    processes: 1,
    scenarios: [
      ...WRITES.flatMap((name) => [operating(name, 1), operating(name, 32)]),
      renamingIn32,
      ...READS.map((name) => operating(name, 32)),
      ...["unchanged", "unchanged, gzip"].map((name) => operating(name, 1)),
      ...BOARDS.map(readingBesideWriters),
      ...BOARDS.map(readingByMany),
      readingAfterLabels,
    ],
  },
  { name: "PostgreSQL, two processes", processes: 2, scenarios: WRITES.map((name) => operating(name, 32)) },
  { name: "PostgreSQL", processes: 1, scenarios: BIG_CHANGES },
  {
    name: "PostgreSQL, commits 3 ms slower",
    processes: 1,
    isSlow: true,
    scenarios: WRITES.map((name) => operating(name, 32)),
  },
  { name: "embedded", processes: 1, isEmbedded: true, scenarios: WRITES.map((name) => operating(name, 32)) },
];

type Row = { setup: string; scenario: string } & Both<Figures> & { ratios: number[] };

const computedMs = async ({ servers }: Side) =>
  sum(await Promise.all(servers.map(async (one) => (await one.cpuMs()) ?? 0)));

/** Runs a load once. */
async function figuresOf(scenario: Scenario, side: Side): Promise<Figures> {
  const begunMs = await computedMs(side);
  const { rate, requests } = await scenario.run(side, MEASURED_MS);
  return { rate, cpuMs: ((await computedMs(side)) - begunMs) / requests };
}

const medians = (figures: readonly Figures[]): Figures => ({
  rate: median(figures.map(({ rate }) => rate)),
  cpuMs: median(figures.map(({ cpuMs }) => cpuMs)),
});

async function compare(setup: string, scenario: Scenario, sides: Both<Side>): Promise<Row> {
  const measured: Both<Figures[]> = { ours: [], theirs: [] };
  for (const version of VERSIONS) await scenario.run(sides[version], WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const version of round % 2 === 0 ? VERSIONS : VERSIONS.toReversed()) {
      measured[version].push(await figuresOf(scenario, sides[version]));
    }
  }
  const ratios = measured.ours
    .map(({ rate }, round) => rate / (measured.theirs[round]?.rate ?? rate))
    .sort((a, b) => a - b);
  const [ours, theirs] = [medians(measured.ours), medians(measured.theirs)];
  const change = (figure: keyof Figures, digits: number) =>
    `${theirs[figure].toFixed(digits)} → ${ours[figure].toFixed(digits)}`;
  process.stderr.write(
    `${setup} · ${scenario.name}: ${change("rate", 0)}, ${median(ratios).toFixed(2)}; ${change("cpuMs", 2)} ms\n`,
  );
  return { setup, scenario: scenario.name, ours, theirs, ratios };
}

/** The directory of each version's data. */
type Places = Both<Record<string, string>>;

async function measureSetup(
  setup: (typeof SETUPS)[number],
  places: Places,
  worlds: Both<Omit<Side, "servers">>,
): Promise<Row[]> {
  const words = options.only.split(",").filter((word) => word !== "");
  const chosen = setup.scenarios.filter(
    ({ name }) => words.length === 0 || words.some((word) => `${setup.name} ${name}`.includes(word)),
  );
  if (chosen.length === 0) return [];
  const sides = await inTurn<Side>(async (version) => {
    const servers: Server[] = [];
    for (let n = 0; n < setup.processes; n += 1) servers.push(await startService(places[version], SCRIPTS[version]));
    return { servers, ...worlds[version] };
  });
  const rows: Row[] = [];
  for (const scenario of chosen) rows.push(await compare(setup.name, scenario, sides));
  for (const version of VERSIONS) for (const server of sides[version].servers) await server.stop();
  return rows;
}

/** Fills each version's place through a process of its own. */
const populated = (places: Places) =>
  inTurn(async (version) => {
    const server = await startService(places[version], SCRIPTS[version]);
    const world = await populate(server.url);
    const others = await smallWorlds(server.url, WORKSPACES);
    const made = { world, others, readers: await readersOf(server.url, world, READERS) };
    await server.stop();
    return made;
  });

async function slowDown(databaseUrl: string): Promise<void> {
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const name = db(new URL(databaseUrl).pathname.slice(1));
  await db`alter database ${name} set commit_siblings = 0`;
  await db.unsafe(`alter database "${new URL(databaseUrl).pathname.slice(1)}" set commit_delay = ${COMMIT_DELAY}`);
  await db.end();
}

async function onPostgres(databases: Databases): Promise<Row[]> {
  const places = await inTurn(async () => ({ DATABASE_URL: await databases.create() }));
  const worlds = await populated(places);
  const rows: Row[] = [];
  for (const setup of SETUPS.filter(({ isEmbedded }) => !isEmbedded)) {
    if (setup.isSlow) for (const version of VERSIONS) await slowDown(places[version].DATABASE_URL);
    rows.push(...(await measureSetup(setup, places, worlds)));
  }
  return rows;
}

async function onEmbedded(): Promise<Row[]> {
  const places = await inTurn(async () => ({ DATA_DIR: await newDataDir() }));
  const worlds = await populated(places);
  const rows: Row[] = [];
  for (const setup of SETUPS.filter(({ isEmbedded }) => isEmbedded)) {
    rows.push(...(await measureSetup(setup, places, worlds)));
  }
  return rows;
}

const rows: Row[] = [];
if (process.env.BENCH_DATABASE_URL) {
  const databases = databasesOn(process.env.BENCH_DATABASE_URL);
  try {
    rows.push(...(await onPostgres(databases)));
  } finally {
    await databases.drop();
  }
}
rows.push(...(await onEmbedded()));
console.log(`${ROUNDS} pairs of ${MEASURED_MS} ms; the ratio of rates is ours to theirs: its median, least and most.`);
console.log(
  "CPU: what the service's processes compute for a request, in milliseconds, whatever else the machine does.\n",
);
console.log(
  "| set-up | operation · connections | theirs/s | ours/s | ratio | least | most | theirs, CPU | ours, CPU |",
);
console.log("|---|---|---:|---:|---:|---:|---:|---:|---:|");
for (const { setup, scenario, ours, theirs, ratios } of rows) {
  const figures = [median(ratios), ratios[0] ?? 0, ratios.at(-1) ?? 0, theirs.cpuMs, ours.cpuMs];
  const cells = [theirs.rate.toFixed(0), ours.rate.toFixed(0), ...figures.map((figure) => figure.toFixed(2))];
  console.log(`| ${setup} | ${scenario} | ${cells.join(" | ")} |`);
}
process.exit(0);
