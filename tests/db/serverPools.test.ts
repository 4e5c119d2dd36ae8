// The servers of a distributed database, as drivers that stand in for them: what one that hangs does to the workspaces of the others.

import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import type { Connection, Driver, ServerState } from "../../src/db/driver.js";
import { connectionError } from "../../src/db/failures.js";
import { workspaceOf } from "../../src/db/ids.js";
import { hashOfKey, needOf, openServerPools } from "../../src/db/serverPools.js";
import { appOn, expectError, ok } from "../helpers/app.js";
import { openTestDatabase } from "../helpers/databases.js";
import { standIn } from "../helpers/standIn.js";

const ENTRY: ServerState = { group: 0, isActive: true, isReached: true, shards: [] };
const FIRST: ServerState = { group: 1, isActive: true, isReached: true, shards: [[-(2 ** 31), -1]] };
const SECOND: ServerState = { group: 2, isActive: true, isReached: true, shards: [[0, 2 ** 31 - 1]] };

const groupOf = (key: number) => (hashOfKey(key) < 0 ? 1 : 2);

/** Which server hangs, and the keys of its workspaces. */
const hanging = { keys: new Set<number>() };
let nodes: ServerState[] = [ENTRY, FIRST, SECOND];
let looks = 0;

/** A pool: once a statement hangs, so does everything behind it until the pool is closed. */
function pool(driver: Driver): Driver {
  let close = () => {};
  let isHanging = false;
  const closed = new Promise<never>((_, reject) => {
    close = () => reject(connectionError("CONNECTION_DESTROYED", "The pool was closed"));
  });
  closed.catch(() => {});
  const needsHanging = (text: string, params: readonly unknown[]) => {
    const need = needOf(text);
    if (hanging.keys.size === 0) return false;
    return need.scope === "all" || need.scope === "some" || params.some((param) => hanging.keys.has(Number(param)));
  };
  const inPool =
    (send: Connection["query"]): Connection["query"] =>
    async (text, params, mode) => {
      if (text.includes("pg_dist_node")) {
        looks += 1;
        return nodes.map((node) => ({ ...node, address: "10.0.0.5:5432" }));
      }
      isHanging ||= needsHanging(text, params);
      return isHanging ? closed : send(text, params, mode);
    };
  return standIn(driver, {
    isDistributed: true,
    query: inPool((...args) => driver.query(...args)),
    transaction: (run, workspaceId) => {
      isHanging ||= hanging.keys.has(workspaceId ?? 0);
      // The database behind all of these has one session, which must not wait.
      return isHanging ? closed : driver.transaction(run);
    },
    close: async () => close(),
  });
}

const opened: number[] = [];
const { db, close } = await openTestDatabase((driver) => {
  const entry = { ...pool(driver), close: () => driver.close() };
  return openServerPools(entry, () => {
    opened.push(opened.length);
    return pool(driver);
  });
});
afterAll(close);
const { as, make, app } = await appOn(db, {
  DATABASE_URL: "postgres://db.example.org/board",
  DATABASE_DISTRIBUTED: "true",
});

/** A list in a workspace of a server. */
async function listOn(group: number) {
  for (;;) {
    const made = await make.list();
    if (groupOf(workspaceOf(made.list.publicId) ?? 0) === group) return made;
  }
}

const unreachable = async () => JSON.parse((await app.inject("/ready")).body).unreachableServers;

test("the place of a workspace is computed as the database computes it", async () => {
  const keys = [1, 61, 62, 123_456_789, 62 ** 5 - 1];
  const rows = await db.rows<{ hash: number }>(
    sql`select hashint8(key::text::bigint) as hash from unnest(${`{${keys.join()}}`}::text::text[]) key`,
  );
  expect(keys.map(hashOfKey)).toEqual(rows.map(({ hash }) => hash));
});

test.each([
  [`select 1 from "card" where "card"."workspace_id" = $2::bigint`, { scope: "workspace", param: 2 }],
  [`select 1 from "workspace" where "workspace"."id" = $1::bigint`, { scope: "workspace", param: 1 }],
  [`select 1 from workspace_counter where workspace_id = $1 for no key update`, { scope: "workspace", param: 1 }],
  [`select 1 from "access_token" where "token_hash" = $1`, { scope: "entry" }],
  [`select 1 from "account" where "id" = $1 for no key update`, { scope: "all" }],
  [`insert into "mail" ("id") values ($1)`, { scope: "all" }],
  [`/* across workspaces: x */ select 1 from "member"`, { scope: "some" }],
  [
    `/* across workspaces: x */ select 1 from "member" where "member"."workspace_id" = any('{7,9}'::bigint[])`,
    { scope: "workspace", key: 7 },
  ],
])("a statement goes to the servers that it needs: %s", (text, need) => {
  expect(needOf(text)).toMatchObject(need);
});

test("a server that hangs stops no workspace of another one, and once it is known to be away its calls are refused at once", async () => {
  await expect.poll(() => looks).toBeGreaterThan(0);
  const [here, there] = [await listOn(1), await listOn(2)];
  const isAnswered = async () => {
    const card = ok<{ publicId: string }>(
      await as(here.owner).post("/cards", { title: "Here", listPublicId: here.list.publicId }),
    );
    ok(await as(here.owner).get(`/cards/${card.publicId}`));
  };

  hanging.keys.add(workspaceOf(there.list.publicId) ?? 0);
  const read = as(there.owner).get(`/boards/${there.board.publicId}`);
  const change = as(there.owner).put(`/lists/${there.list.publicId}`, { name: "There" });
  await isAnswered();

  nodes = [ENTRY, FIRST, { ...SECOND, isReached: false }];
  for (const answer of await Promise.all([read, change])) expectError(answer, "SERVICE_UNAVAILABLE");
  expect(await unreachable()).toBe(1);
  const before = opened.length;
  for (const path of [`/boards/${there.board.publicId}`, "/workspaces"]) {
    const refused = await as(there.owner).get(path);
    expectError(refused, "SERVICE_UNAVAILABLE");
    expect(refused.headers["retry-after"]).toBe("1");
  }
  expectError(await as(there.owner).put(`/lists/${there.list.publicId}`, { name: "X" }), "SERVICE_UNAVAILABLE");
  await isAnswered();
  expect(opened.length).toBeLessThanOrEqual(before + 1);

  hanging.keys.clear();
  nodes = [ENTRY, FIRST, SECOND];
  await expect.poll(unreachable, { timeout: 10_000 }).toBe(0);
  ok(await as(there.owner).put(`/lists/${there.list.publicId}`, { name: "Back" }));
});
