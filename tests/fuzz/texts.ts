// Arbitrary text that a JSON Schema allows. Lengths count code points, as JSON Schema does.

import fc from "fast-check";
import { type Schema, violationOf } from "./document.js";

/** One code point each, of the kinds that have broken programs before. */
const TROUBLE = [
  ..." \t\n\r\u0001\u007f\u0085\u00a0\u200b\u200f\u202e\u2028\ufeff\ufffd",
  ..."אבגשלום\u202bمرحبا",
  ..."e\u0301ßİıſŒ字ก้😀👩🏽𝒳\u{10ffff}",
  ..."%_\\'\"`{}[]()<>/?#&+=;:,.|*$@!~^-",
];

const codePoint = fc.oneof(
  { arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }), weight: 4 },
  { arbitrary: fc.constantFrom(...TROUBLE), weight: 3 },
  {
    arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).map((text) => (text === "\0" ? "0" : text)),
    weight: 1,
  },
);

/** The longest text that is made to try a limit; what is allowed beyond that is not tried. */
const LONGEST = 60_000;
const USUAL = 24;

function lengthOf(minimum: number, maximum: number): fc.Arbitrary<number> {
  const usual = Math.min(maximum, minimum + USUAL);
  const lengths = fc.integer({ min: minimum, max: usual });
  if (maximum > LONGEST) return lengths;
  return fc.oneof({ arbitrary: lengths, weight: 8 }, fc.constantFrom(minimum, maximum));
}

/** A text of so many code points, a short one again and again where it is long. */
function repeated(base: string, length: number): string {
  const points = [...base];
  return Array.from({ length }, (_, place) => points[place % points.length]).join("");
}

const free = (minimum: number, maximum: number) =>
  fc
    .tuple(
      fc.string({ unit: codePoint, minLength: 1, maxLength: USUAL * 2 }),
      lengthOf(minimum, Math.max(minimum, maximum)),
    )
    .map(([base, length]) => repeated(base, length));

const LOOKAROUND = /\(\?<?[=!](?:[^()\\]|\\.|\[(?:[^\]\\]|\\.)*\])*\)/g;

const DATES = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());

/** What a format wants, where a pattern does not say it. */
const FORMATS: Record<string, fc.Arbitrary<string>> = {
  date: DATES.map((text) => text.slice(0, 10)),
  "date-time": DATES,
  email: fc.emailAddress(),
  uri: fc.webUrl(),
  uuid: fc.uuid(),
};

/** Enough of what is drawn fits, so that filtering it costs little. */
function fitsOften(arbitrary: fc.Arbitrary<string>, schema: Schema): boolean {
  const drawn = fc.sample(arbitrary, { numRuns: 40, seed: 1 });
  return drawn.filter((text) => violationOf(schema, text) === null).length >= 10;
}

const known = new Map<Schema, fc.Arbitrary<string>>();

/**
 * Text that a schema allows. `short` keeps it so, where there is much of it.
 * @throws Error where no way to make such text is known.
 */
export function textOf(schema: Schema, short = false): fc.Arbitrary<string> {
  const found = short ? undefined : known.get(schema);
  if (found !== undefined) return found;
  const { minLength = 0, maxLength = LONGEST + 1, pattern, format } = schema;
  const limit = short ? Math.min(maxLength, minLength + USUAL) : maxLength;
  const ofFormat = format === undefined ? undefined : FORMATS[format];
  // Made one by one: not every pattern can be drawn from, and that of addresses has all letters of Unicode, which takes minutes.
  const makers = [
    ...(ofFormat === undefined ? [] : [() => ofFormat]),
    () => free(minLength, limit),
    ...(pattern?.includes("@") ? [() => fc.emailAddress()] : []),
    ...(pattern === undefined ? [] : [() => fc.stringMatching(new RegExp(pattern.replace(LOOKAROUND, ""), "u"))]),
  ];
  let fitting: fc.Arbitrary<string> | undefined;
  for (const make of makers) {
    const arbitrary = make();
    if (!fitsOften(arbitrary, schema)) continue;
    fitting = arbitrary;
    break;
  }
  if (fitting === undefined) throw new Error(`No way to make text for ${JSON.stringify(schema)}`);
  const made = fitting.filter((text) => violationOf(schema, text) === null);
  if (!short) known.set(schema, made);
  return made;
}
