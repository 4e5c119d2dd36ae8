// The service as a real process: how it starts, says what is wrong, survives being killed, and ends.

import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, inject, test, vi } from "vitest";
import { call, launch, newStore, type Process, type Service, serve } from "./helpers/processes.js";

const isEmbedded = inject("template").kind === "embedded";
const PROCESSES_TIMEOUT_MS = 90_000;
const KILLS = 6;

// It tries for 30 seconds: begun here, so that the tests between run meanwhile.
const unreachable = isEmbedded
  ? null
  : outcome(launch({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }, { until: afterAll }));

async function outcome(started: Process) {
  const code = await started.ended;
  return { code, ...started.output };
}

let people = 0;

/** A new person with a workspace, a board and a list to put cards into. */
async function settle({ url }: Service) {
  people += 1;
  const account = { name: "Ada", email: `ada${people}@example.org`, password: "correct horse battery" };
  const { accessToken: token } = (await call(url, null, "POST", "/auth/sign-up", account)).body;
  const workspace = (await call(url, token, "POST", "/workspaces", { name: "Engines" })).body;
  const board = (await call(url, token, "POST", `/workspaces/${workspace.publicId}/boards`, { name: "Notes" })).body;
  const list = (await call(url, token, "POST", "/lists", { name: "Ideas", boardPublicId: board.publicId })).body;
  return { token, workspacePublicId: workspace.publicId, listPublicId: list.publicId };
}

const hasCurl = (() => {
  try {
    return execFileSync("curl", ["--help", "all"], { encoding: "utf8" }).includes("--json");
  } catch {
    return false;
  }
})();

describe("at its start", () => {
  test.skipIf(!hasCurl)("it prints where it listens, its docs, and a command that gets the first token", async () => {
    const { url, output } = await serve((await newStore("empty")).env);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    expect(output.stdout).toContain(`${url}/docs`);
    expect((await fetch(`${url}/docs`)).status).toBe(200);

    const command = output.stdout.split("\n").find((line) => line.includes("curl")) ?? "";
    const answered = await promisify(execFile)("bash", ["-c", command.trim()]);
    const { accessToken } = JSON.parse(answered.stdout);
    expect(await call(url, accessToken, "GET", "/users/me")).toMatchObject({ status: 200, body: { name: "Ada" } });
  });

  test.each([
    ["PORT", { PORT: "http" }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://127.0.0.1/work" }],
    ["SIGN_UP", { SIGN_UP: "never" }],
  ])("a wrong %s ends it with one line that names it", async (name, env) => {
    const { code, stdout, stderr } = await outcome(launch(env));
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/^[^\n]+\n$/) });
    expect(stderr).toContain(name);
  });

  test.runIf(isEmbedded)("a DATA_DIR that the system refuses ends it with one line that names it", async () => {
    const { env } = await newStore("empty");
    const DATA_DIR = join(env.DATA_DIR ?? "", "file");
    await writeFile(DATA_DIR, "");
    const { code, stderr } = await outcome(launch({ DATA_DIR }));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^DATA_DIR [^\n]+ENOTDIR[^\n]+\n$/) });
    expect(stderr).toContain(DATA_DIR);
  });

  test.runIf(isEmbedded && existsSync("/proc/self/status"))(
    "the first start says that it creates a database, and keeps no more memory than the next one",
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
      expect(started.map(({ stdout }) => stdout.includes(creating))).toEqual([true, false]);
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

  test("a port that is taken ends it with one line, before any database is made", async () => {
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

describe("killed during writes", { tags: ["slow"] }, () => {
  const CLIENTS = 4;
  const CARDS = 60;

  /** Creates cards from several clients and kills the process in the middle; gives the cards that were acknowledged. */
  async function writeAndKill(service: Service, token: string, listPublicId: string) {
    const acknowledged: { publicId: string; title: string }[] = [];
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 1; ; n += 1) {
        const title = `${service.pid} ${client} ${n}`;
        const { status, body } = await call(service.url, token, "POST", "/cards", { title, listPublicId });
        expect(status).toBe(200);
        acknowledged.push({ publicId: body.publicId, title });
        if (acknowledged.length === CARDS) service.signal("SIGKILL");
      }
    });
    const ends = await Promise.allSettled(clients);
    expect(ends.map((end) => end.status === "rejected" && end.reason.name)).toEqual(ends.map(() => "TypeError"));
    expect(await service.ended).toBe(null);
    return acknowledged;
  }

  test(
    "it has every acknowledged write when it starts again, and event numbers without a gap",
    async () => {
      const store = await newStore();
      let service = await serve(store.env);
      const { token, listPublicId } = await settle(service);
      const written: { publicId: string; title: string }[] = [];
      for (let round = 0; round < 2; round += 1) {
        written.push(...(await writeAndKill(service, token, listPublicId)));
        service = await serve(store.env);
        for (const { publicId, title } of written) {
          const { body } = await call(service.url, token, "GET", `/cards/${publicId}`);
          expect(body).toMatchObject({ publicId, title });
        }
      }
      service.signal("SIGTERM");
      expect(await service.ended).toBe(0);

      const db = await store.open();
      const [log] = await db.rows<Record<string, number>>(sql`
        select count(*) as events, min(e.seq) as first, max(e.seq) as last, max(k.event_seq) as counted,
          count(distinct e.workspace_id) as workspaces, max(k.card_number) as cards
        from event e join workspace_counter k on k.workspace_id = e.workspace_id`);
      const [cards] = await db.rows<{ cards: number }>(sql`select count(*) as cards from card`);
      await db.close();
      expect(log).toMatchObject({ workspaces: 1, first: 1, last: log?.events, counted: log?.events });
      expect(cards?.cards).toBeGreaterThanOrEqual(written.length);
      expect(cards?.cards).toBe(log?.cards);
    },
    PROCESSES_TIMEOUT_MS,
  );
});

test("a write repeated under its Idempotency-Key after the process was killed on it is there once", {
  tags: ["slow"],
  timeout: PROCESSES_TIMEOUT_MS,
}, async () => {
  const store = await newStore();
  let service = await serve(store.env);
  const { token, listPublicId } = await settle(service);
  for (let round = 0; round < KILLS; round += 1) {
    const headers = { "idempotency-key": `round-${round}` };
    const card = { title: `Round ${round}`, listPublicId };
    const send = ({ url }: Service) => call(url, token, "POST", "/cards", card, headers);
    // Before the change, in the middle of it, and between its commit and its answer: wherever the signal falls.
    const first = send(service).catch(() => null);
    await sleep(round * 4);
    service.signal("SIGKILL");
    const [answered] = await Promise.all([first, service.ended]);
    service = await serve(store.env);
    const { status, body } = await send(service);
    expect(status).toBe(200);
    if (answered !== null) expect(body).toEqual(answered.body);
    expect((await send(service)).body).toEqual(body);
  }
  service.signal("SIGTERM");
  expect(await service.ended).toBe(0);
  const db = await store.open();
  const titles = await db.rows<{ title: string }>(sql`select title from card order by title`);
  await db.close();
  expect(titles.map(({ title }) => title)).toEqual(Array.from({ length: KILLS }, (_, n) => `Round ${n}`));
});

test.runIf(isEmbedded)(
  "a second process on the same DATA_DIR ends with one line, and the first serves on",
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

describe("on SIGTERM", () => {
  test("what runs already is answered, then it ends with exit code 0", async () => {
    const service = await serve((await newStore()).env);
    const { token, workspacePublicId } = await settle(service);
    const rows = Array.from({ length: 2000 }, (_, row) => [
      `Card ${row}`,
      "A description",
      `List ${row % 10}`,
      `a, b, ${row % 50}`,
    ]);
    const importing = call(service.url, token, "POST", "/imports/csv/boards", {
      workspacePublicId,
      boardName: "Slow",
      rows,
      mapping: { title: 0, description: 1, list: 2, labels: 3 },
    });
    await sleep(100);

    service.signal("SIGTERM");

    expect(await importing).toMatchObject({ status: 200, body: { cardsCreated: 2000 } });
    expect(await service.ended).toBe(0);
  });

  test("a body that is still on its way is read to its end", { tags: ["slow"] }, async () => {
    const service = await serve((await newStore()).env);
    const { token } = await settle(service);
    const body = JSON.stringify({ name: "Late" });
    const { port } = new URL(service.url);
    const socket = connect(Number(port), "127.0.0.1").setEncoding("utf8");
    socket.write(
      `POST /api/v1/workspaces HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\nexpect: 100-continue\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    expect((await once(socket, "data"))[0]).toContain("100 Continue");

    service.signal("SIGTERM");
    await service.printed("refusing new calls");
    socket.write(body);

    expect((await once(socket, "data"))[0]).toMatch(/^HTTP\/1\.1 200 /);
    expect(await service.ended).toBe(0);
    socket.destroy();
  });

  test("it is no longer ready, but answers calls, each as the last of its connection, until it closes", async () => {
    const service = await serve((await newStore()).env);
    const { token } = await settle(service);
    expect((await fetch(`${service.url}/ready`)).status).toBe(200);

    service.signal("SIGTERM");
    await service.printed("shutting down");

    const [ready, health, me] = await Promise.all([
      fetch(`${service.url}/ready`),
      fetch(`${service.url}/health`),
      call(service.url, token, "GET", "/users/me"),
    ]);
    expect([ready.status, health.status, me.status]).toEqual([503, 200, 200]);
    expect(me.headers.get("connection")).toBe("close");
    expect(await service.ended).toBe(0);
    await expect(fetch(`${service.url}/health`)).rejects.toThrow("fetch failed");
  });

  /** Calls on a connection of its own; gives the status of the answer or the code of the failure. */
  const callOnce = (url: string) =>
    new Promise<number | string>((resolve) => {
      const calling = request(`${url}/api/v1/users/me`, { agent: false }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      });
      calling.on("error", (error) => resolve("code" in error ? String(error.code) : error.message)).end();
    });

  test("clients that connect on and on are answered until it listens no more: none is cut off", {
    tags: ["slow"],
  }, async () => {
    const service = await serve((await newStore()).env);
    const outcomes = new Map<number | string, number>();
    const client = async () => {
      for (let outcome: number | string = 0; outcome !== "ECONNREFUSED"; ) {
        outcome = await callOnce(service.url);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 100 }, client);
    await sleep(500);

    service.signal("SIGTERM");

    expect(await service.ended).toBe(0);
    await Promise.all(clients);
    expect([...outcomes.keys()].sort()).toEqual([401, 503, "ECONNREFUSED"]);
  });
});

test("an error that nobody caught is logged and ends it with exit code 1", async () => {
  const defect = "data:text/javascript,process.on('SIGUSR2',()=>{Promise.reject(new Error('a%20defect'))})";
  const service = await serve((await newStore()).env, { nodeOptions: ["--import", defect] });
  service.signal("SIGUSR2");
  expect(await service.ended).toBe(1);
  const last = JSON.parse(service.output.stdout.trim().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ level: 60, err: { message: "a defect" } });
});

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
