// The frame of every drill: a name, a seed, counts, and an end that cleans up and reports whether anything was violated.
//
//   await drill("kill", async (run) => {
//     const store = await run.embedded();                       // or run.postgres(): stores.ts
//     const service = await run.serve(store.env);               // the built service; killed at the end of the drill
//     const load = await startLoad(run, service.url);           // load.ts: clients that keep books of what was acknowledged
//     await sleep(run.seconds({ long: 60, short: 5 }));
//     await load.stop();
//     run.none("acknowledged writes lost", (await load.lost()).length);
//   });
//
// `npm run drill:NAME` builds and runs drills/NAME.ts, with `-- --short` in a short form, with `-- --seed N` by the same choices
// again; `npm run drills` runs the short form of those in run.ts. The exit code is 1 when anything was violated.
// DRILL_DATABASE_URL: a PostgreSQL server to make databases on; unset: each drill that needs one starts its own.

import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Environment, type Process, type Service, serving, spawnNode } from "../tests/helpers/spawned.js";
import { dropStore, embeddedStore, postgresStore, type Server, type Store, startServer } from "./stores.js";

const { values: options } = parseArgs({
  options: { short: { type: "boolean", default: false }, seed: { type: "string" }, minutes: { type: "string" } },
});

/** One run of a drill. */
export class Run {
  readonly isShort = options.short;
  readonly seed = Number(options.seed ?? randomInt(2 ** 31));
  violations = 0;
  readonly #endings: (() => unknown)[] = [];
  #random = this.seed;
  #ownServer: Promise<Server> | undefined;

  /** The next of the numbers that the seed gives, from 0 up to 1. */
  random(): number {
    this.#random = (this.#random + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#random ^ (this.#random >>> 15), 1 | this.#random);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** The time of a part in milliseconds, from seconds; `--minutes` replaces the long form. */
  seconds({ long, short }: { long: number; short: number }): number {
    if (this.isShort) return short * 1000;
    return options.minutes === undefined ? long * 1000 : Number(options.minutes) * 60_000;
  }

  /** Prints a figure. */
  report(name: string, figure: number | string): void {
    console.log(`      ${name}: ${figure}`);
  }

  /** Prints a count, which is a violation above `most`; `examples` are printed with a violation. */
  atMost(most: number, name: string, count: number, examples: readonly unknown[] = []): void {
    const isKept = count <= most;
    if (!isKept) this.violations += 1;
    console.log(`${isKept ? "ok   " : "WRONG"} ${name}: ${count}${most > 0 ? ` (at most ${most})` : ""}`);
    if (!isKept) for (const example of examples.slice(0, 5)) console.log("     ", example);
  }

  /** Prints a count that must be zero. */
  none(name: string, count: number, examples?: readonly unknown[]): void {
    this.atMost(0, name, count, examples);
  }

  /** Prints a count that must not be zero: a drill that did nothing shows nothing. */
  some(name: string, count: number): void {
    if (count === 0) this.violations += 1;
    console.log(`${count > 0 ? "ok   " : "WRONG"} ${name}: ${count}`);
  }

  /** Has something done at the end of the drill, the last one first. */
  onEnd(ending: () => unknown): void {
    this.#endings.push(ending);
  }

  async end(): Promise<void> {
    for (const ending of this.#endings.splice(0).reverse()) await ending();
  }

  /** A directory that goes at the end. */
  async directory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "work-board-drill-"));
    this.onEnd(() => rm(directory, { recursive: true, force: true }));
    return directory;
  }

  /** Starts the built service on a store and waits until it serves. A PORT keeps its address over restarts. */
  serve(env: Environment): Promise<Service> {
    const started = spawnNode(["--enable-source-maps", "dist/server.js"], { LOG_LEVEL: "warn", ...env });
    this.onEnd(() => started.signal("SIGKILL"));
    return serving(started);
  }

  /** Starts a command of `work-board` as an operator does; killed at the end of the drill. */
  command(env: Environment, ...args: string[]): Process {
    const started = spawnNode(["bin/work-board.cjs", ...args], env);
    this.onEnd(() => started.signal("SIGKILL"));
    return started;
  }

  /** An empty data directory. */
  async embedded(): Promise<Store> {
    return embeddedStore(await this.directory());
  }

  /** An empty database, on `server` or on the one of DRILL_DATABASE_URL or on one started for this drill. */
  async postgres(server?: Server): Promise<Store> {
    const given = process.env.DRILL_DATABASE_URL;
    if (server !== undefined) return postgresStore(server.url);
    if (given === undefined) {
      this.#ownServer ??= this.server();
      return postgresStore((await this.#ownServer).url);
    }
    const store = await postgresStore(given);
    this.onEnd(() => dropStore(given, store));
    return store;
  }

  /** A PostgreSQL server of the drill's own, which it may kill; a streaming replica of the one that it follows. */
  async server(following?: Server): Promise<Server> {
    const server = await startServer(await this.directory(), following);
    this.onEnd(() => server.stop());
    return server;
  }
}

/** Runs a drill and ends the process: with exit code 1 when anything was violated, or when it could not be run. */
export async function drill(name: string, act: (run: Run) => Promise<void>): Promise<void> {
  const run = new Run();
  const begun = performance.now();
  console.log(`drill ${name}, seed ${run.seed}${run.isShort ? ", short" : ""}`);
  try {
    await act(run);
  } catch (error) {
    run.violations += 1;
    console.log("WRONG the drill itself failed:", error);
  }
  await run.end();
  const took = `${Math.round((performance.now() - begun) / 1000)} s`;
  console.log(`drill ${name}: ${run.violations === 0 ? "passed" : `${run.violations} violated`}, ${took}\n`);
  process.exit(run.violations === 0 ? 0 : 1);
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const listener = createServer().listen(0, "127.0.0.1", () => {
      const address = listener.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      listener.close(() => resolve(port));
    });
  });
}

const READY_CHECK_MS = 20;

/** Within how long a service has to be ready again. */
export const READY_LIMIT_MS = 10_000;

/** Milliseconds until `/ready` answers 200. Throws after `limitMs`. */
export async function readyAfter(url: string, limitMs = 60_000): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const response = await fetch(`${url}/ready`).catch(() => null);
    await response?.body?.cancel();
    const ms = Math.round(performance.now() - begun);
    if (response?.ok) return ms;
    if (ms > limitMs) throw new Error(`${url} was not ready within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, READY_CHECK_MS));
  }
}

/** The messages on standard error when a service's database is gone, and when it is back. */
const OUTAGE = /^work-board (?:lost its database: .+|has its database back)$/;

/** The defects in a service's log: lines of level 60, and anything else on standard error. */
export function defectsOf({ output }: Service): string[] {
  const fatal = output.stdout.split("\n").filter((line) => line.includes('"level":60'));
  const errors = output.stderr.split("\n").filter((line) => line.trim() !== "" && !OUTAGE.test(line));
  return [...fatal, ...errors];
}
