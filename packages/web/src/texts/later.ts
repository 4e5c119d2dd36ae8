import { enLater, type LaterTexts } from "./enLater.js";

/** The texts of pages that are loaded when they are first shown, in the language of the reader. */
export const texts: LaterTexts = enLater;
