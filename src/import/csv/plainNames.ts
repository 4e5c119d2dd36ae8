// Names and words as they are compared: regardless of case, accents and punctuation.

/** The words of a name; `camelCase` has two. */
export function words(name: string): string[] {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "");
  return (
    plain
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The form in which names that mean the same are equal. */
export function plainName(name: string): string {
  return words(name).join("");
}
