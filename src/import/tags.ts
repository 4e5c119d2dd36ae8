// The tags of imported boards: matched by name in the workspace, or created.

import { and, eq } from "drizzle-orm";
import type { Named } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { oneOf } from "../db/client.js";
import { nameKey } from "../db/nameKey.js";
import { tag } from "../db/schema/index.js";
import { addTags } from "../workspace/tags.js";
import type { BoardPlan } from "./plans.js";

/** Creates the tags of the plans that the workspace lacks; returns the tags of a plan. */
export async function tagsOf(tx: Tx, plans: readonly BoardPlan[]): Promise<(plan: BoardPlan) => Named[]> {
  const wanted = new Map(plans.flatMap(({ tags = [] }) => tags.map((one) => [nameKey(one.name), one])));
  const known = wanted.size === 0 ? [] : await tagsNamed(tx, [...wanted.keys()]);
  const byKey = new Map<string, Named>(known.map((one) => [one.nameKey, one]));
  const missing = [...wanted].flatMap(([key, one]) => (byKey.has(key) ? [] : one));
  for (const one of addTags(tx, missing)) byKey.set(nameKey(one.name), one);
  return ({ tags = [] }) => tags.flatMap(({ name }) => byKey.get(nameKey(name)) ?? []);
}

/** The workspace's tags by the keys of their names. */
const tagsNamed = (tx: Tx, keys: readonly string[]) =>
  tx.db
    .select({ id: tag.id, publicId: tag.publicId, name: tag.name, nameKey: tag.nameKey, colourCode: tag.colourCode })
    .from(tag)
    .where(and(eq(tag.workspaceId, tx.workspaceId), oneOf(tag.nameKey, keys)));
