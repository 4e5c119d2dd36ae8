// Runs an import: all of it in one change of the workspace, or on a dry run none of it.

import { type WorkspaceAccess, workspaceFor } from "../access/guards.js";
import { change } from "../api/change.js";
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

/**
 * Creates the boards that `planFor` plans for the workspace; requires `board:create`. A dry run only counts. Planning that does not
 * use the database is done before the change, because others cannot change the workspace meanwhile.
 */
export function importBoards<Report extends object>(
  ctx: Signed<Database>,
  { workspacePublicId, dryRun }: Wanted,
  planFor: (on: Signed, workspace: WorkspaceAccess) => Promise<Planned<Report>>,
) {
  const answer = async <On extends Signed>(
    on: On,
    write: (on: On, workspace: WorkspaceAccess, plans: readonly BoardPlan[]) => Promise<string[]>,
  ) => {
    const workspace = await workspaceFor(on, workspacePublicId, "board:create");
    if (on.user.isGuest) throw forbidden();
    const { plans, report } = await planFor(on, workspace);
    const [boardPublicId = null] = await write(on, workspace, plans);
    return { ...plannedCounts(plans), ...report, boardPublicId };
  };
  if (dryRun) return runOnce(ctx, workspacePublicId, () => answer(ctx, async () => []));
  return change(ctx, workspacePublicId, (tx) => answer(tx, writeBoards), { alone: true, origin: "import" });
}
