// The service as a process of its own, started as an operator does, and databases that outlive it.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, inject, onTestFinished } from "vitest";
import { type Database, openDatabase } from "../../src/db/client.js";
import { openEmbedded } from "../../src/db/embedded.js";
import { openPostgres } from "../../src/db/postgres.js";
import { asAdmin } from "./databases.js";
import { urlOf } from "./template.js";

type Environment = Record<string, string>;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A started process. */
export interface Process {
  pid: number;
  /** Everything written so far. */
  output: { stdout: string; stderr: string };
  /** Resolves once standard output holds the text; throws when the process ends first. */
  printed(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** The exit code, null after a signal that killed it. */
  ended: Promise<number | null>;
}

/** A process that serves. */
export interface Service extends Process {
  /** Without a slash at the end. */
  url: string;
}

/** How a process is started, and when it is killed: after the test unless told otherwise. */
export interface LaunchOptions {
  nodeOptions?: string[];
  until?: (kill: () => void) => void;
}

/** Starts the service with these variables and no others; limits are off and the port is any free one unless they say otherwise. */
export function launch(env: Environment, { nodeOptions = [], until = onTestFinished }: LaunchOptions = {}): Process {
  const child = spawn(process.execPath, ["--import", "tsx", ...nodeOptions, "src/server.ts"], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: "0", RATE_LIMIT_PER_MINUTE: "0", AUTH_RATE_LIMIT_PER_MINUTE: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  until(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
  });
  const ended = once(child, "close").then(([code]: (number | null)[]) => code ?? null);
  return {
    pid: child.pid ?? 0,
    output,
    ended,
    signal: (name) => void child.kill(name),
    printed: async (text) => {
      const end = ended.then(() => "ended" as const);
      while (!output.stdout.includes(text)) {
        if ((await Promise.race([once(child.stdout, "data"), end])) === "ended") break;
      }
      if (!output.stdout.includes(text)) throw new Error(`the process ended first:\n${output.stdout}${output.stderr}`);
    },
  };
}

/** Starts the service and waits until it serves. */
export async function serve(env: Environment, options?: LaunchOptions): Promise<Service> {
  const started = launch(env, options);
  await started.printed("Authorization: Bearer");
  const url = /listens on (\S+)/.exec(started.output.stdout)?.[1] ?? "";
  return { ...started, url };
}

/** Where one or more processes keep their data, before, between and after them. */
export interface Store {
  env: Environment;
  /** Opens it from here; where it is embedded, no process may have it open. */
  open(): Promise<Database>;
}

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "work-board-test-"));
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

let migratedDirectory: Promise<string> | undefined;

/** A data directory to copy: making one takes seconds. */
async function makeMigratedDirectory(file: string, type: string): Promise<string> {
  const dataDir = await newDirectory();
  const driver = await openEmbedded({ dataDir, loadFrom: new Blob([await readFile(file)], { type }) });
  await driver.close();
  return dataDir;
}

/** A store without any rows, embedded or on the server of TEST_DATABASE_URL, gone when the file ends; `empty`: not migrated either. */
export async function newStore(state: "migrated" | "empty" = "migrated"): Promise<Store> {
  const template = inject("template");
  if (template.kind === "embedded") {
    const dataDir = await newDirectory();
    if (state === "migrated") {
      migratedDirectory ??= makeMigratedDirectory(template.file, template.type);
      await cp(await migratedDirectory, dataDir, { recursive: true });
    }
    return { env: { DATA_DIR: dataDir }, open: async () => openDatabase(await openEmbedded({ dataDir })) };
  }
  const name = `${template.name}_${randomBytes(4).toString("hex")}`;
  const url = urlOf(template.url, name);
  const source = state === "migrated" ? template.name : "template0";
  await asAdmin(template.url, (admin) => admin`create database ${admin(name)} template ${admin(source)}`);
  afterAll(() => asAdmin(template.url, (admin) => admin`drop database if exists ${admin(name)} with (force)`));
  return {
    env: { DATABASE_URL: url },
    open: async () => openDatabase(openPostgres({ url, poolSize: 1, prepare: true, statementTimeoutMs: 30_000 })),
  };
}

/** The shape of a body is what the test says it is: a test that is wrong about it fails where it reads. */
const shaped = (body: unknown) => body as { publicId: string; accessToken: string };

/** Calls a listening service under `/api/v1`, and gives the status and the parsed body. */
export async function call(
  url: string,
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: shaped(await response.json()) };
}
