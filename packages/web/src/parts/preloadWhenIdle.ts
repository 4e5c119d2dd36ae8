/** The page itself is loaded first. */
const IDLE_MS = 1000;

/** Loads parts of the page that people open seldom, a second after it stands, so that they open offline, too. */
export function preloadWhenIdle(...parts: readonly { preload: () => Promise<void> }[]): void {
  setTimeout(() => {
    for (const part of parts) void part.preload();
  }, IDLE_MS);
}
