import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BUILT, builtSource } from "./tests/helpers/built.js";
import { LongestFirst } from "./tests/helpers/longestFirst.js";

const SLOW = {
  name: "slow",
  description:
    "Storms, long random runs, processes and browsers, and the generated calls over tRPC; run where SLOW_TESTS is set",
};
const runsSlow = Boolean(process.env.SLOW_TESTS);
/** Vitest's types know it on the command line alone. */
const filter = { tagsFilter: runsSlow ? [] : [`!${SLOW.name}`] };

/** Files whose tests are all slow: Vitest would run what they do at their beginning, and nothing that ends it. */
const slowFiles = readdirSync("tests", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => join("tests", name))
  .filter((file) => readFileSync(file, "utf8").includes(`// @module-tag ${SLOW.name}\n`));

/** The client as the page imports it. */
const client = (entry: string) => join(import.meta.dirname, "packages/client/src", entry);

export default defineConfig({
  plugins: [builtSource()],
  resolve: {
    alias: [
      { find: /^work-board-client$/, replacement: client("index.ts") },
      { find: /^work-board-client\/(board|react)$/, replacement: client("$1/index.ts") },
    ],
  },
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: runsSlow ? [] : slowFiles,
    globalSetup: ["tests/helpers/seed.ts", "tests/helpers/template.ts"],
    setupFiles: ["tests/helpers/drawing.ts", "tests/helpers/costs.ts"],
    // Processes, because an embedded database holds the thread that it lives on; each loads the modules once, for all its files.
    pool: "forks",
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // The service is loaded by Node, from its build.
    server: { deps: { external: [BUILT] } },
    // Some wait for clocks and sockets. Browsers and storms need the processors for themselves. (Vitest takes no percentage over 100.)
    maxWorkers: runsSlow ? availableParallelism() : Math.ceil(availableParallelism() * 1.5),
    // Browsers and processes are slow on a machine that is in use.
    testTimeout: runsSlow ? 90_000 : 30_000,
    hookTimeout: runsSlow ? 120_000 : 60_000,
    expect: { poll: { timeout: 15_000 } },
    tags: [SLOW],
    ...filter,
  },
});
