// Public identifiers and codes (contract section 1; capabilities section 0, Identifiers): random characters of 0-9A-Za-z. An
// identifier in a workspace begins with the workspace's key in base 62, which is drawn at random, so that identifiers reveal neither
// the number nor the order of workspaces.

import { randomInt } from "node:crypto";
import { customAlphabet } from "nanoid";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));
const KEY_LENGTH = 5;
/** Keys are 1 to KEYS - 1: five characters distinguish so many, and 0 stands for "no workspace" in stored responses. */
const KEYS = ALPHABET.length ** KEY_LENGTH;

/** A random key for a new workspace, which another one may have. */
export const newWorkspaceKey = (): number => randomInt(1, KEYS);

/** The five characters that encode a workspace's key. @throws RangeError for a number that is no key. */
function prefixOf(workspaceId: number): string {
  if (!Number.isInteger(workspaceId) || workspaceId < 1 || workspaceId >= KEYS)
    throw new RangeError(`Keys of workspaces are 1 to ${KEYS - 1}, not ${workspaceId}`);
  let rest = workspaceId;
  let prefix = "";
  for (let place = 0; place < KEY_LENGTH; place += 1) {
    prefix = `${ALPHABET[rest % ALPHABET.length]}${prefix}`;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return prefix;
}

/** The key in the first five of `length` characters; null for anything else. */
function keyIn(text: string, length: number): number | null {
  if (text.length !== length) return null;
  let value = 0;
  for (const [place, character] of [...text].entries()) {
    const digit = DIGITS.get(character);
    if (digit === undefined) return null;
    if (place < KEY_LENGTH) value = value * ALPHABET.length + digit;
  }
  return value === 0 ? null : value;
}

const ID_LENGTH = 12;
const CODE_LENGTH = 24;
const random = customAlphabet(ALPHABET);

/** A new identifier for an object outside of any workspace, such as an account or a token. */
export const newPublicId = (): string => random(ID_LENGTH);

/** A new identifier for an object in a workspace. @throws RangeError for a number that is no key. */
export const newPublicIdIn = (workspaceId: number): string => prefixOf(workspaceId) + random(ID_LENGTH - KEY_LENGTH);

/** A new invitation code of a workspace, 24 characters. */
export const newInviteCodeIn = (workspaceId: number): string =>
  prefixOf(workspaceId) + random(CODE_LENGTH - KEY_LENGTH);

/** The key of the workspace that an identifier belongs to, which need not exist; null for an invalid identifier. */
export const workspaceOf = (publicId: string): number | null => keyIn(publicId, ID_LENGTH);

/** The key of the workspace that an invitation code belongs to, which need not exist; null for an invalid code. */
export const workspaceOfCode = (code: string): number | null => keyIn(code, CODE_LENGTH);
