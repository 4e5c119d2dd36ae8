import { defineConfig } from "vitest/config";

const SLOW = {
  name: "slow",
  description:
    "Storms, long random runs, processes and browsers, and the generated calls over tRPC; run where SLOW_TESTS is set",
};
/** Vitest's types know it on the command line alone. */
const filter = { tagsFilter: process.env.SLOW_TESTS ? [] : [`!${SLOW.name}`] };

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: ["tests/helpers/build.ts", "tests/helpers/template.ts"],
    // Processes, because an embedded database holds the thread that it lives on; each loads the modules once, for all its files.
    pool: "forks",
    isolate: false,
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    tags: [SLOW],
    ...filter,
  },
});
