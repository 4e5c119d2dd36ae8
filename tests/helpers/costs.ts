// What a file may cost: cheap hashes of passwords, and no garbage of other files. Loaded before each file.

import { afterAll } from "vitest";
import { HASH_COST, hashing } from "../../src/user/passwords.js";
import { collectGarbage } from "./garbage.js";

/** The least that argon2 takes. */
hashing.cost = { ...HASH_COST, memoryCost: 8, timeCost: 1 };

afterAll(collectGarbage);
