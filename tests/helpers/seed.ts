// Before all files: draws the seed of what tests draw at random, unless TEST_SEED names one, and prints it.

import { randomInt } from "node:crypto";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    seed: number;
  }
}

export default function draw(project: TestProject): void {
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));
  console.info(`What is random is drawn from seed ${seed}: TEST_SEED=${seed} repeats it`);
  project.provide("seed", seed);
}
