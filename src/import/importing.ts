// Runs an import: all of it in one change of the workspace, or on a dry run none of it.

import { type WorkspaceAccess, workspaceFor } from "../access/guards.js";
import type { Permission } from "../access/permissions.js";
import { change, type Tx } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { forbidden } from "../api/errors.js";
import { runOnce } from "../api/idempotency.js";
import type { Database } from "../db/client.js";
import { type BoardPlan, plannedCounts } from "./plans.js";
import { writeBoards } from "./writeBoards.js";

/** The boards of an import, and what its response has besides their counts. */
export interface Planned<Report> {
  plans: readonly BoardPlan[];
  report: Report;
}

interface Wanted {
  workspacePublicId: string;
  dryRun: boolean;
}

/** The guard of a workspace for an import; an accountless guest gets FORBIDDEN. */
export async function importerFor(ctx: Signed, publicId: string, permission: Permission): Promise<WorkspaceAccess> {
  const workspace = await workspaceFor(ctx, publicId, permission);
  if (ctx.user.isGuest) throw forbidden();
  return workspace;
}

/**
 * Creates the boards that `planFor` plans for the workspace; requires `board:create`. A dry run only counts. Planning that does not
 * use the database is done before the change, because others cannot change the workspace meanwhile.
 */
export async function importBoards<Report extends object>(
  ctx: Signed<Database>,
  { workspacePublicId, dryRun }: Wanted,
  planFor: (on: Signed, workspace: WorkspaceAccess) => Promise<Planned<Report>>,
) {
  const answer = async <On extends Signed>(
    on: On,
    workspace: WorkspaceAccess,
    write: (on: On, workspace: WorkspaceAccess, plans: readonly BoardPlan[]) => Promise<string[]>,
  ) => {
    const { plans, report } = await planFor(on, workspace);
    const [boardPublicId = null] = await write(on, workspace, plans);
    return { ...plannedCounts(plans), ...report, boardPublicId };
  };
  if (dryRun)
    return runOnce(ctx, workspacePublicId, async () =>
      answer(ctx, await importerFor(ctx, workspacePublicId, "board:create"), async () => []),
    );
  const run = (tx: Tx, workspace: WorkspaceAccess) => answer(tx, workspace, writeBoards);
  return change(ctx, workspacePublicId, importerFor, "board:create", run, { alone: true, origin: "import" });
}
