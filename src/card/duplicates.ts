// Copies one card to the end of a list.

import type { z } from "zod";
import type { ListAccess } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { labelsAt, seersOf } from "./boardChanges.js";
import type { NewCard } from "./callShapes.js";
import { copyOf } from "./model/cardCopies.js";
import type { CardAccess } from "./model/cardGuards.js";
import { partsOf } from "./model/cardParts.js";
import { addCardTo } from "./newCards.js";

/** Copies a card to the end of a list, with a title. On another board its labels are matched by name. */
export async function copyCard(
  tx: Tx,
  card: CardAccess,
  target: ListAccess,
  title: string,
): Promise<z.output<typeof NewCard>> {
  const parts = (await partsOf(tx, [card.cardId]))(card.cardId);
  const sees = await seersOf(tx, target);
  const labelFor = card.boardId === target.boardId ? undefined : await labelsAt(tx, parts.labels, target);
  const { publicId, cardNumber } = await addCardTo(tx, target, "end", (place) =>
    copyOf({ ...card, title }, parts, { ...place, labelFor: labelFor ?? ((label) => label), sees }),
  );
  return { publicId, cardNumber };
}
