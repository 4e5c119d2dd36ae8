// Makes a card on a list.

import type { z } from "zod";
import { type GivenValues, newCardValues } from "../access/cardFields.js";
import { type Assignee, assigneesOn, mustBeAssignable } from "../access/cardGuards.js";
import { labelsOn, listFor, mustBeOpen, type Named } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { byName } from "../api/shapes.js";
import { cardCreated } from "../board/loggedCards.js";
import { card as cards, list as lists } from "../db/schema/index.js";
import { notifyOfText } from "../notification/mentions.js";
import { placeOn } from "./cardMoves.js";
import { addLabels, addMembers } from "./cardWrites.js";
import type { NewCard } from "./shapes.js";

/** What a card is made with. */
export interface NewCardInput extends GivenValues {
  listPublicId: string;
  index?: number | undefined;
  labelPublicIds: readonly string[];
  memberPublicIds: readonly string[];
}

/** Makes a card at `index` of a list, at its end by default. */
export async function createCard(tx: Tx, input: NewCardInput): Promise<z.output<typeof NewCard>> {
  const list = await listFor(tx, input.listPublicId, "card:create");
  const labels = await labelsOn(tx, list, input.labelPublicIds);
  const members = await assigneesOn(tx, [list], input.memberPublicIds);
  mustBeAssignable(members, "memberPublicIds");
  mustBeOpen(list);
  const { boardId, listId } = list;
  const { position, to: index } = await placeOn(tx, list, input.index ?? "end");
  const cardId = tx.newRowId();
  const publicId = tx.newPublicId();
  const cardNumber = tx.newCardNumber();
  const fields = newCardValues(input);
  const revision = tx.log(
    cardCreated(list, {
      ...{ publicId, cardNumber, index, ...fields },
      ...{ archivedAt: null, createdAt: tx.now, updatedAt: tx.now },
      labels: labels.map(shownLabel).sort(byName),
      members: members.map(shownMember),
      checklistItems: { total: 0, completed: 0 },
      commentCount: 0,
      list: { publicId: list.listPublicId, name: list.listName },
      checklists: [],
    }),
  );
  tx.add(cards, {
    id: cardId,
    publicId,
    boardId,
    listId,
    position,
    cardNumber,
    ...fields,
    updatedAt: tx.now,
    revision,
  });
  tx.set(lists, { id: listId }, { openCards: list.openCards + 1 });
  addLabels(
    tx,
    labels.map(({ id }) => ({ cardId, otherId: id })),
  );
  addMembers(
    tx,
    members.map(({ id }) => ({ cardId, otherId: id })),
  );
  await notifyOfText(tx, { ...list, cardId }, { text: fields.description });
  return { publicId, cardNumber };
}

const shownLabel = ({ publicId, name, colourCode }: Named) => ({ publicId, name, colourCode });
const shownMember = ({ publicId }: Assignee) => ({ publicId });
