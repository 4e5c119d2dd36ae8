// Events that earlier versions logged lack the fields that cards have got since.

import { CARD_FIELDS, type CardInput, newCardValues, storedValues } from "../card/model/cardFields.js";

type Data = Record<string, unknown>;

/** A card as some version logged it: each of its fields has the shape of this version, or is missing. */
const isCard = (value: unknown): value is CardInput => typeof value === "object" && value !== null;

/** The change of a due date before it said whether it has a time. */
const isTimeless = (value: unknown): value is { dueDate: { from: string | null; to: string | null } } =>
  typeof value === "object" && value !== null && "dueDate" in value && !("dueHasTime" in value);

/** At midnight UTC it was a day. */
const hadTime = (dueDate: string | null) => storedValues({ dueDate, dueHasTime: false }).dueHasTime;

/** The data of an event, with what a card of this version has and one of its version had not. */
export function withLaterFields(data: Data): Data {
  const { card, changes } = data;
  if (isCard(card) && CARD_FIELDS.some((field) => !(field in card))) {
    return { ...data, card: { ...card, ...newCardValues({ dueHasTime: false, ...card }) } };
  }
  if (isTimeless(changes)) {
    const { from, to } = changes.dueDate;
    return { ...data, changes: { ...changes, dueHasTime: { from: hadTime(from), to: hadTime(to) } } };
  }
  return data;
}
