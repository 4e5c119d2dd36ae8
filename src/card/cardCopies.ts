// Copies one card with what hangs on it, comments left out.

import type { z } from "zod";
import { copiedValues } from "../access/cardFields.js";
import type { CardAccess } from "../access/cardGuards.js";
import type { ListAccess } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { byName } from "../api/shapes.js";
import { cardCreated } from "../board/loggedCards.js";
import { card as cards, checklist, checklistItem, list } from "../db/schema/index.js";
import { addRows } from "../db/unitOfWork.js";
import { labelsAt, seersOf } from "./boardChanges.js";
import { placeOn } from "./cardMoves.js";
import { type CardParts, type ChecklistPart, partsOf } from "./cardParts.js";
import { addLabels, addMembers } from "./cardWrites.js";
import type { NewCard } from "./shapes.js";

/** The labels that a copy gets: the card's own, or on another board those of the same names. */
async function labelsFor(tx: Tx, card: CardAccess, { labels }: CardParts, target: ListAccess) {
  if (card.boardId === target.boardId) return labels;
  const labelFor = await labelsAt(tx, labels, target);
  return labels.map(labelFor);
}

/** Copies a card to the end of a list. */
export async function copyCard(
  tx: Tx,
  card: CardAccess,
  target: ListAccess,
  title: string,
): Promise<z.output<typeof NewCard>> {
  const parts = (await partsOf(tx, [card]))(card);
  const sees = await seersOf(tx, target);
  const members = parts.members.filter(sees);
  const labels = await labelsFor(tx, card, parts, target);
  const { position, to: index } = await placeOn(tx, target, "end");
  const cardId = tx.newRowId();
  const publicId = tx.newPublicId();
  const cardNumber = tx.newCardNumber();
  const { itemsTotal, itemsCompleted } = card;
  const fields = { ...copiedValues(card), title };
  const checklists = parts.checklists.map(({ name, items }) => ({
    publicId: tx.newPublicId(),
    name,
    items: items.map((item) => ({ ...item, publicId: tx.newPublicId() })),
  }));
  const revision = tx.log(
    cardCreated(target, {
      ...{ publicId, cardNumber, index, ...fields, archivedAt: null, createdAt: tx.now, updatedAt: tx.now },
      labels: labels.map(({ publicId, name, colourCode }) => ({ publicId, name, colourCode })).sort(byName),
      members: members.map(({ publicId }) => ({ publicId })),
      checklistItems: { total: itemsTotal, completed: itemsCompleted },
      commentCount: 0,
      list: { publicId: target.listPublicId, name: target.listName },
      checklists: checklists.map(({ items, ...named }) => ({
        ...named,
        items: items.map(({ publicId, title, completed }) => ({ publicId, title, completed })),
      })),
    }),
  );
  const { boardId, listId } = target;
  const counts = { itemsTotal, itemsCompleted };
  tx.add(cards, {
    id: cardId,
    publicId,
    boardId,
    listId,
    position,
    cardNumber,
    ...fields,
    ...counts,
    updatedAt: tx.now,
    revision,
  });
  tx.set(list, { id: listId }, { openCards: target.openCards + 1 });
  addLabels(
    tx,
    labels.map(({ id }) => ({ cardId, otherId: id })),
  );
  addMembers(
    tx,
    members.map(({ id }) => ({ cardId, otherId: id })),
  );
  for (const one of checklists) addChecklist(tx, cardId, one);
  return { publicId, cardNumber };
}

function addChecklist(tx: Tx, cardId: number, { publicId, name, items }: ChecklistPart): void {
  const checklistId = tx.newRowId();
  tx.add(checklist, { id: checklistId, publicId, cardId, name });
  addRows(
    tx,
    checklistItem,
    items.map((item) => ({ id: tx.newRowId(), checklistId, ...item })),
  );
}
