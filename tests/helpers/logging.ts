// Writes to the log as a large change does, without the things that it tells of.

import { sql } from "drizzle-orm";
import type { Database } from "../../src/db/client.js";
import { workspaceOf } from "../../src/db/ids.js";
import { boardEvent } from "../../src/events/log.js";

/** Logs a `list.updated` on a board for each of some data, all in one change; `isRefused`: fails in the end. */
export async function logOn(
  db: Database,
  board: { publicId: string },
  all: readonly Record<string, unknown>[],
  { isRefused = false } = {},
): Promise<void> {
  await db.change(workspaceOf(board.publicId) ?? 0, { accountId: null }, async (unit) => {
    await unit.db.rows(sql`select 1`);
    const operation = { operationPublicId: unit.newPublicId(), origin: "import" as const, actorId: null };
    for (const data of all) {
      unit.log({ ...boardEvent({ boardPublicId: board.publicId }, "list.updated", data), ...operation });
    }
    if (isRefused) throw new Error("rolled back");
  });
}
