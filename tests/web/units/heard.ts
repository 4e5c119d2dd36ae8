// The sentences for screen readers, as regions of a page without a document have them.

import { vi } from "vitest";
import { addRegion } from "../../../packages/web/src/parts/announce.js";

const polite = { textContent: "" };
const assertive = { textContent: "" };
addRegion("polite", polite);
addRegion("assertive", assertive);

/** The last sentence, with timers that the test advances. Forgets it. */
export async function heard(): Promise<string> {
  await vi.advanceTimersByTimeAsync(200);
  const sentence = polite.textContent + assertive.textContent;
  polite.textContent = "";
  assertive.textContent = "";
  return sentence;
}
