// How much is tried: FUZZ_RUNS and FUZZ_OPERATION, which `npm run fuzz` sets.

import { SEED } from "../helpers/drawing.js";
import { operations } from "./document.js";

/** Requests for each operation: half of them valid, half of them not. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 100);
export const HALF = Math.ceil(RUNS / 2);

const only = process.env.FUZZ_OPERATION;

export const tried = operations.filter(({ name }) => only === undefined || name === only);

/** No answer may take longer. */
export const ANSWER_LIMIT_MS = 5000;

/** How to get the same requests again. */
export const repeat = (name: string) =>
  `repeat with: npm run fuzz -- --seed ${SEED} --runs ${RUNS} --operation ${name}`;
