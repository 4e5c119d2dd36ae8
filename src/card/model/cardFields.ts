// The description of a card's own fields. Guards, inputs, responses, board files, creation, edits, copies, filters and events of
// cards are derived from it.

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { CardDescription, CardTitle, DayOrInstant, Instant, Priority, Timestamp } from "../../api/shapes.js";
import { isDay } from "../../db/instants.js";
import { card } from "../../db/schema/index.js";

type Row = typeof card.$inferSelect;

/**
 * The uses of a field. `edited`: calls that create or update a card give it, and `card.updated` has its changes.
 * `editedInBulk`: many cards are given the same value at once. `copied`: a copy of a card has it; other fields of a copy begin as on
 * a new card. `filed`: board files hold it. `filtered`: boards and calendars are filtered by its value.
 */
type Use = "edited" | "editedInBulk" | "copied" | "filed" | "filtered";

interface Field<Value> {
  /** A value in calls and board files. Whether it may be null, the column says. */
  input: z.ZodType<Value>;
  /** A value in answers. */
  output: z.ZodType<Value>;
  /** The value of a card that is made without one. A column that takes null begins with null; any other without this is required. */
  initial?: Value;
  uses: readonly Use[];
  /** Board files of earlier versions lack it. */
  isLater?: true;
}

/** The fields by the name that they have in the table, in calls, in files and in events; in the order in which answers show them. */
const FIELDS = {
  title: { input: CardTitle, output: z.string(), uses: ["edited", "copied", "filed"] },
  description: {
    input: CardDescription.meta({
      description: "Text. `@[any label](memberPublicId)` and `@name@example.org` mention people.",
    }),
    output: z.string(),
    initial: "",
    uses: ["edited", "copied", "filed"],
  },
  dueDate: {
    input: DayOrInstant.meta({
      description:
        "When the card is due: a day such as `2026-12-24`, which is the same date in every time zone, or an ISO 8601 date-time with a zone; null for never.",
    }),
    output: Timestamp.meta({
      description: "When the card is due: an instant, or midnight UTC of a day; null for never.",
    }),
    uses: ["edited", "editedInBulk", "copied", "filed"],
  },
  // Calls set it by the form of `dueDate`.
  dueHasTime: {
    input: z.boolean().meta({ description: "False if `dueDate` is a day, without a time." }),
    output: z.boolean().meta({
      description:
        "Whether `dueDate` is an instant. False for a day, which is its UTC date in every time zone, and for a card that is never due.",
    }),
    initial: false,
    uses: ["copied", "filed"],
    isLater: true,
  },
  // Edits set it by `completed`; it has events of its own.
  completedAt: {
    input: Instant.meta({ description: "When the card was completed; null while it is open." }),
    output: Timestamp.meta({ description: "When the card was completed; null while it is open." }),
    uses: ["copied", "filed"],
  },
  priority: {
    input: Priority,
    output: Priority,
    initial: "none",
    uses: ["edited", "editedInBulk", "copied", "filed", "filtered"],
  },
} as const satisfies { [Name in keyof Row]?: Field<NonNullable<Row[Name]>> };

type Fields = typeof FIELDS;

/** The name of a field. */
export type CardField = keyof Fields;

/** The fields of a card as they are stored. */
export type CardValues = Pick<Row, CardField>;

type Using<U extends Use> = { [Name in CardField]: U extends Fields[Name]["uses"][number] ? Name : never }[CardField];
type Optional = {
  [Name in CardField]: null extends Row[Name] ? Name : Fields[Name] extends { initial: unknown } ? Name : never;
}[CardField];

type Later = { [Name in CardField]: Fields[Name] extends { isLater: true } ? Name : never }[CardField];

/** Some fields, each given or not. */
type SomeValues<Name extends CardField = CardField> = { [Key in Name]?: CardValues[Key] | undefined };
/** The values that a card is made with: the required fields, and any of the others. */
export type CardInput = Omit<CardValues, Optional> & SomeValues<Optional>;
/** The values that an edit of a card may give. */
export type EditedValues = SomeValues<Using<"edited">>;
/** The values by which cards are filtered. */
export type FieldFilter = SomeValues<Using<"filtered">>;

/** The keys of an object literal, which has no others than its type. */
const keysOf = <Literal extends object>(literal: Literal) => Object.keys(literal) as (keyof Literal)[];

/** Fills an object by its keys. Its author's type says what `of` gives for each. */
export function filled<Filled extends object>(
  keys: readonly (keyof Filled)[],
  of: (key: keyof Filled) => unknown,
): Filled {
  const object: { [Key in keyof Filled]?: unknown } = {};
  for (const key of keys) object[key] = of(key);
  return object as Filled;
}

/** All fields. */
export const CARD_FIELDS: readonly CardField[] = keysOf(FIELDS);

const isUsed = (name: CardField, use: Use) => FIELDS[name].uses.some((one) => one === use);
const using = <U extends Use>(use: U) => CARD_FIELDS.filter((name): name is Using<U> => isUsed(name, use));

/** The fields that an edit of a card may give. */
export const EDITED_FIELDS = using("edited");
/** The fields that board files hold. */
export const FILED_FIELDS = using("filed");
const FILTERED_FIELDS = using("filtered");

/** Some of the fields of whatever has them. */
export const fieldsOf = <Name extends CardField, Values extends { [Key in Name]?: unknown }>(
  values: Values,
  names: readonly Name[],
) => filled<Pick<Values, Name>>(names, (name) => values[name]);

/** All fields of a card. */
export const cardValues = (values: CardValues): CardValues => fieldsOf(values, CARD_FIELDS);

const initialOf = (name: CardField) => {
  const field: Field<unknown> = FIELDS[name];
  return field.initial ?? null;
};

const MIDNIGHT = "T00:00:00.000Z";

/**
 * Values as they are stored. A due date that is given as a day becomes midnight UTC without a time. An instant has a time, unless it is
 * midnight UTC and `dueHasTime` is false, as in files.
 */
export function storedValues<Values extends SomeValues>(values: Values): Values & SomeValues<"dueDate" | "dueHasTime"> {
  const { dueDate, dueHasTime = true } = values;
  if (dueDate === undefined) return values;
  if (dueDate === null) return { ...values, dueHasTime: false };
  if (isDay(dueDate)) return { ...values, dueDate: `${dueDate}${MIDNIGHT}`, dueHasTime: false };
  return { ...values, dueHasTime: dueHasTime || !dueDate.endsWith(MIDNIGHT) };
}

/** The fields of a new card, those that are not given with their initial values. */
export function newCardValues(input: CardInput): CardValues {
  const values: SomeValues = storedValues(input);
  return filled(CARD_FIELDS, (name) => (values[name] === undefined ? initialOf(name) : values[name]));
}

/** The fields of a copy of a card. */
export const copiedValues = (values: CardValues): CardValues =>
  filled(CARD_FIELDS, (name) => (isUsed(name, "copied") ? values[name] : initialOf(name)));

/** The columns of some fields. */
export const fieldColumns = <Name extends CardField>(names: readonly Name[]) =>
  filled<{ [Key in Name]: (typeof card)[Key] }>(names, (name) => card[name]);

/** The condition on a card that it has the values of a filter; other properties of the filter are ignored. */
export function hasValues(filter: FieldFilter): SQL {
  const conditions = FILTERED_FIELDS.filter((name) => filter[name] !== undefined).map(
    (name) => sql` and ${card[name]} = ${filter[name]}::${sql.raw(card[name].getSQLType())}`,
  );
  return sql.join([sql`true`, ...conditions]);
}

type Stored<Name extends CardField, Shape extends z.ZodType> = null extends Row[Name] ? z.ZodNullable<Shape> : Shape;
type Input<Name extends CardField> = Stored<Name, Fields[Name]["input"]>;

/** Tools read the description of a field beside its null, not under it. */
const stored = (name: CardField, shape: z.ZodType) =>
  card[name].notNull ? shape : shape.nullable().meta({ description: shape.description });
const inputShape = (name: CardField) => stored(name, FIELDS[name].input);

/** The shapes of fields in answers. */
export const outputShape = <Name extends CardField>(names: readonly Name[]) =>
  filled<{ [Key in Name]: Stored<Key, Fields[Key]["output"]> }>(names, (name) => stored(name, FIELDS[name].output));

/** The shapes of fields in board files. */
export const filedShape = () =>
  filled<{ [Key in Using<"filed">]: Key extends Later ? z.ZodOptional<Input<Key>> : Input<Key> }>(
    FILED_FIELDS,
    (name) => ("isLater" in FIELDS[name] ? inputShape(name).optional() : inputShape(name)),
  );

/** The shapes of the fields that a card is made with. */
export const newCardShape = () =>
  filled<{ [Key in Using<"edited">]: Key extends Optional ? z.ZodOptional<Input<Key>> : Input<Key> }>(
    EDITED_FIELDS,
    (name) => (card[name].notNull && !("initial" in FIELDS[name]) ? inputShape(name) : inputShape(name).optional()),
  );

/** The shapes of the fields that an edit may give: of one card, or of many at once. */
export const editShape = <U extends "edited" | "editedInBulk">(use: U) =>
  filled<{ [Key in Using<U>]: z.ZodOptional<Input<Key>> }>(using(use), (name) => inputShape(name).optional());

/** The shapes of the fields by which cards are filtered. */
export const filterShape = () =>
  filled<{ [Key in Using<"filtered">]: z.ZodOptional<Fields[Key]["input"]> }>(FILTERED_FIELDS, (name) =>
    FIELDS[name].input.meta({ description: "Only cards with this value." }).optional(),
  );
