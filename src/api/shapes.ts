// The shapes every operation shares (contract section 1): identifiers, text, instants, pages. A limit that JSON Schema
// can state stands in the document; lengths count Unicode code points, as JSON Schema does.

import { z } from "zod";
import { INSTANT_PATTERN, readInstant } from "./instants.js";

/** Text without NUL and lone surrogates, as a pattern for the document (read with the `u` flag). */
const TEXT_PATTERN = "^[^\\u0000\\uD800-\\uDFFF]*$";
/** The same with at least one character that is not white space. */
const FILLED_TEXT_PATTERN = "^[^\\u0000\\uD800-\\uDFFF]*[^\\s\\u0000\\uD800-\\uDFFF][^\\u0000\\uD800-\\uDFFF]*$";

const isText = (value: string) => !value.includes("\0") && value.isWellFormed();

function hasAtMost(value: string, codePoints: number): boolean {
  if (value.length <= codePoints) return true;
  return value.length <= 2 * codePoints && [...value].length <= codePoints;
}

function hasAtLeast(value: string, codePoints: number): boolean {
  return value.length >= 2 * codePoints || [...value].length >= codePoints;
}

const text = (minimum: number, maximum: number) =>
  z
    .string()
    .refine(isText, "Must not contain NUL or lone surrogates")
    .refine((value) => hasAtLeast(value, minimum), `Must have at least ${minimum} characters`)
    .refine((value) => hasAtMost(value, maximum), `Must have at most ${maximum} characters`)
    .meta({ ...(minimum > 0 && { minLength: minimum }), maxLength: maximum, pattern: TEXT_PATTERN });

/** Text kept as sent, `minimum` to `maximum` code points. */
export const Text = text;

/** A name or title: trimmed, then 1 to `maximum` code points. */
export const Name = (maximum: number) =>
  z
    .string()
    .trim()
    .refine(isText, "Must not contain NUL or lone surrogates")
    .refine((value) => value !== "", "Must not be empty")
    .refine((value) => hasAtMost(value, maximum), `Must have at most ${maximum} characters`)
    .meta({ minLength: 1, maxLength: maximum, pattern: FILLED_TEXT_PATTERN });

/** An identifier as input: 12 to 64 characters; what it names, a guard decides. */
export const PublicId = text(12, 64);
/** A checklist's identifier: exactly 12 characters (specification, Resources). */
export const ChecklistId = text(12, 12);

/** An instant as input; becomes ISO 8601 UTC with milliseconds. */
export const Instant = z
  .string()
  .refine((value) => readInstant(value) !== null, "Must be an ISO 8601 date-time with a zone, or a date")
  .overwrite((value) => readInstant(value) ?? value)
  .meta({ pattern: INSTANT_PATTERN, examples: ["2026-11-20T09:30:00.000Z", "2026-11-20"] });

/** An instant in answers. */
export const Timestamp = z.string().meta({ format: "date-time", examples: ["2026-11-20T09:30:00.000Z"] });

/** A colour, `#rrggbb`. */
export const Colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "Must be a colour such as #1f6feb");

const SLUG = /^(?![-]+$)[a-zA-Z0-9-]+$/;
/** A slug as input: 3 to 60 characters of letters, digits and hyphens, not only hyphens. */
export const Slug = z.string().min(3).max(60).regex(SLUG, "Must be letters, digits and hyphens, and not only hyphens");

/** A zero-based place among siblings; one beyond the end means the end. */
export const Index = z.int().min(0).max(2_147_483_647);

export const Priority = z.enum(["low", "medium", "high", "urgent", "none"]);
export const Role = z.enum(["admin", "member", "guest"]);
export const Visibility = z.enum(["workspace", "private", "public"]);

export const CardTitle = Name(2000);
export const CardDescription = Text(0, 50_000);
export const ListName = Name(255);
export const BoardName = Name(255);
export const LabelName = Name(64);

/** `{ success: true }`, the answer of an operation that has nothing to tell. */
export const Ok = z.object({ success: z.literal(true) });
export const ok = { success: true } as const;

/** The number of cards a bulk call was given. */
export const Count = z.object({ count: z.int().min(0).max(2_147_483_647) });

/** The two fields of a paged query (contract section 1): at most `limit` items from `cursor` on. */
export const pageInput = {
  limit: z.int().min(1).max(100).default(50),
  cursor: Text(1, 200).optional(),
};

/** A page of an unbounded list; `nextCursor` is null at its end. */
export const page = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

/** Where to resume a stream: the id of an item of it, as the header `Last-Event-ID` has it. */
export const LastEventId = z.string().regex(/^(?:0|[1-9]\d{0,14})$/, "Is not the id of an event of this stream");

/** A label or a tag. */
export const Label = z.object({ publicId: z.string(), name: z.string(), colourCode: z.string() });
/** A person as cards and events show them. */
export const Person = z.object({ publicId: z.string(), name: z.string(), image: z.string().nullable() });
/** A person's place in a workspace; `email` is null where the caller may not see it. */
export const Member = Person.extend({
  email: z.string().nullable(),
  role: Role,
  status: z.enum(["active", "invited"]),
});

/** Sorts by name as a person would, alike on every database. */
const collator = new Intl.Collator("en", { numeric: true });
export const byName = (a: { name: string; publicId: string }, b: { name: string; publicId: string }) =>
  collator.compare(a.name, b.name) || (a.publicId < b.publicId ? -1 : 1);
