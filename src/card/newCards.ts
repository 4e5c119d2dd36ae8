// Makes a card on a list, new or as a copy of another one.

import type { z } from "zod";
import { type ListAccess, mustBeOpen } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { labelsOn } from "../board/labels.js";
import type { At } from "../db/positions.js";
import { list as lists } from "../db/schema/index.js";
import { notifyOfText } from "../notification/mentions.js";
import { notifyAssigned } from "../notification/watching.js";
import { labelsAt, seersOf } from "./boardChanges.js";
import type { NewCard } from "./callShapes.js";
import { copyOf } from "./model/cardCopies.js";
import { type CardAddition as AddedCard, addCard, type MadeCard } from "./model/cardCreation.js";
import { type CardInput, newCardValues } from "./model/cardFields.js";
import { assigneesOn, type CardAccess, mustBeAssignable } from "./model/cardGuards.js";
import { placeOn } from "./model/cardOrder.js";
import { partsOf } from "./model/cardParts.js";

/** The input of a new card. */
interface NewCardInput extends CardInput {
  index?: number | undefined;
  labelPublicIds: readonly string[];
  memberPublicIds: readonly string[];
}

/** Makes a card at `index` of a list, at its end by default. */
export async function createCard(tx: Tx, list: ListAccess, input: NewCardInput): Promise<z.output<typeof NewCard>> {
  const labels = await labelsOn(tx, list, input.labelPublicIds);
  const members = await assigneesOn(tx, [list], input.memberPublicIds);
  mustBeAssignable(members, "memberPublicIds");
  mustBeOpen(list);
  const fields = { archivedAt: null, createdAt: null, ...newCardValues(input) };
  const { id, publicId, cardNumber } = await addCardTo(tx, list, input.index ?? "end", (place) => ({
    labels,
    members,
    ...place,
    ...fields,
  }));
  await notifyOfText(tx, { cardId: id, ...list }, { text: fields.description, commentId: null });
  return { publicId, cardNumber };
}

/** Copies a card to the end of a list, with a title. On another board its labels are matched by name. */
export async function copyCard(
  tx: Tx,
  card: CardAccess,
  target: ListAccess,
  title: string,
): Promise<z.output<typeof NewCard>> {
  const parts = (await partsOf(tx, [card.cardId]))(card.cardId);
  const sees = await seersOf(tx, parts.members, target);
  const labelFor = card.boardId === target.boardId ? undefined : await labelsAt(tx, parts.labels, target);
  const { publicId, cardNumber } = await addCardTo(tx, target, "end", (place) =>
    copyOf({ ...card, title }, parts, { ...place, labelFor: labelFor ?? ((label) => label), sees }),
  );
  return { publicId, cardNumber };
}

/** Makes the card that `wanted` returns for its position on a list, and notifies its assignees. */
async function addCardTo(
  tx: Tx,
  list: ListAccess,
  at: At,
  wanted: (place: Pick<AddedCard, "board" | "list" | "place">) => AddedCard,
): Promise<MadeCard> {
  const { listId: id, listPublicId: publicId, listName: name } = list;
  const { position, to: index } = await placeOn(tx, list, at);
  const card = wanted({ board: list, list: { id, publicId, name }, place: { position, index } });
  const made = addCard(tx, card);
  tx.set(lists, { id }, { openCards: list.openCards + 1 });
  const assignments = card.members.map((member) => ({ cardId: made.id, memberId: member.id }));
  await notifyAssigned(tx, assignments);
  return made;
}
