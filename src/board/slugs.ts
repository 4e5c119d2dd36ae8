// Slugs of boards: unique in their workspace, archived boards included (contract section 2, Slugs).

import { sql } from "drizzle-orm";
import { badRequest } from "../api/errors.js";
import { type Queries, texts } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { board } from "../db/schema/index.js";
import { selection } from "../db/selections.js";
import { slugCandidates, slugFrom, withSuffix } from "../workspace/slugs.js";

const RESERVED = new Set(["new", "settings", "archived", "import", "api", "docs"]);

const takenSlug = selection({ slug: board.slug });

async function takenOf(db: Queries, workspaceId: number, slugs: readonly string[], exceptBoardId: number | null) {
  // OFFSET has each slug looked up by itself.
  const rows = await db.read(
    takenSlug,
    sql`
      select ${takenSlug} from unnest(${texts(slugs)}) wanted(slug)
      cross join lateral (
        select ${board.slug}, ${board.id} from ${board}
        where ${board.workspaceId} = ${workspaceId}::bigint and ${board.slug} = wanted.slug offset 0) ${board}
      where ${board.id} is distinct from ${exceptBoardId}::bigint`,
  );
  return new Set(rows.map(({ slug }) => slug));
}

/** Whether another board of the workspace than `exceptBoardId` has the slug, in any case of letters. */
export async function isReservedBoardSlug(
  db: Queries,
  workspaceId: number,
  slug: string,
  exceptBoardId: number | null,
): Promise<boolean> {
  const wanted = slug.toLowerCase();
  return RESERVED.has(wanted) || (await takenOf(db, workspaceId, [wanted], exceptBoardId)).has(wanted);
}

/** A requested slug in lower case; BAD_REQUEST if it is taken or reserved. */
export async function usableSlug(
  db: Queries,
  workspaceId: number,
  slug: string,
  exceptBoardId: number | null,
): Promise<string> {
  if (await isReservedBoardSlug(db, workspaceId, slug, exceptBoardId))
    throw badRequest("This slug is taken or reserved", "slug");
  return slug.toLowerCase();
}

/** Free slugs derived from names, in order, all different. */
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
