// Measures the built service over HTTP, on the embedded database and, with BENCH_DATABASE_URL, on a database made on that
// PostgreSQL server. Client and service share the machine: figures compare versions on one machine, not machines.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";

const SERVER = fileURLToPath(new URL("../dist/server.js", import.meta.url));
const CONNECTIONS = [1, 32];
const WARM_UP_MS = 500;
const MEASURED_MS = 2000;
const LISTS = 10;
const CARDS_A_LIST = 100;

type Send = (method: string, path: string, body?: unknown) => Promise<string>;

/** Calls with kept-alive connections; an answer other than 200 ends the benchmark. */
function sender(url: string, token: string | null, connections: number): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const headers = {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      };
      const sent = request(`${url}/api/v1${path}`, { agent, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () => {
          const answer = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(answer);
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
        });
      });
      sent.on("error", reject).end(text);
    });
}

interface World {
  token: string;
  workspace: string;
  board: string;
  lists: string[];
  cards: string[];
  /** A list of another board, for the cards that are created. */
  spareList: string;
}

async function populate(url: string): Promise<World> {
  const json = async (send: Send, ...call: Parameters<Send>) => JSON.parse(await send(...call));
  const account = { name: "Ada", email: "ada@example.org", password: "correct horse battery" };
  const { accessToken: token } = await json(sender(url, null, 1), "POST", "/auth/sign-up", account);
  const send = sender(url, token, 1);
  const workspace = await json(send, "POST", "/workspaces", { name: "Engines" });
  const rows = Array.from({ length: LISTS * CARDS_A_LIST }, (_, card) => [
    `Card number ${card}`,
    "A description of some length, as people write them. ".repeat(4),
    `List ${card % LISTS}`,
    `label ${card % 7}`,
  ]);
  const { boardPublicId: board } = await json(send, "POST", "/imports/csv/boards", {
    workspacePublicId: workspace.publicId,
    boardName: "Large",
    rows,
    mapping: { title: 0, description: 1, list: 2, labels: 3 },
  });
  const { lists } = await json(send, "GET", `/boards/${board}`);
  for (let n = 1; n < 10; n += 1)
    await send("POST", `/workspaces/${workspace.publicId}/boards`, { name: `Board ${n}` });
  const spare = await json(send, "POST", `/workspaces/${workspace.publicId}/boards`, { name: "Spare", lists: ["New"] });
  const { lists: spareLists } = await json(send, "GET", `/boards/${spare.publicId}`);
  return {
    token,
    workspace: workspace.publicId,
    board,
    lists: lists.map((list: { publicId: string }) => list.publicId),
    cards: lists.flatMap((list: { cards: { publicId: string }[] }) => list.cards.map((card) => card.publicId)),
    spareList: spareLists[0].publicId,
  };
}

const below = (limit: number) => Math.floor(Math.random() * limit);
const oneOf = (values: string[]) => values[below(values.length)] ?? "";

function operationsOn({
  workspace,
  board,
  lists,
  cards,
  spareList,
}: World): Record<string, (send: Send) => Promise<unknown>> {
  return {
    "create a card": (send) => send("POST", "/cards", { title: "A new card", listPublicId: spareList }),
    "rename a card": (send) =>
      send("PUT", `/cards/${oneOf(cards)}`, { title: `Renamed ${randomBytes(6).toString("hex")}` }),
    "move a card": (send) =>
      send("PUT", `/cards/${oneOf(cards)}`, { listPublicId: oneOf(lists), index: below(CARDS_A_LIST) }),
    [`get a board of ${LISTS} × ${CARDS_A_LIST} cards`]: (send) => send("GET", `/boards/${board}`),
    "list 11 boards": (send) => send("GET", `/workspaces/${workspace}/boards`),
    "my permissions": (send) => send("GET", `/workspaces/${workspace}/permissions/me`),
  };
}

/** Runs an operation on so many connections at once and gives the milliseconds of each call, sorted. */
async function measure(run: () => Promise<unknown>, connections: number, forMs: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + forMs;
  const loop = async () => {
    for (let begun = performance.now(); begun < end; begun = performance.now()) {
      await run();
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return times.sort((a, b) => a - b);
}

async function started(env: Record<string, string>): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [SERVER], {
    env: { PORT: "0", LOG_LEVEL: "warn", RATE_LIMIT_PER_MINUTE: "0", AUTH_RATE_LIMIT_PER_MINUTE: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    const url = /listens on (\S+)/.exec(output)?.[1];
    if (url !== undefined) return { url, child };
  }
  throw new Error(`the service did not start: ${output}`);
}

async function bench(name: string, env: Record<string, string>): Promise<void> {
  const { url, child } = await started(env);
  try {
    const world = await populate(url);
    for (const [operation, run] of Object.entries(operationsOn(world))) {
      for (const connections of CONNECTIONS) {
        const send = sender(url, world.token, connections);
        await measure(() => run(send), connections, WARM_UP_MS);
        const times = await measure(() => run(send), connections, MEASURED_MS);
        const rate = Math.round((times.length / MEASURED_MS) * 1000);
        const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
        console.log(`| ${name} | ${operation} | ${connections} | ${rate} | ${at(0.5)} | ${at(0.99)} |`);
      }
    }
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

async function onEmbedded(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "work-board-bench-"));
  try {
    await bench("embedded", { DATA_DIR: dataDir });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function onPostgres(server: string): Promise<void> {
  const name = `work_board_bench_${randomBytes(4).toString("hex")}`;
  const admin = postgres(server, { max: 1, onnotice: () => {} });
  await admin`create database ${admin(name)}`;
  try {
    const url = new URL(server);
    url.pathname = `/${name}`;
    await bench("PostgreSQL", { DATABASE_URL: url.href });
  } finally {
    await admin`drop database if exists ${admin(name)} with (force)`;
    await admin.end();
  }
}

console.log(
  `Node ${process.version}, ${availableParallelism()} cores, shared by the service, its database and this client\n`,
);
console.log("| database | operation | connections | requests/s | p50 ms | p99 ms |\n|---|---|---:|---:|---:|---:|");
await onEmbedded();
if (process.env.BENCH_DATABASE_URL) await onPostgres(process.env.BENCH_DATABASE_URL);
console.log(`\n${Math.round(performance.now() / 1000)} s in all`);
