// LIKE patterns for text from clients.

/** A LIKE pattern for text that contains a given text literally. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
