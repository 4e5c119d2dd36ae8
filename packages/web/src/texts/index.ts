import { en, type Texts } from "./en.js";

/** The texts in the language of the reader: English is the only one so far. */
export const t: Texts = en;
