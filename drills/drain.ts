// SIGTERM to one of two processes, with a hundred open streams on it, while all is written to: it ends within ten seconds, no
// request in flight fails, and the readers go on at the other without loss.

import { setTimeout as sleep } from "node:timers/promises";
import { drill, type Run } from "./harness.js";
import { caughtUp, judge, makePlace, Reader, Writer } from "./readers.js";

const STREAMS = 100;
/** As many streams as a user may have. */
const STREAMS_EACH = 20;
const WRITERS = 4;
const LIMIT_MS = 10_000;

async function drainOnce(run: Run): Promise<void> {
  const store = await run.postgres();
  const [leaving, staying] = [await run.serve(store.env), await run.serve(store.env)];
  const place = await makePlace(leaving.url, STREAMS / STREAMS_EACH);
  let where = leaving.url;
  const readers = Array.from(
    { length: STREAMS },
    (_, n) => new Reader(place.tokens[n % place.tokens.length] ?? "", place.boardPublicId, () => where),
  );
  await Promise.all(readers.map((reader) => reader.start()));

  let isOver = false;
  const writers = Array.from({ length: WRITERS }, () => new Writer(() => run.random(), place, leaving.url));
  const writing = writers.map(async (writer) => {
    while (!isOver) await writer.write();
  });
  await sleep(run.seconds({ long: 10, short: 1 }));

  const signalled = performance.now();
  leaving.signal("SIGTERM");
  // As a load balancer does that was told.
  where = staying.url;
  for (const writer of writers) writer.moveTo(staying.url);
  const exitCode = await leaving.ended;
  const endedMs = Math.round(performance.now() - signalled);
  await sleep(run.seconds({ long: 5, short: 1 }));
  isOver = true;
  await Promise.all(writing);

  const answers = writers.flatMap((writer) => writer.answers);
  const events = answers.filter(({ answer }) => answer.status === 200).length;
  await caughtUp(readers, events);
  await Promise.all(readers.map((reader) => reader.stop()));
  run.report("open streams", STREAMS);
  run.atMost(LIMIT_MS, "milliseconds to the end", endedMs);
  run.none("exit code", exitCode ?? 1);
  run.none("requests that failed", answers.length - events);
  judge(run, "drain", readers, events);
}

await drill("drain", async (run) => {
  for (let round = 0; round < (run.isShort ? 1 : 3); round += 1) await drainOnce(run);
});
