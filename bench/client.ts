// Measures the packages and calls of front ends, in one run on one service: the size of the client and the replica; a board of 1000 cards
// over tRPC, plain, as gzip and unchanged; and a new card with an Idempotency-Key and without. What is compared is called in turn.
// BENCH_DATABASE_URL: a PostgreSQL server; without it the embedded database is measured.

import { readFileSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { gzipSync } from "node:zlib";
import { transformSync } from "esbuild";
import { databasesOn, newDataDir } from "./databases.js";
import { median } from "./report.js";
import { startService } from "./servers.js";
import { populate } from "./world.js";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 200);
const WARM_UP = 20;
const agent = new Agent({ keepAlive: true });

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Of the body, as it was sent. */
  bytes: number;
  ms: number;
}

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

function send(url: string, { method, path, headers, body }: Call): Promise<Answer> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, ms: performance.now() - begun }),
      );
    });
    sent.on("error", reject).end(body);
  });
}

/** Calls each in turn, and prints the median time and the bytes of each, and its time as a share of that of the first. */
async function compare(url: string, calls: Record<string, () => Call>): Promise<void> {
  const answers = new Map(Object.keys(calls).map((name) => [name, [] as Answer[]]));
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const [name, call] of Object.entries(calls)) {
      const answer = await send(url, call());
      if (answer.status !== 200 && answer.status !== 304) throw new Error(`${name}: ${answer.status}`);
      if (round >= 0) answers.get(name)?.push(answer);
    }
  }
  const [first] = answers.values();
  for (const [name, all] of answers) {
    const ratio = median(all.map(({ ms }, round) => ms / (first?.[round]?.ms ?? ms)));
    const ms = median(all.map((answer) => answer.ms));
    console.log(`${name}: ${all[0]?.bytes} bytes, ${ms.toFixed(2)} ms, ${ratio.toFixed(2)} of the first`);
  }
}

function printSizes(): void {
  for (const file of [
    "client.js",
    "board/index.js",
    "board/sharedStream.js",
    "board/storedQueue.js",
    "react/index.js",
    "browser.js",
  ]) {
    const { code } = transformSync(readFileSync(`packages/client/dist/${file}`, "utf8"), { minify: true });
    console.log(`${file}: ${gzipSync(code).length} bytes, minified and compressed`);
  }
}

printSizes();
const databases = process.env.BENCH_DATABASE_URL ? databasesOn(process.env.BENCH_DATABASE_URL) : null;
const server = await startService(
  databases === null ? { DATA_DIR: await newDataDir() } : { DATABASE_URL: await databases.create() },
);
try {
  const { token, board, spareList } = await populate(server.url);
  const authorization = `Bearer ${token}`;
  const path = `/trpc/board.get?input=${encodeURIComponent(JSON.stringify({ boardPublicId: board }))}`;
  const read = (headers: Record<string, string>) => ({ method: "GET", path, headers: { authorization, ...headers } });
  const etag = String((await send(server.url, read({}))).headers.etag);
  await compare(server.url, {
    "the board, plain": () => read({}),
    "the board, gzip": () => read({ "accept-encoding": "gzip" }),
    "the board, unchanged": () => read({ "accept-encoding": "gzip", "if-none-match": etag }),
  });
  const create = (headers: Record<string, string>) => ({
    ...{ method: "POST", path: "/trpc/card.create", body: JSON.stringify({ listPublicId: spareList, title: "New" }) },
    headers: { authorization, "content-type": "application/json", ...headers },
  });
  await compare(server.url, {
    "a new card": () => create({}),
    "a new card with a key": () => create({ "idempotency-key": crypto.randomUUID() }),
  });
} finally {
  await server.stop();
  await databases?.drop();
}
