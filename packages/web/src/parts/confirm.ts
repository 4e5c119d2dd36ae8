// The question that is confirmation before something is done that cannot be undone.

import { storeOf } from "../store.js";

export interface Question {
  text: string;
  /** The consequences, a paragraph each. */
  details?: readonly string[];
  /** The name of the button that does it. */
  action: string;
  run: () => void;
}

export const confirmation = storeOf<Question | null>(null);

/** Runs something if the reader confirms it. */
export const confirm = (question: Question): void => confirmation.set(question);
