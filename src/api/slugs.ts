// Slugs (contract section 2): made from a name when none is given, legal, free and not reserved.

const MAX = 60;
const MIN = 3;
/** How many numbered forms are looked at together before a slug gets a random tail. */
const NUMBERED = 50;

/** A name in lower case without accents, other runs than letters and digits a hyphen; padded with `kind` where too short. */
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

/** A slug with a tail that distinguishes it, cut so that both fit. */
export function withSuffix(slug: string, suffix: string): string {
  return `${slug.slice(0, MAX - suffix.length - 1).replace(/-+$/, "")}-${suffix}`;
}
