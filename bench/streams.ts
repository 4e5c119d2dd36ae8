// Measures how long after a change its event arrives on open streams: on the embedded database, on PostgreSQL (with
// BENCH_DATABASE_URL) in the process that made the change, and in another one. One writer, and no other load.

import { caughtUp, makePlace, Reader, Writer } from "../drills/readers.js";
import { databasesOn, newDataDir } from "./databases.js";
import { type Server, startService } from "./servers.js";

const READERS = 10;
const CHANGES = 500;
const WARM_UP = 50;

const at = (sorted: readonly number[], share: number) =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
const figures = (values: number[]) => {
  const sorted = values.sort((a, b) => a - b);
  return `${at(sorted, 0.5)} ms | ${at(sorted, 0.99)} ms`;
};

/** Changes a board at one process while it is followed at another, or at the same; prints a line of the table. */
async function measure(name: string, writesTo: Server, readsFrom: Server): Promise<void> {
  const place = await makePlace(writesTo.url, 1);
  const readers = Array.from(
    { length: READERS },
    () => new Reader(place.owner, place.boardPublicId, () => readsFrom.url),
  );
  await Promise.all(readers.map((reader) => reader.start()));
  const writer = new Writer(Math.random, place, writesTo.url);
  while (writer.answers.length < CHANGES + WARM_UP) await writer.write();
  await caughtUp(readers, CHANGES + WARM_UP);
  await Promise.all(readers.map((reader) => reader.stop()));
  const written = writer.answers.slice(WARM_UP);
  const arrivals = readers.map((reader) => reader.arrivals.slice(WARM_UP));
  const sinceSent = written.flatMap(({ sentAt }, n) => arrivals.map((times) => (times[n] ?? Infinity) - sentAt));
  const sinceAnswer = written.flatMap(({ answeredAt }, n) =>
    arrivals.map((times) => (times[n] ?? Infinity) - answeredAt),
  );
  const answers = written.map(({ sentAt, answeredAt }) => answeredAt - sentAt);
  console.log(`| ${name} | ${figures(answers)} | ${figures(sinceSent)} | ${figures(sinceAnswer)} |`);
}

console.log(`${CHANGES} changes, ${READERS} streams; below zero: the event was there before the answer\n`);
console.log(
  "| | answer, median | p99 | event since the request, median | p99 | event since the answer, median | p99 |",
);
console.log("|---|---:|---:|---:|---:|---:|---:|");

const embedded = await startService({ DATA_DIR: await newDataDir() });
await measure("embedded", embedded, embedded);
await embedded.stop();

const server = process.env.BENCH_DATABASE_URL;
if (server !== undefined) {
  const databases = databasesOn(server);
  const env = { DATABASE_URL: await databases.create() };
  const [one, other] = [await startService(env), await startService(env)];
  await measure("PostgreSQL, same process", one, one);
  await measure("PostgreSQL, another process", one, other);
  await Promise.all([one.stop(), other.stop()]);
  await databases.drop();
}
process.exit(0);
