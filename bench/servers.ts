// Processes under measurement: the built service, and the floor it is compared with.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const SERVICE = fileURLToPath(new URL("../dist/server.js", import.meta.url));
const FLOOR = fileURLToPath(new URL("floor.ts", import.meta.url));

/** A process that answers. */
export interface Server {
  url: string;
  /** From its start to the first 200 of `/ready`. */
  startMs: number;
  /** Resident memory in MiB; null where the system does not tell. */
  memory(): Promise<number | null>;
  /** Processor time so far, of all its threads; null where the system does not tell. */
  cpuMs(): Promise<number | null>;
  stop(): Promise<void>;
}

/** Such as `--cpu-prof`, for a look at where the time goes. */
const NODE_ARGUMENTS = process.env.BENCH_NODE_ARGUMENTS?.split(" ") ?? [];
const LIMITS_OFF = { LOG_LEVEL: "warn", RATE_LIMIT_PER_MINUTE: "0", AUTH_RATE_LIMIT_PER_MINUTE: "0" };
const READY_INTERVAL_MS = 5;

/** Starts the built service with no other variables than these; `script`: that of another version. */
export const startService = (env: Record<string, string>, script = SERVICE) =>
  start([script], { ...LIMITS_OFF, ...env });

/** Starts the floor on a database that the service made. */
export const startFloor = (databaseUrl: string) => start(["--import", "tsx", FLOOR], { DATABASE_URL: databaseUrl });

async function start(args: string[], env: Record<string, string>): Promise<Server> {
  const begun = performance.now();
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, ...args], {
    env: { PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const url = await addressOf(child);
  // Otherwise its log would fill the pipe, and the process would wait for somebody to read it.
  child.stdout?.resume();
  while (!(await isReady(url))) await new Promise((resolve) => setTimeout(resolve, READY_INTERVAL_MS));
  const startMs = performance.now() - begun;
  return {
    url,
    startMs,
    memory: () => residentMemory(child.pid ?? 0),
    cpuMs: () => processorTime(child.pid ?? 0),
    stop: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = "";
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += chunk;
    const url = /listens on (\S+)/.exec(output)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`the process did not start: ${output}`);
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/ready`).catch(() => null);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}

async function residentMemory(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kibibytes === undefined ? null : Math.round(Number(kibibytes) / 1024);
}

/** Milliseconds in a tick of the processor's clock, as Linux counts it for its processes. */
const TICK_MS = 10;

async function processorTime(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The command's name, in parentheses, may hold blanks; user and system time are the 12th and 13th field after it.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return user === undefined || system === undefined ? null : (Number(user) + Number(system)) * TICK_MS;
}
