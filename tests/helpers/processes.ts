// The service as a process of its own, started as an operator does, and databases that outlive it.

import { randomBytes } from "node:crypto";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, inject, onTestFinished } from "vitest";
import { REST_BASE } from "../../src/api/rest.js";
import { type Database, openDatabase } from "../../src/db/client.js";
import { openEmbedded } from "../../src/db/embedded.js";
import { openPostgres } from "../../src/db/postgres.js";
import { isOnCitus } from "./databases.js";
import { mustBeDocumented } from "./documented.js";
import { expectNoSecrets } from "./secrets.js";
import { createDatabase, dropDatabase, urlOf } from "./servers.js";
import { type Environment, type Process, SERVER, type Service, serving, spawnNode } from "./spawned.js";

export type { Process, Service } from "./spawned.js";

/** How a process is started; killed after the test unless told otherwise. */
export interface LaunchOptions {
  nodeOptions?: string[];
  /** What is started instead of the service as it was built here. */
  script?: string;
  until?: (kill: () => void) => void;
}

/** Starts the service; `spawnNode` says with which variables. */
export function launch(
  env: Environment,
  { nodeOptions = [], script = SERVER, until = onTestFinished }: LaunchOptions = {},
): Process {
  const started = spawnNode([...nodeOptions, script], env);
  until(() => {
    started.signal("SIGKILL");
    expectNoSecrets(started.output.stdout.split("\n").filter((line) => line.startsWith("{")));
  });
  return started;
}

export const serve = (env: Environment, options?: LaunchOptions): Promise<Service> => serving(launch(env, options));

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

/** A data directory to copy until the file ends, for making one takes seconds; files share this module, but not the directory. */
async function makeMigratedDirectory(file: string, type: string): Promise<string> {
  const dataDir = await newDirectory();
  afterAll(() => {
    migratedDirectory = undefined;
  });
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
  const isDistributed = isOnCitus() && state === "migrated";
  await createDatabase(template, name, state === "migrated" ? template.name : "template0");
  afterAll(() => dropDatabase(template, name));
  const settings = { url, poolSize: 1, prepare: true, statementTimeoutMs: 30_000, isDistributed };
  return {
    env: { DATABASE_URL: url, ...(isDistributed && { DATABASE_DISTRIBUTED: "true" }) },
    open: async () => openDatabase(openPostgres(settings)),
  };
}

/** The shape of a body is what the test says it is: a test that is wrong about it fails where it reads. */
const shaped = (body: unknown) => body as { publicId: string; accessToken: string; inviteCode: string };

/** Calls a listening service under `/api/v1`, and gives the status and the parsed body. */
export async function call(
  url: string,
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url + REST_BASE + path, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answered = Object.fromEntries(response.headers);
  mustBeDocumented({ method, url: REST_BASE + path, status: response.status, headers: answered, text });
  return { status: response.status, headers: response.headers, body: shaped(JSON.parse(text)) };
}
