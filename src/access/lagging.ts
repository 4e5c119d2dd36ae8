// Reads that may lag on a replica. Access is never read there: the boards that a reader sees are read from the primary.

import { type SQL, sql } from "drizzle-orm";
import type { Signed } from "../api/context.js";
import type { Reads } from "../db/replicas.js";
import { board, workspace } from "../db/schema/index.js";
import { selection } from "../db/selections.js";
import { boardsSeenBy, callerSees, isSeenBy, seesAllBoards } from "./boardVisibility.js";
import { isThatWorkspace, workspaceIdOf } from "./finding.js";
import { authoriseInWorkspace, type Unchecked, type WorkspaceAccess, workspaceFor } from "./guards.js";

/** Where an answer is read, and as whom. */
export interface Lagging<Access> {
  replica: Reads;
  /** The access with the boards it reaches, where a replica might think otherwise. */
  reader: Access & { sees?: readonly number[] };
}

const seenBoards = selection({ id: board.id });

/**
 * For the answers that may lag by the replication (contract section 7, DATABASE_REPLICA_URLS), after their guard. Where there is
 * no replica nothing more is read than before; who sees every board sees it whatever a replica says.
 */
export async function onReplica<Access extends WorkspaceAccess>(
  ctx: Signed & { replica: Reads },
  access: Access,
): Promise<Lagging<Access>> {
  if (ctx.replica === ctx.db || seesAllBoards(access.role)) return { replica: ctx.replica, reader: access };
  const boards = await ctx.db.read(seenBoards, boardsSeenBy(access, seenBoards));
  return { replica: ctx.replica, reader: { ...access, sees: boards.map(({ id }) => id) } };
}

/** Where a statement is read that authorises and answers at once. */
export interface LaggingAnswer {
  replica: Reads;
  workspaceId: number;
  /** Which workspace it is about. */
  isAsked: SQL;
  /** Which boards the caller sees, where its membership of the workspace and of the board were joined. */
  sees: SQL;
  /** Lets the caller through by what the statement read of it. */
  authorise(row: Unchecked<WorkspaceAccess> | undefined): void;
}

/**
 * For a statement about a workspace whose answer may lag. The primary lets the caller through within that statement, or, where a
 * replica answers, before it.
 */
export async function lagging(ctx: Signed & { replica: Reads }, workspacePublicId: string): Promise<LaggingAnswer> {
  const workspaceId = workspaceIdOf(ctx, workspacePublicId);
  if (ctx.replica === ctx.db) {
    const authorise: LaggingAnswer["authorise"] = (row) => authoriseInWorkspace(ctx, row, "workspace:view");
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
