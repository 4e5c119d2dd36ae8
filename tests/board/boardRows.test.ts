// How the statement of a board is planned.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { versionOf } from "../../src/board/boardRows.js";
import { workspaceOf } from "../../src/db/ids.js";
import { compile } from "../../src/db/statements.js";
import { testApp } from "../helpers/app.js";

const { db, make } = await testApp();

test("the version of a board is found without walking the events of other boards", async () => {
  const { board, workspace } = await make.board();
  const workspaceId = workspaceOf(workspace.publicId) ?? 0;
  const events = (from: number, to: number, publicId: string | null) => sql`
    insert into event (workspace_id, seq, type, created_at, board_public_id, data, operation_public_id, origin)
    select ${workspaceId}::bigint, n, 'board.updated', now(), ${publicId}::text, '{}'::jsonb, '', 'user'
    from generate_series(${from}::int, ${to}::int) n`;
  await db.rows(events(1001, 1050, null));
  await db.rows(events(1051, 11_050, "someOther123"));
  // Where the planner takes all events to be of one board, both indexes look alike to it.
  await db.rows(sql`delete from event where board_public_id = ${board.publicId}::text`);
  await db.rows(sql`analyze event`);
  const { text, params } = compile(sql`select ${versionOf({ workspaceId, publicId: board.publicId })} as version`);
  const values = params.map((value) => (typeof value === "string" ? `'${value}'` : value)).join();
  const plan = await db.transaction(async (tx) => {
    // The plan that serves whatever the parameters are, as the service has it on PostgreSQL.
    await tx.rows(sql`set local plan_cache_mode = force_generic_plan`);
    await tx.rows(sql.raw(`prepare version_of as ${text}`));
    const found = await tx.rows<{ "QUERY PLAN": string }>(sql.raw(`explain execute version_of (${values})`));
    await tx.rows(sql`deallocate version_of`);
    return found;
  });
  const scans = plan.flatMap((line) => /Scan.* using (\w+)/.exec(line["QUERY PLAN"])?.[0] ?? []);
  const lastEvent = "Scan Backward using event_board";
  expect(scans).toEqual([lastEvent, lastEvent, "Scan using workspace_counter_pkey"]);
  expect(JSON.stringify(plan)).not.toContain("Sort");
});
