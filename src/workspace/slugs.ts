// Slugs of workspaces, unique in the whole service, and the rules for all slugs: derived from a name if none is requested; valid, free
// and not reserved (contract section 2, Slugs).

import { badRequest } from "../api/errors.js";
import { oneOf, type Queries } from "../db/client.js";
import { violates } from "../db/failures.js";
import { newPublicId } from "../db/ids.js";
import { workspace } from "../db/schema/index.js";

const MAX = 60;
const MIN = 3;
/** The most numbered slugs that are tried together before a slug gets a random suffix. */
const NUMBERED = 50;

/** A name in lower case without accents, with a hyphen for every other run of characters; extended with `kind` if too short. */
export function slugFrom(name: string, kind: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX)
    .replace(/^-+|-+$/g, "");
  if (slug === "") return kind;
  return slug.length < MIN ? `${slug}-${kind}` : slug;
}

/** The slug itself, then `-2`, `-3` and so on, each within the limit of 60 characters. */
export function slugCandidates(slug: string): string[] {
  const numbered = Array.from({ length: NUMBERED }, (_, n) => withSuffix(slug, String(n + 2)));
  return [slug, ...numbered];
}

/** A slug with a suffix that distinguishes it, shortened so that both fit. */
export function withSuffix(slug: string, suffix: string): string {
  return `${slug.slice(0, MAX - suffix.length - 1).replace(/-+$/, "")}-${suffix}`;
}

const RESERVED = new Set(["new", "settings", "api", "docs", "invite"]);

async function takenOf(db: Queries, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await db.select({ slug: workspace.slug }).from(workspace).where(oneOf(workspace.slug, slugs));
  return new Set(rows.map(({ slug }) => slug));
}

const unusable = () => badRequest("This slug is taken or reserved", "slug");

/** Whether the slug is reserved, or another workspace than the one whose slug is `own` has it, in any case of letters. */
export async function isReservedWorkspaceSlug(db: Queries, slug: string, own: string): Promise<boolean> {
  const wanted = slug.toLowerCase();
  if (wanted === own) return false;
  return RESERVED.has(wanted) || (await takenOf(db, [wanted])).has(wanted);
}

/** A requested slug in lower case; BAD_REQUEST if it is reserved. The unique index decides whether it is taken. */
export function lawfulSlug(slug: string): string {
  const wanted = slug.toLowerCase();
  if (RESERVED.has(wanted)) throw unusable();
  return wanted;
}

/** The number of times that a derived slug which was taken concurrently is replaced by the next numbered one, before a random suffix. */
const NUMBERED_ATTEMPTS = 10;

/** A free slug derived from a name. */
export async function madeSlug(db: Queries, name: string, attempt: number): Promise<string> {
  const slug = slugFrom(name, "workspace");
  const candidates = attempt <= NUMBERED_ATTEMPTS ? slugCandidates(slug) : [];
  const taken = await takenOf(db, candidates);
  const free = candidates.find((candidate) => !taken.has(candidate) && !RESERVED.has(candidate));
  return free ?? withSuffix(slug, newPublicId().toLowerCase());
}

/** Stores a slug; again if a derived one was taken meanwhile. @throws BAD_REQUEST naming `slug` if the requested one is taken. */
export async function storingSlug<T>(slug: string | undefined, run: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(attempt);
    } catch (error) {
      if (!violates(error, "workspace_slug")) throw error;
      if (slug !== undefined) throw unusable();
    }
  }
}
