import { ctrl } from "../../keys/caps.js";
import { texts } from "../../texts/later.js";
import type { Outcome, Side } from "./undoables.js";

const finger = matchMedia("(pointer: coarse)");

/** A sentence about a change, with the key that takes it back where there are keys. */
export const takenBackByKey = (sentence: string): string =>
  finger.matches ? sentence : texts.undo.byKey(sentence, ctrl);

/** A sentence about what was taken back or made again, and what was left as it is. */
export function sentenceOf(outcome: Outcome | null, side: Side): string {
  const text = texts.undo;
  if (outcome === null) return text.nothing[side];
  const { text: change, made, changed, gone } = outcome;
  const kept = changed + gone;
  if (kept === 0) return text.turned[side](change);
  const reason = changed > 0 ? text.changed : text.gone;
  return made + kept === 1 ? text.notTurned[side](change, reason) : text.turnedSome[side](made, kept, reason);
}
