// The shapes of single cards and their checklists (contract section 3).

import { z } from "zod";
import { EDITED_FIELDS, shownShape } from "../access/cardFields.js";
import { PublicId, Timestamp } from "../api/shapes.js";
import { CardSummary } from "../board/shapes.js";

/** An item of a checklist. */
export const Item = z.object({ publicId: z.string(), title: z.string(), completed: z.boolean() });

/** A checklist without its items. */
export const Checklist = z.object({ publicId: z.string(), name: z.string() });

/** A card with everything on it. */
export const Card = CardSummary.extend({
  archivedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  list: z.object({ publicId: z.string(), name: z.string() }).nullable(),
  board: z.object({ publicId: z.string(), name: z.string() }),
  workspace: z.object({ publicId: z.string(), cardPrefix: z.string() }),
  checklists: z.array(Checklist.extend({ items: z.array(Item) })),
});

/** What making a card answers. */
export const NewCard = z.object({ publicId: z.string(), cardNumber: z.int().min(1).max(2_147_483_647) });

/** What updating a card answers (specification 4.5). */
export const UpdatedCard = z.object({ publicId: z.string(), ...shownShape(EDITED_FIELDS) });

/** The path of an operation on one card. */
export const ofCard = { cardPublicId: PublicId };

/** The cards of a bulk call: 1 to 1000; one named twice counts once. */
export const CardIds = z.array(PublicId).min(1).max(1000);
