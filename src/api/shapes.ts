// The shapes that all operations share (contract section 1): identifiers, text, instants, pages. Limits that JSON Schema can
// express are in the document; lengths count Unicode code points, as JSON Schema does.

import { z } from "zod";
import { INSTANT_PATTERN, isDay, readInstant } from "../db/instants.js";

const counted = (characters: number) => (characters === 1 ? "1 character" : `${characters} characters`);

/** Text without NUL and lone surrogates, as a pattern for the document (read with the `u` flag). */
const TEXT_PATTERN = "^[^\\u0000\\uD800-\\uDFFF]*$";
/** `TEXT_PATTERN` with at least one character that is not white space. */
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
    .refine((value) => hasAtLeast(value, minimum), `Must have at least ${counted(minimum)}`)
    .refine((value) => hasAtMost(value, maximum), `Must have at most ${counted(maximum)}`)
    .meta({ ...(minimum > 0 && { minLength: minimum }), maxLength: maximum, pattern: TEXT_PATTERN });

/** Text that is stored as sent, `minimum` to `maximum` code points. */
export const Text = text;

/** A name or title: trimmed, then 1 to `maximum` code points. */
export const Name = (maximum: number) =>
  z
    .string()
    .trim()
    .refine(isText, "Must not contain NUL or lone surrogates")
    .refine((value) => value !== "", "Must not be empty")
    .refine((value) => hasAtMost(value, maximum), `Must have at most ${counted(maximum)}`)
    .meta({ minLength: 1, maxLength: maximum, pattern: FILLED_TEXT_PATTERN });

/** An identifier as input: 12 to 64 characters; a guard looks it up. */
export const PublicId = text(12, 64);

const idOf = (thing: string, example: string) =>
  PublicId.meta({ description: `The identifier of the ${thing}.`, examples: [example] });

export const WorkspaceId = idOf("workspace", "4kTq8ZpWmX2c");
export const BoardId = idOf("board", "4kTq8hJ3sVbN");
export const ListId = idOf("list", "4kTq8Rw6yLpD");
export const CardId = idOf("card", "4kTq8Xc5nGaE");
export const LabelId = idOf("label", "4kTq8Mu7dKfS");
export const TagId = idOf("tag", "4kTq8Bz1oTqH");
export const MemberId = idOf("member of the workspace, which is not the identifier of the account", "4kTq8Vr9eJyC");
export const CommentId = idOf("comment", "4kTq8Pd4iWxL");
export const ItemId = idOf("checklist item", "4kTq8Ns2uFgA");
export const MeetingId = idOf("meeting", "4kTq8Yb8kQmR");
export const WebhookId = idOf("webhook", "4kTq8Ev3aHzU");
export const DeliveryId = idOf("delivery", "4kTq8Gt6wCoJ");
export const NotificationId = idOf("notification", "4kTq8Lf1xSnI");
export const TokenId = idOf("personal token", "s7Kd2mQx9RbT");
export const IdentityId = idOf("identity", "Vn5Rw8qLk3Yd");
export const SessionId = idOf("session", "Qh4Zt8bWn1Kc");
export const UserId = idOf("account", "m3Xw8RtZq1Lp");
/** A checklist's identifier: exactly 12 characters (specification, Resources). */
export const ChecklistId = text(12, 12).meta({
  description: "The identifier of the checklist.",
  examples: ["4kTq8Dj5vMwO"],
});

/** An instant as input; becomes ISO 8601 UTC with milliseconds. */
export const Instant = z
  .string()
  .refine((value) => readInstant(value) !== null, "Must be an ISO 8601 date-time with a zone, or a date")
  .overwrite((value) => readInstant(value) ?? value)
  .meta({
    description: "An ISO 8601 date-time with a zone, or a date, which means midnight UTC.",
    pattern: INSTANT_PATTERN,
    examples: ["2026-11-20T09:30:00.000Z", "2026-11-20"],
  });

/** A day or an instant as input: a day stays as it is (`2026-12-24`), and an instant becomes ISO 8601 UTC with milliseconds. */
export const DayOrInstant = z
  .string()
  .refine((value) => readInstant(value) !== null, "Must be a date, or an ISO 8601 date-time with a zone")
  .overwrite((value) => (isDay(value) ? value : (readInstant(value) ?? value)))
  .meta({
    description: "A day, which is the same date in every time zone, or an ISO 8601 date-time with a zone.",
    pattern: INSTANT_PATTERN,
    examples: ["2026-11-20", "2026-11-20T09:30:00.000Z"],
  });

/** An instant in answers. */
export const Timestamp = z.string().meta({
  id: "Timestamp",
  format: "date-time",
  description: "A time in UTC as ISO 8601, to the millisecond.",
  examples: ["2026-11-20T09:30:00.000Z"],
});

/** A colour, `#rrggbb`. */
export const Colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "Must be a colour such as #1f6feb");

const SLUG = /^(?![-]+$)[a-zA-Z0-9-]+$/;
/** A slug as input: 3 to 60 characters of letters, digits and hyphens, not only hyphens. */
export const Slug = z
  .string()
  .min(3)
  .max(60)
  .regex(SLUG, "Must be letters, digits and hyphens, and not only hyphens")
  .meta({ description: "A name for URLs, of letters, digits and hyphens." });

/** A zero-based position among siblings; an index beyond the end means the end. */
export const Index = z
  .int()
  .min(0)
  .meta({ description: "The zero-based position. An index beyond the end means the end." });

/** The number of a card in its workspace. */
export const CardNumber = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .meta({ description: "The number of the card in the workspace. People refer to it as `PREFIX-12`." });

export const Priority = z.enum(["low", "medium", "high", "urgent", "none"]);
export const Role = z.enum(["admin", "member", "guest"]);
export const Visibility = z.enum(["workspace", "private", "public"]);

/** The maximum lengths of texts, in code points. Imports cut texts to these lengths. */
export const LENGTHS = {
  title: 2000,
  description: 50_000,
  /** Of a board, a list, a checklist or a person. */
  name: 255,
  label: 64,
  item: 500,
  comment: 20_000,
} as const;

export const CardTitle = Name(LENGTHS.title);
export const CardDescription = Text(0, LENGTHS.description);
export const ListName = Name(LENGTHS.name);
export const BoardName = Name(LENGTHS.name);
export const LabelName = Name(LENGTHS.label);
export const ChecklistName = Name(LENGTHS.name);
export const ItemTitle = Name(LENGTHS.item);
export const CommentText = Text(1, LENGTHS.comment);

/** `{ success: true }`, the response of an operation without a result. */
export const Ok = z.object({ success: z.literal(true) }).meta({ id: "Success", description: "The call succeeded." });
export const ok = { success: true } as const;

/** A count. */
export const Count = z
  .object({ count: z.int().min(0).max(2_147_483_647).meta({ description: "How many exist or were changed." }) })
  .meta({ id: "Count", description: "A count." });

/** The two fields of a paged query (contract section 1): at most `limit` items from `cursor` on. */
export const pageInput = {
  limit: z.int().min(1).max(100).default(50).meta({ description: "The maximum number of items per page." }),
  cursor: Text(1, 200)
    .meta({ description: "`nextCursor` of the page before. Leave it out for the first page." })
    .optional(),
};

/** A page of an unbounded list, as the component `name`; `nextCursor` is null at its end. */
export const page = <T extends z.ZodType>(name: string, item: T) =>
  z
    .object({
      items: z.array(item),
      nextCursor: z.string().nullable().meta({ description: "The `cursor` of the next page; null on the last page." }),
    })
    .meta({ id: name, description: "One page of a list." });

/** The position of an answer in the log of its workspace (clients section 1). */
export const EventId = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
  description:
    "The number of the last event of the workspace when this was read: every event up to it is in the answer, and none after it.",
});

/** The id of the item after which a stream resumes, as in the header `Last-Event-ID`. */
export const LastEventId = z.string().regex(/^(?:0|[1-9][0-9]{0,14})$/, "Must be the id of an event of this stream");

const publicId = z.string();
const colourCode = z.string().meta({ description: "A colour as `#rrggbb`." });
const image = z.string().nullable().meta({ description: "The https URL of a picture, or null." });

/** A label of a board. */
export const Label = z
  .object({ publicId, name: z.string(), colourCode })
  .meta({ id: "Label", description: "A label of a board, which marks its cards." });
/** A tag of a workspace. */
export const Tag = z
  .object({ publicId, name: z.string(), colourCode })
  .meta({ id: "Tag", description: "A tag of a workspace, which marks its boards." });
/** A member of a workspace as cards show it. */
export const Person = z
  .object({ publicId: publicId.meta({ description: "The identifier of the member." }), name: z.string(), image })
  .meta({ id: "Person", description: "A member as cards show it." });
/** A person who acted or wrote in a workspace, to which they need not belong any longer. */
export const Actor = z
  .object({
    publicId: publicId.meta({ description: "The identifier of the account." }),
    name: z.string(),
    image,
    memberPublicId: z.string().nullable().meta({
      description: "The identifier of the person as a member of the workspace; null for somebody who left.",
    }),
  })
  .meta({ id: "Actor", description: "A person who acted or wrote." });
/** A person's membership in a workspace; `email` is null if the caller may not see it. */
export const Member = z
  .object({
    publicId,
    name: z.string().meta({ description: "`Invited` until the person accepts the invitation." }),
    image,
    email: z.string().nullable().meta({
      description: "The address of the account, or of the invitation. Null if the caller may not see it.",
    }),
    role: Role,
    status: z.enum(["active", "invited"]).meta({ description: "`invited` until the person accepts the invitation." }),
  })
  .meta({ id: "Member", description: "A member of a workspace." });

/** Sorts by name in natural order, in the same way on every database. */
const collator = new Intl.Collator("en", { numeric: true });
export const byName = (a: { name: string; publicId: string }, b: { name: string; publicId: string }) =>
  collator.compare(a.name, b.name) || (a.publicId < b.publicId ? -1 : 1);
