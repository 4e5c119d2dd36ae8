// Plain messages for every kind of issue that zod finds in an input. A message that a schema states itself takes
// precedence.

import { z } from "zod";
import { nearestName } from "../nearestName.js";

/** Values by the names that zod has for their types. */
const TYPES: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

const typeNamed = (expected: string) => TYPES[expected] ?? expected;

/** The unit in which the size of a value is counted; numbers have none. */
const UNITS: Record<string, readonly [one: string, many: string]> = {
  string: ["character", "characters"],
  array: ["item", "items"],
  set: ["item", "items"],
  map: ["entry", "entries"],
};

/** A limit in the unit of its value, such as `Must have at most 3 items`, or `Must be at least 1`. */
function limitOf(origin: string, bound: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `Must be ${bound} ${limit}`;
  return `Must have ${bound} ${limit} ${unit[Number(limit) === 1 ? 0 : 1]}`;
}

const listOf = (values: readonly unknown[]) =>
  values.map((value) => (typeof value === "string" ? JSON.stringify(value) : String(value))).join(", ");

/** Forms of text for which a schema need not state a message. */
const FORMATS: Record<string, string> = {
  email: "Must be an e-mail address",
  url: "Must be a URL",
  datetime: "Must be an ISO 8601 date-time",
  date: "Must be a date such as 2026-11-20",
};

/** Names the forms of a union if each is a type, such as a number or an array of numbers. */
function formsOf(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const types = errors.map(([first]) =>
    first?.code === "invalid_type" && first.path.length === 0 ? typeNamed(first.expected) : null,
  );
  return types.length > 0 && !types.includes(null) ? `Must be ${types.join(" or ")}` : "Fits none of the allowed forms";
}

/** Zod drops the schema from an issue when it states the message, and one issue has all unknown keys of an object. */
const knownNames = new WeakMap<readonly string[], readonly string[]>();

/** The message for an unknown name, with the known one that it may be meant for. */
export function unknownName(what: "field" | "parameter", name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? `Unknown ${what}` : `Unknown ${what}. Do you mean ${nearest}?`;
}

/** The message for one of the unknown keys of an issue. */
export const unknownKey = (keys: readonly string[], key: string) =>
  unknownName("field", key, knownNames.get(keys) ?? []);

/** The message of an issue that has none yet. */
export function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "Required" : `Must be ${typeNamed(issue.expected)}`;
    case "invalid_value":
      if (issue.input === undefined) return "Required";
      return `Must be ${issue.values.length === 1 ? "" : "one of "}${listOf(issue.values)}`;
    case "invalid_union":
      return issue.input === undefined ? "Required" : formsOf(issue.errors);
    case "too_big":
      return limitOf(issue.origin, issue.exact ? "exactly" : issue.inclusive ? "at most" : "less than", issue.maximum);
    case "too_small":
      return limitOf(issue.origin, issue.exact ? "exactly" : issue.inclusive ? "at least" : "more than", issue.minimum);
    case "invalid_format":
      return FORMATS[issue.format] ?? "Has the wrong form";
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      if (issue.inst instanceof z.ZodObject) knownNames.set(issue.keys, Object.keys(issue.inst.shape));
      return "Unknown field";
    case "invalid_key":
      return "Has a field whose name has the wrong form";
    case "invalid_element":
      return "Has an item of the wrong form";
    default:
      return "Has the wrong form";
  }
}
