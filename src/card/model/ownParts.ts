// The parts that belong to one card alone, each described once. Reading a card, events, copies, board files, imports and moves between
// boards loop over these descriptions.

import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { z } from "zod";
import { ChecklistName, ItemTitle } from "../../api/shapes.js";
import { GAP } from "../../db/positions.js";
import { card, checklist, checklistItem } from "../../db/schema/index.js";
import { computed, jsonArray, type RowOf } from "../../db/selections.js";
import type { Value } from "../../db/statements.js";
import type { UnitOfWork } from "../../db/unitOfWork.js";
import { filled } from "./cardFields.js";

/** The columns in which a card counts its parts. */
export const countColumns = { itemsTotal: card.itemsTotal, itemsCompleted: card.itemsCompleted };
type CardCounts = RowOf<typeof countColumns>;

const Whole = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** The counts of a card in answers and events. */
export const countShapes = {
  checklistItems: z
    .object({
      total: Whole.meta({ description: "The number of items." }),
      completed: Whole.meta({ description: "The number of completed items." }),
    })
    .meta({ description: "The items of all checklists of the card." }),
};

/** The counts of a card as answers and events show them. */
export const shownCounts = ({ itemsTotal, itemsCompleted }: CardCounts) => ({
  checklistItems: { total: itemsTotal, completed: itemsCompleted },
});

/** A kind of part; a card has any number of them, in an order. */
export interface OwnPart<Shown, New> {
  /** The parts of a card in answers and events. */
  shown: z.ZodType<Shown[]>;
  /** The parts of a card in board files, and what new cards are given; optional if older files do not have them. */
  filed: z.ZodType<New[] | undefined>;
  /** The form of a part in files, which copies begin with as well: without identifiers. */
  toFile(part: Shown): New;
  /** Selects the parts of a card as JSON, in order; null if it has none. Each of its tables names the workspace. */
  read(workspaceId: Value<number>): SQL<Shown[] | null>;
  /** The tables of its rows, in the order in which they are written. */
  tables: readonly PgTable[];
  /** Adds the rows of a part to `rows`, and returns the part as its card's event shows it. */
  add(unit: Pick<UnitOfWork, "newRowId" | "newPublicId">, rows: Pick<UnitOfWork, "add">, of: OnCard<New>): Shown;
  /** The share of the parts in the counts of their card. */
  counts(parts: readonly Shown[]): Partial<CardCounts>;
  /** The limit of one import: the maximum, what the texts call it, and the share of one part in it. */
  limit: { max: number; what: string; of(part: New): number };
}

/** A part for a new card. */
interface OnCard<New> {
  cardId: number;
  wanted: New;
}

/** An item of a checklist. */
export const ChecklistItem = z
  .object({ publicId: z.string(), title: z.string(), completed: z.boolean() })
  .meta({ id: "ChecklistItem", description: "An item of a checklist." });

/** A checklist with its items. */
export const Checklist = z
  .object({
    publicId: z.string(),
    name: z.string(),
    items: z.array(ChecklistItem).meta({ description: "In order." }),
  })
  .meta({ id: "Checklist", description: "A checklist of a card." });

const FiledChecklist = z.strictObject({
  name: ChecklistName,
  items: z.array(z.strictObject({ title: ItemTitle, completed: z.boolean() })),
});

const itemFields = { publicId: checklistItem.publicId, title: checklistItem.title, completed: checklistItem.completed };

const checklistFields = (workspaceId: SQL) => ({
  publicId: checklist.publicId,
  name: checklist.name,
  items: sql<RowOf<typeof itemFields>[]>`(
    select coalesce(${jsonArray(itemFields, checklistItem.position)}, '[]') from ${checklistItem}
    where ${checklistItem.workspaceId} = ${workspaceId} and ${checklistItem.checklistId} = ${checklist.id})`,
});

/** The parts by the name that they have in answers, events and files; in the order in which these show them. */
export const OWN_PARTS = {
  checklists: {
    shown: z.array(Checklist).meta({ description: "In the order of their creation." }),
    filed: z.array(FiledChecklist).meta({ description: "In order." }),
    toFile: ({ name, items }) => ({ name, items: items.map(({ title, completed }) => ({ title, completed })) }),
    read: (workspaceId) => {
      const key = sql`${workspaceId}::bigint`;
      return sql`(
        select ${jsonArray(checklistFields(key), checklist.id)} from ${checklist}
        where ${checklist.workspaceId} = ${key} and ${checklist.cardId} = ${card.id})`;
    },
    tables: [checklist, checklistItem],
    add: (unit, rows, { cardId, wanted: { name, items: wanted } }) => {
      const own = { id: unit.newRowId(), publicId: unit.newPublicId(), name };
      const items = wanted.map(({ title, completed }) => ({ publicId: unit.newPublicId(), title, completed }));
      rows.add(checklist, { ...own, cardId });
      for (const [index, item] of items.entries())
        rows.add(checklistItem, { id: unit.newRowId(), checklistId: own.id, position: index * GAP, ...item });
      return { publicId: own.publicId, name, items };
    },
    counts: (parts) => {
      const items = parts.flatMap((one) => one.items);
      return { itemsTotal: items.length, itemsCompleted: items.filter(({ completed }) => completed).length };
    },
    limit: { max: 100_000, what: "checklist items", of: ({ items }) => items.length },
  } satisfies OwnPart<z.output<typeof Checklist>, z.output<typeof FiledChecklist>>,
};

type OwnParts = typeof OWN_PARTS;
type PartName = keyof OwnParts;

/** The parts of a card, as answers and events show them. */
export type ShownParts = { [Name in PartName]: z.output<OwnParts[Name]["shown"]> };
/** The parts of a card, as files hold them and new cards are given them. */
export type NewParts = { [Name in PartName]: NonNullable<z.output<OwnParts[Name]["filed"]>> };
/** Some of the parts of a card; those that are left out are empty. */
export type SomeParts = { [Name in PartName]?: NewParts[Name] | undefined };

const PARTS: { readonly [Name in PartName]: OwnPart<unknown, unknown> } = OWN_PARTS;
const NAMES = Object.keys(OWN_PARTS) as PartName[];

/** The shapes of the parts in answers and events. */
export const shownPartShapes = () =>
  filled<{ [Name in PartName]: OwnParts[Name]["shown"] }>(NAMES, (name) => PARTS[name].shown);

/** The shapes of the parts in board files. */
export const filedPartShapes = () =>
  filled<{ [Name in PartName]: OwnParts[Name]["filed"] }>(NAMES, (name) => PARTS[name].filed);

/** Selects the parts of a card, each as JSON; null for those that it does not have. */
export const partColumns = (workspaceId: Value<number>) =>
  filled<{ [Name in PartName]: SQL<ShownParts[Name] | null> }>(NAMES, (name) => PARTS[name].read(workspaceId));

/** The fields of rows that select `partColumns`. */
export const PART_FIELDS = filled<{ [Name in PartName]: ReturnType<typeof computed<ShownParts[Name] | null>> }>(
  NAMES,
  computed,
);

/** The parts that `partColumns` selected. */
export const partsIn = (row: { [Name in PartName]: ShownParts[Name] | null }): ShownParts =>
  filled(NAMES, (name) => row[name] ?? []);

/** The parts of a card for a file, or for a copy. */
export const partsForFile = (parts: ShownParts): NewParts =>
  filled(NAMES, (name) => parts[name].map((part) => PARTS[name].toFile(part)));

/** All parts of a new card, of which some are given. */
export const newParts = (some: SomeParts): NewParts => filled(NAMES, (name) => some[name] ?? []);

/** The tables of all parts, in the order in which rows are written. */
export const PART_TABLES = NAMES.flatMap((name) => PARTS[name].tables);

/** Adds the rows of a new card's parts to `rows`. Returns the parts as the event of the card shows them, and the card's counts. */
export function addParts(
  unit: Pick<UnitOfWork, "newRowId" | "newPublicId">,
  rows: Pick<UnitOfWork, "add">,
  { cardId, wanted }: OnCard<SomeParts>,
): { parts: ShownParts; counts: CardCounts } {
  const parts = filled<ShownParts>(NAMES, (name) =>
    (wanted[name] ?? []).map((one) => PARTS[name].add(unit, rows, { cardId, wanted: one })),
  );
  const counts: CardCounts = { itemsTotal: 0, itemsCompleted: 0 };
  for (const name of NAMES) Object.assign(counts, PARTS[name].counts(parts[name]));
  return { parts, counts };
}

/** The limits of one import, with the number of what some cards have. */
export const partLimits = (plans: readonly SomeParts[]) =>
  NAMES.map((name) => {
    const { limit } = PARTS[name];
    let count = 0;
    for (const plan of plans) for (const part of plan[name] ?? []) count += limit.of(part);
    return { ...limit, count };
  });

/** The limits of one import, as texts list them. */
export const PART_LIMITS_TEXT = partLimits([])
  .map(({ max, what }) => `${max} ${what}`)
  .join(", ");
