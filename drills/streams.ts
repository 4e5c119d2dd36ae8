// Writers on one board, and readers of its stream who leave at random and come back: each gets every event once, in order. On
// the embedded database, on PostgreSQL, and with three processes on one PostgreSQL.

import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "../tests/helpers/spawned.js";
import { drill, type Run } from "./harness.js";
import { caughtUp, judge, makePlace, Reader, Writer } from "./readers.js";
import type { Store } from "./stores.js";

const WRITERS = 10;
const READERS = 10;
const CHANGES = 20_000;
const CHANGES_SHORT = 400;
const LONGEST_STAY_MS = 2000;

async function streamOn(run: Run, name: string, store: Store, processes: number): Promise<void> {
  const services: Service[] = [await run.serve(store.env)];
  while (services.length < processes) services.push(await run.serve(store.env));
  const urls = services.map(({ url }) => url);
  const anywhere = () => urls[Math.floor(run.random() * urls.length)] ?? "";

  const place = await makePlace(anywhere(), 2);
  const readers = Array.from(
    { length: READERS },
    (_, n) => new Reader(place.tokens[n % place.tokens.length] ?? "", place.boardPublicId, anywhere),
  );
  await Promise.all(readers.map((reader) => reader.start()));

  let left = run.isShort ? CHANGES_SHORT : CHANGES;
  let isOver = false;
  const begun = performance.now();
  const writers = Array.from(
    { length: WRITERS },
    (_, n) => new Writer(() => run.random(), place, urls[n % urls.length] ?? ""),
  );
  const writing = writers.map(async (writer) => {
    while (left > 0) {
      left -= 1;
      const { status } = await writer.write();
      // Turned away politely, as where the machine has too much to do: written again, as a client would.
      if (status === 503) left += 1;
    }
  });
  const leaving = readers.map(async (reader) => {
    while (!isOver) {
      await sleep(run.random() * LONGEST_STAY_MS);
      reader.disconnect();
    }
  });
  await Promise.all(writing);
  const seconds = (performance.now() - begun) / 1000;
  isOver = true;
  const events = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
  await Promise.all(leaving);
  await caughtUp(readers, events);
  await Promise.all(readers.map((reader) => reader.stop()));

  run.report(`${name}, changes a second`, Math.round(events / seconds));
  const refused = writers.flatMap(({ answers }) => answers).filter(({ answer }) => answer.status === 503).length;
  run.report(`${name}, changes turned away with 503`, refused);
  const answered = writers.reduce((sum, { answers }) => sum + answers.length, 0);
  run.none(`${name}, changes that failed`, answered - events - refused);
  judge(run, name, readers, events);
  for (const service of services) {
    service.signal("SIGTERM");
    run.none(`${name}, exit code`, (await service.ended) ?? 1);
  }
}

await drill("streams", async (run) => {
  await streamOn(run, "embedded", await run.embedded(), 1);
  await streamOn(run, "PostgreSQL", await run.postgres(), 1);
  await streamOn(run, "PostgreSQL, three processes", await run.postgres(), 3);
});
