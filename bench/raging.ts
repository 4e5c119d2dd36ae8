// A process that makes the calls of one storm.

import { rage } from "./stormCalls.js";

process.once("message", async (raging: Parameters<typeof rage>[0]) => {
  const seen = await rage(raging);
  process.send?.(seen, () => process.exit(0));
});
