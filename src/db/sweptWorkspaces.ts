// Sweeps over the rows of all workspaces, workspace by workspace: one that fails is left out, and the others go on.

import { sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { type IsAsked, readWherePossible } from "./acrossServers.js";
import { type Database, oneOf } from "./client.js";
import { isDatabaseLost } from "./failures.js";
import { byWorkspace } from "./records.js";

/** A sweep ended, and left out the workspaces that failed. */
export class WorkspacesLeftOut extends Error {
  readonly workspaceIds: readonly number[];

  constructor(failures: ReadonlyMap<number, unknown>) {
    const [first] = failures.values();
    super(`Workspaces were left out: ${failures.size}`, { cause: first });
    this.workspaceIds = [...failures.keys()];
  }
}

/** Runs work in a workspace; 0 where it fails, which is remembered. Throws only where the whole database is out of reach. */
export async function triedIn(
  failures: Map<number, unknown>,
  workspaceId: number,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseLost(error)) throw error;
    failures.set(workspaceId, error);
    return 0;
  }
}

/** @throws WorkspacesLeftOut where there are failures. */
export function mustBeWhole(failures: ReadonlyMap<number, unknown>): void {
  if (failures.size > 0) throw new WorkspacesLeftOut(failures);
}

/** The parts of a sweep over workspaces. */
interface WorkspaceSweep<Row> {
  /** The most rows of a batch. */
  limit: number;
  /** Finds rows of several workspaces, only where `isAsked` says of the column of their workspace. */
  find: (isAsked: IsAsked) => PromiseLike<Row[]>;
  /** Handles the rows of a workspace; how many it has handled. */
  handle: (workspaceId: number, rows: readonly Row[]) => Promise<number>;
}

/** Finds and handles rows until fewer are left than a batch has. @throws WorkspacesLeftOut at the end if workspaces failed. */
export async function* sweptByWorkspace<Row extends { workspaceId: number }>(
  db: Database,
  { limit, find, handle }: WorkspaceSweep<Row>,
): AsyncGenerator<number> {
  const failures = new Map<number, unknown>();
  for (;;) {
    const before = failures.size;
    const isLeftOut = (column: PgColumn) => oneOf(column, [...failures.keys()]);
    const read = await readWherePossible(db, async (isAsked) =>
      find((column) => sql`${isAsked(column)} and not ${isLeftOut(column)}`),
    );
    let count = 0;
    for (const [workspaceId, rows] of byWorkspace(read)) {
      count += await triedIn(failures, workspaceId, () => handle(workspaceId, rows));
    }
    if (count > 0) yield count;
    if (read.length < limit || (count === 0 && failures.size === before)) break;
  }
  mustBeWhole(failures);
}
