// Cursors: where a page ended, opaque to whoever passes them back.

import { badRequest } from "./errors.js";
import { readInstant } from "./instants.js";

const wrongCursor = () => badRequest("Is not a cursor of this list", "cursor");

/** Packs the values that the order of a list is made of. */
export const cursorOf = (...values: string[]) => Buffer.from(JSON.stringify(values)).toString("base64url");

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return null;
  }
}

/**
 * Unpacks what `cursorOf` packed.
 * @throws BAD_REQUEST for anything that is not such a cursor of `length` values.
 */
export function readCursor(cursor: string, length: number): string[] {
  const values = parse(cursor);
  const isCursor = (parsed: unknown): parsed is string[] =>
    Array.isArray(parsed) && parsed.length === length && parsed.every((value) => typeof value === "string");
  if (!isCursor(values)) throw wrongCursor();
  return values;
}

const IDENTIFIER = /^[0-9A-Za-z]{12}$/;

/** Unpacks the cursor of a list that is ordered by an instant, then by public identifier; nulls where none is given. */
export function readInstantCursor(cursor: string | undefined): [instant: string | null, publicId: string | null] {
  if (cursor === undefined) return [null, null];
  const [instant = "", publicId = ""] = readCursor(cursor, 2);
  if (readInstant(instant) === null || !IDENTIFIER.test(publicId)) throw wrongCursor();
  return [instant, publicId];
}

/** Unpacks the cursor of a list that is ordered by a number from 1 to 2^53 - 1; null where none is given. */
export function readNumberCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const [digits = ""] = readCursor(cursor, 1);
  if (!/^[1-9]\d{0,15}$/.test(digits) || Number(digits) > Number.MAX_SAFE_INTEGER) throw wrongCursor();
  return Number(digits);
}
