// What tests draw at random: all of it from the seed of the run, and as much of it as their time allows. Loaded before each file.

import fc from "fast-check";
import { inject } from "vitest";

/** The same seed draws the same. */
export const SEED = inject("seed");
fc.configureGlobal({ seed: SEED });

/** Whether there is time for another round: always for the first, then until `ms` are over, however slow the machine is. */
export function timeFor(ms: number): () => boolean {
  let end: number | undefined;
  return () => {
    const now = performance.now();
    end ??= now + ms;
    return now <= end;
  };
}
