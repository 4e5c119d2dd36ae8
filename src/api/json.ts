// Reads JSON text as the contract requires: no keys that would reach a prototype, no nesting deeper than 100 levels. Texts that take
// long to work on for their size are refused before they are parsed.

import secureJson from "secure-json-parse";
import { badRequest } from "./errors.js";

/** Whether a value is an object of JSON. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const DEPTH_MAX = 100;
/** More than any object of an input has. Parsing and copying objects of very many names takes seconds. */
const NAMES_MAX = 1000;
/** Inputs of the largest size have fewer values. A value takes far more memory than the two bytes that it can be written in. */
const BYTES_PER_VALUE = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
/** Brackets and braces differ in one bit, so one comparison matches both. */
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The text of a body. @throws BAD_REQUEST when it is not UTF-8. */
export function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest("The body is not UTF-8");
  }
}

/**
 * Parses JSON that may have `bytesMax`. @throws BAD_REQUEST for other text, keys that reach a prototype, and what `mustBeBounded`
 * refuses.
 */
export function parseJson(text: string, bytesMax: number): unknown {
  mustBeBounded(text, bytesMax);
  try {
    return secureJson.parse(text, null, { protoAction: "error", constructorAction: "error" });
  } catch {
    throw badRequest("The body is not valid JSON, or has a forbidden key such as __proto__");
  }
}

/** The position of the quote that ends the string which begins at `start`; the end of the text where none does. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/**
 * Checks the text for nesting, fields of an object, and values for the size that it may have, since each of them harms code that
 * walks the value. @throws BAD_REQUEST
 */
function mustBeBounded(text: string, bytesMax: number): void {
  const valuesMax = bytesMax / BYTES_PER_VALUE;
  let values = 1;
  // Of the innermost object that is open, and of those around it; arrays have none.
  let names = Number.NEGATIVE_INFINITY;
  const outer: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(text, index);
    else if (code === COMMA) {
      values += 1;
      names += 1;
    } else if ((code | BRACE_BIT) === OPENING) {
      values += 1;
      outer.push(names);
      names = code === OPENING ? 1 : Number.NEGATIVE_INFINITY;
      if (outer.length > DEPTH_MAX) throw badRequest(`The body is nested deeper than ${DEPTH_MAX} levels`);
    } else if ((code | BRACE_BIT) === CLOSING) names = outer.pop() ?? Number.NEGATIVE_INFINITY;
    if (names > NAMES_MAX) throw badRequest(`An object in the body has more than ${NAMES_MAX} fields`);
    if (values > valuesMax) throw badRequest(`The body has more than ${valuesMax} values`);
  }
}
