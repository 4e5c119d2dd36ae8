// Public identifiers and codes: characters of 0-9A-Za-z from a cryptographic source.

import { customAlphabet } from "nanoid";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new public identifier, 12 characters (contract section 1). */
export const newPublicId = customAlphabet(ALPHABET, 12);

/** A new invitation code, 24 characters (contract section 2, Invite link). */
export const newInviteCode = customAlphabet(ALPHABET, 24);
