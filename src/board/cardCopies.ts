// Copies of cards, whether one is duplicated or a whole board is copied.

import { type CardValues, copiedValues } from "../access/cardFields.js";
import type { Named } from "../access/guards.js";
import type { NewCard } from "./cardAdditions.js";
import type { CardParts, LabelPart, MemberPart } from "./cardParts.js";

/** Where a copy goes, and whom and what it finds there. */
export interface CopyTarget extends Pick<NewCard, "board" | "list" | "place"> {
  /** The label of the target that stands for one of the card; the copy goes without those that have none. */
  labelFor(label: LabelPart): Named | undefined;
  /** Whether an assignee sees the target; the others are left out. */
  sees(member: MemberPart): boolean;
}

/** The copy of a card: new and open, without its comments. */
export const copyOf = (
  card: CardValues,
  { labels, members, own }: CardParts,
  { board, list, place, labelFor, sees }: CopyTarget,
): NewCard => ({
  ...copiedValues(card),
  ...own,
  board,
  list,
  place,
  archivedAt: null,
  createdAt: null,
  labels: labels.flatMap((label) => labelFor(label) ?? []),
  members: members.filter(sees),
  comments: [],
});
