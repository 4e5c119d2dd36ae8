// The shapes of calls on single cards (contract section 3).

import { z } from "zod";
import { CardId, CardNumber } from "../api/shapes.js";
import { type CardField, outputShape } from "./model/cardFields.js";

/** The response to creating or changing a checklist. */
export const NamedChecklist = z
  .object({ publicId: z.string(), name: z.string() })
  .meta({ id: "NamedChecklist", description: "A checklist without its items." });

/** The response to creating a card. */
export const NewCard = z
  .object({
    publicId: z.string(),
    cardNumber: CardNumber,
  })
  .meta({ id: "NewCard", description: "A card that was just created." });

/** The fields that the response to updating a card shows, whatever fields cards get. */
export const UPDATED_FIELDS = ["title", "description", "dueDate", "priority"] as const satisfies CardField[];

/** The response to updating a card (specification 4.5). */
export const UpdatedCard = z
  .object({ publicId: z.string(), ...outputShape(UPDATED_FIELDS) })
  .meta({ id: "UpdatedCard", description: "The fields of a card after an update." });

/** The path of an operation on one card. */
export const ofCard = { cardPublicId: CardId };

/** The cards of a bulk call: 1 to 1000; a card that is named twice counts once. */
export const CardIds = z
  .array(CardId)
  .min(1)
  .max(1000)
  .meta({ description: "The identifiers of the cards. A card that is named twice counts once." });
