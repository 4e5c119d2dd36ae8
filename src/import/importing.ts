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

/** The workspace of an import, and whether it is a dry run. */
interface Wanted {
  workspacePublicId: string;
  dryRun: boolean;
}

/** The guard of a workspace for an import; an accountless guest gets FORBIDDEN. */
async function importerFor(ctx: Signed, publicId: string, permission: Permission): Promise<WorkspaceAccess> {
  const workspace = await workspaceFor(ctx, publicId, permission);
  if (ctx.user.isGuest) throw forbidden();
  return workspace;
}

/** Runs an import in one change of the workspace. On a dry run it reads alone: `tx` is null. */
export async function runImport<T>(
  ctx: Signed<Database>,
  { workspacePublicId, dryRun }: Wanted,
  permission: Permission,
  run: (on: Signed, workspace: WorkspaceAccess, tx: Tx | null) => Promise<T>,
): Promise<T> {
  if (dryRun)
    return runOnce(ctx, workspacePublicId, async () =>
      run(ctx, await importerFor(ctx, workspacePublicId, permission), null),
    );
  return change(ctx, workspacePublicId, importerFor, permission, (tx, workspace) => run(tx, workspace, tx), {
    alone: true,
    isLarge: true,
    origin: "import",
  });
}

/**
 * Creates the boards that `planFor` plans for the workspace; requires `board:create`. A dry run only counts. Planning that does not
 * use the database is done before the change, because others cannot change the workspace meanwhile.
 */
export const importBoards = <Report extends object>(
  ctx: Signed<Database>,
  wanted: Wanted,
  planFor: (on: Signed, workspace: WorkspaceAccess) => Promise<Planned<Report>>,
) =>
  runImport(ctx, wanted, "board:create", async (on, workspace, tx) => {
    const { plans, report } = await planFor(on, workspace);
    const [boardPublicId = null] = tx === null ? [] : await writeBoards(tx, workspace, plans);
    return { ...plannedCounts(plans), ...report, boardPublicId };
  });
