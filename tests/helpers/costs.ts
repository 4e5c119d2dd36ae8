// What a file may cost: cheap hashes of passwords, and no garbage of other files. Loaded before each file.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll } from "vitest";
import { HASH_COST, hashing } from "../../src/user/passwords.js";

/** The least that argon2 takes. */
hashing.cost = { ...HASH_COST, memoryCost: 8, timeCost: 1 };

/** Beyond this, what earlier files left is collected: V8 does not count the memory of embedded databases. */
const RESIDENT_MAX_BYTES = 600 * 2 ** 20;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
afterAll(() => {
  if (process.memoryUsage.rss() > RESIDENT_MAX_BYTES) collectGarbage();
});
