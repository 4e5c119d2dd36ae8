// `work-board backup` while clients write, and `restore` into an empty database of either kind: what was acknowledged before the
// command began is there, and nothing is half there. A file that was cut short is refused, and kill -9 of the command leaves no file.

import { copyFile, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Process } from "../tests/helpers/spawned.js";
import { defectsOf, drill, freePort, type Run, readyAfter } from "./harness.js";
import { contradictionsIn, type Load, type Mark, startLoad } from "./load.js";
import type { Store } from "./stores.js";

const OLDER = "An older backup";
const CHECK_MS = 2;
const WRITES_LIMIT_MS = 10_000;

const ended = async (process: Process) => ({ code: await process.ended, ...process.output });

const isOneLine = (stderr: string) => /^work-board: [^\n]+\n$/.test(stderr);

/** A backup that was made while clients wrote, and what it must hold. */
interface Made {
  name: string;
  file: string;
  load: Load;
  /** The writes that were acknowledged before the command began. */
  mark: Mark;
  /** The audit log before the command. */
  auditTypes: string[];
  /** The events of the database once everything had ended. */
  events: string[];
}

/** The types of entries in the audit log, in their order. */
async function auditTypesIn(store: Store): Promise<string[]> {
  const db = await store.open();
  const rows = await db.rows<{ type: string }>(sql`select type from audit_entry order by id`);
  await db.close();
  return rows.map(({ type }) => type);
}

async function eventsIn(store: Store): Promise<string[]> {
  const db = await store.open();
  const rows = await db.rows<{ event: string }>(sql`
    select row_to_json(e)::text as event from event e order by workspace_id, seq`);
  await db.close();
  return rows.map(({ event }) => event);
}

/** Waits until a call is answered with success again; false where that takes too long. */
async function writesGoOn(load: Load): Promise<boolean> {
  const before = load.acknowledged;
  const end = performance.now() + WRITES_LIMIT_MS;
  while (load.acknowledged === before && performance.now() < end) await sleep(20);
  return load.acknowledged > before;
}

const partsIn = async (folder: string) => (await readdir(folder)).filter((name) => name.endsWith(".part"));

/** The outcome of killing a command. */
interface Killed {
  /** Whether it was in the middle of its work. */
  wasRunning: boolean;
  faults: string[];
}

/** Kills the command once it writes its file. */
async function killBackup(run: Run, store: Store, load: Load, withinMs: number): Promise<Killed> {
  const folder = await run.directory();
  const [fresh, older] = [join(folder, "fresh.backup"), join(folder, "older.backup")];
  await writeFile(older, OLDER);
  const file = run.random() < 0.5 ? fresh : older;
  const backup = run.command(store.env, "backup", file);
  let isOver = false;
  void backup.ended.then(() => {
    isOver = true;
  });
  while (!isOver && (await partsIn(folder)).length === 0) await sleep(CHECK_MS);
  await sleep(run.random() * withinMs);
  const wasRunning = !isOver;
  backup.signal("SIGKILL");
  await backup.ended;
  const faults: string[] = [];
  // A command that had ended by then has written its file.
  if (wasRunning) {
    const names = await readdir(folder);
    if (names.includes("fresh.backup")) faults.push(`a file under the final name: ${names.join(", ")}`);
    if ((await readFile(older, "utf8")) !== OLDER) faults.push("the older backup was changed");
  }
  if (!(await writesGoOn(load))) faults.push("writes did not go on");
  return { wasRunning, faults };
}

/** Makes a backup under load, and kills others. */
async function makeUnderLoad(run: Run, store: Store, port: string, kills: number): Promise<Made> {
  const name = `backup of ${store.name}`;
  const service = await run.serve({ ...store.env, PORT: port });
  const load = await startLoad(run, service.url);
  await sleep(run.seconds({ long: 10, short: 1.5 }));
  const file = join(await run.directory(), "board.backup");

  const mark = load.mark();
  const acknowledged = load.acknowledged;
  const begun = performance.now();
  const made = await ended(run.command(store.env, "backup", file));
  const tookMs = performance.now() - begun;
  run.none(`${name}, exit code`, made.code ?? 1, [made.stderr]);
  run.report(name, made.stdout.trim().replaceAll("\n", "; "));
  run.some(`${name}, writes acknowledged before it`, acknowledged);
  run.some(`${name}, writes acknowledged during it`, load.acknowledged - acknowledged);

  const killed: Killed[] = [];
  for (let kill = 0; kill < kills; kill += 1) killed.push(await killBackup(run, store, load, tookMs / 4));
  const faults = killed.flatMap((one) => one.faults);
  run.some(`${name}, kills in the middle of it`, killed.filter(({ wasRunning }) => wasRunning).length);
  run.none(`${name}, what a kill left behind or kept from going on`, faults.length, faults);
  await load.stop();
  const unexpected = load.unexpected;
  run.none(`${name}, unexpected answers`, unexpected.length, unexpected);
  service.signal("SIGTERM");
  run.none(`${name}, exit code of the service`, (await service.ended) ?? 1);
  const defects = defectsOf(service);
  run.none(`${name}, uncaught errors`, defects.length, defects);

  const types = await auditTypesIn(store);
  run.some(`${name}, entries of it in the audit log`, types.filter((type) => type === "backup.made").length);
  // Signing up comes before the backup, and nothing else that is recorded.
  const auditTypes = types.slice(0, types.indexOf("backup.made"));
  return { name, file, load, mark, auditTypes, events: await eventsIn(store) };
}

/** Cuts the file at several places, and has each refused by an empty database. */
async function refuseCut(run: Run, { name, file }: Made, target: Store): Promise<void> {
  const { size } = await stat(file);
  const shares = Array.from({ length: run.isShort ? 1 : 6 }, () => run.random());
  const lengths = [0, ...shares.map((share) => Math.floor(share * size)), size - 1];
  const faults: string[] = [];
  for (const length of lengths) {
    const cut = join(await run.directory(), "cut.backup");
    await copyFile(file, cut);
    await truncate(cut, length);
    const { code, stdout, stderr } = await ended(run.command(target.env, "restore", cut));
    if (code !== 1 || stdout !== "" || !isOneLine(stderr) || !stderr.includes("cut.backup"))
      faults.push(`${length} of ${size} bytes: exit code ${code}, ${JSON.stringify(stdout + stderr)}`);
  }
  run.report(`${name}, files cut short`, lengths.length);
  run.none(`${name}, files cut short that were not refused with one line`, faults.length, faults);
}

async function restoreTo(run: Run, made: Made, target: Store, port: string): Promise<void> {
  const name = `${made.name} restored to ${target.name}`;
  const restored = await ended(run.command(target.env, "restore", made.file));
  run.none(`${name}, exit code`, restored.code ?? 1, [restored.stderr]);
  const again = await ended(run.command(target.env, "restore", made.file));
  const isRefused = again.code === 1 && isOneLine(again.stderr);
  run.none(`${name}, second restores that were not refused`, isRefused ? 0 : 1, [again.stderr]);

  const db = await target.open();
  const contradictions = await contradictionsIn(db);
  await db.close();
  for (const [what, count] of Object.entries(contradictions)) run.none(`${name}, ${what}`, count);
  const events = await eventsIn(target);
  const known = new Set(made.events);
  const stray = events.filter((event) => !known.has(event));
  run.some(`${name}, events`, events.length);
  run.none(`${name}, events that differ`, stray.length, stray);
  const types = await auditTypesIn(target);
  const expected = [...made.auditTypes, "backup.restored"];
  run.some(`${name}, entries in the audit log`, types.length);
  run.none(`${name}, entries that differ`, types.join() === expected.join() ? 0 : 1, [types, expected]);

  // Clients find the service at the address of the one that was backed up, with their tokens.
  const { load, mark } = made;
  load.send.hangUp();
  const service = await run.serve({ ...target.env, PORT: port });
  await readyAfter(service.url);
  const lost = await load.lost(mark);
  run.some(`${name}, cards acknowledged before the backup`, mark.length);
  run.none(`${name}, writes acknowledged before the backup that are lost`, lost.length, lost);
  const { status } = await load.send("PUT", `/boards/${load.board}`, { name: "Restored" });
  run.none(`${name}, writes refused afterwards`, status === 200 ? 0 : 1);
  service.signal("SIGTERM");
  run.none(`${name}, exit code of the service`, (await service.ended) ?? 1);
  const defects = defectsOf(service);
  run.none(`${name}, uncaught errors`, defects.length, defects);
}

await drill("backup", async (run) => {
  const port = String(await freePort());
  for (const source of [await run.embedded(), await run.postgres()]) {
    const made = await makeUnderLoad(run, source, port, run.isShort ? 2 : 10);
    const target = await run.embedded();
    await refuseCut(run, made, target);
    await restoreTo(run, made, target, port);
    await restoreTo(run, made, await run.postgres(), port);
  }
});
