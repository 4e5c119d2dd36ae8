// Runs changes of a workspace by the service itself, or by an operator's command.

import type { Database } from "../db/client.js";
import { newPublicIdIn } from "../db/ids.js";
import { type Acting, actingIn, type SystemSettings, WITHOUT_MAIL } from "./acting.js";

/** Runs a change of a workspace by the service, or by an operator's command, as the workspace's one writer. */
export function changeAsSystem<T>(
  db: Database,
  workspaceId: number,
  run: (tx: Acting) => Promise<T>,
  { config = WITHOUT_MAIL, origin = "system" }: SystemSettings = {},
): Promise<T> {
  const operationPublicId = newPublicIdIn(workspaceId);
  return db.change(workspaceId, { accountId: null, alone: true }, (unit) =>
    run(
      actingIn(unit, { accountId: null, origin }, operationPublicId, {
        requestOptions: { requestKey: null },
        config,
        client: null,
      }),
    ),
  );
}
