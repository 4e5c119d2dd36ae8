// The parts of a card (such as checklists), which only an open card has: what they are, and what each event changes of them.

import {
  type EventOf,
  type EventType,
  type LoggedCard,
  placed,
  replaced,
  type SnapshotCard,
  valuesOf,
  type WithStableKey,
  withOne,
  without,
} from "./things.js";

type PartName = Exclude<
  keyof LoggedCard,
  keyof SnapshotCard | "archivedAt" | "createdAt" | "updatedAt" | "list" | "board" | "workspace"
>;

/** The parts of an open card. */
export type CardParts = { readonly [Name in PartName]: WithStableKey<LoggedCard[Name]> };

/** The parts of a new card. */
export const NO_PARTS: { readonly [Name in PartName]: [] } = { checklists: [] };

/** A card without its parts, and its parts. */
export function divided<Card extends CardParts>(card: Card): { fields: Omit<Card, PartName>; parts: CardParts } {
  const isPart = ([name]: [string, unknown]) => Object.hasOwn(NO_PARTS, name);
  const entries = Object.entries(card);
  // Both together have the properties of the card.
  const fields = Object.fromEntries(entries.filter((entry) => !isPart(entry))) as Omit<Card, PartName>;
  return { fields, parts: Object.fromEntries(entries.filter(isPart)) as unknown as CardParts };
}

/** The change of an event: of the parts of an open card, and of the counts that every card has. */
interface PartChange<Type extends EventType> {
  parts: (parts: CardParts, data: EventOf<Type>["data"]) => Partial<CardParts>;
  counts?: (data: EventOf<Type>["data"]) => { total?: number; completed?: number };
}

type Items = CardParts["checklists"][number]["items"];

/** Changes the items of one checklist. */
const onItems =
  <Data extends { checklistPublicId: string }>(to: (items: Items, data: Data) => Items) =>
  ({ checklists }: CardParts, data: Data): Partial<CardParts> => ({
    checklists: replaced(checklists, data.checklistPublicId, (one) => ({ ...one, items: to(one.items, data) })),
  });

/** The change of each type of event that is about a part. */
const PART_CHANGES = {
  "checklist.created": {
    parts: ({ checklists }, { checklist }) => ({
      checklists: checklist === undefined ? checklists : withOne(checklists, checklist),
    }),
  },
  "checklist.updated": {
    parts: ({ checklists }, { checklistPublicId, changes }) => ({
      checklists: replaced(checklists, checklistPublicId, (one) => ({ ...one, ...valuesOf(changes) })),
    }),
  },
  "checklist.deleted": {
    parts: ({ checklists }, { checklistPublicId }) => ({ checklists: without(checklists, checklistPublicId) }),
    counts: ({ checklistItems: { total, completed } = { total: 0, completed: 0 } }) => ({
      total: -total,
      completed: -completed,
    }),
  },
  "checklist.item.created": {
    parts: onItems((items, { item }) => (item === undefined ? items : withOne(items, item))),
    counts: () => ({ total: 1 }),
  },
  "checklist.item.updated": {
    parts: onItems((items, { itemPublicId, changes = {} }) => {
      const { index, ...fields } = changes;
      const edited = replaced(items, itemPublicId, (one) => ({ ...one, ...valuesOf(fields) }));
      const item = edited.find(({ publicId }) => publicId === itemPublicId);
      return index === undefined || item === undefined ? edited : placed(edited, index.to, item);
    }),
  },
  "checklist.item.completed": {
    parts: onItems((items, { itemPublicId }) => replaced(items, itemPublicId, (one) => ({ ...one, completed: true }))),
    counts: () => ({ completed: 1 }),
  },
  "checklist.item.reopened": {
    parts: onItems((items, { itemPublicId }) => replaced(items, itemPublicId, (one) => ({ ...one, completed: false }))),
    counts: () => ({ completed: -1 }),
  },
  "checklist.item.deleted": {
    parts: onItems((items, { itemPublicId }) => without(items, itemPublicId)),
    counts: ({ completed }) => ({ total: -1, completed: completed === true ? -1 : 0 }),
  },
} satisfies { [Type in EventType]?: PartChange<Type> };

/** The types of events that are about parts. */
export type PartEvent = keyof typeof PART_CHANGES;

/** The change of an event that is about a part; undefined for all others. */
export const partChangeOf = (type: string): PartChange<PartEvent> | undefined =>
  Object.hasOwn(PART_CHANGES, type) ? (PART_CHANGES[type as PartEvent] as PartChange<PartEvent>) : undefined;
