/** The page itself is loaded first. */
const IDLE_MS = 1000;

/**
 * Loads parts of the page that people open seldom, a second after it stands, so that they open offline, too. Without a network it waits
 * for one: styles that could not be loaded are not asked for again.
 */
export function preloadWhenIdle(...parts: readonly { preload: () => Promise<void> }[]): void {
  const load = () => {
    for (const part of parts) void part.preload();
  };
  setTimeout(() => (navigator.onLine ? load() : addEventListener("online", load, { once: true })), IDLE_MS);
}
