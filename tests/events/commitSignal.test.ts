// How those who read the log are woken: in this process, in others, and where no word of a change came at all.

import { sql } from "drizzle-orm";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { openPostgres } from "../../src/db/postgres.js";
import { commitSignalOf } from "../../src/events/commitSignal.js";
import { ok, testApp } from "../helpers/app.js";
import { isOnCitus, openBound } from "../helpers/databases.js";
import { logOn } from "../helpers/logging.js";
import { urlOf } from "../helpers/servers.js";
import { read } from "../helpers/streams.js";

const { as, make, db, listening } = await testApp();
const url = await listening();
const isEmbedded = inject("template").kind === "embedded";

async function placeOf(board: { publicId: string }) {
  const [place] = await db.rows<{ workspaceId: number; accountId: number }>(sql`
    select b.workspace_id as "workspaceId", m.account_id as "accountId" from board b
    join member m on m.workspace_id = b.workspace_id and m.role = 'admin' where b.public_id = ${board.publicId}::text`);
  if (place === undefined) throw new Error("no such board");
  return place;
}

/** Every workspace that a feed told of. */
function wokenBy(database: typeof db): Set<number> {
  const woken = new Set<number>();
  onTestFinished(
    commitSignalOf(database).subscribe(({ workspaces }) => workspaces.forEach((id) => void woken.add(id))),
  );
  return woken;
}

test("a listener hears of a commit once it is done, and of nothing that was rolled back", async () => {
  const { board, list } = await make.list();
  const { workspaceId } = await placeOf(board);
  const woken = wokenBy(db);
  await expect(logOn(db, board, [{}], { isRefused: true })).rejects.toThrow("rolled back");
  expect(woken.has(workspaceId)).toBe(false);
  ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "x" }));
  expect(woken.has(workspaceId)).toBe(true);
});

test("a stream gets what was written where no word of it came", async () => {
  const { board } = await make.board();
  const { workspaceId, accountId } = await placeOf(board);
  const reading = await read(`${url}/api/v1/boards/${board.publicId}/stream`, board.owner.token);
  await db.rows(sql`
    with next as (
      update workspace_counter set event_seq = event_seq + 1 where workspace_id = ${workspaceId}::bigint returning event_seq
    )
    insert into event (workspace_id, seq, type, created_at, actor_id, board_public_id, data, operation_public_id, origin)
    select ${workspaceId}::bigint, event_seq, 'list.updated', now(), ${accountId}::bigint, ${board.publicId}::text, '{}', '', 'user'
    from next`);
  await reading.until(() => reading.items().length === 1);
  reading.leave();
});

describe.skipIf(isEmbedded)("between processes on one PostgreSQL", () => {
  const databaseUrl = async () => {
    const [row] = await db.rows<{ name: string }>(sql`select current_database() as name`);
    const template = inject("template");
    return template.kind === "embedded" ? "" : urlOf(template.url, row?.name ?? "");
  };

  /** The database as another process has it. */
  async function otherProcess() {
    const options = { url: await databaseUrl(), poolSize: 2, prepare: true, statementTimeoutMs: 30_000 };
    const other = openBound(openPostgres({ ...options, isDistributed: isOnCitus() }));
    onTestFinished(() => other.close());
    return other;
  }

  const listeners = () =>
    db.rows<{ pid: number }>(sql`
      select pid from pg_stat_activity
      where datname = current_database() and application_name = 'work-board channel' and query ilike 'listen %'`);

  test("one hears of the other's commits, also after its listening session was terminated", async () => {
    const other = await otherProcess();
    const woken = wokenBy(other);
    const { board, list } = await make.list();
    const { workspaceId } = await placeOf(board);
    const change = async () => ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "x" }));
    const hears = () =>
      expect
        .poll(
          async () => {
            await change();
            return woken.has(workspaceId);
          },
          { timeout: 20_000 },
        )
        .toBe(true);
    await hears();
    await db.rows(sql`
      select pg_terminate_backend(pid)::text from pg_stat_activity
      where datname = current_database() and application_name = 'work-board channel'`);
    await expect.poll(async () => (await listeners()).length, { timeout: 20_000 }).toBeGreaterThan(0);
    woken.clear();
    await hears();
  });

  test("a thousand workspaces in one commit fit", async () => {
    const other = await otherProcess();
    const woken = wokenBy(other);
    const ids = Array.from({ length: 1000 }, (_, n) => Number.MAX_SAFE_INTEGER - n);
    await expect
      .poll(
        async () => {
          await db.transaction(async (tx) => {
            for (const id of ids) tx.touched.workspaces.add(id);
            await tx.rows(sql`select 1 as one`);
          });
          return ids.every((id) => woken.has(id));
        },
        { timeout: 20_000 },
      )
      .toBe(true);
  });
});
