// Whoever loses a right while a change of theirs waits for its workspace is refused, and nothing of theirs is logged after the event
// that took the right away (capabilities section 0, Access). Generated over every mutation that the access matrix calls.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { type Answer, appOn, ok } from "../helpers/app.js";
import { openTestDatabase } from "../helpers/databases.js";
import { type Holder, holdCounter, untilQuiet } from "../helpers/racing.js";
import { methodOf } from "./contract.js";
import { faultOf, requestOf } from "./requests.js";
import { allRows } from "./rows/index.js";
import { type Call, listed, type Row, type Scene, targetOf } from "./rows.js";
import { type World, worldMakers } from "./world.js";

const { db, url, close } = await openTestDatabase();
afterAll(close);
const app = await appOn(db, { WEBHOOK_ALLOW_PRIVATE: "true", TRELLO_APP_KEY: "key" });
const makers = worldMakers(app);

/** What logs nothing and waits for nobody. */
const WITHOUT_WAITING = ["board.update isFavourite", "board.opened ", "import.csv dry run"];

const nameOf = (path: string, { case: which = "" }: Row) => `${path} ${which}`;

const mutations = Object.entries(allRows).flatMap(([path, entry]) =>
  listed(entry)
    .filter((row) => row.on !== undefined && methodOf(row) !== "GET" && targetOf(row) !== undefined)
    .map((row): [string, string, Row] => [nameOf(path, row), path, row]),
);
const waiting = mutations.filter(([name]) => !WITHOUT_WAITING.includes(name));

interface Prepared {
  send(): Promise<Answer<unknown>>;
  workspaceId: number;
  accountId: number;
}

async function prepared(world: World, path: string, row: Row): Promise<Prepared> {
  const kind = "an admin";
  const caller = await makers.again(world, kind);
  const scene: Scene = { app, makers, world, place: world.places.open, placeName: "open", kind, caller };
  const call: Call = (await row.fresh?.(scene)) ?? { input: row.input(scene) };
  const client = app.as({ token: (call.by ?? caller).token ?? "" });
  const me = ok(await client.get<{ publicId: string }>("/users/me"));
  const [account] = await db.rows<{ id: number }>(sql`select id from account where public_id = ${me.publicId}::text`);
  const [target] = [call.input[targetOf(row) ?? ""]].flat();
  return {
    send: () => client.send<unknown>(requestOf("REST", path, row.at, call.input)),
    workspaceId: workspaceOf(String(target)) ?? expect.fail(`${path} names no workspace`),
    accountId: account?.id ?? expect.fail("no account"),
  };
}

/** Logs an event as the counter's holder; its number. */
async function logged({ run }: Holder, { workspaceId, accountId }: Prepared, type: string): Promise<number> {
  const [counter] = await run<{ seq: string }[]>`
    update workspace_counter set event_seq = event_seq + 1 where workspace_id = ${workspaceId} returning event_seq as seq`;
  const seq = Number(counter?.seq);
  await run`
    insert into event (workspace_id, seq, type, created_at, actor_id, data, operation_public_id, origin)
    values (${workspaceId}, ${seq}, ${type}, clock_timestamp(), ${accountId}, '{}', 'operation000', 'user')`;
  return seq;
}

/** What may be taken from somebody, as another process does it, and what the call that waited is answered. */
const LOSSES = {
  "the membership": {
    outcome: "FORBIDDEN",
    take: ({ run }: Holder, { workspaceId, accountId }: Prepared) =>
      run`delete from member where workspace_id = ${workspaceId} and account_id = ${accountId}`,
  },
  "the role": {
    outcome: "FORBIDDEN",
    take: ({ run }: Holder, { workspaceId, accountId }: Prepared) => run`
      update member set role = 'guest' where workspace_id = ${workspaceId} and account_id = ${accountId}`,
  },
  "the token": {
    outcome: "UNAUTHORIZED",
    take: ({ run }: Holder, { accountId }: Prepared) => run`delete from access_token where account_id = ${accountId}`,
  },
} as const;

describe.skipIf(url === null)("a change that waits for its workspace", () => {
  let world: World;
  beforeAll(async () => {
    world = await makers.world();
  }, 120_000);

  const stored = async (workspaceId: number) => {
    const rows = await db.rows<{ seq: number; actorId: number }>(sql`
      select seq, actor_id as "actorId" from event where workspace_id = ${workspaceId}::bigint order by seq`);
    return rows;
  };

  for (const [what, { outcome, take }] of Object.entries(LOSSES)) {
    // Guests leave as well.
    const concerned = waiting.filter(([name]) => what !== "the role" || !name.endsWith(" oneself"));
    test.each(concerned)(`is refused where ${what} is lost meanwhile: %s`, async (_, path, row) => {
      const call = await prepared(world, path, row);
      const holder = await holdCounter(url ?? "", call.workspaceId);
      const pending = call.send();
      let seq = 0;
      try {
        await untilQuiet(db, holder.pid);
        await take(holder, call);
        seq = await logged(holder, call, "member.removed");
      } finally {
        await holder.release();
      }

      expect(faultOf("REST", await pending, outcome)).toBeNull();
      expect((await stored(call.workspaceId)).filter((event) => event.seq > seq)).toEqual([]);
    });
  }

  test.each(mutations.filter(([name]) => WITHOUT_WAITING.includes(name)))(
    "is not what writes no event: %s is answered meanwhile",
    async (_, path, row) => {
      const call = await prepared(world, path, row);
      const holder = await holdCounter(url ?? "", call.workspaceId);
      try {
        const first = await Promise.race([call.send(), sleep(5000)]);
        expect(first).toMatchObject({ status: 200 });
      } finally {
        await holder.release();
      }
    },
  );

  test("is tried with every mutation of the matrix", () => {
    expect(waiting.length).toBeGreaterThan(50);
    expect(mutations.length - waiting.length).toBe(WITHOUT_WAITING.length);
  });
});
