/** A text that stays in this browser; where its storage is disabled or full, it stays as long as the page. */
export function stored(key: string) {
  let here: string | null = null;
  return {
    get(): string | null {
      try {
        return localStorage.getItem(key) ?? here;
      } catch {
        return here;
      }
    },
    set(value: string | null): void {
      here = value;
      try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
      } catch {
        // The page works without.
      }
    },
  };
}
