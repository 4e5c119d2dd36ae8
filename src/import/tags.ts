// The tags that imported boards bring along: the workspace's own where it has one of the name, else new ones.

import { sql } from "drizzle-orm";
import type { WorkspaceAccess } from "../access/guards.js";
import { json, type Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { nameKey } from "../db/nameKey.js";
import { type NewEvent, workspaceEvent } from "../events/log.js";
import type { BoardPlan } from "./plans.js";

/** Makes the tags of the plans that the workspace lacks; gives the events that tell of them. */
export async function tagsNamed(
  db: Transaction,
  { workspaceId }: WorkspaceAccess,
  plans: readonly BoardPlan[],
): Promise<NewEvent[]> {
  const wanted = plans
    .flatMap(({ tags = [] }) => tags)
    .map((tag) => ({ ...tag, nameKey: nameKey(tag.name), publicId: newPublicId() }));
  if (wanted.length === 0) return [];
  const made = await db.rows<{ tagPublicId: string; name: string; colourCode: string }>(sql`
    insert into tag (workspace_id, public_id, name, name_key, colour_code)
    select ${workspaceId}::bigint, r."publicId", r.name, r."nameKey", r."colourCode"
    from jsonb_to_recordset(${json(wanted)}) as r("publicId" text, name text, "nameKey" text, "colourCode" text)
    order by r."nameKey"
    on conflict (workspace_id, name_key) do nothing
    returning public_id as "tagPublicId", name, colour_code as "colourCode"`);
  return made.map((tag) => workspaceEvent("tag.created", { ...tag }));
}
