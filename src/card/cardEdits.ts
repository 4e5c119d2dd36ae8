// Calculates edits of cards: the new state and its events, for one card or many.

import { cardEvent, changesTo, type NewEvent } from "../events/log.js";
import { cardValues, EDITED_FIELDS, type EditedValues, fieldsOf, storedValues } from "./model/cardFields.js";
import type { CardAccess } from "./model/cardGuards.js";
import type { CardChange, CardState } from "./model/cardWrites.js";

/** The fields of a card that an edit may give. */
interface CardEdit extends EditedValues {
  completed?: boolean | undefined;
}

/** An edit of one card, a move, or both. */
export interface CardUpdate extends CardEdit {
  cardPublicId: string;
  listPublicId?: string | undefined;
  index?: number | undefined;
}

/** The fields that an edit changes. A due date and whether it has a time go together: neither says alone what changed. */
function changedFields(card: CardAccess, edit: EditedValues) {
  const before = cardValues(card);
  const after = storedValues(fieldsOf(edit, EDITED_FIELDS));
  const changes = changesTo(before, after);
  if (changes?.dueDate === undefined && changes?.dueHasTime === undefined) return changes;
  return {
    ...changes,
    dueDate: { from: before.dueDate, to: after.dueDate },
    dueHasTime: { from: before.dueHasTime, to: after.dueHasTime },
  };
}

/** The changes of an edit to a card at a time; null if nothing differs. */
export function editedChange(card: CardAccess, edit: CardEdit, now: string): CardChange | null {
  const { completed } = edit;
  const changes = changedFields(card, edit);
  const events: NewEvent[] = changes === null ? [] : [cardEvent(card, "card.updated", { changes })];
  const to: Partial<CardState> = Object.fromEntries(
    Object.entries(changes ?? {}).map(([field, { to }]) => [field, to]),
  );
  if (completed === true && card.completedAt === null) {
    to.completedAt = now;
    events.push(cardEvent(card, "card.completed", { from: null, to: to.completedAt }));
  }
  if (completed === false && card.completedAt !== null) {
    to.completedAt = null;
    events.push(cardEvent(card, "card.reopened", { from: card.completedAt, to: null }));
  }
  return events.length === 0 ? null : { card, to, events };
}

/** The changes of archiving a card at a time; null if it is archived already. */
export function archivedChange(card: CardAccess, now: string): CardChange | null {
  if (card.archivedAt !== null) return null;
  const from = { listPublicId: card.listPublicId };
  return {
    card,
    to: { position: null, archivedAt: now },
    events: [cardEvent(card, "card.archived", { from })],
  };
}
