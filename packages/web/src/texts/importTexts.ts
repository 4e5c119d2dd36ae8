import { imports } from "./enImports.js";

/** The texts of imports, in the language of the reader. */
export const importTexts: typeof imports = imports;
