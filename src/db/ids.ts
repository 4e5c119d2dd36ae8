// Public identifiers and codes (contract section 1; capabilities section 0, Identifiers): random characters of 0-9A-Za-z. An
// identifier in a workspace begins with the workspace's key, encoded in five characters that reveal neither the number nor the
// order of workspaces.

import { customAlphabet } from "nanoid";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));
const KEY_LENGTH = 5;
/** Keys are 0 to KEYS - 1: as many as five characters can tell apart. */
const KEYS = ALPHABET.length ** KEY_LENGTH;

const HALF_BITS = 15;
const HALF = 2 ** HALF_BITS - 1;
/** Any constants work; changing one would make every existing identifier refer to another workspace. */
const ROUND_KEYS = [0x2c1b3c6d, 0x297a2d39, 0x5bd1e995, 0x1b873593];

function mixed(half: number, key: number): number {
  const product = Math.imul(half ^ (key & HALF), key | 1);
  return (product ^ (product >>> 13)) & HALF;
}

/** Four Feistel rounds: a permutation of 30 bits, whatever `mixed` is. */
function permuted(value: number, keys: readonly number[]): number {
  let left = value >>> HALF_BITS;
  let right = value & HALF;
  for (const key of keys) [left, right] = [right, left ^ mixed(right, key)];
  return (right << HALF_BITS) | left;
}

/** 30 bits hold slightly more values than KEYS: results beyond it are permuted again until one is in range. */
function walked(value: number, keys: readonly number[]): number {
  let result = permuted(value, keys);
  while (result >= KEYS) result = permuted(result, keys);
  return result;
}

const INVERSE_KEYS = ROUND_KEYS.toReversed();

const isKey = (key: number) => Number.isInteger(key) && key >= 0 && key < KEYS;

/**
 * The five characters that encode a workspace's key.
 * @throws RangeError for a key beyond 62^5 - 1.
 */
function prefixOf(workspaceId: number): string {
  if (!isKey(workspaceId)) throw new RangeError(`Workspace keys end at ${KEYS - 1}: ${workspaceId} has no identifiers`);
  let rest = walked(workspaceId, ROUND_KEYS);
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
  return walked(value, INVERSE_KEYS);
}

const ID_LENGTH = 12;
const CODE_LENGTH = 24;
const random = customAlphabet(ALPHABET);

/** A new identifier for an object outside of any workspace, such as an account or a token. */
export const newPublicId = (): string => random(ID_LENGTH);

/**
 * A new identifier for an object in a workspace.
 * @throws RangeError for a key beyond 62^5 - 1.
 */
export const newPublicIdIn = (workspaceId: number): string => prefixOf(workspaceId) + random(ID_LENGTH - KEY_LENGTH);

/** A new invitation code of a workspace, 24 characters. */
export const newInviteCodeIn = (workspaceId: number): string =>
  prefixOf(workspaceId) + random(CODE_LENGTH - KEY_LENGTH);

/** The key of the workspace that an identifier belongs to, which need not exist; null for an invalid identifier. */
export const workspaceOf = (publicId: string): number | null => keyIn(publicId, ID_LENGTH);

/** The key of the workspace that an invitation code belongs to, which need not exist; null for an invalid code. */
export const workspaceOfCode = (code: string): number | null => keyIn(code, CODE_LENGTH);
