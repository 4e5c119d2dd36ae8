// Arbitrary values that a JSON Schema of the document allows, with its bounds tried on purpose.

import fc from "fast-check";
import { resolved, type Schema, violationOf } from "./document.js";
import { textOf } from "./texts.js";

/** How values of some fields are made, where a schema cannot say it all; undefined: from the schema. */
export type Override = (path: readonly string[], schema: Schema) => fc.Arbitrary<unknown> | undefined;

interface Place {
  path: readonly string[];
  override: Override;
  /** Inside a long array everything is short. */
  isShort: boolean;
  /** Every field of every object is there. */
  isWhole: boolean;
}

const USUAL_ITEMS = 4;
/** The most items that are made to try a limit. */
const MOST_ITEMS = 2000;

function numberOf({ type, minimum = -1e6, maximum = 1e6 }: Schema): fc.Arbitrary<number> {
  const bounds = fc.constantFrom(minimum, maximum, ...(minimum <= 0 && maximum >= 0 ? [0, -0] : []));
  const inner =
    type === "integer"
      ? fc.integer({ min: minimum, max: maximum })
      : fc.double({ min: minimum, max: maximum, noNaN: true });
  const small = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 10) });
  return fc.oneof(inner, small, bounds);
}

/** As many as a schema allows at most, by giving the same again. */
const again = (items: unknown[], length: number) => Array.from({ length }, (_, index) => items[index % items.length]);

function arrayOf(schema: Schema, place: Place): fc.Arbitrary<unknown[]> {
  const { items = {}, prefixItems, minItems = 0, maxItems = USUAL_ITEMS, uniqueItems = false } = schema;
  if (prefixItems !== undefined) return fc.tuple(...prefixItems.map((item) => anyOfSchema(item, place)));
  const usual = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, USUAL_ITEMS)) };
  if (uniqueItems) {
    return fc.uniqueArray(anyOfSchema(items, place), { ...usual, selector: (item) => JSON.stringify(item) });
  }
  const few = fc.array(anyOfSchema(items, place), usual);
  if (place.isShort || maxItems === 0 || maxItems > MOST_ITEMS) return few;
  const short = fc.array(anyOfSchema(items, { ...place, isShort: true }), { minLength: 1, maxLength: USUAL_ITEMS });
  return fc.oneof(
    { arbitrary: few, weight: 12 },
    short.map((made) => again(made, maxItems)),
  );
}

/** Keys that no body may hold, which are drawn now and then. */
const REFUSED_NAMES = ["__proto__", "constructor"];

const holdsRefused = (value: unknown): boolean =>
  REFUSED_NAMES.some((name) => JSON.stringify(value).includes(`${JSON.stringify(name)}:`));

function objectOf(schema: Schema, place: Place): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties, propertyNames = { type: "string" } } = schema;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [
      name,
      anyOfSchema(inner, { ...place, path: [...place.path, name] }),
    ]),
  );
  const known = fc.record(fields, {
    requiredKeys: place.isWhole ? Object.keys(fields) : required.filter((name) => name in fields),
    noNullPrototype: true,
  });
  if (typeof additionalProperties !== "object") return known;
  const named = textOf({ ...resolved(propertyNames), maxLength: resolved(propertyNames).maxLength ?? 40 }, true);
  const names = named.filter((name) => !REFUSED_NAMES.includes(name));
  const others = fc.dictionary(names, anyOfSchema(additionalProperties, { ...place, isShort: true }), {
    maxKeys: USUAL_ITEMS,
    noNullPrototype: true,
  });
  return fc.tuple(others, known).map(([more, stated]) => ({ ...more, ...stated }));
}

function formOf(schema: Schema, place: Place): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case "string":
      return textOf(schema, place.isShort);
    case "integer":
    case "number":
      return numberOf(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return arrayOf(schema, place);
    case "object":
      return objectOf(schema, place);
    default:
      return fc.jsonValue({ maxDepth: 2 }).filter((value) => !holdsRefused(value));
  }
}

export function anyOfSchema(given: Schema, place: Place): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  const stated = place.override(place.path, schema);
  if (stated !== undefined) return stated;
  const { anyOf, oneOf, allOf, type, ...rest } = schema;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const forms = anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((one) => ({ ...rest, type: one })) : undefined);
  if (forms !== undefined) {
    const made = fc.oneof(...forms.map((form) => anyOfSchema(form, place)));
    return oneOf === undefined ? made : made.filter((value) => violationOf(schema, value) === null);
  }
  if (allOf !== undefined) return anyOfSchema(Object.assign({ ...rest, type }, ...allOf.map(resolved)), place);
  return formOf(schema, place);
}
