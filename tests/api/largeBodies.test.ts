// Bodies over 1 MiB: read in a worker thread as small ones are read here, few at once, refused before they are read.

import { once } from "node:events";
import fs, { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { type Answer, appOn, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { beginBody } from "../helpers/begunBodies.js";
import { hangUpEarly } from "../helpers/leaving.js";
import { call, newStore, serve } from "../helpers/processes.js";
import type { Bearer } from "../helpers/requests.js";
import { exchange } from "../helpers/sockets.js";

const tested = await testApp();
const { as, anonymous, make, db, listening, trpcClient } = tested;
const MIB = 1024 * 1024;
const PREVIEW = "/imports/csv/preview";

const csvOf = (bytes: number) => `Title,List\n${"A card,Ideas\n".repeat(bytes / 13)}`;
const large = { csv: csvOf(2 * MIB), limit: 1 };

const begin = (person: Person, path?: string) => beginBody(tested, person, path);

function expectRetry(res: Answer<unknown>): void {
  expectError(res, "TOO_MANY_REQUESTS");
  expect(Number(res.headers["retry-after"])).toBeGreaterThan(0);
}

describe("a large body", () => {
  test("is answered as a small one is, over REST and tRPC", async () => {
    const ada = await make.user();
    const rowCount = large.csv.split("\n").length - 2;
    const small = ok(await as(ada).post(PREVIEW, { csv: csvOf(26), limit: 1 }));
    expect(ok(await as(ada).post(PREVIEW, large))).toEqual({ ...small, rowCount });
    expect(await trpcClient(ada).import.csvPreview.mutate(large)).toEqual({ ...small, rowCount });
    const single = { method: "POST", url: "/trpc/import.csvPreview", body: JSON.stringify(large) } as const;
    expect((await as(ada).send(single)).body).toEqual({ result: { data: { ...small, rowCount } } });
  });

  test("for which the directory for temporary files has no space is SERVICE_UNAVAILABLE, which is no fault of the service", async () => {
    const ada = await make.user();
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const write = vi.spyOn(fs, "write").mockImplementation(((...args: unknown[]) => {
      const done = args.at(-1) as (error: Error) => void;
      setImmediate(() => done(full));
    }) as typeof fs.write);
    onTestFinished(() => void vi.restoreAllMocks());
    const logged = tested.logs.length;
    const refused = await as(ada).post(PREVIEW, large);
    expect(write).toHaveBeenCalled();
    vi.restoreAllMocks();

    expectError(refused, "SERVICE_UNAVAILABLE");
    expect(refused.body).toMatchObject({ issues: [{ path: [], message: expect.stringContaining("temporary files") }] });
    const levels = tested.logs.slice(logged).map((line) => JSON.parse(line).level);
    expect(levels).toContain(40);
    expect(levels).not.toContain(50);
    ok(await as(ada).post(PREVIEW, large));
  });

  test("of an import makes what a small one makes", async () => {
    const { workspace } = await make.workspace();
    const { publicId: workspacePublicId, owner } = workspace;
    const padded = (path: string, body: object) =>
      as(owner).send({ method: "POST", url: `/api/v1${path}`, body: JSON.stringify(body) + " ".repeat(2 * MIB) });
    const rows = [["A", "Ideas"], [""], ["B", "Done"]];
    const csv = { workspacePublicId, boardName: "B", rows, mapping: { title: 0, list: 1 } };
    const { boardPublicId: first, ...small } = ok(await as(owner).post("/imports/csv/boards", csv));
    const { boardPublicId: second, ...made } = ok(await padded("/imports/csv/boards", csv));
    expect(made).toEqual(small);

    const board = ok(await as(owner).get(`/boards/${second}/export`));
    expect(board).toMatchObject({ cards: [{ title: "A" }, { title: "B" }] });
    const { boardPublicId: _, ...copied } = ok(await as(owner).post("/imports/boards", { workspacePublicId, board }));
    expect(ok(await padded("/imports/boards", { workspacePublicId, board }))).toMatchObject(copied);
    expect(first).not.toBe(second);

    const trello = JSON.parse(readFileSync(new URL("../../examples/trello-board.json", import.meta.url), "utf8"));
    const file = { workspacePublicId, board: trello, dryRun: true };
    expect(ok(await padded("/imports/trello/boards", file))).toEqual(
      ok(await as(owner).post("/imports/trello/boards", file)),
    );
  });

  test("that is wrong is refused with the same issues, and one that is not JSON, not UTF-8 or too deep with its own", async () => {
    const ada = await make.user();
    const send = (body: string | Buffer) => as(ada).send({ method: "POST", url: `/api/v1${PREVIEW}`, body });
    const filler = " ".repeat(2 * MIB);
    expectError(await as(ada).post(PREVIEW, { ...large, limit: 0 }), "BAD_REQUEST", "limit");
    expectError(await as(ada).post(PREVIEW, { ...large, more: 1 }), "BAD_REQUEST", "more");
    expectError(await send(`[${filler}]`), "BAD_REQUEST");
    expectError(await send(`{"csv": ${filler}`), "BAD_REQUEST");
    expectError(await send(`{"__proto__": {}, ${filler} "csv": "a"}`), "BAD_REQUEST");
    expectError(
      await send(Buffer.concat([Buffer.from(`{"csv":"${filler}`), Buffer.from([0xff]), Buffer.from('"}')])),
      "BAD_REQUEST",
    );
    expectError(await send(`{${filler}"csv": ${"[".repeat(101)}${"]".repeat(101)}}`), "BAD_REQUEST");
    ok(await as(ada).post(PREVIEW, large));
  });

  test("with an Idempotency-Key is imported once, and is CONFLICT with another body", async () => {
    const { workspace } = await make.workspace();
    const rows = Array.from({ length: 200 }, () => ["Card", "x".repeat(10_000)]);
    const body = { workspacePublicId: workspace.publicId, boardName: "B", rows, mapping: { title: 0 } };
    const key = { "idempotency-key": "one" };
    const first = ok(await as(workspace.owner).post("/imports/csv/boards", body, key));
    const second = await as(workspace.owner).post("/imports/csv/boards", body, key);
    expect(ok(second)).toEqual(first);
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expectError(await as(workspace.owner).post("/imports/csv/boards", { ...body, boardName: "C" }, key), "CONFLICT");
  });

  test("of whoever may only read is FORBIDDEN", async () => {
    const reading = await make.token(await make.user(), { scope: "read" });
    expectError(await as(reading).post(PREVIEW, large), "FORBIDDEN");
  });
});

describe("a body nested deeper than 100 levels", () => {
  test.each([[{}], [{ "idempotency-key": "deep" }]])("is BAD_REQUEST, with the headers %j", async (headers) => {
    const ada = await make.user();
    const send = (levels: number) =>
      as(ada).send({
        method: "POST",
        url: "/api/v1/workspaces",
        body: `{"name":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`,
        headers,
      });
    expectError(await send(100), "BAD_REQUEST", "name");
    const deep = await send(101);
    expectError(deep, "BAD_REQUEST");
    expect(deep.text).toContain("100 levels");
    expectError(await send(5000), "BAD_REQUEST");
  });
});

describe("the place of a large body", () => {
  test("an account has one, over REST and tRPC; it is free again when its connection ends", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const first = await begin(ada);
    expectRetry(await as(ada).post(PREVIEW, large));
    ok(await as(ada).post(PREVIEW, { csv: csvOf(26) }));
    const second = await begin(bob, "/trpc/import.csvPreview");
    expectRetry(await as(bob).post(PREVIEW, large));
    first.socket.destroy();
    second.socket.destroy();
    for (const person of [ada, bob]) {
      await expect.poll(async () => (await as(person).post(PREVIEW, large)).status).toBe(200);
    }
  });

  test("a client that hung up while its token was looked up has none", async () => {
    const ada = await make.user();
    const token = await make.token(ada);
    const head = `POST /api/v1${PREVIEW} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token.token}`;
    await hangUpEarly(tested, [`${head}\r\nContent-Length: ${2 * MIB}`]);
    ok(await as(token).get("/users/me"));
    ok(await as(token).get("/users/me"));
    await expect.poll(async () => (await as(ada).post(PREVIEW, large)).status).toBe(200);
  });

  test("a client that hung up while an earlier response of its connection was sent has none", async () => {
    const { board } = await make.board();
    const { owner } = board;
    const { hostname, port } = new URL(await listening());
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const fields = `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${owner.token}`;
    const stream = `GET /api/v1/boards/${board.publicId}/stream ${fields}\r\n\r\n`;
    socket.write(`${stream}POST /api/v1${PREVIEW} ${fields}\r\nContent-Length: ${2 * MIB}\r\n\r\n`);
    await once(socket, "data");
    expectRetry(await as(owner).post(PREVIEW, large));
    socket.destroy();
    await expect.poll(async () => (await as(owner).post(PREVIEW, large)).status).toBe(200);
  });

  test("a client that takes nothing of its response loses its own", { tags: ["slow"], timeout: 120_000 }, async () => {
    const impatient = await appOn(db, {}, { limits: { stalledMs: 1000 } });
    const ada = await make.user();
    ok(await impatient.as(ada).get("/users/me"));
    const { hostname, port } = new URL(await impatient.listening());
    const accepted = once(impatient.app.server, "connection") as Promise<[Socket]>;
    const socket = connect(Number(port), hostname).pause();
    onTestFinished(() => void socket.destroy());
    const [serverSide] = await accepted;
    const body = JSON.stringify({ csv: `${"x".repeat(10_000)}\n`.repeat(2000), hasHeader: false, limit: 2000 });
    const fields = `Host: a\r\nAuthorization: Bearer ${ada.token}\r\nContent-Length: ${body.length}`;
    socket.write(`POST /api/v1${PREVIEW} HTTP/1.1\r\n${fields}\r\n\r\n${body}`);
    await once(impatient.app.server, "request");
    ok(await impatient.as(ada).get("/users/me"));
    // Another of its bodies is refused until the connection was cut, however long that takes.
    const status = async () => (await impatient.as(ada).post(PREVIEW, large)).status;
    let last = await status();
    for (; last === 429; last = await status()) await sleep(50);
    expect([last, serverSide.destroyed]).toEqual([200, true]);
  });

  test("a client that hung up while its body was parsed does not free that of its next request", async () => {
    const patient = await appOn(db, {}, { limits: { waitMs: 60_000 } });
    const { workspace } = await make.workspace();
    const { publicId: workspacePublicId, owner } = workspace;
    // The worker thread is there already: it has read the body within a second.
    ok(await patient.as(owner).post(PREVIEW, large));
    const csv = { workspacePublicId, boardName: "B", rows: [["A"]], mapping: { title: 0 } };
    const body = `${JSON.stringify(csv)}${" ".repeat(2 * MIB)}`;
    const { hostname, port } = new URL(await patient.listening());
    let first: Promise<Answer<unknown>> | undefined;
    await db.transaction(async (tx) => {
      await tx.rows(
        sql`select 1 from workspace_counter where workspace_id = ${workspaceOf(workspacePublicId)} for update`,
      );
      first = patient.as(owner).post("/imports/csv/boards", csv);
      const socket = connect(Number(port), hostname);
      const fields = `Host: a\r\nAuthorization: Bearer ${owner.token}\r\nContent-Length: ${body.length}`;
      socket.end(`POST /api/v1/imports/csv/boards HTTP/1.1\r\n${fields}\r\n\r\n${body}`);
      await once(socket, "finish");
      socket.destroy();
      await sleep(1000);
      const next = connect(Number(port), hostname);
      onTestFinished(() => void next.destroy());
      next.write(`POST /api/v1/imports/csv/boards HTTP/1.1\r\n${fields}\r\n\r\n`);
      await sleep(200);
      expectRetry(await patient.as(owner).post(PREVIEW, large));
    });
    ok(await (first ?? Promise.reject()));
    expectRetry(await patient.as(owner).post(PREVIEW, large));
  });

  test("whoever has none is refused on the head of the body, before any of it was sent", async () => {
    const ada = await make.user();
    const { workspace } = await make.workspace();
    const path = `/workspaces/${workspace.publicId}/invites`;
    const { inviteCode } = ok(await as(workspace.owner).post<{ inviteCode: string }>(path));
    const accepted = await anonymous.post("/invites/accept", { inviteCode });
    const guest = { token: accepted.headers["x-access-token"] ?? "" };
    const url = await listening();
    const sendHead = ({ token }: Bearer) =>
      exchange(
        url,
        `POST /api/v1${PREVIEW} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${57 * MIB}\r\n\r\n`,
      );
    await begin(ada);

    expectRetry(await sendHead(ada));
    expectError(await sendHead(guest), "FORBIDDEN");
  });

  test("an accountless guest has none, and does not preview; without a token nobody has one", async () => {
    const { workspace } = await make.workspace();
    const path = `/workspaces/${workspace.publicId}/invites`;
    const { inviteCode } = ok(await as(workspace.owner).post<{ inviteCode: string }>(path));
    const accepted = await anonymous.post("/invites/accept", { inviteCode });
    const guest = { token: accepted.headers["x-access-token"] ?? "" };
    expectError(await as(guest).post(PREVIEW, { csv: "a" }), "FORBIDDEN");
    expectError(await as(guest).post(PREVIEW, large), "FORBIDDEN");
    expectError(await anonymous.post(PREVIEW, large), "UNAUTHORIZED");
  });
});

describe("while a body of 40 MiB is parsed", { tags: ["slow"] }, () => {
  /** Work on this thread leaves the event loop a few turns, a worker thread hundreds of thousands. */
  const TURNS = 1000;

  /** How many turns the event loop makes until a call is answered; its body is there at once, so that none goes to receiving it. */
  async function turnsDuring(call: () => Promise<Answer<unknown>>): Promise<number> {
    let turns = 0;
    let isAnswered = false;
    const turn = () => {
      turns += 1;
      if (!isAnswered) setImmediate(turn);
    };
    setImmediate(turn);
    ok(await call());
    isAnswered = true;
    return turns;
  }

  test("the event loop keeps turning, for a preview of CSV and for the board of an import", async () => {
    const { workspace } = await make.workspace();
    const send = (path: string, body: Buffer) => () =>
      as(workspace.owner).send({ method: "POST", url: `/api/v1${path}`, body });
    const preview = Buffer.from(JSON.stringify({ csv: csvOf(40 * MIB), limit: 1 }));
    const cards = Array.from({ length: 1000 }, (_, n) => ({
      id: `${n}`,
      idList: "l",
      name: "A card",
      desc: "",
      extra: "x".repeat(40_000),
    }));
    const board = { name: "Large", lists: [{ id: "l", name: "Ideas" }], cards };
    const file = Buffer.from(JSON.stringify({ workspacePublicId: workspace.publicId, board, dryRun: true }));

    expect(await turnsDuring(send(PREVIEW, preview))).toBeGreaterThan(TURNS);
    expect(await turnsDuring(send("/imports/trello/boards", file))).toBeGreaterThan(TURNS);
  });
});

test("of 16 bodies of 57 MiB from one account at once one is answered, the others are refused; memory stays below 500 MiB on PostgreSQL", {
  tags: ["slow"],
}, async () => {
  const service = await serve((await newStore()).env);
  const account = { name: "Ada", email: "ada@example.org", password: "correct horse battery" };
  const { accessToken: token } = (await call(service.url, null, "POST", "/auth/sign-up", account)).body;
  const body = Buffer.from(JSON.stringify({ csv: csvOf(56 * MIB) }));

  const post = () =>
    new Promise<number>((resolve) => {
      const headers = { authorization: `Bearer ${token}`, "content-length": body.length };
      const sent = request(`${service.url}/api/v1${PREVIEW}`, { method: "POST", headers }, (res) => {
        res.resume().on("end", () => resolve(res.statusCode ?? 0));
      });
      sent.on("error", () => resolve(0)).end(body);
    });

  const statuses = await Promise.all(Array.from({ length: 16 }, post));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  const peakKib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1]);
  if (inject("template").kind === "postgres") expect(peakKib / 1024).toBeLessThan(500);
});
