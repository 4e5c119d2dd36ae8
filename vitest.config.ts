import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: ["tests/helpers/template.ts"],
    // Processes, because an embedded database holds the thread that it lives on; each loads the modules once, for all its files.
    pool: "forks",
    isolate: false,
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
