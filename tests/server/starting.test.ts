// The service as a real process: how it starts, and says what is wrong.

import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { call, launch, newStore, type Process, type Service, serve } from "../helpers/processes.js";
import { asAdmin } from "../helpers/servers.js";
import { COMMAND_LINE, spawnNode } from "../helpers/spawned.js";
import { settle } from "./settling.js";

const isEmbedded = inject("template").kind === "embedded";
const PROCESSES_TIMEOUT_MS = 90_000;

// It tries for 30 seconds: begun here, so that the tests between run meanwhile.
const unreachable = isEmbedded
  ? null
  : outcome(launch({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }, { until: afterAll }));

async function outcome(started: Process) {
  const code = await started.ended;
  return { code, ...started.output };
}

/** The name of a metric in an expression for Prometheus. */
const METRIC = /\b(?:http_request|process|nodejs|webhook|mail|worker)_[a-z0-9_]+(?=\{)/g;

const hasCurl = (() => {
  try {
    return execFileSync("curl", ["--help", "all"], { encoding: "utf8" }).includes("--json");
  } catch {
    return false;
  }
})();

describe("at its start", () => {
  test.skipIf(!hasCurl)(
    "it prints where it listens, its docs, misspelled settings, and a command that gets the first token",
    { timeout: PROCESSES_TIMEOUT_MS },
    async () => {
      const { url, output } = await serve({ ...(await newStore("empty")).env, DATABSE_URL: "" });
      expect(output.stdout).toContain("DATABSE_URL is not a setting and is ignored. Do you mean DATABASE_URL?\n");
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
      expect(output.stdout).toContain(`${url}/docs`);
      expect(output.stdout).toContain("get a first token (once; later, call /auth/sign-in without the name):");
      expect((await fetch(`${url}/docs`)).status).toBe(200);

      const command = output.stdout.split("\n").find((line) => line.includes("curl")) ?? "";
      const answered = await promisify(execFile)("bash", ["-c", command.trim()]);
      const { accessToken } = JSON.parse(answered.stdout);
      expect(await call(url, accessToken, "GET", "/users/me")).toMatchObject({ status: 200, body: { name: "Ada" } });
    },
  );

  test("it runs workers, whose last success is a metric, and has every metric of the alerts and the dashboard", {
    tags: ["slow"],
    timeout: PROCESSES_TIMEOUT_MS,
  }, async () => {
    const mail = { MAIL_URL: "smtp://127.0.0.1:9", MAIL_FROM: "board@example.org" };
    const { url } = await serve({ ...(await newStore()).env, ...mail });
    const successes = async () => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const found = metrics.matchAll(/^worker_last_success_timestamp_seconds\{worker="(\w+)"\} (\S+)$/gm);
      return new Map([...found].map(([, name = "", time]) => [name, Number(time)]));
    };
    const first = await successes();
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const file of ["alerts.yaml", "dashboard.json"]) {
      const named = (await readFile(`examples/monitoring/${file}`, "utf8")).match(METRIC) ?? [];
      expect(named.length, file).toBeGreaterThan(10);
      // A series of a histogram or counter that nothing has counted yet has its description alone.
      const missing = named.filter((name) => !metrics.includes(`# TYPE ${name.replace(/_(?:count|bucket)$/, "")} `));
      expect(missing, file).toEqual([]);
    }
    expect([...first.keys()]).toEqual(["webhooks", "sweeps", "reminders", "mail"]);
    // The first sweep is a minute after the start.
    for (const name of ["webhooks", "reminders", "mail"]) {
      await expect
        .poll(async () => (await successes()).get(name), { timeout: 20_000 })
        .toBeGreaterThan(first.get(name) ?? 0);
    }
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({ status: "ok", stoppedWorkers: [] });
  });

  test.each([
    ["PORT", { PORT: "http" }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://127.0.0.1/work" }],
    ["SIGN_UP", { SIGN_UP: "never" }],
  ])("a wrong %s ends it with one line that names it", { tags: ["slow"] }, async (name, env) => {
    const { code, stdout, stderr } = await outcome(launch(env));
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/^[^\n]+\n$/) });
    expect(stderr).toContain(name);
  });

  test.runIf(isEmbedded)(
    "a DATA_DIR that the system refuses ends it with one line that names it",
    { tags: ["slow"] },
    async () => {
      const { env } = await newStore("empty");
      const DATA_DIR = join(env.DATA_DIR ?? "", "file");
      await writeFile(DATA_DIR, "");
      const { code, stderr } = await outcome(launch({ DATA_DIR }));
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^DATA_DIR [^\n]+ENOTDIR[^\n]+\n$/) });
      expect(stderr).toContain(DATA_DIR);
    },
  );

  test.runIf(isEmbedded && existsSync("/proc/self/status"))(
    "a DATA_DIR where the system takes no new directory ends it with one line that names it",
    { tags: ["slow"] },
    async () => {
      const { code, stderr } = await outcome(launch({ DATA_DIR: "/proc/data" }));
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^DATA_DIR \/proc\/data [^\n]+\n$/) });
    },
  );

  test.runIf(isEmbedded && existsSync("/proc/self/status"))(
    "the first start says that it creates a database and that passwords travel in plain HTTP, and keeps no more memory than the next one",
    { tags: ["slow"], timeout: PROCESSES_TIMEOUT_MS },
    async () => {
      const { env } = await newStore("empty");
      const started = [];
      for (let count = 0; count < 2; count += 1) {
        const service = await serve(env);
        const status = await readFile(`/proc/${service.pid}/status`, "utf8");
        started.push({ stdout: service.output.stdout, residentKb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) });
        service.signal("SIGTERM");
        expect(await service.ended).toBe(0);
      }
      const creating = `Creating a database in ${env.DATA_DIR}`;
      for (const words of [creating, "others in the network can read passwords"]) {
        expect(started.map(({ stdout }) => stdout.includes(words))).toEqual([true, false]);
      }
      const [first = 0, next = 0] = started.map(({ residentKb }) => residentKb);
      expect(first / next).toBeLessThan(1.15);
    },
  );

  test.runIf(isEmbedded)(
    "SIGTERM while it creates a database ends it, and the next start creates it anew",
    { tags: ["slow"], timeout: PROCESSES_TIMEOUT_MS },
    async () => {
      const { env } = await newStore("empty");
      const first = launch(env);
      await first.printed("Creating a database");
      await vi.waitUntil(() => existsSync(join(env.DATA_DIR ?? "", "postgres.new")), 20_000);
      first.signal("SIGTERM");
      expect(await first.ended).toBe(0);
      const second = await serve(env);
      expect((await fetch(`${second.url}/ready`)).status).toBe(200);
    },
  );

  test("a port that is taken ends it with one line, before any database is made", { tags: ["slow"] }, async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    const { env } = await newStore("empty");
    const { code, stderr } = await outcome(launch({ ...env, PORT: port }));
    taken.close();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^[^\n]+EADDRINUSE[^\n]+\n$/) });
    if (isEmbedded) expect(await readdir(env.DATA_DIR ?? "")).toEqual([]);
  });
});

test.runIf(isEmbedded)(
  "a second process on the same DATA_DIR ends with one line, and the first serves on",
  { tags: ["slow"] },
  async () => {
    const { env } = await newStore();
    const first = await serve(env);
    const { token } = await settle(first);

    const second = await outcome(launch(env));

    expect(second).toEqual({
      code: 1,
      stdout: "",
      stderr: `DATA_DIR ${env.DATA_DIR} is in use by process ${first.pid}\n`,
    });
    expect((await call(first.url, token, "POST", "/workspaces", { name: "Second" })).status).toBe(200);
  },
);

test.runIf(!isEmbedded)(
  "three processes started at once on an empty database migrate it once, and all serve",
  { tags: ["slow"] },
  async () => {
    const store = await newStore();
    const services = await Promise.all([serve(store.env), serve(store.env), serve(store.env)]);
    const [first] = services;
    const { token, workspacePublicId } = await settle(first as Service);

    for (const { url } of services) {
      expect((await fetch(`${url}/ready`)).status).toBe(200);
      expect((await call(url, token, "GET", `/workspaces/${workspacePublicId}`)).status).toBe(200);
    }
    const db = await store.open();
    const migrations = await db.rows<{ hash: string }>(sql`select hash from drizzle.__drizzle_migrations`);
    await db.close();
    expect(new Set(migrations.map(({ hash }) => hash)).size).toBe(migrations.length);
  },
);

test.runIf(!isEmbedded)(
  "a server that lets nobody in, for want of the database or of the right to log in, ends it with one line",
  { tags: ["slow"] },
  async () => {
    const { DATABASE_URL = "" } = (await newStore("empty")).env;
    const role = `nobody_${randomBytes(4).toString("hex")}`;
    await asAdmin(DATABASE_URL, (admin) => admin`create role ${admin(role)} nologin`);
    onTestFinished(() => asAdmin(DATABASE_URL, (admin) => admin`drop role ${admin(role)}`).then(() => {}));
    const elsewhere = new URL(DATABASE_URL);
    elsewhere.pathname = "/no_such_database";
    const asNobody = new URL(DATABASE_URL);
    asNobody.username = role;
    for (const [url, reason] of [
      [elsewhere, 'database "no_such_database" does not exist'],
      [asNobody, `role "${role}" is not permitted to log in`],
    ] as const) {
      const { code, stdout, stderr } = await outcome(launch({ DATABASE_URL: url.href }));
      expect({ code, stderr }).toEqual({ code: 1, stderr: `work-board could not start: ${reason}\n` });
      expect(stdout).not.toContain("stack");
      expect(await outcome(spawnNode([COMMAND_LINE, "user", "list"], { DATABASE_URL: url.href }))).toEqual({
        code: 1,
        stdout: "",
        stderr: `work-board: ${reason}\n`,
      });
    }
  },
);

test.runIf(!isEmbedded)(
  "a database that cannot be reached is told of in a plain line every ten seconds, and ends it after 30",
  async () => {
    const ended = await unreachable;
    expect(ended?.code).toBe(1);
    const lines = ended?.stderr.trimEnd().split("\n") ?? [];
    const waiting = "work-board is waiting for its database: connect ECONNREFUSED 127.0.0.1:1";
    expect(lines.slice(0, -1)).toEqual(lines.slice(0, -1).map(() => waiting));
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.length).toBeLessThanOrEqual(5);
    expect(lines.at(-1)).toBe("work-board cannot reach its database: connect ECONNREFUSED 127.0.0.1:1");
    expect(ended?.stdout).not.toContain("ECONNREFUSED");
  },
  PROCESSES_TIMEOUT_MS,
);
