// The plan of an import: boards with everything on them in order, without using the database. Parts refer to each other by index.

import type { z } from "zod";
import type { Visibility } from "../api/shapes.js";
import type { CardInput } from "../card/model/cardFields.js";
import type { NewParts, SomeParts } from "../card/model/ownParts.js";

/** A board to create. Fields that are left out are as on a new board. */
export interface BoardPlan {
  name: string;
  /** The wanted slug, or else the next free one; without one it is derived from the name. */
  slug?: string;
  visibility?: z.output<typeof Visibility>;
  /** Matched by name in the workspace, or created; names are unique regardless of case. */
  tags?: readonly { name: string; colourCode: string }[];
  /** The keys of active members who become members of the board in addition to the importer, each once. */
  memberIds?: readonly number[];
  lists: readonly string[];
  /** Names are unique regardless of case. */
  labels: readonly { name: string; colourCode: string }[];
  cards: readonly CardPlan[];
}

/** A card to create. Fields that are left out are as on a new card. */
export interface CardPlan extends CardInput, SomeParts {
  /** Index in the board's `lists`; null for an archived card without a list. */
  listIndex: number | null;
  /** Indexes in the board's `labels`, each once. */
  labelIndexes: readonly number[];
  /** The keys of active members who see the board, each once. */
  memberIds: readonly number[];
  archivedAt?: string | null;
  /** Null: the time of the import. */
  createdAt?: string | null;
  comments?: readonly CommentPlan[];
}

export type ChecklistPlan = NewParts["checklists"][number];

/** A comment of the importer, with the original author and time. */
export interface CommentPlan {
  comment: string;
  author: string;
  createdAt: string;
  editedAt: string | null;
  /** Index in the card's `comments`, before this one, of the comment that it replies to. */
  parentIndex: number | null;
}

/** The sum of a number of each value. */
export const sum = <T>(values: readonly T[], of: (value: T) => number) =>
  values.reduce((total, value) => total + of(value), 0);

/** The objects that a plan creates, in the form of the responses of imports (specification 4.2). */
export function plannedCounts(plans: readonly BoardPlan[]) {
  const cards = plans.flatMap((plan) => plan.cards);
  return {
    boardsCreated: plans.length,
    listsCreated: sum(plans, ({ lists }) => lists.length),
    cardsCreated: cards.length,
    labelsCreated: sum(plans, ({ labels }) => labels.length),
    checklistItemsCreated: sum(cards, ({ checklists = [] }) => sum(checklists, ({ items }) => items.length)),
    cardsAssigned: cards.filter(({ memberIds }) => memberIds.length > 0).length,
  };
}
