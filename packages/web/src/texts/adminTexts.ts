import { admin } from "./enAdmin.js";

/** The texts of the pages that administer an instance, in the language of the reader. */
export const adminTexts: typeof admin = admin;
