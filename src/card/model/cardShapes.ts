// The shapes of cards and comments (contract section 3), shared by responses and events.

import { z } from "zod";
import { Actor, EventId, Label, Person, Timestamp } from "../../api/shapes.js";
import { CARD_FIELDS, outputShape } from "./cardFields.js";
import { countShapes, shownPartShapes } from "./ownParts.js";

const Whole = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const Reference = { publicId: z.string(), name: z.string() };

const { title, description, ...otherFields } = outputShape(CARD_FIELDS);

const summaryFields = {
  publicId: z.string(),
  title,
  description,
  cardNumber: Whole.meta({
    description: "The number of the card in the workspace. People refer to it as `PREFIX-12`.",
  }),
  index: Whole.nullable().meta({
    description: "The zero-based position among the open cards of the list; null while the card is archived.",
  }),
  ...otherFields,
  labels: z.array(Label).meta({ description: "Sorted by name." }),
  members: z.array(Person).meta({ description: "The assignees." }),
  ...countShapes,
  commentCount: Whole.meta({ description: "The number of comments; 0 on a public board." }),
};

/** A card as a board shows it; `index` is its position in its list, null while archived. */
export const CardSummary = z
  .object(summaryFields)
  .meta({ id: "CardSummary", description: "A card as a board shows it." });

/** A card with everything on it, as the log holds it. */
export const LoggedCard = z
  .object({
    ...summaryFields,
    archivedAt: Timestamp.nullable().meta({ description: "When the card was archived; null while it is active." }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    list: z
      .object(Reference)
      .nullable()
      .meta({ description: "The list of the card; null for an archived card whose list was deleted." }),
    board: z.object(Reference).meta({ description: "The board of the card." }),
    workspace: z
      .object({
        publicId: z.string(),
        cardPrefix: z
          .string()
          .meta({ description: "The prefix of card numbers: people refer to card 12 as `PREFIX-12`." }),
      })
      .meta({ description: "The workspace of the card." }),
    ...shownPartShapes(),
  })
  .meta({ id: "LoggedCard", description: "A card as events show it." });

/** A card as it is read. */
export const Card = LoggedCard.extend({ eventId: EventId }).meta({
  id: "Card",
  description: "A card with everything on it except comments.",
});

/** A comment as it is shown (contract section 3). */
export const Comment = z
  .object({
    publicId: z.string(),
    comment: z.string().meta({ description: "The text as it was sent." }),
    author: Actor,
    parentCommentPublicId: z
      .string()
      .nullable()
      .meta({ description: "The comment that this one replies to; null for all others." }),
    importedFrom: z
      .object({
        name: z.string().meta({ description: "The author in the file." }),
        createdAt: Timestamp.meta({ description: "The time in the file." }),
      })
      .nullable()
      .meta({ description: "Where an imported comment came from; null for all others." }),
    createdAt: Timestamp,
    editedAt: Timestamp.nullable().meta({ description: "When the text was last changed, or null." }),
  })
  .meta({ id: "Comment", description: "A comment on a card." });
