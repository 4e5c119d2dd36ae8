// The shapes of boards (contract section 3).

import { z } from "zod";
import { Me } from "../access/membership.js";
import { BoardId, EventId, Label, Member, Tag, Visibility } from "../api/shapes.js";
import { CardSummary } from "../card/model/cardShapes.js";

/** The path parameter of a board. */
export const ofBoard = { boardPublicId: BoardId };

const Whole = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A list with its open cards. */
export const List = z
  .object({
    publicId: z.string(),
    name: z.string(),
    index: Whole.meta({ description: "The zero-based position among the lists of the board." }),
    cards: z.array(CardSummary).meta({ description: "The open cards, in order." }),
  })
  .meta({ id: "List", description: "A list of a board with its open cards." });

/** The response to creating or changing a list. */
export const NamedList = z
  .object({ publicId: z.string(), name: z.string() })
  .meta({ id: "NamedList", description: "A list without its cards." });

const isFavourite = z.boolean().meta({ description: "Whether the caller marked the board as a favourite." });

const stateFields = {
  publicId: z.string(),
  name: z.string(),
  slug: z.string().meta({ description: "The name of the board in URLs, unique in the workspace." }),
  visibility: Visibility,
  isArchived: z.boolean(),
};
const tags = z.array(Tag).meta({ description: "Sorted by name." });

/** A board in a list of boards. */
export const BoardSummary = z
  .object({
    ...stateFields,
    isFavourite,
    tags,
    openCards: Whole.meta({ description: "The number of cards that are not archived." }),
  })
  .meta({ id: "BoardSummary", description: "A board in a list of boards." });

const content = {
  labels: z.array(Label).meta({ description: "The labels of the board, sorted by name." }),
  lists: z.array(List).meta({ description: "In order." }),
};
/** The fields that differ by caller; of the members the addresses. */
const readersFields = {
  members: z.array(Member).meta({ description: "The members of the board; empty for readers without a token." }),
  isFavourite,
};

/** A whole board. What differs by caller comes last, and then where it stands in the log: see `CachedBoard`. */
export const Board = z
  .object({
    ...stateFields,
    tags,
    workspace: z
      .object({
        publicId: z.string(),
        name: z.string(),
        slug: z.string().meta({ description: "The name of the workspace in URLs." }),
        cardPrefix: z
          .string()
          .meta({ description: "The prefix of card numbers: people refer to card 12 as `PREFIX-12`." }),
      })
      .meta({ description: "The workspace of the board." }),
    ...content,
    ...readersFields,
    me: Me,
    eventId: EventId,
  })
  .meta({ id: "Board", description: "A board with its lists and open cards." });

/** A public board: without names and addresses of people, and only the name of the workspace. */
export const PublicBoard = z
  .object({
    ...stateFields,
    tags,
    workspace: z.object({ name: z.string() }).meta({ description: "The workspace of the board." }),
    ...content,
    ...readersFields,
  })
  .meta({ id: "PublicBoard", description: "A public board as anyone may read it." });

/** The fields of a board that every caller sees alike; `lists` is the last one. */
export const CommonBoard = Board.omit({ members: true, isFavourite: true, me: true, eventId: true });
export const CommonPublicBoard = PublicBoard.omit({ members: true, isFavourite: true });

const newFields = {
  publicId: z.string(),
  name: z.string(),
  slug: z.string().meta({ description: "The name of the board in URLs, unique in the workspace." }),
};

/** The response to creating or copying a board. */
export const NewBoard = z.object(newFields).meta({ id: "NewBoard", description: "A board that was just created." });

/** The response to changing a board. */
export const UpdatedBoard = z
  .object({
    ...newFields,
    visibility: Visibility,
    isFavourite,
  })
  .meta({ id: "UpdatedBoard", description: "The fields of a board that an update can change." });
