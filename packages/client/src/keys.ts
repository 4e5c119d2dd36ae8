// Keys that the client makes for its calls.

const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** 132 random bits. */
const LENGTH = 22;

/** A new random key of 22 characters. `getRandomValues` needs no secure context, as `randomUUID` does. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(LENGTH)), (byte) => CHARACTERS[byte % CHARACTERS.length]).join("");
