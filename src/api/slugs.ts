// Slugs (contract section 2): derived from a name if none is given; valid, free and not reserved.

const MAX = 60;
const MIN = 3;
/** How many numbered slugs are tried together before a slug gets a random suffix. */
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
