// What an import is going to make: boards with everything on them in order, knowing no database. What parts refer to is named
// by its place.

import type { z } from "zod";
import type { GivenValues } from "../access/cardFields.js";
import type { Visibility } from "../api/shapes.js";
import type { NewParts } from "../board/cardAdditions.js";

/** A board to be made. What is left out is as on a new board. */
export interface BoardPlan {
  name: string;
  /** Wanted, or else the next one to it that is free; without one it is made from the name. */
  slug?: string;
  visibility?: z.output<typeof Visibility>;
  /** Found in the workspace by name, or made there; names differ in more than case. */
  tags?: readonly { name: string; colourCode: string }[];
  /** Keys of active members who belong to the board besides the importer, each once. */
  memberIds?: readonly number[];
  lists: readonly string[];
  /** Names differ in more than case. */
  labels: readonly { name: string; colourCode: string }[];
  cards: readonly CardPlan[];
}

/** A card to be made. What is left out is as on a new card. */
export interface CardPlan extends GivenValues, Partial<NewParts> {
  /** Place in the board's `lists`; null for an archived card that has none. */
  listIndex: number | null;
  /** Places in the board's `labels`, each once. */
  labelIndexes: readonly number[];
  /** Keys of active members who see the board, each once. */
  memberIds: readonly number[];
  archivedAt?: string | null;
  /** Null: when it is imported. */
  createdAt?: string | null;
  comments?: readonly CommentPlan[];
}

export type ChecklistPlan = NewParts["checklists"][number];

/** A comment of the importer that tells who wrote it where it comes from, and when. */
export interface CommentPlan {
  comment: string;
  author: string;
  createdAt: string;
  editedAt: string | null;
  /** Place in the card's `comments`, before this one, of the comment that it replies to. */
  parentIndex: number | null;
}

export const sum = <T>(values: readonly T[], of: (value: T) => number) =>
  values.reduce((total, value) => total + of(value), 0);

/** What a plan will make, as the answers of imports tell it (specification 4.2). */
export function countsOf(plans: readonly BoardPlan[]) {
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
