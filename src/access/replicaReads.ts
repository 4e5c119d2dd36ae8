// Reads that may lag on a replica. Access is never read there: the boards that a reader sees are read from the primary.

import { type SQL, sql } from "drizzle-orm";
import type { Signed } from "../api/context.js";
import type { Reads } from "../db/replicas.js";
import { board, workspace } from "../db/schema/index.js";
import { selection } from "../db/selections.js";
import { boardsSeenBy, callerSees, isSeenBy, seesAllBoards } from "./boardVisibility.js";
import { authoriseInWorkspace, type Unchecked, type WorkspaceAccess, workspaceFor } from "./guards.js";
import { isThatWorkspace, workspaceIdOf } from "./lookups.js";

/** The database to read from, and the caller to read as. */
interface ReplicaReader<Access> {
  replica: Reads;
  /** With the boards that the caller sees according to the primary, if a replica might differ. */
  reader: Access & { sees?: readonly number[] };
}

const seenBoards = selection({ id: board.id });

/**
 * For answers that may lag by the replication (contract section 7, DATABASE_REPLICA_URLS), after their guard. Reads the visible
 * boards from the primary, unless there is no replica or the role sees every board.
 */
export async function onReplica<Access extends WorkspaceAccess>(
  ctx: Signed & { replica: Reads },
  access: Access,
): Promise<ReplicaReader<Access>> {
  if (ctx.replica === ctx.db || seesAllBoards(access.role)) return { replica: ctx.replica, reader: access };
  const boards = await ctx.db.read(seenBoards, boardsSeenBy(access, seenBoards));
  return { replica: ctx.replica, reader: { ...access, sees: boards.map(({ id }) => id) } };
}

/** The database to read from, for a statement that also authorises the caller. */
export interface ReplicaAnswer {
  replica: Reads;
  workspaceId: number;
  /** Whether a row of `workspace` is the requested one. */
  isAsked: SQL;
  /** Whether the caller sees a board that is joined with the caller's membership of the workspace and of the board. */
  sees: SQL;
  /** Authorises the caller by the row that the statement read. Throws NOT_FOUND or FORBIDDEN. */
  authorise(row: Unchecked<WorkspaceAccess> | undefined): void;
}

/** For an answer that may lag. Without a replica the statement authorises the caller itself; with one, the primary does first. */
export async function answerOnReplica(
  ctx: Signed & { replica: Reads },
  workspacePublicId: string,
): Promise<ReplicaAnswer> {
  const workspaceId = workspaceIdOf(ctx, workspacePublicId);
  if (ctx.replica === ctx.db) {
    const authorise: ReplicaAnswer["authorise"] = (row) => authoriseInWorkspace(ctx, row, "workspace:view");
    return {
      replica: ctx.replica,
      workspaceId,
      isAsked: isThatWorkspace({ workspaceId, publicId: workspacePublicId }),
      sees: callerSees,
      authorise,
    };
  }
  const access = await workspaceFor(ctx, workspacePublicId, "workspace:view");
  const { replica, reader } = await onReplica(ctx, access);
  const isAsked = sql`${workspace.id} = ${workspaceId}::bigint`;
  return { replica, workspaceId, isAsked, sees: isSeenBy(reader), authorise: () => {} };
}
