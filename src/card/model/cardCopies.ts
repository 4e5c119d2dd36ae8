// Copies of cards, for duplicating a card or a whole board.

import type { Named } from "../../access/guards.js";
import type { CardAddition } from "./cardCreation.js";
import { type CardValues, copiedValues } from "./cardFields.js";
import type { CardParts, LabelPart, MemberPart } from "./cardParts.js";
import { partsForFile } from "./ownParts.js";

/** The target of a copy, with its labels and members. */
interface CopyTarget extends Pick<CardAddition, "board" | "list" | "place"> {
  /** The label of the target that matches one of the card; the copy does not get labels without a match. */
  labelFor(label: LabelPart): Named | undefined;
  /** Whether an assignee sees the target; others are left out. */
  sees(member: MemberPart): boolean;
}

/** The copy of a card: new and open, without comments. */
export const copyOf = (
  card: CardValues,
  { labels, members, own }: CardParts,
  { board, list, place, labelFor, sees }: CopyTarget,
): CardAddition => ({
  board,
  list,
  place,
  archivedAt: null,
  createdAt: null,
  labels: labels.flatMap((label) => labelFor(label) ?? []),
  members: members.filter(sees),
  comments: [],
  ...partsForFile(own),
  ...copiedValues(card),
});
