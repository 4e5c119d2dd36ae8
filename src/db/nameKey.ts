// The key under which names count as equal: used wherever names are unique or matched regardless of case.

/** The key under which names that differ only in case, outer blanks or Unicode composition are one. */
export function nameKey(name: string): string {
  return name.trim().normalize("NFC").toLowerCase();
}
