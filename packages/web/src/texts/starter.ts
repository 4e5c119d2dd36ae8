import { starter as enStarter } from "./enStarter.js";

/** The texts of the first board of an account, in the language of the reader. Loaded when an account was made. */
export const starter: typeof enStarter = enStarter;
