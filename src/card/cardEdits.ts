// Calculates edits of cards: the new state and its events, for one card or many.

import { cardEvent, changesTo, type NewEvent } from "../events/log.js";
import { EDITED_FIELDS, type EditedValues, fieldsOf } from "./model/cardFields.js";
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

/** The changes of an edit to a card at a time; null if nothing differs. */
export function editedChange(card: CardAccess, edit: CardEdit, now: string): CardChange | null {
  const { completed } = edit;
  const changes = changesTo(fieldsOf(card, EDITED_FIELDS), fieldsOf(edit, EDITED_FIELDS));
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
