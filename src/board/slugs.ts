// Slugs of boards: unique in their workspace, archived boards included (contract section 2, Slugs).

import { sql } from "drizzle-orm";
import { badRequest } from "../api/errors.js";
import { slugCandidates, slugFrom, withSuffix } from "../api/slugs.js";
import { type Queries, texts } from "../db/client.js";
import { newPublicId } from "../db/ids.js";

const RESERVED = new Set(["new", "settings", "archived", "import", "api", "docs"]);

async function takenOf(db: Queries, workspaceId: number, slugs: readonly string[], exceptBoardId: number | null) {
  const rows = await db.rows<{ slug: string }>(sql`
    select b.slug from unnest(${texts(slugs)}) s(slug)
    cross join lateral (
      select slug, id from board where workspace_id = ${workspaceId}::bigint and slug = s.slug offset 0) b
    where b.id is distinct from ${exceptBoardId}::bigint`);
  return new Set(rows.map(({ slug }) => slug));
}

/** Whether no board of the workspace but `exceptBoardId` may have the slug, in any case of letters. */
export async function isReservedSlug(
  db: Queries,
  workspaceId: number,
  slug: string,
  exceptBoardId: number | null,
): Promise<boolean> {
  const wanted = slug.toLowerCase();
  return RESERVED.has(wanted) || (await takenOf(db, workspaceId, [wanted], exceptBoardId)).has(wanted);
}

/** A given slug in lower case; BAD_REQUEST when it is taken or reserved. */
export async function usableSlug(
  db: Queries,
  workspaceId: number,
  slug: string,
  exceptBoardId: number | null,
): Promise<string> {
  if (await isReservedSlug(db, workspaceId, slug, exceptBoardId)) throw badRequest("Is taken or reserved", "slug");
  return slug.toLowerCase();
}

/** Free slugs made from names, in their order, all different. */
export async function freeSlugs(db: Queries, workspaceId: number, names: readonly string[]): Promise<string[]> {
  const candidates = names.map((name) => slugCandidates(slugFrom(name, "board")));
  const taken = await takenOf(db, workspaceId, [...new Set(candidates.flat())], null);
  return candidates.map((slugs) => {
    const [first = "board"] = slugs;
    const free =
      slugs.find((slug) => !taken.has(slug) && !RESERVED.has(slug)) ?? withSuffix(first, newPublicId().toLowerCase());
    taken.add(free);
    return free;
  });
}
