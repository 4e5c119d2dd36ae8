// Text from outside as part of a pattern.

/** A LIKE pattern for whatever contains a text, each of its characters standing for itself. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
