// Distributed databases, as far as one that is not can show: what keeps a database from being distributed, and how a change is written.

import { sql } from "drizzle-orm";
import { afterAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { deleteOldResponses } from "../../src/api/idempotency.js";
import { createdBy } from "../../src/db/distribution.js";
import type { Driver, TransactionConnection } from "../../src/db/driver.js";
import { isLostRace, violates } from "../../src/db/failures.js";
import { workspaceOf } from "../../src/db/ids.js";
import { openPostgres } from "../../src/db/postgres.js";
import { appOn, ok } from "../helpers/app.js";
import { openTestDatabase } from "../helpers/databases.js";
import { newStore } from "../helpers/processes.js";
import { COMMAND_LINE, spawnNode } from "../helpers/spawned.js";
import { standIn } from "../helpers/standIn.js";
import { swept } from "../helpers/sweeping.js";

describe("npm run distribute", () => {
  async function outcome(env: Record<string, string>) {
    const started = spawnNode([COMMAND_LINE, "distribute"], env);
    onTestFinished(() => started.signal("SIGKILL"));
    return { code: await started.ended, ...started.output };
  }

  test("says in one line that an embedded database is not for it", async () => {
    const { code, stdout, stderr } = await outcome({});
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^work-board: DATABASE_URL is not set[^\n]+\n$/);
  });

  test.skipIf(inject("template").kind === "embedded")("says in one line that the database has no Citus", async () => {
    const { code, stdout, stderr } = await outcome((await newStore()).env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^work-board: Citus is not installed in the database[^\n]+\n$/);
  });

  test.skipIf(inject("template").kind === "embedded")(
    "refuses while a process of the service is connected",
    async () => {
      const { env } = await newStore();
      const service = openPostgres({
        url: env.DATABASE_URL ?? "",
        poolSize: 1,
        prepare: true,
        statementTimeoutMs: 0,
      });
      onTestFinished(() => service.close());
      await service.query("select 1", [], "array");
      const { code, stdout, stderr } = await outcome(env);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^work-board: A process of the service is connected[^\n]+\n$/);
    },
  );
});

/** The texts that go through a driver which says that its tables are distributed. */
function distributed() {
  const texts: string[] = [];
  /** What the next statements fail with. */
  const failing: Error[] = [];
  const noted = (text: string) => {
    const failure = failing.pop();
    if (failure !== undefined) throw failure;
    texts.push(text);
    return text;
  };
  const inside = (connection: TransactionConnection): TransactionConnection => ({
    query: (text, ...rest) => connection.query(noted(text), ...rest),
    last: (text, ...rest) => connection.last(noted(text), ...rest),
  });
  const through = (driver: Driver): Driver =>
    standIn(driver, {
      isDistributed: true,
      query: async (text, ...rest) => driver.query(noted(text), ...rest),
      transaction: (run) => driver.transaction((connection) => run(inside(connection))),
    });
  return { texts, failing, through };
}

const { texts, failing, through } = distributed();
const { db, close } = await openTestDatabase(through);
afterAll(close);
const { as, make } = await appOn(db, {});

test("what a change writes to distributed tables goes as one statement for each table, and is stored", async () => {
  const { list, board, owner } = await make.list();
  texts.length = 0;
  const { publicId } = ok<{ publicId: string }>(
    await as(owner).post("/cards", { title: "Apart", listPublicId: list.publicId }),
  );
  // The use of the token is noted in a reference table, at any time after the answer.
  const written = texts.filter((text) => /\b(insert into|update) "(?!access_token")/.test(text));
  expect(written.map((text) => text.match(/\b(insert into|update) "/g)?.length)).toEqual(written.map(() => 1));
  expect(written.filter((text) => text.startsWith("with"))).toEqual(
    written.filter((text) => text.includes(`update "`)),
  );
  expect(written.join()).toMatch(/insert into "card".*insert into "event".*update "workspace_counter"/s);
  expect(ok(await as(owner).get(`/cards/${publicId}`))).toMatchObject({ title: "Apart" });
  expect(ok(await as(owner).get(`/boards/${board.publicId}`))).toMatchObject({
    lists: [{ cards: [{ title: "Apart" }] }],
  });
});

test("a value that is taken is told by the name of its constraint, which Citus gives in the message alone", () => {
  const message = 'duplicate key value violates unique constraint "account_email_102008"';
  const error = new Error("Failed query", { cause: Object.assign(new Error(message), { code: "23505" }) });
  expect(violates(error, "account_email")).toBe(true);
  expect(violates(error, "account")).toBe(false);
});

test("a plan that looks for a moved shard is tried again, and one for a table that is missing is not", async () => {
  const failure = (code: string, message: string) =>
    new Error("Failed query", { cause: Object.assign(new Error(message), { code }) });
  const moved = failure("42P01", 'relation "public.card_102008" does not exist');
  expect(isLostRace(moved)).toBe(true);
  expect(isLostRace(failure("XX000", "could not find valid entry for shard 102008"))).toBe(true);
  expect(isLostRace(failure("42P01", 'relation "card_member" does not exist'))).toBe(false);
  failing.push(moved, moved);
  expect(await db.rows(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  expect(failing).toEqual([]);
});

test.each([
  [`CREATE TABLE "mail" (\n"id" bigint);`, "mail"],
  [`create table if not exists "public"."mail" ("id" bigint)`, "mail"],
  [`ALTER TABLE "mail" ADD CONSTRAINT "x" FOREIGN KEY ("id") REFERENCES "public"."workspace"("id")`, null],
  [`CREATE INDEX "mail_of" ON "mail" ("id")`, null],
])(
  "a migration that makes a table is seen to, so that it is placed before anything refers to it: %s",
  (text, table) => {
    expect(createdBy(text)).toBe(table);
  },
);

describe("where servers are out of reach", async () => {
  const lost = new Set<number>();
  const lostServer = Object.assign(new Error("could not connect to the server"), { code: "08006" });
  const nodes = [
    { address: "10.0.0.5:5432", isActive: true, isReached: true, group: 0, shards: [] },
    { address: "10.0.0.6:5432", isActive: true, isReached: false, group: 1, shards: [] },
  ];

  /** Whether a statement needs a server that is out of reach: each workspace has one of its own. */
  const needsLost = (text: string) => {
    const [, ids] = /any\('\{([\d,]*)\}'::bigint\[\]\)/.exec(text) ?? [];
    return lost.size > 0 && (ids === undefined || ids.split(",").some((id) => lost.has(Number(id))));
  };
  const onServers = (driver: Driver): Driver =>
    standIn(driver, {
      query: async (text, params, mode) => {
        if (text.includes("pg_dist_node")) return nodes;
        if (text.includes("pg_dist_partition")) return [{}];
        if (text.includes("pg_dist_placement")) {
          const ids = String(params[0]).match(/\d+/g) ?? [];
          return ids.map((id) => ({ workspaceId: Number(id), server: Number(id) }));
        }
        if (text.startsWith("select") && text.includes(`from "idempotency_key"`) && needsLost(text)) throw lostServer;
        return driver.query(text, params, mode);
      },
    });
  const { db: servers, close: closeServers } = await openTestDatabase(onServers);
  afterAll(closeServers);
  const onMany = await appOn(servers, {
    DATABASE_URL: "postgres://db.example.org/board",
    DATABASE_DISTRIBUTED: "true",
  });

  test("a sweep goes on with the others, and with theirs once they are back; if none answers, it fails", async () => {
    const keyOf = async () => workspaceOf((await onMany.make.workspace()).workspace.publicId) ?? 0;
    const [one, other] = [await keyOf(), await keyOf()];
    for (const key of [one, other]) {
      await servers.rows(sql`
        insert into idempotency_key (workspace_id, account_id, key, request_hash, answer, created_at)
        select ${key}::bigint, min(id), 'old', '', '{}', now() - interval '2 days' from account`);
    }
    const left = async () => {
      const rows = await servers.rows<{ key: number }>(
        sql`select distinct workspace_id as key from idempotency_key order by 1`,
      );
      return rows.map(({ key }) => key);
    };
    const sweep = () => swept(deleteOldResponses, servers);

    lost.add(one).add(other);
    await expect(sweep()).rejects.toMatchObject({ cause: lostServer });
    lost.delete(other);
    await sweep();
    lost.clear();
    expect(await left()).toEqual([one]);
    await sweep();
    expect(await left()).toEqual([]);
  });

  test("/ready, which anybody may ask, tells how many, and not their addresses", async () => {
    const ready = async () => JSON.parse((await onMany.app.inject("/ready")).body);
    await expect.poll(ready).toEqual({ status: "ok", stoppedWorkers: [], unreachableServers: 1 });
  });
});
