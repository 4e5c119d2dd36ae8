// Reads rows of all workspaces for the workers of the service. Where a server of a distributed database is out of reach, the workspaces
// of the others are read all the same.

import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Queries } from "./client.js";
import { areDistributed } from "./distribution.js";
import { isDatabaseLost } from "./failures.js";
import { groupedBy } from "./records.js";
import { workspace, workspaceCounter } from "./schema/index.js";
import { selection } from "./selections.js";

const placeFields = { workspaceId: sql<number>`place.id`, server: sql<number>`placement.groupid` };
const placeRow = selection(placeFields);

/** The keys of all workspaces, server by server. */
async function workspacesByServer(db: Queries): Promise<number[][]> {
  const ids = (await db.select({ id: workspace.id }).from(workspace)).map(({ id }) => id);
  const rows = await db.read(
    placeRow,
    sql`select ${placeRow} from unnest(${`{${ids.join()}}`}::text::bigint[]) as place(id)
      join pg_dist_placement placement
        on placement.shardid = get_shard_id_for_distribution_column('public.${workspaceCounter}'::regclass, place.id)`,
  );
  return [...groupedBy(rows, ({ server }) => server).values()].map((own) => own.map(({ workspaceId }) => workspaceId));
}

/** Whether rows are asked for, by the column of their workspace. */
export type IsAsked = (workspaceId: PgColumn) => SQL;

/** Whether a workspace is one of some. Citus finds their server by constants alone, and no parameter that is cast is one. */
const isIn = (ids: readonly number[]): IsAsked => {
  const array = sql.raw(`'{${ids.join()}}'::bigint[]`);
  return (workspaceId) => sql`${workspaceId} = any(${array})`;
};

/**
 * Reads rows of several workspaces. `read` puts the condition to each table of workspaces in its statement, or Citus asks all servers. If that fails on a distributed database, each server is asked by itself, and those that fail are left out; the rows come server by server.
 * @throws the error of the first read where no server answers.
 */
export async function readWherePossible<Row>(db: Queries, read: (isAsked: IsAsked) => Promise<Row[]>): Promise<Row[]> {
  try {
    return await read(() => sql`true`);
  } catch (error) {
    if (isDatabaseLost(error) || !(await areDistributed(db))) throw error;
    const parts: Row[][] = [];
    for (const ids of await workspacesByServer(db)) {
      const part = await read(isIn(ids)).catch(() => null);
      if (part !== null) parts.push(part);
    }
    if (parts.length === 0) throw error;
    return parts.flat();
  }
}
