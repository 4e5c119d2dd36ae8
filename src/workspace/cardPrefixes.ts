// The prefix of a workspace's card numbers, derived from its name (contract section 2, cardNumber).

const ONE_WORD = 3;
const INITIALS = 4;
const DEFAULT = "WB";

/** One word: its first three letters; several words: their initials, at most four; `WB` if no character of `A-Z0-9` is left. */
export function cardPrefixFrom(name: string): string {
  const words = name
    .toUpperCase()
    .normalize("NFKD")
    .replace(/[\p{M}'’]/gu, "")
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.replace(/[^A-Z0-9]/g, ""))
    .filter((word) => word !== "");
  const [first = DEFAULT, ...others] = words;
  return others.length === 0 ? first.slice(0, ONE_WORD) : initialsOf(words);
}

const initialsOf = (words: readonly string[]) =>
  words
    .slice(0, INITIALS)
    .map((word) => word[0])
    .join("");
