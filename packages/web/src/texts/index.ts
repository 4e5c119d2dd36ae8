import { en, type Texts } from "./en.js";

/** The language of the texts, which index.html names, too. */
export const language = "en";

/** The texts in the language of the reader: English is the only one so far. */
export const t: Texts = en;
