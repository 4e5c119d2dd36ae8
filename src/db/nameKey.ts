// What makes two names the same: used wherever names are unique or matched without regard to case.

/** The key under which names that differ only in case, outer blanks or Unicode composition are one. */
export function nameKey(name: string): string {
  return name.trim().normalize("NFC").toLowerCase();
}
