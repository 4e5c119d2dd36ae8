// npm run fuzz -- [--seed N] [--runs N] [--operation card.create]: tries the service with requests drawn from openapi.json and with
// sequences of them, 2000 for each operation and from a new seed unless told otherwise.

import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    runs: { type: "string", default: "2000" },
    operation: { type: "string" },
  },
});

/** Requests alone where one operation is asked for: sequences are of many. */
const files = values.operation === undefined ? ["tests/fuzz"] : ["tests/fuzz/valid", "tests/fuzz/invalid"];

const { status } = spawnSync("npx", ["vitest", "run", ...files], {
  stdio: "inherit",
  env: {
    ...process.env,
    SLOW_TESTS: "1",
    TEST_SEED: values.seed,
    FUZZ_RUNS: values.runs,
    ...(values.operation !== undefined && { FUZZ_OPERATION: values.operation }),
  },
});
process.exit(status ?? 1);
