// The description of the card that has the focus. Loaded once the board stands.

import type { CardState } from "work-board-client/board";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { meFirst, type ShownBoard } from "./context.js";
import { dueOf, inSentence } from "./due.js";

/** Whether no card has had the focus since the page was loaded. */
let isFirst = true;
/** The list of the card that had the focus last. */
let lastList: string | undefined;

function dueWords({ dueDate, dueHasTime, completedAt }: CardState): string[] {
  if (dueDate === null) return [];
  const now = new Date();
  const due = { dueDate, dueHasTime };
  return [inSentence(due, dueOf(due, completedAt, now), now)];
}

/**
 * Describes a card to screen readers when it takes the focus: its place if the focus comes to its list, its properties, and once in a visit
 * how its keys reach the page.
 */
export function describeCard({ followed, open, meId }: ShownBoard, cardPublicId: string): void {
  const { board } = followed.state();
  const card = board?.cards[cardPublicId];
  const list = board?.lists.find(({ cardIds }) => cardIds.includes(cardPublicId));
  if (board === null || card === undefined || list === undefined) return;
  const { cardIds, name, publicId } = list;
  const { labelIds, members, priority } = card;
  const place = t.moving.place(cardIds.indexOf(cardPublicId) + 1, cardIds.length, name);
  const people = meFirst(members, meId).map((one) => (one.publicId === meId ? t.card.you : one.name));
  const words = [
    ...(publicId === lastList ? [] : [place]),
    ...dueWords(card),
    ...board.labels.filter((label) => labelIds.includes(label.publicId)).map((label) => label.name),
    ...(people.length === 0 ? [] : [t.card.assignedTo(people)]),
    ...(priority === "none" ? [] : [t.card.priorities[priority]]),
    ...(isFirst ? [texts.card.keysHint] : []),
  ];
  isFirst = false;
  lastList = publicId;
  open.cards.get(cardPublicId)?.title.current?.setAttribute("aria-description", words.join(", "));
}
