// Carries an import out: all of it in one transaction, or, on a dry run, none of it.

import { type WorkspaceAccess, workspaceFor } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { takingSlugs } from "../board/slugs.js";
import type { Database } from "../db/client.js";
import { type BoardPlan, countsOf } from "./plans.js";
import { writeBoards } from "./writeBoards.js";

/** The boards of an import, and what its answer tells beside their counts. */
export interface Planned<Told> {
  plans: readonly BoardPlan[];
  told: Told;
}

interface Wanted {
  workspacePublicId: string;
  dryRun: boolean;
}

/** Makes the boards that `planFor` plans for the workspace, which needs `board:create`; a dry run only counts them. */
export function importBoards<Told extends object>(
  ctx: Signed<Database>,
  { workspacePublicId, dryRun }: Wanted,
  planFor: (on: Signed, workspace: WorkspaceAccess) => Promise<Planned<Told>>,
) {
  const answer = async (
    on: Signed,
    write: (workspace: WorkspaceAccess, plans: readonly BoardPlan[]) => Promise<string[]>,
  ) => {
    const workspace = await workspaceFor(on, workspacePublicId, "board:create");
    const { plans, told } = await planFor(on, workspace);
    const [boardPublicId = null] = await write(workspace, plans);
    return { ...countsOf(plans), ...told, boardPublicId };
  };
  if (dryRun) return answer(ctx, async () => []);
  return takingSlugs(() => change(ctx, (tx) => answer(tx, (workspace, plans) => writeBoards(tx, workspace, plans))));
}
