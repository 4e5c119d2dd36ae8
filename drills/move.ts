// `work-board move` from an embedded database to PostgreSQL while clients read and write: afterwards everything answers the same on
// the server, byte for byte. kill -9 of the command or of the service in the middle leaves the source whole, and the target empty or
// whole.

import { setTimeout as sleep } from "node:timers/promises";
import type { Process, Service } from "../tests/helpers/spawned.js";
import { insist, made, type Send, sender, signUp } from "./calls.js";
import { ask, differencesOf, type Filled, fill, pathsOf, type Seen, seenBy } from "./filled.js";
import { drill, freePort, READY_LIMIT_MS, type Run, readyAfter } from "./harness.js";
import { examine, startLoad } from "./load.js";
import { receive } from "./receivers.js";
import type { Store } from "./stores.js";

const READERS = 4;
const WRITERS = 8;
const PAUSE_MS = 10;
const ARRIVAL_LIMIT_MS = 20_000;
/** The answer to a write while the database is moved. */
const REASON = /only answers reads at present/;

/** A card that is written again and again, in a workspace that is compared with nothing. */
interface Probe {
  list: string;
  send: Send;
}

async function makeProbe(url: string): Promise<Probe> {
  const send = sender(url, await signUp(url), 1);
  const workspace = await made(send, "/workspaces", { name: "Probe" });
  const board = await made(send, `/workspaces/${workspace}/boards`, { name: "Probe" });
  return { send, list: await made(send, "/lists", { name: "Probe", boardPublicId: board }) };
}

const write = ({ send, list }: Probe) => send("POST", "/cards", { title: "Probe", listPublicId: list });

interface Call {
  sentAt: number;
  answeredAt: number;
  status: number;
  /** The problem with it; null if there is none. */
  fault: string | null;
}

/** Calls without a pause worth mentioning, until `isOver`. */
async function callAlong(isOver: () => boolean, call: () => Promise<Omit<Call, "sentAt" | "answeredAt">>) {
  const calls: Call[] = [];
  while (!isOver()) {
    const sentAt = performance.now();
    const answer = await call();
    calls.push({ ...answer, sentAt, answeredAt: performance.now() });
    await sleep(PAUSE_MS);
  }
  return calls;
}

/** Reads at random what was seen before, and expects it again. */
function readAlong(run: Run, url: string, { filled, seen }: Known, isOver: () => boolean): Promise<Call[]> {
  const paths = pathsOf(filled);
  const askers = filled.askers.filter(({ isThorough }) => isThorough);
  return callAlong(isOver, async () => {
    const path = paths[Math.floor(run.random() * paths.length)] ?? "";
    const asker = askers[Math.floor(run.random() * askers.length)];
    const { status, text } = await ask(url, asker?.token ?? "", path);
    const isSame = seen.get(`${asker?.name} ${path}`) === `${status} ${text}`;
    return { status, fault: isSame ? null : `${asker?.name} ${path}: ${status} ${text.slice(0, 200)}` };
  });
}

/** Writes, and expects success or the reason why there is none. */
const writeAlong = (probe: Probe, isOver: () => boolean): Promise<Call[]> =>
  callAlong(isOver, async () => {
    const { status, body } = await write(probe);
    const text = JSON.stringify(body);
    const isClear = status === 200 || (status === 503 && REASON.test(text));
    return { status, fault: isClear ? null : `${status} ${text.slice(0, 200)}` };
  });

/** A workspace, and what everybody sees of it. */
interface Known {
  filled: Filled;
  seen: Seen;
}

const isOneLine = ({ output }: Process) => /^work-board: [^\n]+\n$/.test(output.stderr);

async function ended(service: Service): Promise<number | null> {
  service.signal("SIGTERM");
  return service.ended;
}

/** The objects that the drill works on. */
interface Place {
  source: Store;
  env: Record<string, string>;
  known: Known;
  probe: Probe;
}

/** Moves while clients read and write, and compares. */
async function moveUnderLoad(run: Run, place: Place, service: Service, delivered: Set<string>): Promise<void> {
  const { source, env, known, probe } = place;
  const target = await run.postgres();
  const to = target.env.DATABASE_URL ?? "";
  const load = await startLoad(run, service.url, { clients: WRITERS });
  let isOver = false;
  const reads = Array.from({ length: READERS }, () => readAlong(run, service.url, known, () => isOver));
  const writes = writeAlong(probe, () => isOver);
  await sleep(run.seconds({ long: 3, short: 0.5 }));

  const moving = run.command(source.env, "move", "--to", to);
  await moving.printed("refuses writes");
  const refusedFrom = performance.now();
  const exitCode = await moving.ended;
  const moved = performance.now();
  run.none("exit code of the move", exitCode ?? 1, [exitCode, moving.output, service.output]);
  run.report("the move", /Copied and compared .*/.exec(moving.output.stdout)?.[0] ?? "nothing was copied");

  await sleep(run.seconds({ long: 2, short: 0.5 }));
  const again = run.command(source.env, "move", "--to", to);
  const againCode = await again.ended;
  await sleep(run.seconds({ long: 2, short: 0.5 }));
  isOver = true;
  const read = (await Promise.all(reads)).flat();
  const written = await writes;
  await load.stop();

  const during = read.filter(({ sentAt, answeredAt }) => answeredAt > refusedFrom && sentAt < moved);
  const faults = (calls: readonly Call[]) => calls.flatMap(({ fault }) => fault ?? []);
  run.some("reads answered before, during and after the move", read.length);
  run.some("reads answered during the move", during.length);
  run.report("slowest read, ms", Math.round(Math.max(...read.map(({ sentAt, answeredAt }) => answeredAt - sentAt))));
  run.none("reads that failed or told something else", faults(read).length, faults(read));
  run.some("writes acknowledged before the move", written.filter(({ status }) => status === 200).length);
  run.some("writes refused with the reason", written.filter(({ status, fault }) => status === 503 && !fault).length);
  run.none("writes refused in another way", faults(written).length, faults(written));
  const late = written.filter(({ sentAt, status }) => sentAt > moved && status === 200);
  run.none("writes acknowledged after the move", late.length);
  run.none("second moves to the same target that were not refused", againCode === 1 && isOneLine(again) ? 0 : 1, [
    again.output,
  ]);
  const stale = differencesOf(known.seen, await seenBy(service.url, known.filled));
  run.none("answers of the old service that differ from before", stale.length, stale);
  run.none("exit code of the old service", (await ended(service)) ?? 1);

  const onServer = await run.serve({ ...env, ...target.env });
  await readyAfter(onServer.url);
  const seen = await seenBy(onServer.url, known.filled);
  const differing = differencesOf(known.seen, seen);
  run.some("answers compared on PostgreSQL", seen.size);
  run.none("answers that differ on PostgreSQL", differing.length, differing);
  await mustDeliver(run, onServer, known.filled, delivered);
  await examine(run, { store: target, load, services: [service, onServer] });
}

/** A new comment arrives at the webhook, and no old one again. */
async function mustDeliver(run: Run, { url }: Service, { owner, boards }: Filled, delivered: Set<string>) {
  const before = delivered.size;
  const send = sender(url, owner);
  const list = await made(send, "/lists", { name: "Later", boardPublicId: boards[0] });
  const card = await made(send, "/cards", { title: "Later", listPublicId: list });
  await insist(send, "POST", `/cards/${card}/comments`, { comment: "Later" });
  const end = performance.now() + ARRIVAL_LIMIT_MS;
  while (delivered.size === before && performance.now() < end) await sleep(50);
  run.none("webhook deliveries missing after the move", delivered.size === before + 1 ? 0 : 1);
}

/** Whether writes are accepted within the time that a restart may take. */
async function acceptsWrites(probe: Probe): Promise<boolean> {
  const end = performance.now() + READY_LIMIT_MS;
  while (performance.now() < end) {
    if ((await write(probe)).status === 200) return true;
    await sleep(50);
  }
  return false;
}

/** The duration of a move that succeeded, in milliseconds. */
const copyMs = ({ output }: Process) => 1000 * Number(/Copied and compared .* in ([\d.]+) s/.exec(output.stdout)?.[1]);

/** The duration of a move while nobody calls the service, in milliseconds. */
async function moveAlone(run: Run, { source, env }: Place): Promise<number> {
  const target = await run.postgres();
  const service = await run.serve({ ...env, ...source.env });
  const moving = run.command(source.env, "move", "--to", target.env.DATABASE_URL ?? "");
  await moving.ended;
  await ended(service);
  return copyMs(moving);
}

/** The outcome of a move that was killed. */
interface Outcome {
  isWhole: boolean;
  /** The duration of the move that came after it; null if that was refused. */
  tookMs: number | null;
  faults: string[];
}

/** Kills the command or the service in the middle of a move, then moves again, and compares both sides. */
async function killInTheMiddle(
  run: Run,
  { source, env, known, probe }: Place,
  { victim, afterMs }: { victim: "command" | "service"; afterMs: number },
): Promise<Outcome> {
  const faults: string[] = [];
  const target = await run.postgres();
  const to = target.env.DATABASE_URL ?? "";
  let service = await run.serve({ ...env, ...source.env });
  const moving = run.command(source.env, "move", "--to", to);
  await moving.printed("refuses writes");
  await sleep(afterMs);
  if (victim === "command") {
    moving.signal("SIGKILL");
    await moving.ended;
  } else {
    service.signal("SIGKILL");
    await service.ended;
    const isDone = (await moving.ended) === 0;
    if (!isDone && !isOneLine(moving)) faults.push(`the command said ${JSON.stringify(moving.output.stderr)}`);
    service = await run.serve({ ...env, ...source.env });
  }
  await readyAfter(service.url);
  const accepted = await acceptsWrites(probe);
  faults.push(...differencesOf(known.seen, await seenBy(service.url, known.filled)).map((text) => `source: ${text}`));

  const again = run.command(source.env, "move", "--to", to);
  const code = await again.ended;
  const isWhole = code === 1 && /The target is not empty/.test(again.output.stderr);
  if (code !== 0 && !isWhole) faults.push(`moving again said ${JSON.stringify(again.output.stderr)}`);
  if (!accepted && !isWhole) faults.push("the source takes no writes, and the target was empty");
  const code2 = await ended(service);
  if (code2 !== 0) faults.push(`the service ended with ${code2}`);

  const onServer = await run.serve({ ...env, ...target.env });
  await readyAfter(onServer.url);
  faults.push(...differencesOf(known.seen, await seenBy(onServer.url, known.filled)).map((text) => `target: ${text}`));
  if (!(await acceptsWrites(probe))) faults.push("the target takes no writes");
  await ended(onServer);
  return { isWhole, tookMs: code === 0 ? copyMs(again) : null, faults };
}

await drill("move", async (run) => {
  const source = await run.embedded();
  const env = { PORT: String(await freePort()), WEBHOOK_ALLOW_PRIVATE: "true" };
  const service = await run.serve({ ...env, ...source.env });
  const delivered = new Set<string>();
  let repeated = 0;
  const receiver = await receive(run, (_, id) => {
    if (delivered.has(id)) repeated += 1;
    delivered.add(id);
  });
  const filled = await fill(service.url, run.isShort ? 4 : 20, receiver);
  const probe = await makeProbe(service.url);
  const known = { filled, seen: await seenAtRest(service.url, filled) };
  run.report("boards", filled.boards.length);
  run.report("webhook deliveries before the move", delivered.size);
  const place: Place = { source, env, known, probe };
  await moveUnderLoad(run, place, service, delivered);

  let tookMs = await moveAlone(run, place);
  run.report("milliseconds of a move without calls", tookMs);
  const kills = run.isShort ? 2 : 10;
  const outcomes: Outcome[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const victim = kill % 2 === 0 ? "command" : "service";
    // First while rows are copied, then near the commit.
    const share = kill < kills / 2 ? 0.6 * run.random() : 0.7 + 0.4 * run.random();
    const outcome = await killInTheMiddle(run, place, { victim, afterMs: share * tookMs });
    // A machine that stalls makes one take longer.
    tookMs = Math.min(tookMs, outcome.tookMs ?? tookMs);
    outcomes.push(outcome);
  }
  const faults = outcomes.flatMap((outcome) => outcome.faults);
  run.report("kills of the command and the service in turn", kills);
  run.some("targets that were empty after a kill", outcomes.filter(({ isWhole }) => !isWhole).length);
  run.report("targets that were whole after a kill", outcomes.filter(({ isWhole }) => isWhole).length);
  run.none("what a kill left unusable or different", faults.length, faults);
  run.none("webhook deliveries made again", repeated);
});

/** The state once nothing more happens by itself: notifications are counted, webhooks called. */
async function seenAtRest(url: string, filled: Filled): Promise<Seen> {
  for (let before = await seenBy(url, filled); ; ) {
    await sleep(1000);
    const now = await seenBy(url, filled);
    if (differencesOf(before, now).length === 0) return now;
    before = now;
  }
}
