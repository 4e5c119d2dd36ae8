// The globals of a browser that modules of the page read when they are loaded.

import { vi } from "vitest";

/** Loads modules of the page that need a browser to be loaded, and no more than that. */
export async function loaded<Modules>(load: () => Promise<Modules>): Promise<Modules> {
  const none = () => {};
  vi.stubGlobal("location", new URL("https://boards.example/"));
  vi.stubGlobal("navigator", { platform: "Linux x86_64", language: "en-GB", languages: ["en-GB"], onLine: true });
  vi.stubGlobal("addEventListener", none);
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: none }));
  try {
    return await load();
  } finally {
    vi.unstubAllGlobals();
  }
}
