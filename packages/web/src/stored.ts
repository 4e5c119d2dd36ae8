/** A text that stays in this browser; where its storage is disabled or full, it stays as long as the page. */
export function stored(key: string) {
  let here: string | null = null;
  let isHere = false;
  return {
    get(): string | null {
      if (isHere) return here;
      try {
        return localStorage.getItem(key);
      } catch {
        return here;
      }
    },
    set(value: string | null): void {
      here = value;
      try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
        isHere = false;
      } catch {
        // The storage has an earlier text.
        isHere = true;
      }
    },
    /** Calls a function after another tab has set it. */
    onChange(listener: () => void): void {
      addEventListener("storage", (event) => event.key === key && listener());
    },
  };
}
